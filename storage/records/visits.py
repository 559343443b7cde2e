"""What the crawler remembers of addresses: visits, events, captures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from storage.records.looks import LookState, Presence
from storage.records.times import utc_now

VisitState = Literal["there", "gone", "moved"]
VISIT_STATES: tuple[VisitState, ...] = get_args(VisitState)

PageEventKind = Literal["new", "changed", "gone", "moved", "returned"]
PAGE_EVENTS: tuple[PageEventKind, ...] = get_args(PageEventKind)

CaptureKind = Literal["response", "screenshot"]

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_LOOKS: Mapping[VisitState, LookState] = {"there": "up", "gone": "gone", "moved": "moved"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """One response of a text: where it was, and the SHA-256 of its decoded body."""

    url: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What is known of one address from the times it was asked for.

    Attributes:
        url: canonical.
        state: ``there``; ``gone`` answered 404 or without its text; ``moved`` leads elsewhere.
        page_id: the version of the page that was seen last; empty while there was none.
        content_hash: of that version's text.
        whole_hash: of the same with the sentences that were left out because the site repeats them.
        extraction_version: of the program, of the source's rules and of what the site repeats, with which the
            text was extracted; with another one the page is read again.
        parts: the responses that the text was taken from, in reading order.
        checks: how often the address answered.
        changes: how often its text was another one than before.
        interval_s: seconds between two visits; grows while nothing changes, shrinks when something does.
        due: when a scheduled scan may ask again.
        moved_to: where a moved page leads.
        presence: whether the version ``page_id`` is still up; None before that was kept.
    """

    url: str
    source: str
    state: VisitState = "there"
    page_id: str = ""
    content_hash: str = ""
    whole_hash: str = ""
    extraction_version: str = ""
    etag: str | None = None
    last_modified: str | None = None
    parts: tuple[TextPart, ...] = ()
    first_seen: datetime = field(default_factory=utc_now)
    last_checked: datetime = field(default_factory=utc_now)
    last_changed: datetime = field(default_factory=utc_now)
    checks: int = 0
    changes: int = 0
    interval_s: float = 0.0
    due: datetime = _LONG_AGO
    moved_to: str = ""
    presence: Presence | None = None

    def presence_of(self, page_id: str) -> Presence:
        """Return whether a version of the page is still up; another one in its place is a change."""
        presence = self.presence or self._earlier_presence()
        if page_id == self.page_id or presence.state != "up":
            return presence
        return replace(presence, state="changed", seen=None)

    def _earlier_presence(self) -> Presence:
        """Return what can be told of an address that was last asked before presences were kept."""
        return Presence(
            state=_LOOKS[self.state],
            checked=self.last_checked,
            absent_since=self.last_changed if self.state == "gone" else None,
            moved_to=self.moved_to,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvent:
    """Something that happened to an address, never deleted: a copy that disappears, or comes back.

    Attributes:
        page_id: the version that is there now, empty when none is.
        before: the version that was there.
        detail: the reason of ``gone`` (``http-404``, ``empty`` …), the target of ``moved``.
    """

    id: str
    url: str
    source: str
    kind: PageEventKind
    at: datetime
    scan_id: str
    page_id: str = ""
    before: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One fetch of one address, as evidence.

    Attributes:
        sha256: of the decoded body; names the snapshot that holds it.
        warc: for a body that was known before, a WARC revisit record in gzip; empty for a new one, whose
            records are in the snapshot.
        kind: ``screenshot`` for a picture of the page that a browser showed; ``sha256`` is the picture's.
        digest: SHA-256 over date, address, request, headers and body, see
            :mod:`crawler.pages.capture_digests`;
            empty for one that was made before digests were kept.
    """

    id: str
    url: str
    source: str
    scan_id: str
    fetched: datetime
    status: int
    sha256: str
    warc: bytes = b""
    kind: CaptureKind = "response"
    digest: str = ""
