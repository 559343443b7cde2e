"""Collection ``reports``: when reports of a scope were made, so that the next one can show what is new."""

from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import ReportRecord


def report_id(scope: str, form: str, made: datetime) -> str:
    """Return the natural key as one string."""
    return f"{form}:{made.isoformat()}:{scope}"


class ReportStore:
    """Reports by scope. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._reports = database["reports"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._reports.create_index([("scope", 1), ("form", 1), ("made", 1)])

    def record(self, *, scope: str, form: str, made: datetime) -> None:
        """Record that a report was made. Idempotent."""
        record = ReportRecord(id=report_id(scope, form, made), scope=scope, form=form, made=made)
        document = to_document(record)
        self._reports.replace_one({"_id": document["_id"]}, document, upsert=True)

    def last(self, *, scope: str, form: str, before: datetime) -> ReportRecord | None:
        """Return the last report of a scope before a moment; None if there is no such report."""
        query = {"scope": scope, "form": form, "made": {"$lt": before}}
        rows = self._reports.find(query, sort=[("made", -1)], limit=1)
        return next((from_document(ReportRecord, row) for row in rows), None)
