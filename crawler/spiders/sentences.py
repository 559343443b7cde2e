"""The sentences of a work that find its copies in a search engine: long, and of rare words. Pure.

A sentence's score is the mean over its words of idf(w) − ln p(w): how rare the word is in Chinese prose, and
how rare in the work itself, p counted in its own passages. The first says what few other pages hold; the
second puts the work's own refrains last, whose words may be rare elsewhere.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from fingerprint.idf import Idf
from fingerprint.text.han import HAN
from fingerprint.text.views import Cut, Views

_SENTENCE = re.compile(r"[^。！？…\n]+")
_HAN = re.compile(f"[{HAN}]")
_MIN_CHARS = 14
_MAX_CHARS = 34
_MAX_SAMPLE = 200_000  # characters that words are counted in


def distinctive_sentences(
    passages: Sequence[str], *, count: int, cut: Cut, idf: Idf, skip: int = 0
) -> list[str]:
    """Return the most distinctive sentences of a work, the best first, no two from the same passage in a row.

    Args:
        passages: texts of its passages.
        count: how many at most.
        cut: the word segmenter.
        idf: how rare words are, measured with that segmenter.
        skip: how many better ones were used before; past the end it begins anew.
    """
    word_counts = Counter(Views("".join(passages)[:_MAX_SAMPLE], cut=cut).words)
    rankings = [_rank_sentences(text, word_counts, cut, idf) for text in passages]
    longest = max(map(len, rankings), default=0)
    rounds = [ranking[turn] for turn in range(longest) for ranking in rankings if turn < len(ranking)]
    sentences = list(dict.fromkeys(rounds))
    if not sentences:
        return []
    start = skip % len(sentences)
    return (sentences[start:] + sentences[:start])[:count]


def _rank_sentences(text: str, word_counts: Counter[str], cut: Cut, idf: Idf) -> list[str]:
    candidates = [sentence.strip("“”‘’「」『』 　\t") for sentence in _SENTENCE.findall(text)]
    fitting = [text for text in candidates if _MIN_CHARS <= len(_HAN.findall(text)) <= _MAX_CHARS]
    return sorted(fitting, key=lambda sentence: -_score(Views(sentence, cut=cut).words, word_counts, idf))


def _score(words: Sequence[str], word_counts: Counter[str], idf: Idf) -> float:
    total = max(1, word_counts.total())
    return sum(idf(word) - math.log((word_counts[word] or 0.5) / total) for word in words) / len(words)
