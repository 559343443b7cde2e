"""Share of each pinyin initial in Chinese prose. DNA compares the letter counts of its windows with it.

The shares were measured in 24 million letters of classical and early-modern novels and in 2 million letters
of news. Both have the same weight. The letters come from :mod:`fingerprint.text.letters`. The vowels a, e and
o (1.2 % of the letters) are not included.
"""

from collections.abc import Mapping
from dataclasses import dataclass

INITIALS = "bcdfghjklmnpqrstwxyz"


@dataclass(frozen=True, slots=True)
class Reference:
    """Expected shares of the twenty consonant initials.

    Attributes:
        name: part of stored parameter ids; another measurement needs another name.
        shares: twenty floats in the order of ``INITIALS``, each between 0 and 1.

    Raises:
        ValueError: the shares are not twenty values in (0, 1).
    """

    name: str
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.shares) != len(INITIALS) or not all(0 < share < 1 for share in self.shares):
            raise ValueError(f"a reference has {len(INITIALS)} shares between 0 and 1")


PROSE = Reference(
    "prose1",
    (
        0.0454, 0.0442, 0.0823, 0.0292, 0.0477, 0.0440, 0.0780, 0.0174, 0.0554, 0.0286,
        0.0235, 0.0111, 0.0363, 0.0252, 0.0916, 0.0348, 0.0383, 0.0550, 0.0960, 0.1039,
    ),
)  # fmt: skip


def measure_reference(name: str, counts: Mapping[str, int]) -> Reference:
    """Compute the reference of a corpus from its letter counts.

    Each share is (count + 1) / (number of all letters + 26). The number includes a, e and o. Adding 1 makes
    the share positive even if a small corpus lacks a letter.

    Args:
        name: name of the new reference, part of stored parameter ids.
        counts: letter → count; a missing letter counts 0.

    Raises:
        ValueError: a key is not one of a–z, or a count is negative.

    >>> measure_reference("demo", {"z": 60, "y": 30, "a": 10}).shares[-1]
    0.48412698412698413
    """
    if not all(len(letter) == 1 and "a" <= letter <= "z" for letter in counts):
        raise ValueError("letters must be a to z")
    if min(counts.values(), default=0) < 0:
        raise ValueError("counts must not be negative")
    whole = sum(counts.values()) + 26
    return Reference(name, tuple((counts.get(letter, 0) + 1) / whole for letter in INITIALS))
