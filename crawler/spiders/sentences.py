"""Chooses sentences of a work to search for: long ones with rare words. Pure.

The score of a sentence is the mean over its words of idf(w) − ln p(w), where p is measured in the work's
passages. The first term prefers words that are rare in Chinese prose. The second term ranks refrains of the
work last, although their words may be rare in other texts.
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
_MAX_SAMPLE = 200_000  # maximum number of characters for counting words


def distinctive_sentences(
    passages: Sequence[str], *, count: int, cut: Cut, idf: Idf, skip: int = 0
) -> list[str]:
    """Return the most distinctive sentences of a work, the best first, from alternating passages.

    Args:
        passages: texts of the work's passages.
        count: maximum number of sentences.
        cut: the word segmenter.
        idf: inverse document frequencies, measured with that segmenter.
        skip: number of sentences that were used before; counting starts again after the last one.
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
