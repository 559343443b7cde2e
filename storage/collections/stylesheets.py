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
    """

    url: str
    host: str
    rules: str
    was_read: bool
    fetched: datetime = field(default_factory=utc_now)


class SheetStore:
    """Sheets by address. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._sheets = database["sheets"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        self._sheets.create_index("host")

    def get_many(self, urls: Sequence[str]) -> dict[str, Sheet]:
        """Return those sheets that are known."""
        rows = list(self._sheets.find_among("_id", [visit_id(url) for url in urls]))
        return {row["url"]: _sheet(row) for row in rows}

    def save(self, sheet: Sheet) -> None:
        """Keep a sheet, and forget old ones of its host."""
        document = {
            "url": sheet.url,
            "host": sheet.host,
            "rules": sheet.rules,
            "was_read": sheet.was_read,
            "fetched": sheet.fetched,
        }
        self._sheets.update_one({"_id": visit_id(sheet.url)}, {"$set": document}, upsert=True)
        before = sheet.fetched - _KEPT
        rows = list(self._sheets.find({"host": sheet.host}, {"fetched": 1}))
        if old := [row["_id"] for row in rows if row["fetched"] < before]:
            self._sheets.delete_many({"_id": {"$in": old}})


def _sheet(row: Document) -> Sheet:
    return Sheet(**{name: row[name] for name in ("url", "host", "rules", "was_read", "fetched")})
