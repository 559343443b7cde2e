"""A proxy that makes SecantusDB as strict as MongoDB, or makes it fail as a test wants.

SecantusDB forgives what MongoDB refuses. The proxy refuses it: commands that the role ``readWrite`` does not
allow, and documents of more than 16 MB by MongoDB's code for them. Rows whose order no command asks for come
in a random one. It answers chosen commands with chosen errors: as a whole, for one write inside a bulk, or
for the confirmation of a write; and it keeps answers back.

Source: the MongoDB manual, "Built-In Roles" (``readWrite``) and "Privilege Actions".
"""

import itertools
import random
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import bson
from support.wire import OP_MSG, OP_REPLY, Command, Message, command_of, receive

Form = Literal["command", "write", "confirmation", "silence"]
MAX_DOCUMENT = 16 * 1024 * 1024

# Commands that a user who has logged in may send, and those that the actions of ``readWrite`` allow.
ALLOWED = frozenset(
    # these need no right
    {"hello", "ismaster", "isMaster", "saslStart", "saslContinue", "logout", "ping", "buildInfo", "buildinfo"}
    | {"abortTransaction", "commitTransaction", "connectionStatus", "endSessions", "getMore", "killCursors"}
    # find, insert, update, remove
    | {"aggregate", "count", "delete", "distinct", "explain", "find", "findAndModify", "insert", "update"}
    # createCollection, createIndex, dbStats, dropCollection, dropIndex, listCollections, listIndexes
    | {"create", "createIndexes", "dbStats", "drop", "dropIndexes", "listCollections", "listIndexes"}
)
# The actions that ``connectionStatus`` lists of that role, as far as pindna asks for them.
ACTIONS = (
    *("find", "insert", "update", "remove", "createCollection", "dropCollection", "createIndex", "dropIndex"),
    *("collStats", "dbHash", "dbStats", "killCursors", "listCollections", "listIndexes"),
)
DB_ADMIN = frozenset({"collMod"})
# What tests do before and after themselves, which pindna does not.
HOUSEKEEPING = frozenset(
    {"configureFailPoint", "dropDatabase", "createUser", "dropUser", "updateUser", "usersInfo"}
)
_WRITES = {"insert": "documents", "update": "updates", "delete": "deletes"}


@dataclass(slots=True)
class Fault:
    """How commands fail.

    Attributes:
        commands: their names.
        code: of the error.
        form: the whole command fails; one write of it; its confirmation; or nothing is answered.
        times: how often.
        at: the number of the write that fails.
        message: of the error.
        labels: of the error.
        is_done: for silence: the server carries the command out.
    """

    commands: frozenset[str]
    code: int = 0
    form: Form = "command"
    times: int = 1
    at: int = 0
    message: str = "told to fail"
    labels: tuple[str, ...] = ()
    is_done: bool = True


@dataclass(slots=True)
class StrictMongo:
    """Such a proxy.

    Attributes:
        port: where it listens, on loopback.
        server: host and port of the server behind it.
        allowed: names of the commands that the user may send.
        shuffles: puts rows without an order into a random one.
        faults: that are to come.
        commands: names of the commands that came, in order, with the number of their writes.
    """

    port: int
    server: tuple[str, int]
    allowed: frozenset[str] = ALLOWED | HOUSEKEEPING
    shuffles: bool = True
    faults: list[Fault] = field(default_factory=list)
    commands: list[tuple[str, int]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def url_of(self, url: str) -> str:
        """Return an address of the server that leads through the proxy."""
        host, port = self.server
        return url.replace(f"{host}:{port}", f"127.0.0.1:{self.port}")

    def fail(self, *commands: str, **how: Any) -> Fault:
        """Let commands that come fail; see :class:`Fault`."""
        fault = Fault(frozenset(commands), **how)
        with self._lock:
            self.faults.append(fault)
        return fault

    def clear(self) -> None:
        """Forget faults and commands."""
        with self._lock:
            self.faults.clear()
            self.commands.clear()

    def count(self, name: str) -> int:
        """Return how many commands of a name came."""
        return sum(one == name for one, _ in self.commands)

    def serve(self, client: socket.socket) -> None:
        """Pass the messages of a connection on, and the answers back, until either side closes."""
        with client, suppress(OSError), socket.create_connection(self.server) as upstream:
            while True:
                self._exchange(receive(client), client, upstream)

    def _exchange(self, message: Message, client: socket.socket, upstream: socket.socket) -> None:
        if message.code != OP_MSG:
            upstream.sendall(message.encoded)
            client.sendall(self._with_address(receive(upstream)).encoded)
            return
        command = command_of(message)
        fault = self._next_fault(command)
        refusal = self._own_answer(command) or (
            _error(fault) if fault is not None and fault.form == "command" else None
        )
        if refusal is not None:
            client.sendall(Message(0, message.number, OP_MSG, Command(refusal).payload()).encoded)
            return
        changed = _Writes(command, fault).change()
        if fault is not None and fault.form == "silence" and not fault.is_done:
            return
        if changed.is_empty:
            answer = Message(
                0, message.number, OP_MSG, Command({"n": 0, "nModified": 0, "ok": 1.0}).payload()
            )
        else:
            if changed.is_changed:
                flags = int.from_bytes(message.payload[:4], "little")
                message = Message(message.number, 0, OP_MSG, command.payload(flags))
            upstream.sendall(message.encoded)
            if message.has_more:
                return
            answer = receive(upstream)
        if fault is not None and fault.form == "silence":
            return
        self._answer(command, changed, answer, client, upstream)

    def _answer(
        self,
        command: Command,
        changed: "_Writes",
        answer: Message,
        client: socket.socket,
        upstream: socket.socket,
    ) -> None:
        if command.name in {"hello", "ismaster", "isMaster"}:
            while True:  # the server may go on by itself
                client.sendall(self._with_address(answer).encoded)
                if not answer.has_more:
                    return
                answer = receive(upstream)
        body = command_of(answer).body
        is_changed = changed.put_into(body)
        if self.shuffles:
            is_changed |= _shuffle(body, command.body)
        if is_changed:
            answer = Message(answer.number, answer.answers, OP_MSG, Command(body).payload())
        client.sendall(answer.encoded)

    def _next_fault(self, command: Command) -> Fault | None:
        """Return how a command is to fail, and count it."""
        with self._lock:
            writes = command.sequences.get(_WRITES.get(command.name, ""), ())
            self.commands.append((command.name, len(writes)))
            for fault in self.faults:
                if command.name in fault.commands and fault.times > 0:
                    fault.times -= 1
                    return fault
        return None

    def _own_answer(self, command: Command) -> dict[str, Any] | None:
        """Return the answer to what the user may not do, and to what the user may."""
        database = command.body.get("$db")
        if command.name == "connectionStatus":
            actions = [*ACTIONS, *(DB_ADMIN & self.allowed)]
            privilege = {"resource": {"db": database, "collection": ""}, "actions": actions}
            return {"authInfo": {"authenticatedUserPrivileges": [privilege]}, "ok": 1.0}
        if command.name in self.allowed and "bypassDocumentValidation" not in command.body:
            return None
        text = f"not authorized on {database} to execute command {{ {command.name}: 1 }}"
        return {"ok": 0.0, "errmsg": text, "code": 13, "codeName": "Unauthorized"}

    def _with_address(self, answer: Message) -> Message:
        """Return the server's description of itself with the proxy's address for its own."""
        own, proxy = f"{self.server[0]}:{self.server[1]}", f"127.0.0.1:{self.port}"
        if answer.code == OP_REPLY:
            head, body = answer.payload[:20], bson.decode(answer.payload[20:])
            payload = head + bson.encode(_replaced(body, own, proxy))
        else:
            flags = int.from_bytes(answer.payload[:4], "little")
            payload = Command(_replaced(command_of(answer).body, own, proxy)).payload(flags)
        return Message(answer.number, answer.answers, answer.code, payload)


@contextmanager
def strict_mongo(address: str, **how: Any) -> Iterator[StrictMongo]:
    """Run such a proxy before the server at ``host:port``."""
    host, _, port = address.rpartition(":")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        proxy = StrictMongo(listening.getsockname()[1], (host, int(port)), **how)
        threading.Thread(target=_accept, args=(listening, proxy), daemon=True).start()
        yield proxy


def _accept(listening: socket.socket, proxy: StrictMongo) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=proxy.serve, args=(client,), daemon=True).start()


def _error(fault: Fault) -> dict[str, Any]:
    error = {"ok": 0.0, "errmsg": fault.message, "code": fault.code, "codeName": f"Code{fault.code}"}
    return {**error, "errorLabels": list(fault.labels)} if fault.labels else error


class _Writes:
    """What becomes of a command that writes: some of its writes are not passed on, and are answered here."""

    def __init__(self, command: Command, fault: Fault | None) -> None:
        self._command, self._fault = command, fault
        self._errors: list[dict[str, Any]] = []
        self._numbers: list[int] = []  # of the writes that are passed on
        self.is_changed = self.is_empty = False

    def change(self) -> "_Writes":
        """Take out of the command what fails here."""
        field_name = _WRITES.get(self._command.name, "")
        writes = self._command.sequences.get(field_name)
        if writes is None:
            return self
        self._numbers = list(range(len(writes)))
        for number, write in enumerate(writes):
            if (error := self._error_of(write, number)) is not None:
                self._errors.append({"index": number, **error})
        failed = [error["index"] for error in self._errors]
        if failed:
            is_ordered = self._command.body.get("ordered", True)
            self._errors = self._errors[:1] if is_ordered else self._errors
            self._numbers = [
                n for n in self._numbers if n not in failed and (not is_ordered or n < failed[0])
            ]
            self._command.sequences[field_name] = [writes[n] for n in self._numbers]
            self.is_changed, self.is_empty = True, not self._numbers
        return self

    def _error_of(self, write: bytes, number: int) -> dict[str, Any] | None:
        fault = self._fault
        if fault is not None and fault.form == "write" and number == fault.at:
            return {"code": fault.code, "errmsg": fault.message}
        if self._command.name == "insert" and len(write) > MAX_DOCUMENT:
            size = f"size in bytes: {len(write)}, max size: {MAX_DOCUMENT}"
            return {"code": 2, "errmsg": f"object to insert too large. {size}"}
        return None

    def put_into(self, body: dict[str, Any]) -> bool:
        """Put what failed here into the server's answer; returns whether anything did."""
        fault = self._fault
        if self._errors:
            rows = [*body.get("writeErrors", []), *body.get("upserted", [])]
            for row in rows:
                row["index"] = self._numbers[row["index"]]
            if self._command.body.get("ordered", True) and body.get("writeErrors"):
                self._errors = []  # the server stopped before
            body["writeErrors"] = sorted(
                [*body.get("writeErrors", []), *self._errors], key=lambda row: row["index"]
            )
        is_unconfirmed = fault is not None and fault.form == "confirmation" and bool(body.get("ok"))
        if is_unconfirmed:
            body["writeConcernError"] = {"code": fault.code, "errmsg": fault.message}
        return bool(self._errors) or is_unconfirmed


def _order_of(command: Mapping[str, Any]) -> list[str] | None:
    """Return the fields that order an answer's rows, none for any order; None: leave the rows alone."""
    name = next(iter(command))
    if name == "find":
        return list(command.get("sort") or ())
    if name == "aggregate":
        order: list[str] | None = []
        for stage in command["pipeline"]:
            (kind,) = stage
            if kind in {"$sort", "$sortByCount", "$group", "$unionWith"}:
                order = {"$sort": list(stage.get("$sort", ())), "$sortByCount": None}.get(kind, [])
        return order
    return [] if name == "distinct" else None


def _shuffle(body: dict[str, Any], command: Mapping[str, Any]) -> bool:
    """Put rows, or those that are equal in the command's order, into a random order."""
    rows: list[Any] = body.get("values") or body.get("cursor", {}).get("firstBatch") or []
    order = _order_of(command)
    if order is None or len(rows) < 2:
        return False
    if order and not all(isinstance(row, Mapping) and set(order) <= row.keys() for row in rows):
        return False
    equal = [list(group) for _, group in itertools.groupby(rows, lambda row: [row[name] for name in order])]
    for group in equal:
        random.shuffle(group)
    rows[:] = itertools.chain.from_iterable(equal)
    return True


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return new if value == old else value
    if isinstance(value, Mapping):
        return {name: _replaced(part, old, new) for name, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, old, new) for part in value]
    return value
