"""Leases: one worker at a time works on a record, and no record is forgotten.

Theory of operation. A dispatcher *reserves* free records: it stores one document, the reservation, with a new
token and the ids, and sends ids and token in messages. A worker *claims* the records of its message that are
still in the reservation: a conditional update writes a lease, and succeeds only if the record waits and is
free. Then the worker removes the ids from the reservation, so a repeated message does nothing, even after the
work is finished. The write that finishes a record changes its state and frees its lease. A killed worker
leaves a lease behind, and a lost message or a flushed queue leaves a reservation behind. Leases and
reservations expire, and the next dispatch reserves the records again.

A reservation only prevents repeated sending. Two dispatchers at once may reserve the same records, but one
worker claims each of them. So each record is written twice, when a worker begins it and when a worker
finishes it, but not when it is sent.

A free record has a lease that ended long ago, so every condition is a simple comparison in addition to
``_id``. A condition with ``$or`` would make SecantusDB read the whole collection.

A dispatch reads about as much as it sends, however many records wait. A record of a growing collection is
stored with a *shard*, a number derived from its id. Waiting records are read shard by shard, starting with a
random shard and then several shards at a time, until there are enough.

On slow servers a message may wait in its queue longer than its reservation lasts. The record is then sent
again, and the first message does nothing. To end such repetitions, the next reservation of records that no
worker claimed lasts twice as long.

Reservations and leases are not journalled. If a server crash loses some, their records become free and are
processed again, and the earlier workers cannot finish them.

Records are changed fifty in one command: SecantusDB compares every record with every id of a long ``$in``.
"""

import hashlib
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from pymongo import UpdateMany

from storage.collections.checked import IN_ONE, CheckedDatabase
from storage.collections.documents import Document
from storage.records import FREE
from system.batches import batched

K = TypeVar("K", int, str)  # type of the ids in a collection

RESERVATIONS = "reservations"  # their collection
MAX_ATTEMPTS = 5
_MAX_DOUBLINGS = 5  # how often the length of an unclaimed reservation is doubled
SHARDS = 64
_KEEPS = 4  # a lease is extended this many times before it would end


def free_lease() -> Document:
    """Return the lease of a free record."""
    return asdict(FREE)


def shard_of(record_id: object) -> int:
    """Return the number of a record's shard.

    >>> shard_of(7), shard_of("7")
    (23, 23)
    """
    return hashlib.sha256(str(record_id).encode()).digest()[0] % SHARDS


class Reservation(NamedTuple, Generic[K]):
    """The records that a dispatcher has reserved and may send.

    Attributes:
        token: of the reservation.
        ids: ids of the reserved records.
        is_all: no other record was free: all other waiting records are sent or leased.
    """

    token: str
    ids: list[K]
    is_all: bool


class Leases(Generic[K]):
    """The leases of one collection's records.

    Args:
        database: the database.
        name: name of the collection.
        waiting: equality filter that only waiting records match, on a field that is indexed together with
            ``shard``.
        sharded: the records have shards; False for collections that stay small.
    """

    def __init__(
        self,
        database: CheckedDatabase,
        name: str,
        waiting: Mapping[str, Any],
        *,
        sharded: bool = True,
    ) -> None:
        self._collection = database[name]
        self._unjournalled = self._collection.without_journal()
        self._reservations = database[RESERVATIONS].without_journal()
        self._name = name
        self._waiting = waiting
        self._now = database.now
        self._sharded = sharded

    def reserve(self, *, count: int, lease_s: float, given_up: Mapping[str, Any]) -> Reservation[K]:
        """Reserve waiting records until about ``count`` records are reserved and not claimed.

        A record that was begun ``MAX_ATTEMPTS`` times and never finished probably kills its workers, so it is
        set aside.

        Args:
            count: maximum of records that are sent at once.
            lease_s: how long the reservation lasts.
            given_up: fields to set on records that are set aside.
        """
        now, (reserved, ended) = self._now(), self._read_reservations()
        sent = {record_id: times for _, times, ids in ended for record_id in ids}
        for tokens in batched((token for token, _, _ in ended), IN_ONE):
            self._reservations.delete_many({"_id": {"$in": tokens}})
        missing = max(0, count - len(reserved))
        exhausted: list[K] = []
        chosen: list[K] = []
        for shard in shard_parts() if self._sharded else [{}]:
            if len(chosen) >= missing:
                break
            for row in self._collection.find({**self._waiting, **shard}, {"lease": 1, "attempts": 1}):
                if row["lease"]["until"] <= now and row["_id"] not in reserved:
                    is_spent = row.get("attempts", 0) >= MAX_ATTEMPTS
                    (exhausted if is_spent else chosen).append(row["_id"])
        is_all = len(chosen) < missing
        del chosen[missing:]
        token = uuid.uuid4().hex
        if chosen:
            times = max(sent.get(record_id, 0) for record_id in chosen)
            until = now + timedelta(seconds=lease_s * 2 ** min(times, _MAX_DOUBLINGS))
            self._reservations.insert_one(
                {"_id": token, "of": self._name, "until": until, "sent": times + 1, "ids": chosen}
            )
        for record_id in exhausted:
            self._give_up(record_id, given_up)
        return Reservation(token, chosen, is_all)

    def ensure_schema(self) -> None:
        """Create the index of the reservations. Idempotent."""
        self._reservations.create_index("of")

    def reserved_ids(self) -> set[K]:
        """Return the ids of the reserved records."""
        return self._read_reservations()[0]

    def _read_reservations(self) -> tuple[set[K], list[tuple[str, int, list[K]]]]:
        """Return the reserved ids, and the token, repetition and unclaimed ids of expired reservations."""
        now, reserved, ended = self._now(), set[K](), list[tuple[str, int, list[K]]]()
        for row in self._reservations.find({"of": self._name}):
            if row["until"] > now and row["ids"]:
                reserved.update(row["ids"])
            else:
                ended.append((row["_id"], row.get("sent", 1), row["ids"]))
        return reserved, ended

    def _ids_in_reservation(self, ids: Sequence[K], token: str) -> list[K]:
        """Return the ids that are in a reservation."""
        return _reserved_among(self._reservations.find_one({"_id": token}), ids)

    def _remove_reserved(self, ids: Sequence[K], token: str) -> list[K]:
        """Remove ids from a reservation; returns those that were in it."""
        without = {"$pullAll": {"ids": list(ids)}}
        return _reserved_among(self._reservations.find_one_and_update({"_id": token}, without), ids)

    def _give_up(self, record_id: K, fields: Mapping[str, Any]) -> None:
        """Set aside a record, unless a worker has begun it again."""
        spent = {**self._waiting, "lease.until": {"$lte": self._now()}, "attempts": {"$gte": MAX_ATTEMPTS}}
        self._collection.update_one({"_id": record_id, **spent}, {"$set": fields})

    def claim(self, record_id: K, *, token: str, lease_s: float) -> bool:
        """Begin work on a reserved record, under a lease with its token; False if it was not free."""
        if not self._ids_in_reservation([record_id], token):
            return False
        free = {"_id": record_id, **self._waiting, "lease.until": {"$lte": self._now()}}
        is_ours = self._unjournalled.update_one(free, self._begin_update(token, lease_s)).modified_count == 1
        self._remove_reserved([record_id], token)
        return is_ours

    def claim_many(self, ids: Sequence[K], *, token: str, lease_s: float) -> tuple[str, list[Document]]:
        """Begin work on reserved records.

        Returns:
            The token of the new leases, and the claimed documents.
        """
        lease_token, reserved = uuid.uuid4().hex, self._ids_in_reservation(ids, token)
        free = {**self._waiting, "lease.until": {"$lte": self._now()}}
        begun = self._unjournalled.update_among(reserved, self._begin_update(lease_token, lease_s), free)
        if reserved:  # also remove records that another worker has claimed
            self._remove_reserved(reserved, token)
        if not begun:
            return lease_token, []
        return lease_token, list(
            self._collection.find_among("_id", reserved, None, {"lease.token": lease_token})
        )

    def _begin_update(self, token: str, lease_s: float) -> Document:
        """Return the update that gives a record a lease and counts the attempt."""
        lease = {"token": token, "until": self._now() + timedelta(seconds=lease_s), "taken": True}
        return {"$set": {"lease": lease}, "$inc": {"attempts": 1}}

    def extend(self, ids: Sequence[K], *, token: str, lease_s: float) -> bool:
        """Extend leases of a token; False if one was lost."""
        until = {"$set": {"lease.until": self._now() + timedelta(seconds=lease_s)}}
        return self._unjournalled.update_among(ids, until, {"lease.token": token}) == len(ids)

    def renew(self, ids: Sequence[K], *, token: str, lease_s: float) -> set[K]:
        """Return the records with valid leases; a lease is extended if half of its time has passed.

        Checking a lease costs a fifth of a write.
        """
        until = self._lease_ends(ids, token)
        is_late = any(end - self._now() <= timedelta(seconds=lease_s / 2) for end in until.values())
        if is_late and not self.extend(list(until), token=token, lease_s=lease_s):
            until = self._lease_ends(ids, token)  # another worker claimed a record in between
        return set(until)

    def _lease_ends(self, ids: Sequence[K], token: str) -> dict[K, datetime]:
        """Return when the leases of a token end, by record."""
        rows = self._collection.find_among("_id", ids, {"lease.until": 1}, {"lease.token": token})
        return {row["_id"]: row["lease"]["until"] for row in rows}

    def release(
        self, ids: Sequence[K], *, token: str, pause_s: float = 0.0, is_attempt: bool = False
    ) -> None:
        """Release records that are reserved, or begun but not finished.

        Args:
            ids: ids of the records; those without this token are ignored.
            token: token of the leases.
            pause_s: seconds until they can be reserved again.
            is_attempt: count the attempt, so that records are not begun endlessly.
        """
        now = self._now()
        until = {"until": now + timedelta(seconds=pause_s)} if pause_s else {}
        free = {"$set": {"lease": {**free_lease(), **until}}}
        begun = free if is_attempt else {**free, "$inc": {"attempts": -1}}
        self._unjournalled.update_among(ids, begun, {**self._waiting, "lease.token": token})
        reserved = self._remove_reserved(ids, token)
        if pause_s:
            self._unjournalled.update_among(reserved, free, {**self._waiting, "lease.until": {"$lte": now}})

    def revoke(self, ids: Sequence[K]) -> None:
        """Revoke the leases of begun records, so that their workers cannot finish them; counts no attempt.

        Expired leases are revoked too, because their workers could still finish while no other worker has
        begun.
        """
        begun = {**self._waiting, "lease.taken": True}
        free = {"$set": {"lease": free_lease()}, "$inc": {"attempts": -1}}
        self._collection.update_among(ids, free, begun)

    def finish(self, record_id: K, fields: Mapping[str, Any], *, token: str) -> bool:
        """Change fields of a record and free its lease; False if the lease was lost."""
        return self.finish_many([record_id], fields, token=token) == 1

    def finish_many(
        self,
        ids: Sequence[K],
        fields: Mapping[str, Any],
        *,
        token: str,
        condition: Mapping[str, Any] | None = None,
    ) -> int:
        """Change the same fields of records and free their leases.

        Args:
            ids: of the records.
            fields: new values.
            token: token of the leases; other records are ignored.
            condition: records that do not match it are ignored.

        Returns:
            The number of freed records.
        """
        change = {"$set": {**fields, "lease": free_lease()}}
        return self._collection.update_among(ids, change, {**(condition or {}), "lease.token": token})

    def finish_groups(
        self,
        groups: Iterable[tuple[Sequence[K], Mapping[str, Any]]],
        *,
        token: str,
        condition: Mapping[str, Any] | None = None,
    ) -> int:
        """Change fields of several groups of records, and free their leases, in one command.

        Args:
            groups: ids of records with their new values.
            token: token of the leases; other records are ignored.
            condition: records that do not match it are ignored.

        Returns:
            The number of freed records.
        """
        ours = {**(condition or {}), "lease.token": token}
        updates = [
            UpdateMany({"_id": {"$in": batch}, **ours}, {"$set": {**fields, "lease": free_lease()}})
            for ids, fields in groups
            for batch in batched(ids, IN_ONE)
        ]
        return self._collection.bulk_write(updates).matched_count


def _reserved_among(reservation: Document | None, ids: Sequence[K]) -> list[K]:
    """Return those of the ids that a reservation contains, each once; none if there is no reservation."""
    reserved = set(reservation["ids"]) if reservation else set()
    return [record_id for record_id in dict.fromkeys(ids) if record_id in reserved]


def shard_parts() -> Iterator[Document]:
    """Yield conditions that match every shard once: first one random shard, then twice as many each time.

    Reading by shards is a cheap way to get a few of many records: SecantusDB reads everything that a query
    matches, even if the query has a limit.
    """
    first, size, start = random.randrange(SHARDS), 1, 0  # noqa: S311 - not a secret
    while start < SHARDS:
        shards = [(first + offset) % SHARDS for offset in range(start, min(start + size, SHARDS))]
        yield {"shard": {"$in": shards}}
        start, size = start + size, size * 2


class Keeper:
    """Extends leases as often as needed while work of unknown length continues.

    Args:
        extend: extends the leases; returns False if one was lost.
        lease_s: length of the leases.
    """

    def __init__(self, extend: Callable[[], bool], lease_s: float) -> None:
        self._extend = extend
        self._every_s = lease_s / _KEEPS
        self._last = time.monotonic()

    def __call__(self) -> bool:
        """Extend the leases if that is due; returns False if a lease was lost. May be called at any rate."""
        if time.monotonic() - self._last < self._every_s:
            return True
        self._last = time.monotonic()
        return self._extend()
