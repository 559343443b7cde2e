"""Verdicts and states as words in a coloured form; the word alone tells what it is."""

from types import MappingProxyType
from typing import Literal

from nicegui.element import Element

from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.labels import CASE_STATES, REVIEWS, VERDICTS
from storage.records import CaseState, ReviewState, Verdict

Tone = Literal["", "grave", "warn", "well", "accent"]

_VERDICTS: MappingProxyType[str, Tone] = MappingProxyType(
    {"copy": "grave", "partial": "warn", "licensed": "well", "quote": "accent"}
)
_REVIEWS: MappingProxyType[str, Tone] = MappingProxyType(
    {"confirmed": "grave", "dismissed": "well", "doubtful": "warn"}
)
_CASES: MappingProxyType[str, Tone] = MappingProxyType(
    {
        "new": "warn",
        "confirmed": "grave",
        "refused": "grave",
        "unanswered": "grave",
        "still_up": "grave",
        "back": "grave",
        "removed": "well",
        "dismissed": "",
        "closed": "",
    }
)


def badge(text: str, tone: Tone = "") -> Element:
    """Show a word in a coloured form."""
    return plain(text).classes(f"badge {tone}")


def verdict_badge(view: View, verdict: Verdict) -> Element:
    """Show a verdict."""
    return badge(view.word(VERDICTS, verdict), _VERDICTS.get(verdict, ""))


def review_badge(view: View, review: ReviewState) -> Element:
    """Show what people decided."""
    return badge(view.word(REVIEWS, review or "open"), _REVIEWS.get(review, ""))


def state_badge(view: View, state: CaseState) -> Element:
    """Show what became of a case."""
    return badge(view.word(CASE_STATES, state), _CASES.get(state, "accent"))
