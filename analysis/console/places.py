"""The pages of the console: their paths, titles and required permissions."""

from dataclasses import dataclass

from storage.records import Permission
from system.messages import N_


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the console.

    Attributes:
        path: of its address; ``{name}`` is an argument of the page.
        title: its name.
        permission: that it takes to see it; None: everybody who is signed in.
        icon: of the Material set, in the menu; empty: not in the menu.
    """

    path: str
    title: str
    permission: Permission | None = None
    icon: str = ""


TODAY = Place("/", N_("Today"), icon="today")
REVIEW = Place("/review", N_("Review"), "matches:read", "rule")
FIND = Place("/review/{match}", N_("Review"), "matches:read")
DISMISSALS = Place("/review/dismissals", N_("Dismissals"), "matches:decide")
OWN_DECISIONS = Place("/review/mine", N_("My last decisions"), "matches:decide")
MATCH = Place("/matches/{match}", N_("Comparison"), "matches:read")
CASES = Place("/cases", N_("Cases"), "cases:read", "gavel")
CASE = Place("/cases/{case}", N_("Case"), "cases:read")
WORKS = Place("/works", N_("Protected works"), "works:read", "menu_book")
SOURCES = Place("/sources", N_("Sources"), "sources:read", "travel_explore")
SCANS = Place("/scans", N_("Scans"), "scans:read", "radar")
STATISTICS = Place("/statistics", N_("Statistics"), "matches:read", "bar_chart")
CHECK = Place("/check", N_("Check"), "check:run", "compare")
ADMINISTRATION = Place("/administration", N_("Administration"), "accounts:write", "admin_panel_settings")
ACCOUNT_OF = Place("/administration/accounts/{account}", N_("Account"), "accounts:write")
ALERTS = Place("/administration/alerts", N_("Alerts"), "settings:read")
SETTINGS = Place("/administration/settings", N_("Settings"), "settings:read")
DOCTOR = Place("/administration/doctor", N_("System check"), "settings:read")
EVIDENCE_LOG = Place("/administration/evidence-log", N_("Evidence log"), "audit:read")
AUDIT = Place("/administration/audit", N_("Audit log"), "audit:read")
LOADS = Place("/works/loads", N_("Loads"), "works:write")
WORK = Place("/works/{work}", N_("Work"), "works:read")
CANDIDATES = Place("/sources/candidates", N_("Candidates"), "sources:read")
NEW_SOURCE = Place("/sources/new", N_("New source"), "sources:write")
SOURCE = Place("/sources/{name}", N_("Source"), "sources:read")
SCAN = Place("/scans/{scan}", N_("Scan"), "scans:read")
SITE = Place("/sites/{site}", N_("Site"), "notices:make")
PAGES = Place("/pages", N_("Pages that were read"), "pages:read")
ACCOUNT = Place("/account", N_("My account"))

# The pages in the menu, in this order.
MENU = (TODAY, REVIEW, CASES, WORKS, SOURCES, SCANS, STATISTICS, CHECK, ADMINISTRATION)
