"""The servers of the index: one server, or the primaries of a cluster, which are all queried at once.

Commands are sent to every node before the first reply is read, so all commands to all nodes together take one
round trip. This module packs MGETs with NumPy: a batch of a hundred pages requests about fifty thousand keys,
and redis-py would need longer to pack them than Redis needs to answer.

A cluster may change: when a node fails over or a slot moves, one call fails with ``ServiceDown`` or
``RedisFailed``, and the next call reads the nodes again. Commands that were sent before the failure may have
been executed.
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

_ROWS = 5_000  # keys in one command; limits how long other clients wait
_BULK = b"$21\r\n"  # header of a key in the protocol: a key has 21 characters
_META_SLOT = key_slot(LIVE.encode()[LIVE.index("{") + 1 : LIVE.index("}")])
_SLOTS = tuple(key_slot(tag.encode()) for tag in TAGS)


class Shards:
    """The servers with the keys of an index.

    Args:
        client: bytes in, bytes out (no ``decode_responses``).
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._stale = False

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert the driver's errors to pindna's, and read the nodes again after an error.

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
        """The node that has all keys except the buckets; use it only inside ``with self.errors():``."""
        if isinstance(self.client, redis.RedisCluster):
            node = self.client.nodes_manager.get_node_from_slot(_META_SLOT)
            return self.client.get_redis_connection(node)
        return self.client

    def nodes(self) -> list[redis.Redis]:
        """All nodes; use them only inside ``with self.errors():``."""
        return primaries(self.client)

    def read_many(self, generation: str, codes: Codes) -> list[bytes]:
        """Return the values of keys in one round trip; the value of a missing key is empty.

        Args:
            generation: its name.
            codes: ascending; each node reads its keys in this order.

        Raises:
            ServiceDown: a node cannot be reached.
            RedisFailed: any other failure.
        """
        rows = key_rows(generation, codes, before=_BULK, after=b"\r\n")
        bounds = self._split_points(group_of(codes))
        groups = group_of(codes[bounds[:-1]]).tolist()
        with self.errors():
            sent = [
                (self._node_of_group(group), [_mget_command(rows[a:b])])
                for group, a, b in zip(groups, bounds[:-1], bounds[1:], strict=True)
            ]
            try:
                answers = _send_and_receive(sent)
            except redis.ConnectionError:  # the server has closed an idle connection
                answers = _send_and_receive(sent)
        return [value or b"" for value in chain.from_iterable(answers)]

    def run_script(self, script: str, calls: Mapping[int, Sequence[Any]]) -> list[Any]:
        """Run a script for several groups at once, once for each group; no call is sent twice.

        Args:
            script: in Lua.
            calls: for each group: the number of keys, the keys of that group, the arguments.

        Raises:
            ServiceDown: a node cannot be reached; the script may have run.
            RedisFailed: any other failure; the script may have run.
        """
        with self.errors():
            nodes = {group: self._node_of_group(group) for group in calls}
            pack = _command_packer(next(iter(nodes.values()))) if nodes else None
            return _send_and_receive(
                [(nodes[group], pack("EVAL", script, *call)) for group, call in calls.items() if pack]
            )

    def _node_of_group(self, group: int) -> redis.Redis:
        if isinstance(self.client, redis.RedisCluster):
            node = self.client.nodes_manager.get_node_from_slot(_SLOTS[group])
            return self.client.get_redis_connection(node)
        return self.client

    def _split_points(self, groups: npt.NDArray[np.int64]) -> list[int]:
        """Return the positions at which to split keys into commands; in a cluster a command has one slot."""
        cuts = set(range(0, len(groups), _ROWS))
        if isinstance(self.client, redis.RedisCluster):
            cuts |= set((np.flatnonzero(np.diff(groups)) + 1).tolist())
        return sorted(cuts | {len(groups)})


def _mget_command(rows: npt.NDArray[np.uint8]) -> bytes:
    """Return the command that reads keys, each encoded as a bulk string."""
    return b"*%d\r\n$4\r\nMGET\r\n" % (len(rows) + 1) + rows.tobytes()


def _command_packer(client: redis.Redis) -> Callable[..., list[bytes]]:
    """Return the function that packs a command; it is the same for every node."""
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    pack: Callable[..., list[bytes]] = connection.pack_command
    return pack


def _send_and_receive(sent: Sequence[tuple[redis.Redis, list[bytes]]]) -> list[Any]:
    """Send commands to their nodes and return the answers in the same order."""
    pools = {id(client): client.connection_pool for client, _ in sent}
    taken: dict[int, Any] = {}
    try:
        for key, pool in pools.items():
            taken[key] = pool.get_connection()
        for client, command in sent:
            taken[id(client)].send_packed_command(command)
        return [taken[id(client)].read_response() for client, _ in sent]
    except BaseException:  # otherwise the next command would read these replies
        for connection in taken.values():
            connection.disconnect()
        raise
    finally:
        for key, connection in taken.items():
            pools[key].release(connection)
