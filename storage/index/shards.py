"""The servers that hold the index: one, or the primaries of a cluster, asked all at once.

Commands are sent packed to every node before the first answer is read, so that any number of commands costs
one round trip, whatever the number of nodes. MGETs are packed here, in NumPy: a batch of a hundred pages asks
for some fifty thousand keys, and redis-py takes longer to pack them than Redis takes to answer.

A cluster may change: a node that fails over or a slot that moves makes one call fail, with ``ServiceDown``
or ``RedisFailed``; the next one asks the cluster for its nodes anew. What was sent before may have been
carried out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import redis
from redis.crc import key_slot
from redis.exceptions import RedisClusterException, RedisError

from storage.index.keys import LIVE, TAGS, Codes, group_of, key_rows
from storage.servers.redis_client import Client, primaries, redis_errors

_ROWS = 5_000  # keys in one command: bounds how long other clients wait
_BULK = b"$21\r\n"  # a key has 21 characters
_META_SLOT = key_slot(LIVE.encode()[LIVE.index("{") + 1 : LIVE.index("}")])
_SLOTS = tuple(key_slot(tag.encode()) for tag in TAGS)


class Shards:
    """Where the keys of an index are.

    Args:
        client: bytes in, bytes out (no ``decode_responses``).
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._stale = False

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the driver's errors into ours, and look for the nodes anew after one.

        Raises:
            ServiceDown: a node cannot be reached.
            RedisFailed: any other failure, such as a slot that is being moved.
        """
        with redis_errors(self.client):
            try:
                if self._stale and isinstance(self.client, redis.RedisCluster):
                    self.client.nodes_manager.initialize()
                self._stale = False
                yield
            except (RedisError, RedisClusterException):
                self._stale = True
                raise

    def meta(self) -> redis.Redis:
        """Return the node that holds everything but the buckets; use it within :meth:`errors`."""
        if isinstance(self.client, redis.RedisCluster):
            node = self.client.nodes_manager.get_node_from_slot(_META_SLOT)
            return self.client.get_redis_connection(node)
        return self.client

    def nodes(self) -> list[redis.Redis]:
        """Return every node; use them within :meth:`errors`."""
        return primaries(self.client)

    def read_many(self, generation: str, codes: Codes) -> list[bytes]:
        """Return the values of some keys in one round trip, empty ones of keys that are not there.

        Args:
            generation: its name.
            codes: ascending; each node reads its keys in this order.

        Raises:
            ServiceDown: a node cannot be reached.
            RedisFailed: any other failure.
        """
        rows = key_rows(generation, codes, before=_BULK, after=b"\r\n")
        bounds = self._cuts(group_of(codes))
        groups = group_of(codes[bounds[:-1]]).tolist()
        with self.errors():
            sent = [
                (self._node(group), [_mget(rows[a:b])])
                for group, a, b in zip(groups, bounds[:-1], bounds[1:], strict=True)
            ]
            try:
                answers = _exchange(sent)
            except redis.ConnectionError:  # the server closed the connection while it was idle
                answers = _exchange(sent)
        return [value or b"" for value in chain.from_iterable(answers)]

    def run_script(self, script: str, calls: Mapping[int, Sequence[Any]]) -> list[Any]:
        """Run a script once for each of some groups, all at once; it is never sent twice.

        Args:
            script: in Lua.
            calls: by group: the number of keys, all of that group; the keys; the arguments.

        Raises:
            ServiceDown: a node cannot be reached; the script may have run.
            RedisFailed: any other failure, the same is true.
        """
        with self.errors():
            nodes = {group: self._node(group) for group in calls}
            pack = _packer(next(iter(nodes.values()))) if nodes else None
            return _exchange(
                [(nodes[group], pack("EVAL", script, *call)) for group, call in calls.items() if pack]
            )

    def _node(self, group: int) -> redis.Redis:
        if isinstance(self.client, redis.RedisCluster):
            node = self.client.nodes_manager.get_node_from_slot(_SLOTS[group])
            return self.client.get_redis_connection(node)
        return self.client

    def _cuts(self, groups: npt.NDArray[np.int64]) -> list[int]:
        """Return where to cut a list of keys into commands: a cluster takes one slot in each."""
        cuts = set(range(0, len(groups), _ROWS))
        if isinstance(self.client, redis.RedisCluster):
            cuts |= set((np.flatnonzero(np.diff(groups)) + 1).tolist())
        return sorted(cuts | {len(groups)})


def _mget(rows: npt.NDArray[np.uint8]) -> bytes:
    """Return the command that reads some keys, each already written as a bulk string."""
    return b"*%d\r\n$4\r\nMGET\r\n" % (len(rows) + 1) + rows.tobytes()


def _packer(client: redis.Redis) -> Callable[..., list[bytes]]:
    """Return what packs a command: the same for every node."""
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    pack: Callable[..., list[bytes]] = connection.pack_command
    return pack


def _exchange(sent: Sequence[tuple[redis.Redis, list[bytes]]]) -> list[Any]:
    """Send commands to their nodes and return the answers in the same order."""
    pools = {id(client): client.connection_pool for client, _ in sent}
    taken: dict[int, Any] = {}
    try:
        for key, pool in pools.items():
            taken[key] = pool.get_connection()
        for client, command in sent:
            taken[id(client)].send_packed_command(command)
        return [taken[id(client)].read_response() for client, _ in sent]
    except BaseException:  # unread answers would be taken for those of the next command
        for connection in taken.values():
            connection.disconnect()
        raise
    finally:
        for key, connection in taken.items():
            pools[key].release(connection)
