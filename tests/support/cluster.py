"""Servers without a password on this machine: a real Redis Cluster of three nodes, or one alone."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from support.waiting import wait_until

from deploy.stack.ports import choose, is_free
from deploy.stack.programs import redis_server

NODES = 3
SLOTS = 16384
_START_S = 60


@dataclass(slots=True)
class Node:
    """One server: where it keeps its files, where it listens."""

    folder: Path
    port: int
    is_clustered: bool = True
    process: subprocess.Popen[bytes] | None = None
    _client: redis.Redis | None = None

    def start(self) -> None:
        options = {
            "--port": str(self.port),
            "--bind": "127.0.0.1",
            "--dir": str(self.folder),
            "--appendonly": "yes",
            "--save": "",
        }
        if self.is_clustered:
            options |= {
                "--cluster-enabled": "yes",
                "--cluster-config-file": "nodes.conf",
                "--cluster-node-timeout": "2000",
            }
        command = [str(redis_server()), *(part for option in options.items() for part in option)]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()
        wait_until(self._answers, patience_s=_START_S)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return client.ping()
        except redis.ConnectionError:
            return False

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def client(self) -> redis.Redis:
        """Return this node's one client, which is closed when the node is stopped."""
        if self._client is None:
            self._client = redis.Redis(port=self.port, socket_timeout=10)
        return self._client


@dataclass(slots=True)
class Cluster:
    """Three nodes with a third of the slots each."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        first, *others = (f"127.0.0.1:{node.port}" for node in self.nodes)
        return ",".join([f"redis://{first}", *others])

    def join(self) -> None:
        """Give every node its slots and let them meet."""
        for number, node in enumerate(self.nodes):
            slots = range(number * SLOTS // NODES, (number + 1) * SLOTS // NODES)
            with node.client() as client:
                client.execute_command("CLUSTER ADDSLOTS", *slots)
                client.execute_command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port)
        self.wait()

    def wait(self) -> None:
        """Wait until every node holds the cluster to be whole."""
        wait_until(lambda: all(map(self._is_whole, self.nodes)), patience_s=_START_S)

    def _is_whole(self, node: Node) -> bool:
        with node.client() as client:
            state = client.execute_command("CLUSTER INFO")
        return state["cluster_state"] == "ok" and state["cluster_known_nodes"] == str(NODES)

    def flush(self) -> None:
        for node in self.nodes:
            with node.client() as client:
                client.flushall()


@contextmanager
def running_node(folder: Path) -> Iterator[Node]:
    """Run a server that belongs to no cluster for the duration of the block."""
    node = Node(folder, choose("Redis"), is_clustered=False)
    try:
        node.start()
        yield node
    finally:
        node.stop()


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster for the duration of the block.

    Raises:
        EmbeddedMissing: there is no Redis server.
    """
    cluster = Cluster([])
    try:
        for number in range(NODES):
            home = folder / f"node{number}"
            home.mkdir(parents=True)
            node = Node(home, _free_port())
            cluster.nodes.append(node)
            node.start()
        cluster.join()
        yield cluster
    finally:
        for node in cluster.nodes:
            node.stop()


def _free_port() -> int:
    """Return a port that is free together with the one on which nodes talk to each other."""
    while not is_free((port := choose("Redis Cluster")) + 10_000):
        pass
    return port
