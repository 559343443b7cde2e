"""Verdicts and states as coloured words; the word is clear without the colour."""

from nicegui.element import Element

from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.tones import CASE_TONES, REVIEW_TONES, VERDICT_TONES, Tone
from analysis.console.view import View
from analysis.words.labels import CASE_STATES, MATCH_PARTS, REVIEWS, VERDICTS
from analysis.words.page_texts import Noted, match_notes, unread_line
from storage.records import CaseState, Page, ReviewState, Verdict


def badge(text: str, tone: Tone = "") -> Element:
    """Show a word with a coloured background."""
    return plain(text).classes(f"badge {tone}")


def verdict_badge(view: View, verdict: Verdict) -> Element:
    """Show a verdict."""
    return badge(view.word(VERDICTS, verdict), VERDICT_TONES[verdict])


def review_badge(view: View, review: ReviewState) -> Element:
    """Show the review state of a match."""
    name = review or "open"
    return badge(view.word(REVIEWS, name), REVIEW_TONES[name])


def state_badge(view: View, state: CaseState) -> Element:
    """Show the state of a case."""
    return badge(view.word(CASE_STATES, state), CASE_TONES[state])


def part_badge(view: View, match: Noted) -> None:
    """Show that a match is outside its page's article, or that another work is charged with its text."""
    if match.part == "rest":
        badge(view.word(MATCH_PARTS, match.part), "warn")
    if match.also_contained:
        badge(view.gettext("also contained"))


def part_notes(view: View, match: Noted) -> None:
    """Show what a reviewer must check in a match: text outside the article, or reworded text."""
    for line in match_notes(match, view.texts):
        foreign(line, most=1_000, tag="p").classes("note")


def unread_note(view: View, page: Page) -> None:
    """Show which content of a page could not be compared; show nothing if all was compared."""
    if line := unread_line(page.unread, view.texts):
        plain(line, "p").classes("note")
