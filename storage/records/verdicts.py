"""What a comparison amounts to: the verdicts, and what follows from each. Labels: ``analysis.words.labels``.

Rules that depend on the verdict read :func:`meaning_of` or one of the tuples below, so that a new verdict
has to answer each question once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

# From the gravest to the mildest: the verdict of a whole is the gravest of its parts.
Verdict = Literal["copy", "partial", "licensed", "quote", "common", "clear"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the gravest of several verdicts; ``clear`` for none."""
    return min(verdicts, key=VERDICTS.index, default="clear")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictMeaning:
    """What follows from a verdict.

    Attributes:
        is_lead: a copy that no licence covers: something has to be done about it.
        is_taken: words were taken and no licence covers them: ``check`` and ``scan`` end with status 1, and a
            case has a deadline.
        is_whole: more than a quotation was taken, with a licence or without one.
        is_evidence: what was captured of the page is kept for as long as evidence is kept.
        needs_decision: an analyst has to decide the match.
    """

    is_lead: bool
    is_taken: bool
    is_whole: bool
    is_evidence: bool
    needs_decision: bool


_LEAD = VerdictMeaning(is_lead=True, is_taken=True, is_whole=True, is_evidence=True, needs_decision=True)
_LICENSED = VerdictMeaning(
    is_lead=False, is_taken=False, is_whole=True, is_evidence=True, needs_decision=False
)
_QUOTE = VerdictMeaning(is_lead=False, is_taken=True, is_whole=False, is_evidence=True, needs_decision=True)
_HARMLESS = VerdictMeaning(
    is_lead=False, is_taken=False, is_whole=False, is_evidence=False, needs_decision=True
)


def meaning_of(verdict: Verdict) -> VerdictMeaning:
    """Return what follows from a verdict."""
    match verdict:
        case "copy" | "partial":
            return _LEAD
        case "licensed":
            return _LICENSED
        case "quote":
            return _QUOTE
        case "common" | "clear":
            return _HARMLESS
        case _:
            assert_never(verdict)


# Copies that no licence covers: they call for something to be done.
LEADS: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).is_lead)
# Verdicts that make a command end with status 1.
TAKEN: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).is_taken)
# Verdicts of matches that wait for a decision.
UNDECIDED: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).needs_decision)
