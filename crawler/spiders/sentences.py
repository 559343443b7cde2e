"""The sentences of a work that find its copies in a search engine: long, and of rare pairs. Pure.

A sentence's score is the mean of −log p over its pairs of neighbouring Han characters, p counted in the
work's own passages: names and turns that occur once make it rare, stock phrases make it common.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from fingerprint.text.han import HAN

_SENTENCE = re.compile(r"[^。！？…\n]+")
_HAN = re.compile(f"[{HAN}]")
_MIN_CHARS = 14
_MAX_CHARS = 34
_SAMPLE = 200_000  # characters that pairs are counted in


def distinctive(passages: Sequence[str], *, count: int, skip: int = 0) -> list[str]:
    """Return the most distinctive sentences of a work, the best first, no two from the same passage in a row.

    Args:
        passages: texts of its passages.
        count: how many at most.
        skip: so many better ones were used before; past the end it begins anew.
    """
    pairs = _pairs("".join(passages)[:_SAMPLE])
    total = max(1, pairs.total())
    ranked = [_ranked(text, pairs, total) for text in passages]
    rounds = [
        each[turn] for turn in range(max(map(len, ranked), default=0)) for each in ranked if turn < len(each)
    ]
    found = list(dict.fromkeys(rounds))
    if not found:
        return []
    start = skip % len(found)
    return (found[start:] + found[:start])[:count]


def _ranked(text: str, pairs: Counter[str], total: int) -> list[str]:
    candidates = [each.strip("“”‘’「」『』 　\t") for each in _SENTENCE.findall(text)]
    fitting = [each for each in candidates if _MIN_CHARS <= len(_HAN.findall(each)) <= _MAX_CHARS]
    return sorted(fitting, key=lambda each: -_score(each, pairs, total))


def _score(sentence: str, pairs: Counter[str], total: int) -> float:
    own = _pairs(sentence)
    return sum(count * -math.log((pairs[pair] or 0.5) / total) for pair, count in own.items()) / own.total()


def _pairs(text: str) -> Counter[str]:
    han = "".join(_HAN.findall(text))
    return Counter(han[at : at + 2] for at in range(len(han) - 1))
