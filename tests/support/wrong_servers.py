"""Servers that cannot be used: one that wants a password, one that still loads, one that elects a primary."""

import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import bson
import redis
from support.waiting import wait_until

from deploy.stack.programs import redis_server

_OP_REPLY, _OP_QUERY = 1, 2004
_ELECTING = {"ismaster": False, "isreplicaset": True, "maxWireVersion": 25, "minWireVersion": 0, "ok": 1.0}


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextmanager
def redis_process(
    folder: Path, *options: str, port: int = 0, config: Path | None = None, program: Path | None = None
) -> Iterator[int]:
    """Run a Redis server and yield its port, as soon as it listens; 0 stands for a free one."""
    port = port or free_port()
    command = [
        program or redis_server(),
        *([config] if config else []),
        "--port",
        str(port),
        "--dir",
        folder,
        "--bind",
        "127.0.0.1",
        *options,
    ]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: _listens(port))
        yield port
    finally:
        process.kill()
        process.wait()


@contextmanager
def loading_redis(folder: Path) -> Iterator[int]:
    """Run a Redis server that takes minutes to load its data; yields its port."""
    with redis_process(folder) as port, closing(redis.Redis(port=port)) as client:
        client.mset({f"key {number}": number for number in range(20_000)})
        client.save()
    slow = ("--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024")
    with redis_process(folder, *slow) as port:
        yield port


@contextmanager
def electing_mongo() -> Iterator[int]:
    """Answer as a member of a replica set does that has no primary yet; yields the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _accept(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    """Answer each request with the same document, in the form in which it was asked."""
    with connection, suppress(OSError, struct.error):
        while True:
            length, number, _, code = struct.unpack("<iiii", connection.recv(16, socket.MSG_WAITALL))
            connection.recv(length - 16, socket.MSG_WAITALL)
            document = bson.encode(_ELECTING)
            reply = code == _OP_QUERY
            body = struct.pack("<iqii", 0, 0, 0, 1) if reply else struct.pack("<iB", 0, 0)
            header = (16 + len(body) + len(document), 0, number, _OP_REPLY if reply else code)
            connection.sendall(struct.pack("<iiii", *header) + body + document)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
