"""Collection ``turns``: the turn to open a scan, and the scan that its holder is about to open.

The crawls of a scan are stored before its row, for a scan without crawls is complete. So that none is left
without its row either, what is to be stored is noted in the turn first, by the write that asks whether the
turn still lasts. Who is killed in between leaves the note, and the next one who has the turn stores the rest.
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
    """A scan that is to be stored with the crawls of its sources.

    Attributes:
        scan: as it begins.
        processes: source → crawl processes that share its frontier, where it is more than one.
        rests: source → the scan whose frontier its crawl goes on with.
        unasked: further source, outside its hours → addresses that are left.
    """

    scan: Scan
    processes: Mapping[str, int] = field(default_factory=dict)
    rests: Mapping[str, str] = field(default_factory=dict)
    unasked: Mapping[str, int] = field(default_factory=dict)


class ScanTurns:
    """The turn, which one program has at a time. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._turns = database["turns"]
        self._now = database.now

    def claim(self, *, lease_s: float) -> str | None:
        """Take the turn.

        Args:
            lease_s: how long the turn lasts at most, should the program be killed.

        Returns:
            The token of the turn; None while another program has it.
        """
        self._turns.update_one({"_id": _OPENING}, {"$setOnInsert": asdict(FREE)}, upsert=True)
        now, token = self._now(), uuid.uuid4().hex
        turn = {"token": token, "until": now + timedelta(seconds=lease_s), "taken": True}
        free = {"_id": _OPENING, "until": {"$lte": now}}
        return token if self._turns.update_one(free, {"$set": turn}).modified_count == 1 else None

    def extend(self, token: str, *, lease_s: float) -> bool:
        """Begin the turn's time anew; False when it was over and another program has it."""
        return self._keep(token, {}, lease_s)

    def end(self, token: str) -> None:
        """Let the next program have the turn; what is noted stays."""
        self._turns.update_one({"_id": _OPENING, "token": token}, {"$set": asdict(FREE)})

    def save(self, token: str, opening: ScanOpening, *, lease_s: float) -> bool:
        """Note what is to be stored, and begin the turn's time anew; False when another program has it."""
        parts = {name: [list(item) for item in getattr(opening, name).items()] for name in _PARTS}
        return self._keep(token, {"opening": {"scan": to_document(opening.scan), **parts}}, lease_s)

    def saved(self) -> ScanOpening | None:
        """Return what somebody noted and nobody has stored yet."""
        row = self._turns.find_one({"_id": _OPENING})
        if row is None or not (noted := row.get("opening")):
            return None
        parts = {name: dict(noted[name]) for name in _PARTS}
        return ScanOpening(scan=from_document(Scan, noted["scan"]), **parts)

    def forget(self, scan_id: str) -> None:
        """Forget what was noted of a scan: it is stored."""
        saved = {"_id": _OPENING, "opening.scan._id": scan_id}
        self._turns.update_one(saved, {"$unset": {"opening": ""}})

    def _keep(self, token: str, fields: Document, lease_s: float) -> bool:
        kept = {"until": self._now() + timedelta(seconds=lease_s), **fields}
        return self._turns.update_one({"_id": _OPENING, "token": token}, {"$set": kept}).matched_count == 1
