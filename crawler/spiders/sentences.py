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
_MAX_SAMPLE = 200_000  # characters that pairs are counted in


def distinctive_sentences(passages: Sequence[str], *, count: int, skip: int = 0) -> list[str]:
    """Return the most distinctive sentences of a work, the best first, no two from the same passage in a row.

    Args:
        passages: texts of its passages.
        count: how many at most.
        skip: how many better ones were used before; past the end it begins anew.
    """
    pairs = _pairs("".join(passages)[:_MAX_SAMPLE])
    total = max(1, pairs.total())
    rankings = [_rank_sentences(text, pairs, total) for text in passages]
    longest = max(map(len, rankings), default=0)
    rounds = [ranking[turn] for turn in range(longest) for ranking in rankings if turn < len(ranking)]
    sentences = list(dict.fromkeys(rounds))
    if not sentences:
        return []
    start = skip % len(sentences)
    return (sentences[start:] + sentences[:start])[:count]


def _rank_sentences(text: str, pairs: Counter[str], total: int) -> list[str]:
    candidates = [sentence.strip("“”‘’「」『』 　\t") for sentence in _SENTENCE.findall(text)]
    fitting = [text for text in candidates if _MIN_CHARS <= len(_HAN.findall(text)) <= _MAX_CHARS]
    return sorted(fitting, key=lambda sentence: -_score(sentence, pairs, total))


def _score(sentence: str, pairs: Counter[str], total: int) -> float:
    own = _pairs(sentence)
    return sum(count * -math.log((pairs[pair] or 0.5) / total) for pair, count in own.items()) / own.total()


def _pairs(text: str) -> Counter[str]:
    han = "".join(_HAN.findall(text))
    return Counter(han[at : at + 2] for at in range(len(han) - 1))
