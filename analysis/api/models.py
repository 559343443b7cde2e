"""What the API answers and takes: records as JSON, each with the fields that programs are promised."""

from datetime import datetime
from typing import Annotated, Generic, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from analysis.cases.views import CaseView
from analysis.queries.listing import Listing
from analysis.queries.sources import SourceView
from storage.records import (
    CaseState,
    ClaimedDate,
    CrawlState,
    DecisionState,
    EventKind,
    Fault,
    KeptPackage,
    LicenceState,
    Match,
    Notice,
    NoticeKind,
    NoticeState,
    Outcome,
    Page,
    PageKind,
    PageStanding,
    PageState,
    Precedence,
    Scan,
    ScanStatus,
    SourceKind,
    Verdict,
    Work,
    WorkKind,
    WorkRole,
    WorkStatus,
)
from tracker.comparison import Comparison, PassageMatch
from tracker.review.versions import review_version

R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)


def _claimed(value: object) -> object:
    return value.iso() if isinstance(value, ClaimedDate) else value


Claimed = Annotated[str | None, BeforeValidator(_claimed)]


class Answer(BaseModel):
    """What a record says, read from the fields of the same names."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class Part(BaseModel, Generic[T]):
    """A part of a list; ``next`` is the cursor of the next part, null at the end."""

    items: list[T]
    next: str | None


def part(listing: Listing[R], items: list[T]) -> Part[T]:
    """Return a part of a list as it is answered."""
    return Part(items=items, next=listing.next or None)


class Problem(BaseModel):
    """An error, after RFC 9457; ``reason`` is a word for programs."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    reason: str


class LicenceAnswer(Answer):
    """A site's permission to publish a work."""

    site: str
    since: datetime | None
    until: datetime | None
    attribution: bool
    share: float | None


class WorkAnswer(Answer):
    """A work."""

    id: int
    title: str
    kind: WorkKind
    role: WorkRole
    status: WorkStatus
    author: str | None
    holder: str | None
    url: str | None
    published: Claimed
    language: str | None
    rights: str | None
    edition_of: int | None
    passages: int
    characters: int
    licences: list[LicenceAnswer]
    added: datetime
    updated: datetime

    @classmethod
    def of(cls, work: Work) -> Self:
        """Return what is told of a work."""
        counted = {"passages": len(work.passage_ids), "licences": work.permissions}
        return cls.model_validate({**_fields(cls, work), **counted})


class PassageHeadAnswer(Answer):
    """A passage but for its text."""

    id: int
    work_id: int
    ordinal: int
    title: str
    sha256: str


class PassageAnswer(PassageHeadAnswer):
    """A passage."""

    text: str


class Passages(BaseModel):
    """Passages of a work in reading order; ``total`` is how many it has."""

    items: list[PassageHeadAnswer]
    total: int


class AlertAnswer(Answer):
    """Something about a source that a person should look at."""

    kind: str
    detail: str
    since: datetime
    last: datetime


class SourceAnswer(BaseModel):
    """A source, and how it fares."""

    name: str
    kind: SourceKind
    enabled: bool
    start_urls: list[str]
    sitemaps: list[str]
    feeds: list[str]
    interval_h: float
    max_pages: int
    obey_robots: bool
    render: bool
    crawls: int
    last_crawl: datetime | None
    last_success: datetime | None
    paused_until: datetime | None
    pause_reason: str
    alerts: list[AlertAnswer]

    @classmethod
    def of(cls, view: SourceView) -> Self:
        """Return what is told of a source."""
        both = {**_fields(cls, view.health), **_fields(cls, view.source)}
        return cls.model_validate(
            {**both, "alerts": [AlertAnswer.model_validate(alert) for alert in view.alerts]}
        )


class CrawlAnswer(Answer):
    """One source within a scan."""

    source: str
    state: CrawlState
    counts: dict[str, int]
    addresses: dict[str, int]
    end: str
    error: str
    fault: Fault
    started: datetime | None
    finished: datetime | None


class ScanAnswer(Answer):
    """A run of the daily job."""

    id: str
    trigger: str
    sources: list[str]
    started: datetime
    finished: datetime | None
    status: ScanStatus
    counts: dict[str, int]
    not_compared: dict[str, int]
    left: dict[str, int]
    error: str


class ScanWithCrawls(ScanAnswer):
    """A scan with its crawls."""

    crawls: list[CrawlAnswer]

    @classmethod
    def of(cls, scan: Scan, crawls: list[CrawlAnswer]) -> Self:
        """Return what is told of a scan."""
        return cls.model_validate({**_fields(cls, scan), "crawls": crawls})


class PageAnswer(Answer):
    """A page in one version of its text."""

    id: str
    url: str
    host: str
    site: str
    source: str
    kind: PageKind
    title: str
    author: str | None
    published: Claimed
    first_seen: datetime
    last_seen: datetime
    scan_id: str
    standing: PageStanding
    state: PageState
    reason: str
    verdict: Verdict | None
    coverage: float
    copied_chars: int
    low_confidence: bool


class SpanAnswer(Answer):
    """A stretch of a page that agrees with a stretch of a passage; offsets count characters."""

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: list[str]


class MatchAnswer(Answer):
    """A verified copy."""

    id: str
    name: str
    page_id: str
    passage_id: int
    work_id: int
    work_title: str
    edition: str
    passage_title: str
    site: str
    url: str
    page_title: str
    profile: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    disguises: list[str]
    licence: LicenceState
    page_older: bool
    page_older_by: Precedence
    work_published: Claimed
    page_published: Claimed
    review: str = Field(description="open, confirmed, dismissed or doubtful")
    version: str = Field(description="of what was decided about it; see `seen` of a decision")
    because: str
    reviewed: datetime | None
    first_seen: datetime
    last_seen: datetime

    @classmethod
    def of(cls, match: Match) -> Self:
        """Return what is told of a match."""
        review = {"review": match.review or "open", "version": review_version(match)}
        return cls.model_validate({**_fields(cls, match), **review})


class DecidedAnswer(Answer):
    """A decision about a stretch of a match's passage."""

    decision_id: str
    state: DecisionState
    start: int
    end: int
    because: str
    by: str
    made: datetime
    url: str


class MatchWithSpans(MatchAnswer):
    """A match with its stretches and what was decided about them."""

    spans: list[SpanAnswer]
    common: list[SpanAnswer]
    decided: list[DecidedAnswer]


class PageWithText(PageAnswer):
    """A page with its text, and the matches on it that may be seen."""

    text: str
    matches: list[MatchAnswer]

    @classmethod
    def of(cls, page: Page, matches: list[MatchAnswer]) -> Self:
        """Return what is told of a page."""
        return cls.model_validate({**_fields(cls, page), "matches": matches})


class CaseAnswer(BaseModel):
    """A work on a site, and what it calls for."""

    id: str
    name: str
    work_id: int
    work_title: str
    holder: str
    site: str
    verdict: Verdict
    state: CaseState
    since: datetime | None
    reason: str
    assignee: str
    deadline: datetime | None
    overdue: bool
    priority: int
    pages: int
    passages: int
    copied_chars: int
    reviews: dict[str, int]
    looks: dict[str, int]
    first_seen: datetime
    last_seen: datetime
    checked: datetime | None
    absent_since: datetime | None

    @classmethod
    def of(cls, view: CaseView) -> Self:
        """Return what is told of a case."""
        return cls.model_validate(
            {
                **_fields(cls, view.case),
                "holder": view.holder,
                "deadline": view.deadline,
                "overdue": view.is_overdue,
                "priority": view.priority.points,
                "reviews": {review or "open": count for review, count in view.case.reviews.items()},
            }
        )


class EventAnswer(Answer):
    """Something that was done or seen."""

    id: str
    kind: EventKind
    at: datetime
    by: str
    because: str
    subject: str
    before: str
    after: str
    detail: dict[str, str]


class AddresseeAnswer(Answer):
    """Whom a notice is for."""

    role: str
    site: str
    name: str
    address: str
    email: str


class NoticeAnswer(Answer):
    """A notice."""

    name: str
    case: str
    state: NoticeState
    is_draft: bool
    kind: NoticeKind
    work_title: str
    site: str
    holder: str
    addressee: AddresseeAnswer
    subject: str
    text: str
    urls: list[str]
    evidence_number: str
    evidence_sha256: str
    made: datetime
    by: str
    sent: datetime | None
    receipt: str
    problem: str
    reply_due: datetime | None
    answered: datetime | None
    outcome: Outcome | None
    reply: str
    because: str

    @classmethod
    def of(cls, notice: Notice) -> Self:
        """Return what is told of a notice."""
        return cls.model_validate({**_fields(cls, notice), "case": f"c{notice.case}"})


class MadeNotice(BaseModel):
    """A notice that was made; ``missing`` are the codes of facts that a draft marks."""

    notice: NoticeAnswer
    missing: list[str]
    left_out: int = Field(description="addresses that were gone at the last look and are not named")


class Preview(BaseModel):
    """A notice as it would be; ``missing`` are the codes of facts that it lacks."""

    title: str
    text: str
    missing: list[str]


class PackageAnswer(Answer):
    """A package of evidence."""

    number: str
    sha256: str
    bytes: int
    excerpts: bool
    cases: list[str]
    works: list[int]
    matches: int
    problems: int
    made: datetime

    @classmethod
    def of(cls, package: KeptPackage) -> Self:
        """Return what is told of a package."""
        return cls.model_validate(
            {**_fields(cls, package), "cases": [f"c{number}" for number in package.cases]}
        )


class LogAnswer(BaseModel):
    """How far the evidence log goes; ``problem`` tells that it was altered, else it is null."""

    log: str
    entries: int
    at: datetime | None
    unlogged: int
    last_root: datetime | None
    problem: str | None


class FoundPassage(BaseModel):
    """What a text that was checked has from a passage."""

    work_id: int
    work: str
    passage_id: int
    passage: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    char_identity: float
    sound_identity: float
    disguises: list[str]
    licence: LicenceState
    spans: list[SpanAnswer]

    @classmethod
    def of(cls, match: PassageMatch) -> Self:
        """Return what is told of a match of a text."""
        named = {
            "work_id": match.work.id,
            "work": match.work.title,
            "passage_id": match.passage.id,
            "passage": match.passage.title,
            "spans": [SpanAnswer.model_validate(span) for span in match.spans],
        }
        return cls.model_validate({**_fields(cls, match), **named})


class Checked(BaseModel):
    """What a text that was checked has from protected works."""

    chars: int
    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    unaligned: int = Field(description="passages that may be in it and were not compared")
    capped: int = Field(description="fingerprints that too many passages share to look at all of them")
    matches: list[FoundPassage]

    @classmethod
    def of(cls, found: Comparison) -> Self:
        """Return what is told of a comparison."""
        return cls(
            chars=found.chars,
            verdict=found.verdict,
            coverage=found.coverage,
            copied_chars=found.copied_chars,
            low_confidence=found.low_confidence,
            unaligned=found.dropped,
            capped=found.capped,
            matches=[FoundPassage.of(match) for match in found.matches],
        )


def _fields(kind: type[BaseModel], record: object) -> dict[str, object]:
    """Return the fields of a record that an answer has too."""
    return {name: getattr(record, name) for name in kind.model_fields if hasattr(record, name)}
