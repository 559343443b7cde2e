"""The records that flow through every stage: frozen values, one class a collection.

Times are aware UTC, rounded to the millisecond that MongoDB keeps (see :func:`utc_now`). Shares and
identities are floats in [0, 1]. Offsets count characters (Unicode code points) of the text they point into.
"""

from storage.records.leases import FREE, Lease
from storage.records.matches import (
    VERDICTS,
    Case,
    Dismissal,
    LicenceState,
    Match,
    ReviewState,
    Span,
    Suppressed,
    Verdict,
)
from storage.records.pages import MAX_TEXT_CHARS, Page, PageKind, PageState, Snapshot
from storage.records.scans import CUT_OFF, Crawl, CrawlEnd, CrawlState, Scan, ScanStatus
from storage.records.sources import (
    MAX_MINUTES,
    NO_RULES,
    Alert,
    AlertKind,
    CrawlSummary,
    Discovery,
    Login,
    SiteRules,
    Source,
    SourceHealth,
    SourceKind,
)
from storage.records.times import utc_now
from storage.records.visits import (
    PAGE_EVENTS,
    Capture,
    CaptureKind,
    PageEvent,
    PageEventKind,
    SeenPart,
    Visit,
    VisitState,
)
from storage.records.works import FingerprintSet, Passage, SiteLicence, Work, WorkKind, WorkStatus

__all__ = [
    "CUT_OFF",
    "FREE",
    "MAX_MINUTES",
    "MAX_TEXT_CHARS",
    "NO_RULES",
    "PAGE_EVENTS",
    "VERDICTS",
    "Alert",
    "AlertKind",
    "Capture",
    "CaptureKind",
    "Case",
    "Crawl",
    "CrawlEnd",
    "CrawlState",
    "CrawlSummary",
    "Discovery",
    "Dismissal",
    "FingerprintSet",
    "Lease",
    "LicenceState",
    "Login",
    "Match",
    "Page",
    "PageEvent",
    "PageEventKind",
    "PageKind",
    "PageState",
    "Passage",
    "ReviewState",
    "Scan",
    "ScanStatus",
    "SeenPart",
    "SiteLicence",
    "SiteRules",
    "Snapshot",
    "Source",
    "SourceHealth",
    "SourceKind",
    "Span",
    "Suppressed",
    "Verdict",
    "Visit",
    "VisitState",
    "Work",
    "WorkKind",
    "WorkStatus",
    "utc_now",
]
