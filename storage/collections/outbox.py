"""Collections ``outbox``, ``mailings``, ``alert_marks``: alerts to addressees; each finding is sent once.

Theory of operation. A finding becomes one *delivery* for each addressee. The natural key of its row consists
of finding and addressee, and the row is kept permanently, so a finding that is seen again adds nothing. The
row's content is deleted some time after its mailing was sent. The due deliveries of an addressee are *packed*
into a mailing: the mailing is stored with their ids, then the deliveries are updated. If a process is killed
in between, the next run finishes that mailing before it packs others. The deliveries of a mailing never
change, and the mailing's id is derived from them, so every retry has the same id. A mailing is *claimed* by
moving its ``due`` into the future, then sent and marked. After a crash in between the mailing becomes due and
is sent again.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from storage.collections.checked import CheckedCollection, CheckedDatabase
from storage.collections.documents import Document, from_document, storable, to_document
from storage.records import (
    Cadence,
    Delivery,
    Episode,
    Mailing,
    MailingState,
    Message,
    NumberMark,
    OccasionKind,
)

R = TypeVar("R")
_TURN = "turn"
_FREE: Document = {"token": "", "until": datetime(1970, 1, 1, tzinfo=UTC)}


def delivery_id(occasion_id: str, addressee: str) -> str:
    """Return the natural key of a delivery as a string of fixed length."""
    return _hex_digest(occasion_id, addressee)


def mailing_id(addressee: str, deliveries: Sequence[str]) -> str:
    """Return the id of the mailing of these deliveries to an addressee."""
    return _hex_digest(addressee, *sorted(deliveries))


def _hex_digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(joined).hexdigest()[:24]


class OutboxStore:
    """Deliveries and mailings. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._outbox = database["outbox"]
        self._mailings = database["mailings"]
        self._marks = database["alert_marks"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._outbox.create_index([("mailing", 1), ("addressee", 1), ("cadence", 1), ("due", 1)])
        self._mailings.create_index([("addressee", 1), ("packed", 1)])
        self._mailings.create_index([("state", 1), ("addressee", 1), ("due", 1)])
        self._mailings.create_index([("state", 1), ("made", -1)])

    def claim_turn(self, *, now: datetime, lease_s: float) -> str | None:
        """Claim the turn to add and pack deliveries; None while another process has the turn.

        A turn whose end is further away than possible was claimed before the clock was set back, so it is
        void.
        """
        self._marks.update_one({"_id": _TURN}, {"$setOnInsert": _FREE}, upsert=True)
        token = uuid.uuid4().hex
        until = now + timedelta(seconds=lease_s)
        turn = {"token": token, "until": until}
        free = {"_id": _TURN, "$or": [{"until": {"$lte": now}}, {"until": {"$gt": until}}]}
        return token if self._marks.update_one(free, {"$set": turn}).modified_count == 1 else None

    def extend_turn(self, token: str, *, now: datetime, lease_s: float) -> bool:
        """Extend the turn; returns False if it has expired and another process has claimed it."""
        until = {"until": now + timedelta(seconds=lease_s)}
        return self._marks.update_one({"_id": _TURN, "token": token}, {"$set": until}).matched_count == 1

    def end_turn(self, token: str) -> None:
        """Release the turn."""
        self._marks.update_one({"_id": _TURN, "token": token}, {"$set": _FREE})

    def add(self, deliveries: Sequence[Delivery]) -> int:
        """Store deliveries; existing ones stay unchanged. Returns how many are new."""
        unique = {delivery.id: delivery for delivery in deliveries}
        return sum(self._outbox.insert_new([to_document(delivery) for delivery in unique.values()]))

    def due(self, addressee: str, cadence: Cadence, *, now: datetime, limit: int) -> list[Delivery]:
        """Return the deliveries to an addressee that are due and not packed, the longest due first."""
        query = {"mailing": "", "addressee": addressee, "cadence": cadence, "due": {"$lte": now}}
        rows = self._outbox.find(query, sort=[("due", 1)], limit=limit)
        return [from_document(Delivery, row) for row in rows]

    def count_waiting(self, addressee: str, cadence: Cadence) -> int:
        """Return the number of deliveries to an addressee that are not packed."""
        return self._outbox.count({"mailing": "", "addressee": addressee, "cadence": cadence})

    def pack(self, mailing: Mailing) -> None:
        """Store a mailing, then its id in its deliveries. Idempotent."""
        self._mailings.insert_new([to_document(mailing)])
        self._outbox.update_among(mailing.deliveries, {"$set": {"mailing": mailing.id}})
        self._mailings.update_one({"_id": mailing.id}, {"$set": {"packed": True}})

    def interrupted_packings(self, addressee: str) -> list[Mailing]:
        """Return the mailings to an addressee whose packing was interrupted."""
        rows = self._mailings.find({"addressee": addressee, "packed": False})
        return [from_document(Mailing, row) for row in rows]

    def deliveries_of(self, mailing: Mailing) -> list[Delivery]:
        """Return the deliveries of a mailing, in no order."""
        rows = self._outbox.find_among("_id", mailing.deliveries)
        return [from_document(Delivery, row) for row in rows]

    def ready(self, addressee: str, *, now: datetime, limit: int) -> list[Mailing]:
        """Return the mailings to an addressee that are due, the longest due first."""
        query = {"state": "waiting", "addressee": addressee, "due": {"$lte": now}}
        rows = self._mailings.find(query, sort=[("due", 1)], limit=limit)
        return [mailing for row in rows if (mailing := from_document(Mailing, row)).packed]

    def claim(self, mailing: Mailing, *, until: datetime) -> Mailing | None:
        """Claim a mailing for sending; None if another process has it.

        Args:
            mailing: as it was read.
            until: when another process may claim it.
        """
        token = uuid.uuid4().hex
        unchanged = {"_id": mailing.id, "state": "waiting", "due": mailing.due}
        change = {"$set": {"due": until, "token": token}, "$inc": {"attempts": 1}}
        if self._mailings.update_one(unchanged, change).modified_count != 1:
            return None
        return replace(mailing, due=until, token=token, attempts=mailing.attempts + 1)

    def record_sent(self, mailing: Mailing, *, at: datetime, answer: str) -> None:
        """Record that a mailing was sent."""
        sent = storable({"state": "sent", "sent": at, "answer": answer})
        self._mailings.update_one({"_id": mailing.id}, {"$set": sent})

    def record_failure(self, mailing: Mailing, error: Message, *, due: datetime | None) -> None:
        """Record that an attempt to send a mailing failed.

        Args:
            mailing: as :meth:`claim` returned it; ignored if another process has claimed it since.
            error: the reason.
            due: time of the next attempt; None: no more attempts.
        """
        claimed = {"_id": mailing.id, "token": mailing.token, "state": "waiting"}
        fields = storable({"error": asdict(error)})
        change = {**fields, "state": "failed"} if due is None else {**fields, "due": due}
        self._mailings.update_one(claimed, {"$set": change})

    def waiting_addressees(self) -> list[str]:
        """Return the addressees for whom mailings wait."""
        return sorted(map(str, self._mailings.distinct("addressee", {"state": "waiting"})))

    def fail_unknown_addressee(self, addressee: str, error: Message, *, before: datetime) -> None:
        """Give up the mailings of an addressee that is no longer in the settings.

        Args:
            addressee: name of the addressee.
            error: the error to store.
            before: mailings that wait since before this moment are given up.
        """
        waiting: Document = {"state": "waiting", "addressee": addressee}
        fields = storable({"error": asdict(error)})
        self._mailings.update_many(waiting, {"$set": fields})
        self._mailings.update_many(waiting | {"since": {"$lte": before}}, {"$set": {"state": "failed"}})

    def retry_failed(self, *, now: datetime, addressee: str | None = None) -> int:
        """Retry the mailings that were given up; returns their number."""
        query: Document = {"state": "failed"} | ({"addressee": addressee} if addressee else {})
        change = {"$set": {"state": "waiting", "due": now, "since": now}}
        return self._mailings.update_many(query, change).matched_count

    def listed(self, state: MailingState, *, limit: int) -> list[Mailing]:
        """Return mailings in a state, the newest first."""
        rows = self._mailings.ordered({"state": state}, sort=(("made", -1),), limit=limit)
        return [from_document(Mailing, row) for row in rows]

    def forget_sent(self, before: datetime, *, limit: int) -> int:
        """Delete the content of sent mailings that were made before a moment; returns their number.

        The row of each delivery stays, so that no finding is sent again. Idempotent.
        """
        query = {"state": "sent", "made": {"$lt": before}}
        rows = self._mailings.ordered(query, sort=(("made", -1),), limit=limit)
        mailings = [from_document(Mailing, row) for row in rows]
        for mailing in mailings:
            self._outbox.update_among(mailing.deliveries, {"$set": {"occasion": {}}})
            self._mailings.delete_many({"_id": mailing.id})
        return len(mailings)

    def count(self, state: MailingState) -> int:
        """Return the number of mailings in a state."""
        return self._mailings.count({"state": state})

    def mark(self, name: str) -> NumberMark | None:
        """Return up to which number the records of a kind were read; None before the first reading."""
        return _find_mark(self._marks, NumberMark, name)

    def set_mark(self, mark: NumberMark) -> None:
        """Record up to which number the records of a kind were read."""
        self._marks.replace_one({"_id": mark.id}, to_document(mark), upsert=True)

    def moment(self, name: str) -> datetime | None:
        """Return up to which moment records of a kind were read; None before the first reading."""
        row = self._marks.find_one({"_id": name})
        moment: datetime | None = row["at"] if row else None
        return moment

    def set_moment(self, name: str, at: datetime) -> None:
        """Record up to which moment records of a kind were read."""
        self._marks.replace_one({"_id": name}, {"at": at}, upsert=True)

    def begin_episode(self, kind: OccasionKind, *, since: datetime, message: Message) -> Episode:
        """Return the episode of a problem; a new episode begins if there is none."""
        first = to_document(Episode(id=f"episode:{kind}", since=since, message=message))
        self._marks.update_one({"_id": first.pop("_id")}, {"$setOnInsert": first}, upsert=True)
        return _find_mark(self._marks, Episode, f"episode:{kind}") or Episode(
            id=f"episode:{kind}", since=since, message=message
        )

    def end_episode(self, kind: OccasionKind) -> None:
        """End an episode."""
        self._marks.delete_one({"_id": f"episode:{kind}"})

    def forget_marks(self) -> None:
        """Delete all reading positions, so that events before the next reading cause no alerts."""
        self._marks.delete_many({"_id": {"$ne": _TURN}})


def _find_mark(marks: CheckedCollection, kind: type[R], name: str) -> R | None:
    row = marks.find_one({"_id": name})
    return None if row is None else from_document(kind, row)
