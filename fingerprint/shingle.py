"""Shingles: k consecutive letters, characters or words, as winnowed fingerprints or as sets.

Shingles are described by Broder, "On the resemblance and containment of documents", 1997. Their selection is
described by Schleimer et al., 2003 (:mod:`fingerprint.winnow`).

:class:`Shingles` selects runs of pinyin initials, with their positions. pindna uses it together with DNA, to
find short exact copies. At 5 bits per letter, up to 12 letters fit into 64 bits, so different shingles never
have the same hash. Guarantee: if two texts share a run of ``size + selection − 1`` letters, they share a
fingerprint.

:class:`ShingleSet` is the w-shingling of textbooks for any unit. It compares sets by resemblance or overlap.
Broder uses runs of 10 English words; in Chinese, runs of 5 characters cover about the same length of text.

Complexity: O(k · n) in NumPy.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from fingerprint.fingerprints import Fingerprints, WindowMethod, no_fingerprints
from fingerprint.method import Method
from fingerprint.mixing import Hashes, mix64
from fingerprint.sets import distinct, overlap, resemblance, string_hashes
from fingerprint.text.letters import Codes, Letters, code_points
from fingerprint.text.views import Views
from fingerprint.winnow import winnow

Unit = Literal["letters", "characters", "words"]
Measure = Literal["resemblance", "overlap"]
F = TypeVar("F")

BITS = 5  # bits per letter
MAX_SIZE = 64 // BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShingleParams:
    """Parameters of letter shingles; the defaults are the best compromise in the benchmark.

    Attributes:
        size: letters per shingle, 1 to 12.
        selection: winnowing keeps one of this many consecutive shingles; 1 keeps all.

    Raises:
        ValueError: a parameter is out of range.
    """

    size: int = 9
    selection: int = 16

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_SIZE:
            raise ValueError(f"size must be between 1 and {MAX_SIZE}, not {self.size}")
        if self.selection < 1:
            raise ValueError(f"selection must be at least 1, not {self.selection}")

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"shingle1-{self.size}-w{self.selection}"


def packed_shingles(codes: Codes, size: int) -> Hashes:
    """Return every run of ``size`` letters as an integer: shape (n − size + 1,) or empty, ``uint64``.

    Args:
        codes: shape (n,), letters 1-26.
        size: 1 to 12.

    Raises:
        ValueError: ``size`` is out of range.

    >>> packed_shingles(np.array([1, 2, 3], dtype=np.uint8), 2).tolist()
    [34, 67]
    """
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"size must be between 1 and {MAX_SIZE}, not {size}")
    count = len(codes) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    # Build runs of 1, 2, 4 and 8 letters and join them: this takes half as many passes as single letters.
    power, packed, covered = codes.astype(np.uint64), np.zeros(len(codes) + 1, dtype=np.uint64), 0
    for bit in range(size.bit_length()):
        run = 1 << bit
        if size & run:
            packed = (packed[: len(power) - covered] << np.uint64(BITS * run)) | power[covered:]
            covered += run
        power = (power[:-run] << np.uint64(BITS * run)) | power[run:]
    return packed[:count]


def shingle_fingerprints(letters: Letters, params: ShingleParams) -> Fingerprints:
    """Return the winnowed shingles of a text.

    >>> from fingerprint.text.letters import to_letters
    >>> len(shingle_fingerprints(to_letters("青灯渡口夜雨初停人声渐远"), ShingleParams()))
    1
    """
    hashes = mix64(packed_shingles(letters.codes, params.size))
    if len(hashes) == 0:
        return no_fingerprints()
    positions = winnow(hashes, params.selection)
    return Fingerprints(hashes[positions], positions)


@dataclass(frozen=True, slots=True)
class Shingles(WindowMethod):
    """The method of winnowed letter shingles. It finds copies in which up to a third is edited."""

    params: ShingleParams = field(default_factory=ShingleParams)

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "shingle"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return self.params.params_id

    def fingerprint(self, views: Views) -> Fingerprints:
        """Return the selected shingles."""
        return shingle_fingerprints(views.letters, self.params)


def shingle_hashes(units: Hashes, size: int) -> Hashes:
    """Return the hash of every run of ``size`` units: shape (n − size + 1,) or empty, ``uint64``.

    The hash is computed as h₀ = 0, hᵢ = mix64(hᵢ₋₁ xor uᵢ), so it depends on the order of the units. Two
    different runs have the same hash with probability 2⁻⁶⁴.

    Args:
        units: shape (n,): code points, letters or hashes of words.
        size: at least 1.

    Raises:
        ValueError: ``size`` is below 1.

    >>> len(shingle_hashes(np.arange(7, dtype=np.uint64), 5))
    3
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    count = max(0, len(units) - size + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for index in range(size if count else 0):
        hashes = mix64(hashes ^ units[index : index + count])
    return hashes


def unit_values(views: Views, unit: Unit) -> Hashes:
    """Return the units of a text as numbers, in text order: shape (n,), ``uint64``.

    >>> unit_values(Views("青灯"), "characters").tolist()
    [38738, 28783]
    """
    if unit == "words":
        return string_hashes(views.words)
    values = views.letters.codes if unit == "letters" else code_points(views.characters)
    return values.astype(np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMethod(Method[F]):
    """A method that compares the sets of the texts' shingles.

    Attributes:
        unit: the unit of a shingle.
        size: number of units per shingle, at least 1.
        min_similarity: minimum similarity of duplicates.
        words_id: name of the segmenter, if the units are words.

    Raises:
        ValueError: a parameter is out of range.
    """

    unit: Unit = "characters"
    size: int = 5
    min_similarity: float = 0.5
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if self.unit not in ("letters", "characters", "words"):
            raise ValueError(f"unit must be letters, characters or words, not {self.unit}")
        if self.size < 1:
            raise ValueError(f"size must be at least 1, not {self.size}")
        if not 0 < self.min_similarity <= 1:
            raise ValueError(f"min_similarity must be in (0, 1], not {self.min_similarity}")

    @property
    def threshold(self) -> float:
        """The parameter ``min_similarity``."""
        return self.min_similarity

    @property
    def unit_id(self) -> str:
        """Id of the unit; for words, the name of the segmenter and its dictionary."""
        return self.words_id if self.unit == "words" else self.unit

    def shingles(self, views: Views) -> Hashes:
        """Return the hashes of the text's shingles in order, duplicates included: shape (n,), ``uint64``."""
        return shingle_hashes(unit_values(views, self.unit), self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShingleSet(SetMethod[Hashes]):
    """Texts are similar when their sets of shingles are similar.

    Attributes:
        selection: winnowing keeps one of this many consecutive shingles; 1 keeps all, as in textbooks.
        measure: ``resemblance`` (Jaccard) compares whole texts; ``overlap`` (the larger containment) also
            finds a text that is a part of the other.

    Raises:
        ValueError: a parameter is out of range.
    """

    selection: int = 1
    measure: Measure = "resemblance"

    def __post_init__(self) -> None:
        SetMethod.__post_init__(self)
        if self.measure not in ("resemblance", "overlap"):
            raise ValueError(f"measure must be resemblance or overlap, not {self.measure}")
        if self.selection < 1:
            raise ValueError(f"selection must be at least 1, not {self.selection}")

    @property
    def name(self) -> str:
        """The names of the measure and of the unit, such as ``jaccard-characters``."""
        return f"{'jaccard' if self.measure == 'resemblance' else 'overlap'}-{self.unit}"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"shingleset1-{self.unit_id}-{self.size}-w{self.selection}"

    def fingerprint(self, views: Views) -> Hashes:
        """Return the set of selected shingles: distinct, ascending."""
        hashes = self.shingles(views)
        return distinct(hashes[winnow(hashes, self.selection)] if self.selection > 1 else hashes)

    def similarity(self, first: Hashes, second: Hashes) -> float:
        """Return the resemblance or the overlap of the two sets."""
        return resemblance(first, second) if self.measure == "resemblance" else overlap(first, second)

    def keys(self, fingerprint: Hashes) -> Hashes:
        """Return the set itself."""
        return fingerprint
