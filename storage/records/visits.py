"""Records of the crawler about addresses: visits, events, captures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from storage.records.looks import LookState, Presence
from storage.records.pages import PageImport
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
    """One response of a text: its address, and the SHA-256 of its decoded body."""

    url: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The state of one address after its past visits.

    Attributes:
        url: canonical.
        state: ``there``; ``gone``: answered 404 or without its text; ``moved``: redirects to another address.
        page_id: the version of the page that was seen last; empty: none.
        content_hash: hash of the text of that version.
        whole_hash: hash of the same text including sentences that the site repeats.
        extraction_version: version of program, source rules and repeated sentences that extracted the text.
            When it changes, the page is read again.
        parts: the responses of the text, in reading order.
        checks: number of answers.
        changes: number of changes of the text.
        interval_s: seconds between two visits; grows without changes, shrinks after a change.
        due: when a scheduled scan may request the address again.
        moved_to: the new address of a moved page.
        presence: whether the version ``page_id`` is still up; None in older records.
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
        """Return whether a version of a page is still up; if another version is up, it is changed."""
        presence = self.presence or self._earlier_presence()
        if page_id == self.page_id or presence.state != "up":
            return presence
        return replace(presence, state="changed", seen=None)

    def _earlier_presence(self) -> Presence:
        """Return the presence of an address whose last visit was before presences were stored."""
        return Presence(
            state=_LOOKS[self.state],
            checked=self.last_checked,
            absent_since=self.last_changed if self.state == "gone" else None,
            moved_to=self.moved_to,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvent:
    """An event of an address, never deleted, such as a copy that disappears or comes back.

    Attributes:
        page_id: the present version; empty: none.
        before: the earlier version.
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
    """One fetch of one address, stored as evidence.

    Attributes:
        sha256: of the decoded body; names its snapshot.
        warc: for an already stored body: a WARC revisit record in gzip. Empty for a new body, whose records
            are in the snapshot.
        kind: ``screenshot`` for a picture of the rendered page; ``sha256`` is that of the picture.
        digest: SHA-256 over date, address, request, headers and body, see
            :mod:`crawler.pages.capture_digests`; empty in older records.
        session: id of the session with the environment of the fetch; empty in older records.
        imported: the file that the records come from; None: pindna fetched the address.
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
    session: str = ""
    imported: PageImport | None = None
