"""A match with what surfaces show next to it: its page, its case and whether its text is still up."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from analysis.words.background import background_of
from storage.records import (
    Background,
    Case,
    Homophone,
    Match,
    MatchDecision,
    Presence,
    RestPiece,
    SuppressedSpan,
)

_MAX_PLACES = 20


class CaptureOfPage(Protocol):
    """A capture of a page as it was found when it was checked."""

    @property
    def digest(self) -> str:
        """Over the whole capture; empty without one."""

    @property
    def state(self) -> str:
        """Whether it is still what it was."""


class PageOfMatch(Protocol):
    """What is shown of a match's page."""

    @property
    def content_hash(self) -> str:
        """SHA-256 of its text."""

    @property
    def snapshots(self) -> tuple[str, ...]:
        """SHA-256 of its responses."""

    @property
    def background(self) -> tuple[Background, ...]:
        """Its stretches in background texts."""

    @property
    def older_versions(self) -> int:
        """How many texts the address had before."""

    @property
    def captures(self) -> Iterable[CaptureOfPage]:
        """Its captures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match and the records that surfaces show with it; None where a surface does not read one."""

    match: Match
    page: PageOfMatch | None = None
    case: Case | None = None
    presence: Presence | None = None

    @property
    def background(self) -> tuple[Background, ...]:
        """The background texts that hold some of its stretches that are not counted."""
        return background_of(self.match, self.page.background) if self.page else ()


def of_match(read: Callable[[Match], Any]) -> Callable[[MatchRow], Any]:
    """Return a reader of the match alone."""
    return lambda row: read(row.match)


def of_page(read: Callable[[PageOfMatch], Any]) -> Callable[[MatchRow], Any]:
    """Return a reader of the page; None where there is none."""
    return lambda row: None if row.page is None else read(row.page)


def of_case(read: Callable[[Case], Any]) -> Callable[[MatchRow], Any]:
    """Return a reader of the case; None where there is none."""
    return lambda row: None if row.case is None else read(row.case)


def of_presence(read: Callable[[Presence], Any]) -> Callable[[MatchRow], Any]:
    """Return a reader of whether the text is still up; None where no crawl looked."""
    return lambda row: None if row.presence is None else read(row.presence)


def reasons_of(suppressed: Iterable[SuppressedSpan]) -> list[str]:
    """Return why stretches are not counted, each reason once."""
    return list(dict.fromkeys(suppression.because for suppression in suppressed))


def homophone_cell(pair: Homophone) -> str:
    """Return what the page has and what the work has, each with its syllable."""
    return f"{pair.character} {pair.syllable}/{pair.original} {pair.original_syllable}"


def background_cell(background: Background) -> str:
    """Return a background text's title with the page's stretches of it, as characters from 1."""
    places = [f"{span.page_start + 1}-{span.page_end}" for span in background.spans[:_MAX_PLACES]]
    return " ".join([background.work, *places, *(["…"] if len(background.spans) > _MAX_PLACES else [])])


def place_cell(piece: RestPiece) -> str:
    """Return why a piece of a page's rest is not in the article, and where it is."""
    return f"{piece.reason} {piece.place}".strip()


def decision_object(decided: MatchDecision, match: Match) -> dict[str, object]:
    """Return a decision on a match as ``--json`` prints it."""
    return {
        "id": decided.decision_id,
        "state": decided.state,
        "stretch": [decided.start, decided.end],
        "because": decided.because,
        "by": decided.by,
        "made": decided.made.isoformat(),
        "url": decided.url,
        "other_version": bool(decided.page_id) and decided.page_id != match.page_id,
    }
