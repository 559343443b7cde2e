"""Text without what readers do not see: the form in which texts are compared character by character.

Normalised: Unicode NFKC, then everything removed that :meth:`str.isspace` calls white space and that is
invisible: format characters (category Cf of Unicode 14: zero-width, direction and tag characters), variation
selectors, the combining grapheme joiner, and the fillers of Hangul.
"""

import re
import unicodedata

_CLASS = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U00013438\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
_INVISIBLE = re.compile(f"[{_CLASS}]+")


def without_invisible(text: str) -> str:
    """Return the text without invisible characters; white space stays.

    >>> without_invisible("青\u200b灯\ufe0f渡 口")
    '青灯渡 口'
    """
    return _INVISIBLE.sub("", text)


def normalised(text: str) -> str:
    r"""Return the text as it is compared.

    >>> normalised("　　青灯\u200b Ａ\n渡\ufe0f")
    '青灯A渡'
    """
    return "".join(without_invisible(unicodedata.normalize("NFKC", text)).split())
