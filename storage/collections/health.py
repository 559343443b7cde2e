"""Collections ``health`` and ``alerts``: results of the crawls of sources, and problems to check."""

from dataclasses import replace
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records import NO_MESSAGE, Alert, AlertKind, Message, SearchUse, SourceHealth, utc_now

_MAX_H = 7 * 24.0


def _empty(name: str) -> Document:
    """Return the fields of a source that was never crawled."""
    document = to_document(SourceHealth(name=name), key="name")
    return {field: value for field, value in document.items() if field not in {"_id", "searches"}}


class HealthStore:
    """Health and alerts by source. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._health = database["health"]
        self._alerts = database["alerts"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._alerts.create_index("source")
        self._alerts.create_index("open")
        self._alerts.create_index("since")

    def get(self, name: str) -> SourceHealth:
        """Return the health of a source; the record of a source that was never crawled has no dates."""
        row = self._health.find_one({"_id": name})
        return SourceHealth(name=name) if row is None else from_document(SourceHealth, row, key="name")

    def all(self) -> dict[str, SourceHealth]:
        """Return the health of every crawled source, by name."""
        rows = list(self._health.find({}))
        return {row["_id"]: from_document(SourceHealth, row, key="name") for row in rows}

    def save(self, health: SourceHealth) -> None:
        """Insert or replace the health of a source."""
        self._health.replace_one({"_id": health.name}, to_document(health, key="name"), upsert=True)

    def forget(self, name: str) -> None:
        """Delete a source's health and alerts."""
        self._health.delete_one({"_id": name})
        self._alerts.delete_many({"source": name})

    def pause(self, name: str, *, reason: str, until: datetime | None, first_h: float) -> datetime:
        """Pause a source; returns the end of the pause.

        Args:
            name: name of the source.
            reason: reason of the pause.
            until: the time that the site named; None: ``first_h`` hours, doubled each consecutive time.
            first_h: hours of the first pause.
        """
        health, now = self.get(name), utc_now()
        hours = min(_MAX_H, first_h * 2**health.pauses)
        end = max(until or now, now + timedelta(hours=hours))
        self.save(replace(health, paused_until=end, pause_reason=reason, pauses=health.pauses + 1))
        return end

    def resume(self, name: str) -> None:
        """End a source's pause."""
        ended = {"paused_until": None, "pause_reason": "", "pauses": 0}
        self._health.update_one({"_id": name}, {"$set": ended})

    def reserve_searches(self, name: str, scan_id: str, *, day: str, count: int, most: int | None) -> int:
        """Reserve searches of a day for a scan; return how many it may make.

        The processes of a crawl, and a crawl that is repeated, share one reservation.

        Args:
            name: of the source.
            scan_id: of the scan.
            day: such as ``2026-03-01``.
            count: searches that the scan would make.
            most: maximum searches of the day; None: no limit.
        """
        self._health.update_one({"_id": name}, {"$setOnInsert": _empty(name)}, upsert=True)
        new_day = {"$set": {"searches": {"day": day, "by_scan": {}}}}
        self._health.update_one({"_id": name, "searches.day": {"$ne": day}}, new_day)
        use = self.get(name).searches or SearchUse(day=day)
        used = sum(number for scan, number in use.by_scan.items() if scan != scan_id)
        allowed = count if most is None else max(0, min(count, most - used))
        allowed = max(allowed, use.by_scan.get(scan_id, 0))
        self._health.update_one({"_id": name}, {"$max": {f"searches.by_scan.{scan_id}": allowed}})
        return min(count, allowed)

    def raise_alert(
        self, source: str, kind: AlertKind, *, detail: str, scan_id: str, message: Message = NO_MESSAGE
    ) -> None:
        """Open an alert, or record that an open one persists."""
        key, now = f"{source}:{kind}", utc_now()
        alert = Alert(
            id=key,
            source=source,
            kind=kind,
            detail=detail,
            since=now,
            last=now,
            scan_id=scan_id,
            message=message,
        )
        document = to_document(alert)
        fields = {name: document[name] for name in ("detail", "message", "last", "scan_id")}
        if not self._alerts.update_one({"_id": key, "open": True}, {"$set": fields}).matched_count:
            self._alerts.replace_one({"_id": key}, document, upsert=True)

    def close_alerts(self, source: str, *, but: frozenset[AlertKind] = frozenset()) -> None:
        """Close the alerts of a source whose problems are over."""
        rows = list(self._alerts.find({"source": source}))
        over = [row["_id"] for row in rows if row["open"] and row["kind"] not in but]
        ended = {"$set": {"open": False, "last": utc_now()}}
        self._alerts.update_many({"_id": {"$in": over}}, ended)

    def open_alerts(self) -> list[Alert]:
        """Return the open alerts, by source."""
        rows = list(self._alerts.find({"open": True}))
        return sorted((from_document(Alert, row) for row in rows), key=lambda alert: alert.id)

    def raised_since(self, moment: datetime) -> list[Alert]:
        """Return the alerts opened since a moment, whether still open or not."""
        return [from_document(Alert, row) for row in self._alerts.find({"since": {"$gte": moment}})]
