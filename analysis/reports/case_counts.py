"""How many cases are leads, possibly reworded, licensed, quoted or common text."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from storage.records import LEADS, Case, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """Cases by what they call for.

    Attributes:
        leads: copies and partial copies that no licence covers.
        reworded: possible retellings, for a person to judge; no copies.
        lead_chars: copied characters of the leads alone.
        licensed_chars: copied characters of the licensed cases.
    """

    leads: int = 0
    reworded: int = 0
    licensed: int = 0
    quotes: int = 0
    common: int = 0
    lead_chars: int = 0
    licensed_chars: int = 0


def count_cases(cases: Iterable[Case]) -> CaseCounts:
    """Return how many of some cases are leads, reworded, licensed, quotations and common text."""
    numbers: Counter[Verdict] = Counter()
    characters: Counter[Verdict] = Counter()
    for case in cases:
        numbers[case.verdict] += 1
        characters[case.verdict] += case.copied_chars
    return CaseCounts(
        leads=sum(numbers[verdict] for verdict in LEADS),
        reworded=numbers["reworded"],
        licensed=numbers["licensed"],
        quotes=numbers["quote"],
        common=numbers["common"],
        lead_chars=sum(characters[verdict] for verdict in LEADS),
        licensed_chars=characters["licensed"],
    )
