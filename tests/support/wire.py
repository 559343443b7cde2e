"""Messages of MongoDB's protocol: read from a socket, taken apart, put together.

Source: the MongoDB manual, "MongoDB Wire Protocol": OP_MSG (2013), OP_QUERY (2004) and OP_REPLY (1).
"""

import socket
import struct
from dataclasses import dataclass, field
from typing import Any

import bson

OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013
MORE_TO_COME = 2  # a flag: another message follows without a request
_HEADER = struct.Struct("<iiii")


@dataclass(slots=True)
class Message:
    """A message.

    Attributes:
        number: of this message.
        answers: the number of the message that it answers.
        code: which kind it is.
        payload: what follows its header.
    """

    number: int
    answers: int
    code: int
    payload: bytes

    @property
    def encoded(self) -> bytes:
        """The bytes on the line."""
        length = _HEADER.size + len(self.payload)
        return _HEADER.pack(length, self.number, self.answers, self.code) + self.payload

    @property
    def has_more(self) -> bool:
        """Whether another message follows by itself."""
        return self.code == OP_MSG and bool(struct.unpack_from("<i", self.payload)[0] & MORE_TO_COME)


@dataclass(slots=True)
class Command:
    """A command, or its answer.

    Attributes:
        body: its document.
        sequences: lists that are sent with it, by their names, as encoded documents.
    """

    body: dict[str, Any]
    sequences: dict[str, list[bytes]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What is to be done."""
        return next(iter(self.body))

    def payload(self, flags: int = 0) -> bytes:
        """Return it as the payload of an OP_MSG."""
        parts = [struct.pack("<iB", flags, 0), bson.encode(self.body)]
        for name, documents in self.sequences.items():
            content = name.encode() + b"\0" + b"".join(documents)
            parts.append(struct.pack("<Bi", 1, 4 + len(content)) + content)
        return b"".join(parts)


def receive(connection: socket.socket) -> Message:
    """Read a message.

    Raises:
        ConnectionError: the other side has closed.
    """
    length, number, answers, code = _HEADER.unpack(_exactly(connection, _HEADER.size))
    return Message(number, answers, code, _exactly(connection, length - _HEADER.size))


def command_of(message: Message) -> Command:
    """Return what an OP_MSG holds."""
    at, body, sequences = 4, dict[str, Any](), dict[str, list[bytes]]()
    payload = message.payload
    while at < len(payload):
        (length,) = struct.unpack_from("<i", payload, at + 1)
        content = payload[at + 1 : at + 1 + length]
        if payload[at] == 0:
            body = bson.decode(content)
        else:
            name, _, documents = content[4:].partition(b"\0")
            sequences[name.decode()] = _split(documents)
        at += 1 + length
    return Command(body, sequences)


def _split(documents: bytes) -> list[bytes]:
    """Return encoded documents that follow each other."""
    parts, at = [], 0
    while at < len(documents):
        (length,) = struct.unpack_from("<i", documents, at)
        parts.append(documents[at : at + length])
        at += length
    return parts


def _exactly(connection: socket.socket, count: int) -> bytes:
    parts, left = [], count
    while left:
        part = connection.recv(min(left, 1 << 20))
        if not part:
            raise ConnectionError("closed")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
