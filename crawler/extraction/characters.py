"""Removal of invisible characters and replacement of look-alikes. Pure.

Pirates insert characters without width into copied text: zero-width spaces, joiners, direction marks,
fillers, variation selectors. They also replace Han characters by look-alikes: Kangxi radicals and
compatibility forms, other code points for the same character. The former are removed; the latter are replaced
one for one, so positions stay.
"""

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
# Kangxi radicals, supplementary radicals and compatibility ideographs, which NFKC maps to unified ideographs.
_LOOK_ALIKE = re.compile("[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1f]")


def without_invisible(text: str) -> str:
    """Return the text without characters that have no width."""
    return _INVISIBLE.sub("", text)


def replace_look_alikes(text: str) -> str:
    """Return the text with look-alikes of Han characters replaced; its length does not change."""
    return _LOOK_ALIKE.sub(_unify, text)


def _unify(match: re.Match[str]) -> str:
    normal = unicodedata.normalize("NFKC", match[0])
    return normal if len(normal) == 1 else match[0]
