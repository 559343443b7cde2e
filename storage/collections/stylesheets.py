"""Collection ``sheets``: style sheets in files of their own, as far as they decide whether text is seen.

A cache: whatever is missing is fetched again. What was not asked for in a quarter of a year goes.
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
    """What is known of a sheet.

    Attributes:
        url: canonical.
        host: that the pages which link to it belong to.
        rules: those that could hide or show something; empty when there is none, or no such sheet.
        was_read: the last try brought it.
        fetched: when that was.
        changed: when its rules were found to be others than before; None while they are the first ones.
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
        """Return those sheets that are known."""
        rows = list(self._sheets.find_among("_id", [visit_id(url) for url in urls]))
        return {row["url"]: _sheet(row) for row in rows}

    def last_change(self, host: str) -> datetime | None:
        """Return when a sheet of a host's site last changed what it hides; None if none did.

        A sheet may serve every host of a registered domain, so the domain is the site.
        """
        newest = self._sheets.find(
            {"site": _site_of(host)}, {"changed": 1}, sort=[("site", 1), ("changed", -1)], limit=1
        )
        return next((row["changed"] for row in newest), None)

    def save(self, sheet: Sheet) -> None:
        """Keep a sheet, and forget old ones of its host."""
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


def _sheet(row: Document) -> Sheet:
    fields = {name: row[name] for name in ("url", "host", "rules", "was_read", "fetched")}
    return Sheet(**fields, changed=row.get("changed"))


def _site_of(host: str) -> str:
    return registered_domain(host) or host
