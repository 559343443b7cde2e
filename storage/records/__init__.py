"""The records that flow through every stage: frozen values, one class a collection.

Times are aware UTC, rounded to the millisecond that MongoDB keeps (see :func:`utc_now`). Shares and
identities are floats in [0, 1]. Offsets count characters (Unicode code points) of the text they point into.
"""

from storage.messages import NO_MESSAGE, Figure, Message
from storage.records.decisions import Decided, Decision, DecisionState
from storage.records.leases import FREE, Lease
from storage.records.looks import LOOK_STATES, Look, LookState, Presence
from storage.records.matches import (
    VERDICTS,
    Case,
    CaseStatus,
    LicenceState,
    Match,
    ReviewState,
    Span,
    Suppressed,
    Verdict,
    case_status,
)
from storage.records.pages import MAX_TEXT_CHARS, Page, PageKind, PageStanding, PageState, Snapshot
from storage.records.precedence import Precedence, precedence
from storage.records.reports import MadeReport
from storage.records.scans import CUT_OFF, Crawl, CrawlEnd, CrawlState, Fault, Scan, ScanStatus
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
from storage.records.times import CHINA, ClaimedDate, Precision, claim, moment_text, utc_now, zone_of
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
from storage.records.works import (
    FingerprintSet,
    Passage,
    Removal,
    SiteLicence,
    Work,
    WorkKind,
    WorkStatus,
)

__all__ = [
    "CHINA",
    "CUT_OFF",
    "FREE",
    "LOOK_STATES",
    "MAX_MINUTES",
    "MAX_TEXT_CHARS",
    "NO_MESSAGE",
    "NO_RULES",
    "PAGE_EVENTS",
    "VERDICTS",
    "Alert",
    "AlertKind",
    "Capture",
    "CaptureKind",
    "Case",
    "CaseStatus",
    "ClaimedDate",
    "Crawl",
    "CrawlEnd",
    "CrawlState",
    "CrawlSummary",
    "Decided",
    "Decision",
    "DecisionState",
    "Discovery",
    "Fault",
    "Figure",
    "FingerprintSet",
    "Lease",
    "LicenceState",
    "Login",
    "Look",
    "LookState",
    "MadeReport",
    "Match",
    "Message",
    "Page",
    "PageEvent",
    "PageEventKind",
    "PageKind",
    "PageStanding",
    "PageState",
    "Passage",
    "Precedence",
    "Precision",
    "Presence",
    "Removal",
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
    "case_status",
    "claim",
    "moment_text",
    "precedence",
    "utc_now",
    "zone_of",
]
