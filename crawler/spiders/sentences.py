"""Chooses sentences of a work to search for: those that carry the most information. Pure.

The score of a sentence is its information in bits (:mod:`fingerprint.information`), times the share of its
n-grams that occur once in the work. So set phrases of ordinary Chinese come late, and refrains of the work
come last.
"""

import re
from collections import Counter
from collections.abc import Sequence

from fingerprint.information import ORDER, information
from fingerprint.text.han import HAN
from fingerprint.text.variants import fold

_SENTENCE = re.compile(r"[^。！？…“”「」『』\n]+")  # a quotation mark inside would end the phrase of a search
_HAN = re.compile(f"[{HAN}]")
_MIN_CHARS = 14
_MAX_CHARS = 34
_MAX_SAMPLE = 200_000  # maximum number of characters for counting n-grams


def distinctive_sentences(passages: Sequence[str], *, count: int, skip: int = 0) -> list[str]:
    """Return the most distinctive sentences of a work, the best first, from alternating passages.

    Args:
        passages: texts of the work's passages.
        count: maximum number of sentences.
        skip: number of sentences that were used before; counting starts again after the last one.
    """
    counts = Counter(_ngrams("".join(passages)[:_MAX_SAMPLE]))
    rankings = [_rank_sentences(text, counts) for text in passages]
    longest = max(map(len, rankings), default=0)
    rounds = [ranking[turn] for turn in range(longest) for ranking in rankings if turn < len(ranking)]
    sentences = list(dict.fromkeys(rounds))
    if not sentences:
        return []
    start = skip % len(sentences)
    return (sentences[start:] + sentences[:start])[:count]


def _rank_sentences(text: str, counts: Counter[str]) -> list[str]:
    candidates = [sentence.strip("“”‘’「」『』 　\t") for sentence in _SENTENCE.findall(text)]
    fitting = [text for text in candidates if _MIN_CHARS <= len(_HAN.findall(text)) <= _MAX_CHARS]
    return sorted(fitting, key=lambda sentence: -_score(sentence, counts))


def _score(sentence: str, counts: Counter[str]) -> float:
    ngrams = _ngrams(sentence)
    single = sum(counts[ngram] <= 1 for ngram in ngrams)
    return float(information(sentence).sum()) * single / len(ngrams)


def _ngrams(text: str) -> list[str]:
    """Return the n-grams of the Han characters of a text, in simplified characters."""
    han = fold("".join(_HAN.findall(text)))
    return [han[start : start + ORDER] for start in range(len(han) - ORDER + 1)]
