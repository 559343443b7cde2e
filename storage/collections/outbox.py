"""Collections ``outbox``, ``mailings``, ``alert_marks``: what is told to whom, each finding once.

Theory of operation. A finding becomes one *delivery* for each addressee; its row has both as its natural
key and stays for ever, so a finding that is seen again adds nothing; what it told is forgotten some time
after its mailing is through. What is due to an addressee is *packed*
into a mailing: the mailing is stored with the ids of what it carries, then the deliveries are told of it;
whoever is killed in between leaves a mailing that is not packed, which the next run finishes before it packs
anything. A mailing never changes what it carries, and its id follows from that, so every repeat has the same
id. It is *claimed* by pushing its ``due`` into the future, sent, and marked: one that was killed in between
is due again, and is sent again.
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
    """Return the natural key of a delivery as one string of fixed length."""
    return _digest(occasion_id, addressee)


def mailing_id(addressee: str, deliveries: Sequence[str]) -> str:
    """Return the id of the mailing that carries some deliveries to an addressee."""
    return _digest(addressee, *sorted(deliveries))


def _digest(*parts: str) -> str:
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
        """Take the turn to add and to pack, which one program has at a time; None while another has it.

        One that lasts longer than any turn was taken before the clock was put back, and is over.
        """
        self._marks.update_one({"_id": _TURN}, {"$setOnInsert": _FREE}, upsert=True)
        token = uuid.uuid4().hex
        until = now + timedelta(seconds=lease_s)
        turn = {"token": token, "until": until}
        free = {"_id": _TURN, "$or": [{"until": {"$lte": now}}, {"until": {"$gt": until}}]}
        return token if self._marks.update_one(free, {"$set": turn}).modified_count == 1 else None

    def extend_turn(self, token: str, *, now: datetime, lease_s: float) -> bool:
        """Begin the turn's time anew; False when it was over and another program has it."""
        until = {"until": now + timedelta(seconds=lease_s)}
        return self._marks.update_one({"_id": _TURN, "token": token}, {"$set": until}).matched_count == 1

    def end_turn(self, token: str) -> None:
        """Let the next program have the turn."""
        self._marks.update_one({"_id": _TURN, "token": token}, {"$set": _FREE})

    def add(self, deliveries: Sequence[Delivery]) -> int:
        """Keep deliveries; those that are known stay as they are. Returns how many are new."""
        unique = {delivery.id: delivery for delivery in deliveries}
        return sum(self._outbox.insert_new([to_document(delivery) for delivery in unique.values()]))

    def due(self, addressee: str, cadence: Cadence, *, now: datetime, limit: int) -> list[Delivery]:
        """Return what is due to an addressee and not packed yet, the longest due first."""
        query = {"mailing": "", "addressee": addressee, "cadence": cadence, "due": {"$lte": now}}
        rows = self._outbox.find(query, sort=[("due", 1)], limit=limit)
        return [from_document(Delivery, row) for row in rows]

    def count_waiting(self, addressee: str, cadence: Cadence) -> int:
        """Return how many deliveries to an addressee are not packed yet."""
        return self._outbox.count({"mailing": "", "addressee": addressee, "cadence": cadence})

    def pack(self, mailing: Mailing) -> None:
        """Keep a mailing, and let what it carries know it; may be repeated."""
        self._mailings.insert_new([to_document(mailing)])
        self._outbox.update_among(mailing.deliveries, {"$set": {"mailing": mailing.id}})
        self._mailings.update_one({"_id": mailing.id}, {"$set": {"packed": True}})

    def interrupted_packings(self, addressee: str) -> list[Mailing]:
        """Return the mailings to an addressee whose packing was broken off."""
        rows = self._mailings.find({"addressee": addressee, "packed": False})
        return [from_document(Mailing, row) for row in rows]

    def deliveries_of(self, mailing: Mailing) -> list[Delivery]:
        """Return what a mailing carries, in no order."""
        rows = self._outbox.find_among("_id", mailing.deliveries)
        return [from_document(Delivery, row) for row in rows]

    def ready(self, addressee: str, *, now: datetime, limit: int) -> list[Mailing]:
        """Return the mailings to an addressee that are to be sent now, the longest due first."""
        query = {"state": "waiting", "addressee": addressee, "due": {"$lte": now}}
        rows = self._mailings.find(query, sort=[("due", 1)], limit=limit)
        return [mailing for row in rows if (mailing := from_document(Mailing, row)).packed]

    def claim(self, mailing: Mailing, *, until: datetime) -> Mailing | None:
        """Take a mailing to send it; None when somebody else has done so.

        Args:
            mailing: as it was read.
            until: when another program may take it, should this one be killed.
        """
        token = uuid.uuid4().hex
        unchanged = {"_id": mailing.id, "state": "waiting", "due": mailing.due}
        change = {"$set": {"due": until, "token": token}, "$inc": {"attempts": 1}}
        if self._mailings.update_one(unchanged, change).modified_count != 1:
            return None
        return replace(mailing, due=until, token=token, attempts=mailing.attempts + 1)

    def record_sent(self, mailing: Mailing, *, at: datetime, answer: str) -> None:
        """Note that a mailing is through."""
        sent = storable({"state": "sent", "sent": at, "answer": answer})
        self._mailings.update_one({"_id": mailing.id}, {"$set": sent})

    def record_failure(self, mailing: Mailing, error: Message, *, due: datetime | None) -> None:
        """Note that a mailing is not through.

        Args:
            mailing: as :meth:`claim` returned it; one that another program has taken since is left to it.
            error: why.
            due: when it is tried again; None: never, its time is up.
        """
        claimed = {"_id": mailing.id, "token": mailing.token, "state": "waiting"}
        fields = storable({"error": asdict(error)})
        change = {**fields, "state": "failed"} if due is None else {**fields, "due": due}
        self._mailings.update_one(claimed, {"$set": change})

    def waiting_addressees(self) -> list[str]:
        """Return whom mailings wait for."""
        return sorted(map(str, self._mailings.distinct("addressee", {"state": "waiting"})))

    def fail_unknown_addressee(self, addressee: str, error: Message, *, before: datetime) -> None:
        """Note that mailings cannot be sent, for nobody has the name of their addressee any more.

        Args:
            addressee: the name.
            error: says so.
            before: mailings that wait since then or longer are given up.
        """
        waiting: Document = {"state": "waiting", "addressee": addressee}
        fields = storable({"error": asdict(error)})
        self._mailings.update_many(waiting, {"$set": fields})
        self._mailings.update_many(waiting | {"since": {"$lte": before}}, {"$set": {"state": "failed"}})

    def retry_failed(self, *, now: datetime, addressee: str | None = None) -> int:
        """Let mailings that were given up be tried again; returns how many there are."""
        query: Document = {"state": "failed"} | ({"addressee": addressee} if addressee else {})
        change = {"$set": {"state": "waiting", "due": now, "since": now}}
        return self._mailings.update_many(query, change).matched_count

    def listed(self, state: MailingState, *, limit: int) -> list[Mailing]:
        """Return mailings in a state, the newest first."""
        rows = self._mailings.ordered({"state": state}, sort=(("made", -1),), limit=limit)
        return [from_document(Mailing, row) for row in rows]

    def forget_sent(self, before: datetime, *, limit: int) -> int:
        """Forget what mailings made before a moment told, once they are through; returns how many.

        Of each delivery the row stays, so that nothing is told again; what it told does not. May be repeated.
        """
        query = {"state": "sent", "made": {"$lt": before}}
        rows = self._mailings.ordered(query, sort=(("made", -1),), limit=limit)
        mailings = [from_document(Mailing, row) for row in rows]
        for mailing in mailings:
            self._outbox.update_among(mailing.deliveries, {"$set": {"occasion": {}}})
            self._mailings.delete_many({"_id": mailing.id})
        return len(mailings)

    def count(self, state: MailingState) -> int:
        """Return how many mailings are in a state."""
        return self._mailings.count({"state": state})

    def mark(self, name: str) -> NumberMark | None:
        """Return how far numbered records of a kind were read; None before the first time."""
        return _find(self._marks, NumberMark, name)

    def set_mark(self, mark: NumberMark) -> None:
        """Note how far numbered records were read."""
        self._marks.replace_one({"_id": mark.id}, to_document(mark), upsert=True)

    def moment(self, name: str) -> datetime | None:
        """Return up to when something was read; None before the first time."""
        row = self._marks.find_one({"_id": name})
        moment: datetime | None = row["at"] if row else None
        return moment

    def set_moment(self, name: str, at: datetime) -> None:
        """Note up to when something was read."""
        self._marks.replace_one({"_id": name}, {"at": at}, upsert=True)

    def begin_episode(self, kind: OccasionKind, *, since: datetime, message: Message) -> Episode:
        """Return the episode that is under way; one begins if there is none."""
        first = to_document(Episode(id=f"episode:{kind}", since=since, message=message))
        self._marks.update_one({"_id": first.pop("_id")}, {"$setOnInsert": first}, upsert=True)
        return _find(self._marks, Episode, f"episode:{kind}") or Episode(
            id=f"episode:{kind}", since=since, message=message
        )

    def end_episode(self, kind: OccasionKind) -> None:
        """Note that an episode is over."""
        self._marks.delete_one({"_id": f"episode:{kind}"})

    def forget_marks(self) -> None:
        """Forget how far anything was read: what happens until the next reading is not told."""
        self._marks.delete_many({"_id": {"$ne": _TURN}})


def _find(marks: CheckedCollection, kind: type[R], name: str) -> R | None:
    row = marks.find_one({"_id": name})
    return None if row is None else from_document(kind, row)
