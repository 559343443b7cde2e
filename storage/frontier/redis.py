"""The frontier of a crawl in Redis, shared by any number of processes.

Theory of operation. A crawl pushes an entry once (its id is in ``seen``). The entry waits in ``queue`` by
priority. It is leased to one process (``leased``, sorted by the end of the lease), and that process completes
it. Completing an entry pushes its linked entries in the same transaction, so a process that dies has done
both or neither. The entries of a dead process are leased again when their lease ends; an entry whose process
died twice is leased alone. An entry that was begun too often is leased as an entry to give up, and ends like
any other entry.

The keys of a crawl share one hash slot and expire a few days after their last use. The next crawl has new
keys, so earlier crawls never block an address. There is one exception: if a crawl ended because the crawl
hours of its source ended, the next crawl uses its keys and continues it.

The step that ends an entry also counts it. So at every moment, even after a crash, entries = ended +
remaining; see :class:`storage.frontier.interface.FrontierTally`.

MongoDB is the source of truth. If Redis loses a frontier during a crawl, :class:`FrontierLost` is raised, so
that the crawl does not look complete.
"""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import cast

import redis

from storage.frontier.interface import (
    MAX_ATTEMPTS,
    MAX_BEYOND,
    SUSPECT_ATTEMPTS,
    End,
    Ending,
    Entry,
    FrontierLost,
    FrontierTally,
    LeaseBatch,
)
from storage.frontier.scripts import COMPLETE, EXTEND, HOLD, LEASE, PARTS, PUSH, RELEASE, RESERVE, SPEND
from storage.servers.redis_client import Client, redis_errors
from system.batches import batched

_KEEP_S = 3 * 86_400
_AFTERWARDS_S = 3_600
_FRONT = -(2**52)  # priority before all others: entries of dead processes
_ENDED = "ended:"  # prefix of the counters in ``meta``: entries by how they ended


class RedisFrontier:
    """The entries of one crawl; see :class:`storage.frontier.interface.Frontier`.

    Every method raises ``ServiceDown`` or ``RedisFailed``. Methods that need the crawl's keys raise
    :class:`FrontierLost` when they are missing.

    Args:
        client: connection of this process.
        crawl: name of the crawl, the same in all its processes.
        lease_s: seconds of a lease that is not extended.
        max_texts: maximum entries of kind ``text``, over all processes.
    """

    def __init__(self, client: Client, crawl: str, *, lease_s: float, max_texts: int) -> None:
        self._client = client
        self._crawl = crawl
        self._lease_ms = int(lease_s * 1000)
        self._max_texts = max_texts
        self._token = uuid.uuid4().hex
        self._keys = [f"pindna:frontier:{{{crawl}}}:{name}" for name in PARTS]
        self._push = client.register_script(PUSH)
        self._lease = client.register_script(LEASE)
        self._complete = client.register_script(COMPLETE)
        self._extend = client.register_script(EXTEND)
        self._release = client.register_script(RELEASE)

    def open(self) -> None:
        """Start the crawl, or join it if it has started already."""
        with redis_errors(self._client):
            self._client.hsetnx(self._keys[0], "open", "1")
            self._client.expire(self._keys[0], _KEEP_S)

    def push(self, entries: Iterable[Entry]) -> int:
        """Add new entries of this crawl; returns how many were new."""
        new = list(entries)
        if not new:
            return 0
        with redis_errors(self._client):
            pushed = cast("int", self._push(self._keys, self._push_arguments(new)))
        self._refuse_lost(pushed)
        return pushed

    def lease(self, count: int, *, held: int = 0) -> LeaseBatch:
        """Lease up to ``count`` entries, those of dead processes first; see the interface."""
        bounds = (MAX_ATTEMPTS, _FRONT, held, SUSPECT_ATTEMPTS)
        with redis_errors(self._client):
            answer = self._lease(self._keys, [count, self._lease_ms, self._token, *bounds])
        if answer is None:
            raise FrontierLost(crawl=self._crawl)
        entries, given_up, alone = cast("tuple[list[bytes], list[bytes], int]", answer)
        return LeaseBatch(_parse_entries(entries), _parse_entries(given_up), is_alone=alone == 1)

    def end(self, entry_id: str, ending: Ending, entries: Iterable[Entry] = ()) -> bool:
        """End an entry and add its linked entries, both or neither; returns False if the lease was lost."""
        return self.end_many([End(entry_id=entry_id, ending=ending, entries=tuple(entries))])[0]

    def end_many(self, ends: Sequence[End]) -> list[bool]:
        """End entries as :meth:`end` does, in one transaction; returns whose leases were still valid."""
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=True)
            for end in ends:
                self._push(self._keys, self._push_arguments(end.entries), client=pipe)
                self._complete(self._keys, [end.entry_id, self._token, _ENDED + end.ending], client=pipe)
            answers = cast("list[int]", pipe.execute())
        self._refuse_lost(min(answers, default=0))
        return [completed == 1 for completed in answers[1::2]]

    def extend(self, entry_ids: Sequence[str]) -> int:
        """Extend leases; returns the number of leases that are still valid."""
        with redis_errors(self._client):
            return cast("int", self._extend(self._keys, [self._token, self._lease_ms, *entry_ids]))

    def release(self, entry_ids: Sequence[str]) -> None:
        """Release entries that were not processed."""
        with redis_errors(self._client):
            self._release(self._keys, [self._token, _FRONT, *entry_ids])

    def contains(self, entry_id: str) -> bool:
        """Return whether an address is or was an entry of this crawl."""
        with redis_errors(self._client):
            return bool(self._client.sismember(self._keys[1], entry_id))

    def pending(self) -> int:
        """Return how many entries wait or are leased."""
        meta, _, _, queue, leased, *_ = self._keys
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=True)
            pipe.exists(meta)
            pipe.zcard(queue)
            pipe.zcard(leased)
            opened, waiting, with_some = cast("list[int]", pipe.execute())
        if not opened:
            raise FrontierLost(crawl=self._crawl)
        return waiting + with_some

    def tally(self) -> FrontierTally:
        """Return the number of the crawl's addresses by result so far."""
        meta, _, _, queue, leased, _, _, beyond = self._keys
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=True)
            pipe.hgetall(meta)
            pipe.zcard(queue)
            pipe.zcard(leased)
            pipe.scard(beyond)
            fields, waiting, with_some, kept_out = cast(
                "tuple[dict[bytes, bytes], int, int, int]", pipe.execute()
            )
        if not fields:
            raise FrontierLost(crawl=self._crawl)
        return _parse_tally(fields, remaining=waiting + with_some, beyond=kept_out)

    def retain(self, seconds: float) -> None:
        """Keep the remaining entries for a later crawl, and some days longer."""
        self._set_expiry(int(seconds) + _KEEP_S)

    def finish(self) -> None:
        """Let the keys of a crawl without pending entries expire soon; a late process can still read them."""
        self._set_expiry(_AFTERWARDS_S)

    def _set_expiry(self, seconds: int) -> None:
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=False)
            for key in self._keys:
                pipe.expire(key, seconds)
            pipe.execute()

    def _push_arguments(self, entries: Iterable[Entry]) -> list[str | int]:
        arguments: list[str | int] = [self._max_texts, MAX_BEYOND]
        for entry in entries:
            arguments += [entry.id, entry.kind, entry.priority, json.dumps(asdict(entry))]
        return arguments

    def _refuse_lost(self, pushed: int) -> None:
        if pushed < 0:
            raise FrontierLost(crawl=self._crawl)


def forget_frontiers(client: redis.Redis) -> None:
    """Delete the frontiers of all crawls, because a restored database lacks the later results of crawls."""
    with redis_errors(client):
        for keys in batched(client.scan_iter(match="pindna:frontier:*", count=1_000), 1_000):
            client.unlink(*keys)


def _parse_entries(values: Iterable[bytes]) -> tuple[Entry, ...]:
    return tuple(Entry(**json.loads(value)) for value in values)


def _parse_tally(fields: dict[bytes, bytes], *, remaining: int, beyond: int) -> FrontierTally:
    numbers = {name.decode(): int(value) for name, value in fields.items()}
    ended = {
        cast("Ending", name.removeprefix(_ENDED)): number
        for name, number in numbers.items()
        if name.startswith(_ENDED)
    }
    return FrontierTally(entries=numbers.get("order", 0), ended=ended, remaining=remaining, beyond=beyond)


class RedisPace:
    """Decides when a host may be requested next by any process on any machine.

    Every method raises ``ServiceDown`` or ``RedisFailed``.

    Args:
        client: connection of this process.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._reserve = client.register_script(RESERVE)
        self._hold = client.register_script(HOLD)
        self._spend_turn = client.register_script(SPEND)

    def reserve(self, host: str, *, gap_s: float) -> float:
        """Reserve the next request to a host; returns the seconds to wait before it."""
        with redis_errors(self._client):
            wait_ms = cast("int", self._reserve(_pace_keys(host), [int(gap_s * 1000)]))
        return max(0.0, wait_ms / 1000)

    def hold(self, host: str, *, seconds: float) -> None:
        """Stop all requests to a host for a while, because the host requested a pause."""
        with redis_errors(self._client):
            self._hold(_pace_keys(host)[1:], [int(seconds * 1000)])

    def spend(self, name: str, *, most: int, seconds: int) -> bool:
        """Use one of the turns that all processes share; returns whether a turn was available."""
        with redis_errors(self._client):
            spent = cast("int", self._spend_turn([f"pindna:pace:{{{name}}}:spent"], [seconds]))
        return spent <= most


def _pace_keys(host: str) -> list[str]:
    return [f"pindna:pace:{{{host}}}:{name}" for name in ("next", "held")]
