"""Errors that a caller can act on.

Class hierarchy::

    PindnaError
    ├── BadSettings            a setting is wrong
    ├── ServiceDown            MongoDB or Redis does not answer
    │   ├── LoginRefused       user or password is wrong
    │   ├── RightMissing       the user has no permission for the operation
    │   ├── NothingListens     the machine refuses the connection
    │   ├── UnknownHost        the host name in the address cannot be resolved
    │   ├── StillLoading       the server runs but is not ready yet
    │   ├── ReadsOnly          the server is a replica
    │   ├── MemoryFull         the server has reached its memory limit
    │   ├── DiskRefuses        the server's disk is full or read-only
    │   ├── NoMajority         a replica set does not confirm a write
    │   ├── ServerFault        the server keeps reporting an internal error
    │   ├── NoAnswer           no answer came in time
    │   └── ConnectionLost     the connection broke off
    ├── IndexUnusable          the index is empty or stale; results would be wrong
    │   ├── ForeignIndex       the index belongs to another database
    │   └── MayEvict           Redis may delete data when memory runs short
    ├── IndexBusy              another process repairs, rebuilds or compacts the index
    ├── UnknownRecord          no record has that name or id
    │   └── MistakenName       no record has that name, but similar names exist
    └── …                      each package defines further errors next to the code that raises them

Each class has an English ``template``; the keyword arguments of an error fill its placeholders. User
interfaces look up the template in the catalogue of translations, so lower layers need no translations.
"""

import re
from typing import ClassVar

from system.exit_status import ExitStatus

MAX_MESSAGE_CHARS = 300


def one_line(text: str) -> str:
    """Return the first line of a message, printable and at most 300 characters long.

    Messages of libraries and other processes need it, because they may contain control characters or a whole
    document.
    """
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    printable = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line[: MAX_MESSAGE_CHARS + 1]
    )
    return printable if len(printable) <= MAX_MESSAGE_CHARS else printable[: MAX_MESSAGE_CHARS - 1] + "…"


class PindnaError(Exception):
    """Base of every error that the user sees as one line.

    Args:
        **data: the values for the placeholders of ``template``; a tuple of strings is shown as a list of
            names.

    Attributes:
        code: name of the error for programs, if it is not derived from the name of the class.
        exit_status: exit status of a command that fails with this error.
    """

    code: ClassVar[str] = ""
    template: ClassVar[str] = "{message}"
    exit_status: ClassVar[ExitStatus] = ExitStatus.UNUSABLE

    def __init__(self, **data: object) -> None:
        super().__init__(data)
        self.data = data

    def __str__(self) -> str:
        values = {
            name: ", ".join(value) if isinstance(value, tuple) else value for name, value in self.data.items()
        }
        return self.template.format(**values)

    @property
    def reason(self) -> str:
        """The name of the error for programs, which never changes: ``missing-file`` for ``MissingFile``."""
        return self.code or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(self).__name__).lower()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.data)


def _rebuild(kind: type[PindnaError], data: dict[str, object]) -> PindnaError:
    """Create an error when it is unpickled; ``Exception.__reduce__`` would lose its keyword arguments."""
    return kind(**data)


class BadSettings(PindnaError):
    """A setting in ``pindna.toml`` or in the environment is wrong.

    Attributes:
        where: the setting.
        problem: the reason.
    """

    template = "Setting {where} is wrong: {problem}. Correct it in pindna.toml or the environment."


class ServiceDown(PindnaError):
    """MongoDB or Redis does not answer, or cannot be used.

    Attributes:
        service: MongoDB or Redis.
        address: host and port, without credentials.
        setting: the setting that contains the address; only in some subclasses.
        problem: the reason; only in this class and ``ServerFault``.
    """

    template = "{service} at {address} does not answer ({problem}). Start it, or run `pindna doctor`."
    exit_status = ExitStatus.DOWN


class LoginRefused(ServiceDown):
    """MongoDB or Redis rejects user and password."""

    template = "{service} at {address} refuses the login. Correct user and password in {setting}."


class MissingPermission(ServiceDown):
    """The user of MongoDB or Redis has no permission for the operation."""

    code = "right-missing"

    template = (
        "The user in {setting} has no permission for this on {service} at {address}. "
        "Grant it read and write access, or use another user."
    )


class NothingListens(ServiceDown):
    """The connection is refused."""

    template = (
        "Nothing listens at {address}, the address of {service}. Start {service}, or correct {setting}."
    )


class UnknownHost(ServiceDown):
    """The host name cannot be resolved."""

    template = (
        "The host name in {address}, the address of {service}, cannot be resolved. "
        "Correct {setting}, or fix the name resolution (DNS) of this machine."
    )


class StillLoading(ServiceDown):
    """MongoDB or Redis runs but is not ready yet."""

    template = (
        "{service} at {address} runs but is not ready yet: it is loading its data or electing a primary. "
        "Try again in a minute."
    )


class ReadsOnly(ServiceDown):
    """Redis is a replica, which does not accept writes."""

    template = (
        "{service} at {address} is a replica and does not accept writes. Set {setting} to its primary; "
        "after a failover, wait until a primary is elected."
    )


class MemoryFull(ServiceDown):
    """Redis has reached its memory limit."""

    template = (
        "{service} at {address} has reached its memory limit (maxmemory) and accepts no more data. "
        "Raise the limit."
    )


class DiskRefuses(ServiceDown):
    """The server cannot write to its disk."""

    template = (
        "{service} at {address} cannot write to its disk, which is full or read-only. "
        "Free space there; waiting work continues automatically."
    )


class NoMajority(ServiceDown):
    """A majority of a replica set does not confirm a write."""

    template = (
        "A majority of the replica set of {service} at {address} does not answer, so a write cannot be "
        "confirmed. Start the members that are down; the write is then retried."
    )


class ServerFault(ServiceDown):
    """The server reports an error, even after retries."""

    template = (
        "{service} at {address} reports an error, and retries did not help: {problem}. "
        "Check the log of the server."
    )


class NoAnswer(ServiceDown):
    """The server did not answer in time."""

    template = (
        "{service} at {address} does not answer in time. Check whether it is overloaded, whether a firewall "
        "blocks it, and whether {setting} is correct."
    )


class ConnectionLost(ServiceDown):
    """The connection broke off."""

    template = (
        "The connection to {service} at {address} broke off. Check whether it runs, and whether the port and "
        "the TLS setting in {setting} match the server."
    )


class IndexUnusable(PindnaError):
    """The index does not match the data in MongoDB.

    Attributes:
        problem: the difference.
    """

    template = "The fingerprint index cannot be trusted: {problem}. Run `pindna index rebuild`."
    exit_status = ExitStatus.DOWN


class ForeignIndex(IndexUnusable):
    """The index in Redis belongs to another MongoDB database; pindna does not change it."""

    template = (
        "The fingerprint index in Redis belongs to another MongoDB database. Use a separate Redis database "
        "for this one, or replace the index with `pindna index rebuild`."
    )


class OvertakenIndex(IndexUnusable):
    """The index contains newer data than the database, which was restored from a backup."""


class MayEvict(IndexUnusable):
    """Redis is configured to delete keys when memory runs short.

    It could delete index records, messages for workers, or addresses to crawl.
    """

    template = (
        "Redis may delete data when memory runs short, such as parts of the index. "
        "Set its maxmemory-policy to noeviction, then try again."
    )


class IndexBusy(PindnaError):
    """Another process repairs, rebuilds or compacts the index."""

    template = "Another process is changing the index. Try again when it has finished."
    exit_status = ExitStatus.DOWN


class UnknownRecord(PindnaError):
    """No record has that name or id.

    Attributes:
        kind: the kind of record.
        name: the name or id as the user wrote it.
    """

    template = "There is no {kind} called {name}."


class UnknownHolder(UnknownRecord):
    """No rights holder with that name is stored, although works may mention it."""

    template = (
        "There is no holder called {name}. Add it with `pindna holder add`; "
        "naming it in a work does not add it."
    )


class UnknownId(UnknownRecord):
    """No record has that id."""

    template = "There is no {kind} with the id {name}."


class MistakenName(UnknownRecord):
    """No record has that name, but similar names exist.

    Attributes:
        near: the similar names.
    """

    template = "There is no {kind} called {name}. Did you mean: {near}?"
