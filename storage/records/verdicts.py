"""Verdicts, and the consequences of each verdict. Labels are in ``analysis.words.labels``.

Rules that depend on the verdict use :func:`meaning_of` or one of the tuples below, so a new verdict needs
only one entry.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, assert_never, get_args

# Verdicts from the gravest to the mildest. A page or case has the gravest verdict of its parts.
Verdict = Literal["copy", "partial", "reworded", "licensed", "quote", "common", "clear"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the gravest of several verdicts; ``clear`` if there is none."""
    return min(verdicts, key=VERDICTS.index, default="clear")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictMeaning:
    """The consequences of a verdict.

    Attributes:
        is_lead: an unlicensed copy that needs action.
        is_taken: unlicensed copied text: ``check`` and ``scan`` end with status 1, and a case has a deadline.
        is_whole: more than a quotation was copied, with or without a licence.
        is_evidence: captures of the page are kept as long as evidence.
        needs_decision: an analyst must decide the match.
        is_found: text of a work is on the page.
        is_counted: the text counts as copied; text that everyone uses does not.
        is_verbatim: the page has the work's words, not only its content in other words. Notices, and figures
            of what was copied, leave out everything else.
    """

    is_lead: bool
    is_taken: bool
    is_whole: bool
    is_evidence: bool
    needs_decision: bool
    is_found: bool = True
    is_counted: bool = True
    is_verbatim: bool = True


_LEAD = VerdictMeaning(is_lead=True, is_taken=True, is_whole=True, is_evidence=True, needs_decision=True)
_REWORDED = VerdictMeaning(
    is_lead=False, is_taken=False, is_whole=False, is_evidence=True, needs_decision=True, is_verbatim=False
)
_LICENSED = VerdictMeaning(
    is_lead=False, is_taken=False, is_whole=True, is_evidence=True, needs_decision=False
)
_QUOTE = VerdictMeaning(is_lead=False, is_taken=True, is_whole=False, is_evidence=True, needs_decision=True)
_COMMON = VerdictMeaning(
    is_lead=False, is_taken=False, is_whole=False, is_evidence=False, needs_decision=True, is_counted=False
)
_CLEAR = replace(_COMMON, is_found=False)


def meaning_of(verdict: Verdict) -> VerdictMeaning:
    """Return the consequences of a verdict."""
    match verdict:
        case "copy" | "partial":
            return _LEAD
        case "reworded":
            return _REWORDED
        case "licensed":
            return _LICENSED
        case "quote":
            return _QUOTE
        case "common":
            return _COMMON
        case "clear":
            return _CLEAR
        case _:
            assert_never(verdict)


# Verdicts on unlicensed copies that need action.
LEADS: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).is_lead)
# Verdicts that make a command end with status 1.
TAKEN: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).is_taken)
# Verdicts of matches that wait for a decision.
UNDECIDED: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).needs_decision)
# Verdicts on pages and matches that contain text of a work.
FOUND: tuple[Verdict, ...] = tuple(verdict for verdict in VERDICTS if meaning_of(verdict).is_found)
# Verdicts on text that counts as copied.
COUNTED: tuple[Verdict, ...] = tuple(verdict for verdict in FOUND if meaning_of(verdict).is_counted)
# Verdicts on text that consists of the words of a work.
COPIED: tuple[Verdict, ...] = tuple(verdict for verdict in COUNTED if meaning_of(verdict).is_verbatim)
# Verdicts on text that is found in a work but does not count, because everyone uses it.
UNCOUNTED: tuple[Verdict, ...] = tuple(verdict for verdict in FOUND if verdict not in COUNTED)
# Verdicts on copies that a licence covers.
PERMITTED: tuple[Verdict, ...] = tuple(
    verdict for verdict in COUNTED if meaning_of(verdict).is_whole and not meaning_of(verdict).is_taken
)
