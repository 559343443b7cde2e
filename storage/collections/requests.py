"""Collection ``requests``: idempotent requests of programs and their answers.

A program sends a request with an idempotency key, and may repeat it after an unclear result. The first
request claims the key, under a lease. Later requests get the stored answer, or the information that there is
no answer yet.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """A request with an idempotency key.

    Attributes:
        id: derived from account, operation and key.
        digest: digest of its body.
        status: HTTP status of the answer; 0: none yet.
        content: body of the answer.
        until: end of the lease; then the request may be executed again.
        ends: when the record expires.
    """

    id: str
    digest: str
    until: datetime
    ends: datetime
    status: int = 0
    content: str = ""


class RequestStore:
    """Requests by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._requests = database["requests"]

    def ensure_schema(self) -> None:
        """Create the index by which MongoDB deletes expired requests. Idempotent."""
        self._requests.create_index("ends", expireAfterSeconds=0)

    def begin(self, request: IdempotentRequest, *, now: datetime) -> IdempotentRequest | None:
        """Claim a key; returns None if the claim succeeded, otherwise the request that has the key."""
        self._requests.delete_many({"ends": {"$lt": now}})  # for servers that do not delete expired documents
        if self._requests.insert_new([to_document(request)])[0]:
            return None
        row = self._requests.find_one({"_id": request.id})
        if row is None:  # the other request released the key at this moment
            return self.begin(request, now=now)
        stored = from_document(IdempotentRequest, row)
        if stored.status or stored.until > now or stored.digest != request.digest:
            return stored
        abandoned = {"_id": request.id, "status": 0, "until": stored.until}
        taken = self._requests.update_one(abandoned, {"$set": {"until": request.until}}).matched_count
        return None if taken else stored

    def finish(self, request_id: str, *, status: int, content: str, now: datetime, keep: timedelta) -> None:
        """Store the answer to a request for some time."""
        fields = {"status": status, "content": content, "ends": now + keep}
        self._requests.update_one({"_id": request_id}, {"$set": fields})

    def release(self, request_id: str) -> None:
        """Release the key of a request that was not executed."""
        self._requests.delete_one({"_id": request_id, "status": 0})
