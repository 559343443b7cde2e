"""Exact duplicates: a digest of the normalised text. Equality only; one changed character changes it all.

Normalised: Unicode NFKC, then everything that :meth:`str.isspace` calls white space, and the zero-width
format characters, removed.
"""

import hashlib
import re
import unicodedata

_INVISIBLE = re.compile(r"[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+")


def normalised(text: str) -> str:
    r"""Return the text as it is compared.

    >>> normalised("　　青灯\u200b Ａ\\n渡")
    '青灯A渡'
    """
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def content_hash(text: str) -> str:
    """Return the SHA-256 of the normalised text as 64 hexadecimal digits; lone surrogates are replaced.

    >>> content_hash("青 灯") == content_hash("青灯")
    True
    """
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()
