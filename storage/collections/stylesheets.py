"""Collection ``sheets``: the rules of external style sheets that show or hide text.

The collection is a cache: a missing sheet is fetched again. A sheet that was unused for three months is
deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.collections.visits import visit_id
from storage.records import utc_now
from system.sites import registered_domain

_KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A cached style sheet.

    Attributes:
        url: canonical.
        host: host of the pages that link to it.
        rules: the rules that could hide or show text; empty: none, or no such sheet.
        was_read: the last fetch succeeded.
        fetched: time of the last fetch.
        changed: time of the last change of its rules; None: never.
    """

    url: str
    host: str
    rules: str
    was_read: bool
    fetched: datetime = field(default_factory=utc_now)
    changed: datetime | None = None


class SheetStore:
    """Sheets by address. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._sheets = database["sheets"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._sheets.create_index("host")
        self._sheets.create_index([("site", 1), ("changed", -1)])

    def get_many(self, urls: Sequence[str]) -> dict[str, Sheet]:
        """Return the cached sheets."""
        rows = list(self._sheets.find_among("_id", [visit_id(url) for url in urls]))
        return {row["url"]: _sheet_of(row) for row in rows}

    def last_change(self, host: str) -> datetime | None:
        """Return when a style sheet of a host's site last changed which text it hides; None if never.

        A sheet may serve every host of a registered domain, so the domain is the site.
        """
        newest = self._sheets.find(
            {"site": _site_of(host)}, {"changed": 1}, sort=[("site", 1), ("changed", -1)], limit=1
        )
        return next((row["changed"] for row in newest), None)

    def save(self, sheet: Sheet) -> None:
        """Store a sheet, and delete unused old sheets of its host."""
        document = {
            "url": sheet.url,
            "host": sheet.host,
            "site": _site_of(sheet.host),
            "rules": sheet.rules,
            "was_read": sheet.was_read,
            "fetched": sheet.fetched,
            "changed": sheet.changed,
        }
        self._sheets.update_one({"_id": visit_id(sheet.url)}, {"$set": document}, upsert=True)
        before = sheet.fetched - _KEPT
        rows = list(self._sheets.find({"host": sheet.host}, {"fetched": 1}))
        if old := [row["_id"] for row in rows if row["fetched"] < before]:
            self._sheets.delete_many({"_id": {"$in": old}})


def _sheet_of(row: Document) -> Sheet:
    fields = {name: row[name] for name in ("url", "host", "rules", "was_read", "fetched")}
    return Sheet(**fields, changed=row.get("changed"))


def _site_of(host: str) -> str:
    return registered_domain(host) or host
