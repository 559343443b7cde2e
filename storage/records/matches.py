"""Matches of pages with passages, what people decided about them, and the cases that they make up."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from storage.records.times import utc_now

Verdict = Literal["copy", "partial", "quote", "common", "licensed", "clear"]

# What a licence makes of a match; empty where the site has none for the work.
LicenceState = Literal["", "licensed", "not-begun", "expired", "no-attribution", "beyond-licence"]

ReviewState = Literal["", "confirmed", "dismissed"]

# From the gravest to the mildest: the verdict of a whole is the gravest of its parts.
VERDICTS: tuple[Verdict, ...] = ("copy", "partial", "licensed", "quote", "common", "clear")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One aligned stretch: ``page[page_start:page_end]`` and ``passage[passage_start:passage_end]``.

    ``char_identity`` compares characters with traditional and simplified forms taken as one;
    ``sound_identity`` compares pinyin initials. They differ where homophones were swapped in.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A span that an analyst's dismissal covers: it is shown with the reason and not counted."""

    span: Span
    dismissal_id: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A verified candidate: one page against one passage under one profile.

    ``coverage`` is the share of the page's characters that the spans cover, ``passage_coverage`` the share
    of the passage's.

    Attributes:
        spans: the stretches that count.
        common: stretches that several unrelated works share, listed and not counted.
        suppressed: stretches that were dismissed, not counted either.
        page_chars: characters of the page.
        taken_chars: characters of the passage that are on the page.
        licence: what a licence of the site makes of it.
        work_published, page_published: what is known of the dates; the page's is its first sight where that
            is earlier or nothing else is known.
        page_older: the page was there before the work, so the copying may have gone the other way.
        review: what an analyst said: ``confirmed``, ``dismissed``, or nothing yet.
        because: why it was dismissed.
    """

    id: str
    page_id: str
    passage_id: int
    work_id: int
    profile: str
    site: str
    url: str
    page_title: str
    work_title: str
    passage_title: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    spans: tuple[Span, ...]
    disguises: tuple[str, ...] = ()
    low_confidence: bool = False
    anchors: dict[str, int] = field(default_factory=dict)
    common: tuple[Span, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    page_chars: int = 0
    taken_chars: int = 0
    licence: LicenceState = ""
    work_published: datetime | None = None
    page_published: datetime | None = None
    page_older: bool = False
    review: ReviewState = ""
    because: str = ""
    reviewed: datetime | None = None
    scan_id: str = ""
    first_seen: datetime = field(default_factory=utc_now)
    last_seen: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """An analyst's “not infringing, because …” for a stretch of a passage on a site.

    Attributes:
        id: see :func:`storage.collections.dismissals.dismissal_id`.
        passage_sha256: the passage's version that was looked at; another text is another matter.
        start, end: the stretch of the passage.
        work_title, passage_title, url: where it was seen, for people.
    """

    id: str
    site: str
    work_id: int
    passage_id: int
    passage_sha256: str
    start: int
    end: int
    because: str
    work_title: str = ""
    passage_title: str = ""
    url: str = ""
    made: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All matches of one work on one site: what a takedown notice is about."""

    id: str
    work_id: int
    work_title: str
    site: str
    verdict: Verdict
    pages: int
    passages: int
    copied_chars: int
    first_seen: datetime
    last_seen: datetime
    status: str = "open"
