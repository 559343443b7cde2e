"""Collection ``turns``: the turn to open a scan, and the scan that the process with the turn is opening.

The crawls of a scan are stored before its row, because a scan without crawls counts as complete. To prevent
crawls without a scan, the scan and its crawls are first saved in the turn, by the same write that checks that
the turn is valid. After a crash in between, the next process with the turn stores what is missing.
"""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records import FREE, Scan

_OPENING = "scan"
_PARTS = ("processes", "rests", "unasked")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOpening:
    """A scan and its crawls, before both are stored.

    Attributes:
        scan: the new scan.
        processes: source → number of crawl processes that share its frontier, if more than one.
        rests: source → the scan whose frontier its crawl continues.
        unasked: further source, outside its hours → remaining addresses.
    """

    scan: Scan
    processes: Mapping[str, int] = field(default_factory=dict)
    rests: Mapping[str, str] = field(default_factory=dict)
    unasked: Mapping[str, int] = field(default_factory=dict)


class ScanTurns:
    """The turn, which one process has at a time. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._turns = database["turns"]
        self._now = database.now

    def claim(self, *, lease_s: float) -> str | None:
        """Claim the turn to open a scan.

        Args:
            lease_s: maximum length of the turn, if the process is killed.

        Returns:
            The token of the turn; None while another process has it.
        """
        self._turns.update_one({"_id": _OPENING}, {"$setOnInsert": asdict(FREE)}, upsert=True)
        now, token = self._now(), uuid.uuid4().hex
        turn = {"token": token, "until": now + timedelta(seconds=lease_s), "taken": True}
        free = {"_id": _OPENING, "until": {"$lte": now}}
        return token if self._turns.update_one(free, {"$set": turn}).modified_count == 1 else None

    def extend(self, token: str, *, lease_s: float) -> bool:
        """Extend the turn; returns False if it has expired and another process has claimed it."""
        return self._update_turn(token, {}, lease_s)

    def end(self, token: str) -> None:
        """Release the turn; a saved opening stays."""
        self._turns.update_one({"_id": _OPENING, "token": token}, {"$set": asdict(FREE)})

    def save(self, token: str, opening: ScanOpening, *, lease_s: float) -> bool:
        """Save an opening and extend the turn; returns False if another process has the turn."""
        parts = {name: [list(item) for item in getattr(opening, name).items()] for name in _PARTS}
        return self._update_turn(token, {"opening": {"scan": to_document(opening.scan), **parts}}, lease_s)

    def saved(self) -> ScanOpening | None:
        """Return the saved opening whose scan is not stored yet, if there is one."""
        row = self._turns.find_one({"_id": _OPENING})
        if row is None or not (noted := row.get("opening")):
            return None
        parts = {name: dict(noted[name]) for name in _PARTS}
        return ScanOpening(scan=from_document(Scan, noted["scan"]), **parts)

    def forget(self, scan_id: str) -> None:
        """Delete the saved opening, after its scan was stored."""
        saved = {"_id": _OPENING, "opening.scan._id": scan_id}
        self._turns.update_one(saved, {"$unset": {"opening": ""}})

    def _update_turn(self, token: str, fields: Document, lease_s: float) -> bool:
        kept = {"until": self._now() + timedelta(seconds=lease_s), **fields}
        return self._turns.update_one({"_id": _OPENING, "token": token}, {"$set": kept}).matched_count == 1
