"""A match with the records that are shown with it: its page, its case, and the presence of its text."""

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
    """A capture of a page, with the result of its check."""

    @property
    def digest(self) -> str:
        """Digest of the whole capture; empty if there is none."""

    @property
    def state(self) -> str:
        """Whether the capture is unchanged."""


class PageOfMatch(Protocol):
    """The shown fields of a match's page."""

    @property
    def content_hash(self) -> str:
        """SHA-256 of the page's text."""

    @property
    def snapshots(self) -> tuple[str, ...]:
        """SHA-256 values of the page's responses."""

    @property
    def background(self) -> tuple[Background, ...]:
        """The page's stretches in background texts."""

    @property
    def older_versions(self) -> int:
        """Number of earlier texts of the address."""

    @property
    def captures(self) -> Iterable[CaptureOfPage]:
        """The page's captures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match and the records that are shown with it; a record is None if the surface does not need it."""

    match: Match
    page: PageOfMatch | None = None
    case: Case | None = None
    presence: Presence | None = None

    @property
    def background(self) -> tuple[Background, ...]:
        """The background texts that contain uncounted stretches of the match."""
        return background_of(self.match, self.page.background) if self.page else ()


def of_match(read: Callable[[Match], Any]) -> Callable[[MatchRow], Any]:
    """Return a function that reads a value from the match of a row."""
    return lambda row: read(row.match)


def of_page(read: Callable[[PageOfMatch], Any]) -> Callable[[MatchRow], Any]:
    """Return a function that reads a value from the page of a row; None without a page."""
    return lambda row: None if row.page is None else read(row.page)


def of_case(read: Callable[[Case], Any]) -> Callable[[MatchRow], Any]:
    """Return a function that reads a value from the case of a row; None without a case."""
    return lambda row: None if row.case is None else read(row.case)


def of_presence(read: Callable[[Presence], Any]) -> Callable[[MatchRow], Any]:
    """Return a function that reads a value from the presence of the text; None if no crawl checked it."""
    return lambda row: None if row.presence is None else read(row.presence)


def reasons_of(suppressed: Iterable[SuppressedSpan]) -> list[str]:
    """Return the reasons why stretches are not counted, each reason once."""
    return list(dict.fromkeys(suppression.because for suppression in suppressed))


def homophone_cell(pair: Homophone) -> str:
    """Return the character on the page and the one in the work, each with its syllable."""
    return f"{pair.character} {pair.syllable}/{pair.original} {pair.original_syllable}"


def background_cell(background: Background) -> str:
    """Return a background text's title with the page's stretches from it; offsets count from 1."""
    places = [f"{span.page_start + 1}-{span.page_end}" for span in background.spans[:_MAX_PLACES]]
    return " ".join([background.work, *places, *(["…"] if len(background.spans) > _MAX_PLACES else [])])


def place_cell(piece: RestPiece) -> str:
    """Return why a piece of a page's rest is not in the article, and its element."""
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
