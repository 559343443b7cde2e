"""The frontier of a crawl in Redis: which addresses are still to be asked for, for any number of processes.

Theory of operation. An entry is pushed once in a crawl (its id is in ``seen``), waits in ``queue`` by
priority, is leased to one process (``leased``, by the end of the lease) and is completed by it. Completing
pushes the entries found on the page in the same transaction, so a process that dies has either done both or
neither. What a dead process held is leased again when its lease ends, the second time alone; an entry that
was begun too often is leased as one to give up, and ends like any other. A crawl's keys share one hash slot
and live a few days after their last use; the next crawl has keys of its own, so nothing of an earlier one
keeps an address from being asked for again.

How entries ended is counted in the step that ends them, so at every moment, whatever was killed before,
entries = those that ended + those that are left; :class:`Tally` holds both sides.

MongoDB is the truth: when Redis lost a frontier in the middle of a crawl, :class:`FrontierLost` says so
rather than letting the crawl look complete.
"""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, cast

from storage.errors import PindnaError
from storage.exit_status import ExitStatus
from storage.redis_client import Client, redis_errors

EntryKind = Literal["index", "text", "sitemap", "feed", "query"]
# A page of links was read; a text is new, or as it was; an address has no text, for a stored reason.
Ending = Literal["list", "new", "unchanged", "failed"]

MAX_ATTEMPTS = 4
SUSPECT_ATTEMPTS = 2  # after so many an entry may be what ends processes, and is worked on alone
_KEEP_S = 3 * 86_400
_AFTERWARDS_S = 3_600
_FRONT = -(2**52)  # before everything else: what a dead process left
_PARTS = ("meta", "seen", "entries", "queue", "leased", "holders", "attempts", "beyond")
_ENDED = "ended:"  # begins the counters of endings in ``meta``
MAX_BEYOND = 100_000  # addresses beyond the limit that are told apart; there are "at least" so many

_PUSH = """
local meta, seen, entries, queue, beyond = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[8]
local limit, most_beyond, pushed = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
if redis.call('HGET', meta, 'open') ~= '1' then return -1 end
for at = 3, #ARGV, 4 do
  local id, kind, priority, value = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  if kind == 'text' and tonumber(redis.call('HGET', meta, 'texts') or '0') >= limit
     and redis.call('SISMEMBER', seen, id) == 0 then
    if redis.call('SCARD', beyond) < most_beyond then redis.call('SADD', beyond, id) end
  elseif redis.call('SADD', seen, id) == 1 then
    if kind == 'text' then redis.call('HINCRBY', meta, 'texts', 1) end
    redis.call('HSET', entries, id, value)
    local order = redis.call('HINCRBY', meta, 'order', 1)
    redis.call('ZADD', queue, string.format('%.0f', order - priority * 4294967296), id)
    pushed = pushed + 1
  end
end
for at = 1, #KEYS do redis.call('EXPIRE', KEYS[at], 259200) end
return pushed
"""

_LEASE = """
local meta, entries, queue, leased, holders, attempts = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local count, lease_ms, token, most = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local held, suspect, alone = tonumber(ARGV[6]), tonumber(ARGV[7]), 0
if redis.call('HGET', meta, 'open') ~= '1' then return false end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local given_up, taken = {}, {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leased, '-inf', now, 'LIMIT', 0, 200)) do
  if tonumber(redis.call('HGET', attempts, id) or '0') >= most then
    redis.call('ZADD', leased, now + lease_ms, id)
    redis.call('HSET', holders, id, token)
    given_up[#given_up + 1] = redis.call('HGET', entries, id)
  else
    redis.call('ZREM', leased, id)
    redis.call('HDEL', holders, id)
    redis.call('ZADD', queue, ARGV[5], id)
  end
end
while #taken < count and alone == 0 do
  local id = redis.call('ZRANGE', queue, 0, 0)[1]
  if not id then break end
  if tonumber(redis.call('HGET', attempts, id) or '0') >= suspect then
    if held + #taken > 0 then break end
    alone = 1
  end
  redis.call('ZREM', queue, id)
  redis.call('ZADD', leased, now + lease_ms, id)
  redis.call('HSET', holders, id, token)
  redis.call('HINCRBY', attempts, id, 1)
  taken[#taken + 1] = redis.call('HGET', entries, id)
end
for at = 1, #KEYS do redis.call('EXPIRE', KEYS[at], 259200) end
return {taken, given_up, alone}
"""

_COMPLETE = """
local meta, entries, leased, holders, attempts = KEYS[1], KEYS[3], KEYS[5], KEYS[6], KEYS[7]
local id, token = ARGV[1], ARGV[2]
if redis.call('HGET', holders, id) ~= token then return 0 end
redis.call('ZREM', leased, id)
redis.call('HDEL', holders, id)
redis.call('HDEL', entries, id)
redis.call('HDEL', attempts, id)
redis.call('HINCRBY', meta, ARGV[3], 1)
return 1
"""

_EXTEND = """
local leased, holders = KEYS[5], KEYS[6]
local clock = redis.call('TIME')
local ends = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[2])
local held = 0
for at = 3, #ARGV do
  if redis.call('HGET', holders, ARGV[at]) == ARGV[1] then
    redis.call('ZADD', leased, ends, ARGV[at])
    held = held + 1
  end
end
return held
"""

_RELEASE = """
local queue, leased, holders, attempts = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
for at = 3, #ARGV do
  if redis.call('HGET', holders, ARGV[at]) == ARGV[1] then
    redis.call('ZREM', leased, ARGV[at])
    redis.call('HDEL', holders, ARGV[at])
    redis.call('HINCRBY', attempts, ARGV[at], -1)
    redis.call('ZADD', queue, ARGV[2], ARGV[at])
  end
end
return 1
"""


class FrontierLost(PindnaError):
    """Redis no longer has the frontier of a crawl. Data: ``crawl``."""

    template = "Redis lost the frontier of crawl {crawl} before it was complete. Crawl the source again."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An address to ask for.

    Attributes:
        id: natural key within the crawl; the canonical URL's hash.
        kind: what to expect there.
        priority: higher comes first; −1,000,000 to 1,000,000.
        depth: how many links or pages lead from a start address to it.
        note: what the spider wants to know again about it.
    """

    id: str
    url: str
    kind: EntryKind
    priority: int = 0
    depth: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Leased:
    """What a lease brought.

    Attributes:
        entries: to work on.
        given_up: to end, for they were begun too often.
        is_alone: there is one entry, and it is to be worked on before anything else is leased.
    """

    entries: tuple[Entry, ...]
    given_up: tuple[Entry, ...]
    is_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of an entry, and the entries that were found there."""

    entry_id: str
    ending: Ending
    found: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What became of a crawl's addresses; ``entries`` is the sum of ``ended`` and ``left``.

    Attributes:
        entries: that were put into the frontier.
        ended: how they ended → how many.
        left: that wait, or are with some process.
        beyond: texts that the limit kept out, at most ``MAX_BEYOND``.
    """

    entries: int
    ended: dict[Ending, int]
    left: int
    beyond: int


class Frontier:
    """The entries of one crawl.

    Every method raises ``ServiceDown`` or ``RedisFailed``; those that need the crawl's keys raise
    :class:`FrontierLost` when they are gone.

    Args:
        client: connection of this process.
        crawl: names the crawl; every process of it uses the same name.
        lease_s: how long an entry stays with a process that does not extend it.
        max_texts: no more entries of kind ``text`` than that, over all processes.
    """

    def __init__(self, client: Client, crawl: str, *, lease_s: float, max_texts: int) -> None:
        self._client = client
        self._crawl = crawl
        self._lease_ms = int(lease_s * 1000)
        self._max_texts = max_texts
        self._token = uuid.uuid4().hex
        self._keys = [f"pindna:frontier:{{{crawl}}}:{part}" for part in _PARTS]
        scripts = (_PUSH, _LEASE, _COMPLETE, _EXTEND, _RELEASE)
        self._push, self._lease, self._complete, self._extend, self._release = map(
            client.register_script, scripts
        )

    def open(self) -> None:
        """Begin or join the crawl."""
        with redis_errors(self._client):
            self._client.hsetnx(self._keys[0], "open", "1")
            self._client.expire(self._keys[0], _KEEP_S)

    def push(self, entries: Iterable[Entry]) -> int:
        """Add entries that this crawl has not seen; returns how many."""
        found = list(entries)
        if not found:
            return 0
        with redis_errors(self._client):
            pushed = cast("int", self._push(self._keys, self._pushed(found)))
        return self._known(pushed)

    def lease(self, count: int, *, held: int = 0) -> Leased:
        """Take up to ``count`` entries, those of dead processes first.

        An entry that was with two dead processes is taken alone, so that only what ends a third is to blame.

        Args:
            count: how many are wanted.
            held: how many this process works on; while there are any, no such entry is taken.
        """
        bounds = (MAX_ATTEMPTS, _FRONT, held, SUSPECT_ATTEMPTS)
        with redis_errors(self._client):
            answer = self._lease(self._keys, [count, self._lease_ms, self._token, *bounds])
        if answer is None:
            raise FrontierLost(crawl=self._crawl)
        entries, given_up, alone = cast("tuple[list[bytes], list[bytes], int]", answer)
        return Leased(_entries(entries), _entries(given_up), is_alone=alone == 1)

    def end(self, entry_id: str, ending: Ending, found: Iterable[Entry] = ()) -> bool:
        """End an entry and add what was found there, both or neither; False when the lease was lost."""
        return self.end_many([End(entry_id=entry_id, ending=ending, found=tuple(found))])[0]

    def end_many(self, ends: Sequence[End]) -> list[bool]:
        """End entries as :meth:`end` does, in one transaction; tells which leases were still ours."""
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=True)
            for one in ends:
                self._push(self._keys, self._pushed(list(one.found)), client=pipe)
                self._complete(self._keys, [one.entry_id, self._token, _ENDED + one.ending], client=pipe)
            answers = cast("list[int]", pipe.execute())
        self._known(min(answers, default=0))
        return [completed == 1 for completed in answers[1::2]]

    def extend(self, entry_ids: Sequence[str]) -> int:
        """Keep entries longer; returns how many are still ours."""
        with redis_errors(self._client):
            return cast("int", self._extend(self._keys, [self._token, self._lease_ms, *entry_ids]))

    def release(self, entry_ids: Sequence[str]) -> None:
        """Give back entries that were not worked on."""
        with redis_errors(self._client):
            self._release(self._keys, [self._token, _FRONT, *entry_ids])

    def knows(self, entry_id: str) -> bool:
        """Return whether an address is, or was, an entry of this crawl."""
        with redis_errors(self._client):
            return bool(self._client.sismember(self._keys[1], entry_id))

    def pending(self) -> int:
        """Return how many entries wait or are with some process."""
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

    def tally(self) -> Tally:
        """Return what became of the crawl's addresses so far."""
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
        return _tally(fields, left=waiting + with_some, beyond=kept_out)

    def finish(self) -> None:
        """Let the keys of a crawl without pending entries go soon; a late process still finds them."""
        with redis_errors(self._client):
            pipe = self._client.pipeline(transaction=False)
            for key in self._keys:
                pipe.expire(key, _AFTERWARDS_S)
            pipe.execute()

    def _pushed(self, entries: list[Entry]) -> list[str | int]:
        arguments: list[str | int] = [self._max_texts, MAX_BEYOND]
        for each in entries:
            arguments += [each.id, each.kind, each.priority, json.dumps(asdict(each))]
        return arguments

    def _known(self, pushed: int) -> int:
        if pushed < 0:
            raise FrontierLost(crawl=self._crawl)
        return pushed


def _entries(values: Iterable[bytes]) -> tuple[Entry, ...]:
    return tuple(Entry(**json.loads(value)) for value in values)


def _tally(fields: dict[bytes, bytes], *, left: int, beyond: int) -> Tally:
    numbers = {name.decode(): int(value) for name, value in fields.items()}
    ended = {
        cast("Ending", name.removeprefix(_ENDED)): number
        for name, number in numbers.items()
        if name.startswith(_ENDED)
    }
    return Tally(entries=numbers.get("order", 0), ended=ended, left=left, beyond=beyond)


class HostPace:
    """When a host may be asked next, over all processes on all machines. IndexParams raise as ``Frontier``'s.

    Args:
        client: connection of this process.
    """

    _RESERVE = """
    local clock = redis.call('TIME') local now = clock[1] * 1000 + math.floor(clock[2] / 1000) local held =
    math.max(now, tonumber(redis.call('GET', KEYS[2]) or '0')) local at = math.max(held,
    tonumber(redis.call('GET', KEYS[1]) or '0')) redis.call('SET', KEYS[1], string.format('%.0f', at +
    ARGV[1]), 'PX', math.max(1000, at + ARGV[1] - now + 1000)) return at - now
    """
    _HOLD = """
    local clock = redis.call('TIME')
    local till = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[1])
    if till > tonumber(redis.call('GET', KEYS[1]) or '0') then
      redis.call('SET', KEYS[1], string.format('%.0f', till), 'PX', tonumber(ARGV[1]) + 1000)
    end
    return 1
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._reserve = client.register_script(self._RESERVE)
        self._hold = client.register_script(self._HOLD)

    def reserve(self, host: str, *, gap_s: float) -> float:
        """Reserve the next request to a host; returns the seconds to wait before sending it."""
        with redis_errors(self._client):
            wait_ms = cast("int", self._reserve(_pace_keys(host), [int(gap_s * 1000)]))
        return max(0.0, wait_ms / 1000)

    def hold(self, host: str, *, seconds: float) -> None:
        """Let nobody ask a host for a while: it said so."""
        with redis_errors(self._client):
            self._hold(_pace_keys(host)[1:], [int(seconds * 1000)])


def _pace_keys(host: str) -> list[str]:
    return [f"pindna:pace:{{{host}}}:{part}" for part in ("next", "held")]
