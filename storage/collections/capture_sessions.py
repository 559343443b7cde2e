"""Collection ``capture_sessions``: the environment of each crawl process."""

from collections.abc import Iterable

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.evidence_log import with_mark
from storage.records import CaptureSession


class CaptureSessionStore:
    """Sessions by id. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._sessions = database["capture_sessions"]

    def add(self, session: CaptureSession) -> None:
        """Store a session, to be logged as evidence."""
        self._sessions.insert_new([with_mark(to_document(session))])

    def get_many(self, ids: Iterable[str]) -> dict[str, CaptureSession]:
        """Return the sessions that exist, by id."""
        rows = self._sessions.find_among("_id", sorted(set(ids)))
        return {row["_id"]: from_document(CaptureSession, row) for row in rows}
