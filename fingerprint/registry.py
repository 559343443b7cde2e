"""Every method with good defaults: what ``pindna compare``, ``pindna dedupe`` and the benchmark run."""

from typing import Any

from fingerprint.dna import Dna
from fingerprint.exact import Exact
from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.shingle import Shingles, ShingleSet


def methods(*, idf: Idf = FLAT, words_id: str = "jieba") -> tuple[Method[Any], ...]:
    """Return every method with its defaults; names are unique, the order is that of tables.

    The segmenter itself is given to :class:`fingerprint.views.Views`, one a text.

    Args:
        idf: weights of words, learnt from the user's corpus with the same segmenter.
        words_id: names the segmenter and its dictionary in the parameter ids of methods on words.
    """
    return (
        Exact(algorithm="md5"),
        Exact(algorithm="sha1"),
        Dna(),
        Shingles(),
        ShingleSet(unit="characters", size=5),
    )
