"""All methods with their default parameters, for ``pindna compare``, ``pindna dedupe`` and the benchmark."""

from typing import Any

from fingerprint.cosine import Cosine
from fingerprint.dna import Dna, DnaParams
from fingerprint.exact import Exact
from fingerprint.hyperplane import Hyperplanes
from fingerprint.idf import FLAT, Idf
from fingerprint.imatch import IMatch
from fingerprint.keyword import RULES, Keywords
from fingerprint.method import Method
from fingerprint.minhash import BottomK, MinHash
from fingerprint.nshash import LongestSentences
from fingerprint.scam import Scam
from fingerprint.segment import Segments
from fingerprint.shingle import Shingles, ShingleSet
from fingerprint.simhash import SimHash

DEFAULT_DNA = DnaParams()


def methods(
    *, dna: DnaParams = DEFAULT_DNA, idf: Idf = FLAT, words_id: str = "jieba1"
) -> tuple[Method[Any], ...]:
    """Return every method with its defaults, in the order in which tables list them; names are unique.

    Callers pass the segmenter itself to :class:`fingerprint.text.views.Views`.

    Args:
        dna: parameters of DNA, for instance with a reference that the user measured.
        idf: word frequencies (IDF), measured in the user's corpus with the same segmenter.
        words_id: name of the segmenter and its dictionary, for the parameter ids of methods on words.

    >>> [method.name for method in methods()][:4]
    ['dna', 'shingle', 'md5', 'sha1']
    """
    return (
        Dna(dna),
        Shingles(),
        Exact(algorithm="md5"),
        Exact(algorithm="sha1"),
        ShingleSet(unit="letters", size=6),
        ShingleSet(unit="characters", size=5),
        ShingleSet(unit="words", size=3, words_id=words_id),
        MinHash(),
        BottomK(),
        SimHash(bits=64, idf=idf, words_id=words_id),
        SimHash(bits=32, idf=idf, words_id=words_id),
        Hyperplanes(idf=idf, words_id=words_id),
        LongestSentences(count=1),
        LongestSentences(count=5),
        Segments(),
        *(Keywords(rule=rule, idf=idf, words_id=words_id) for rule in RULES),
        IMatch(idf=idf, words_id=words_id),
        Scam(idf=idf, words_id=words_id),
        Cosine(idf=idf, words_id=words_id),
    )
