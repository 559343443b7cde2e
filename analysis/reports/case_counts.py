"""Count the cases that need a review, the possible retellings, and the cases that need no action."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from storage.records import LEADS, Case, Verdict
from tracker.judgement.cases import charged_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """Numbers of cases by the action that they need.

    Attributes:
        leads: cases with copies or partial copies that no licence covers.
        also_contained: cases whose text counts for another of the cases; no other number contains them.
        reworded: cases of possible retellings, which a person must judge.
        lead_chars: copied characters of the leads.
        licensed_chars: copied characters of the licensed cases.
    """

    leads: int = 0
    reworded: int = 0
    licensed: int = 0
    quotes: int = 0
    common: int = 0
    lead_chars: int = 0
    licensed_chars: int = 0
    also_contained: int = 0


def count_cases(cases: Iterable[Case]) -> CaseCounts:
    """Return the numbers of leads, retellings, licensed cases, quotations and cases of common text."""
    numbers: Counter[Verdict] = Counter()
    characters: Counter[Verdict] = Counter()
    every_case = list(cases)
    charged = charged_cases(every_case)
    for case in charged:
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
        also_contained=len(every_case) - len(charged),
    )
