"""Collection ``requests``: what programs asked for once, and what they were answered.

A program gives a request a key of its own and may send it again, not knowing whether it came through. Who
comes first has the key, under a lease; whoever comes later gets the answer, or learns that there is none
yet.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """A request.

    Attributes:
        id: of whose request it is, what it asks and its key.
        digest: of its body.
        status: of the answer, as HTTP has it; 0: there is none yet.
        content: the answer.
        until: until when there must be one; then the request may be carried out anew.
        ends: when it is forgotten.
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
        """Create the index by which requests are forgotten, by MongoDB itself; safe to repeat."""
        self._requests.create_index("ends", expireAfterSeconds=0)

    def begin(self, request: IdempotentRequest, *, now: datetime) -> IdempotentRequest | None:
        """Have a key; None if the caller has it now, else the request that has it."""
        self._requests.delete_many({"ends": {"$lt": now}})  # where the server does not by itself
        if self._requests.insert_new([to_document(request)])[0]:
            return None
        row = self._requests.find_one({"_id": request.id})
        if row is None:  # given back at this moment
            return self.begin(request, now=now)
        stored = from_document(IdempotentRequest, row)
        if stored.status or stored.until > now or stored.digest != request.digest:
            return stored
        abandoned = {"_id": request.id, "status": 0, "until": stored.until}
        taken = self._requests.update_one(abandoned, {"$set": {"until": request.until}}).matched_count
        return None if taken else stored

    def finish(self, request_id: str, *, status: int, content: str, now: datetime, keep: timedelta) -> None:
        """Keep the answer of a request for some time."""
        fields = {"status": status, "content": content, "ends": now + keep}
        self._requests.update_one({"_id": request_id}, {"$set": fields})

    def release(self, request_id: str) -> None:
        """Let a key be used anew: nothing was done."""
        self._requests.delete_one({"_id": request_id, "status": 0})
