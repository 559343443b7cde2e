"""Text without what readers do not see: the form in which texts are compared character by character.

Normalised: Unicode NFKC, then everything that :meth:`str.isspace` calls white space, and the zero-width
format characters, removed.
"""

import re
import unicodedata

_INVISIBLE = re.compile(r"[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+")


def normalised(text: str) -> str:
    r"""Return the text as it is compared.

    >>> normalised("　　青灯\u200b Ａ\n渡")
    '青灯A渡'
    """
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
