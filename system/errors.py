"""Errors that a caller can act on.

Tree::

    PindnaError
    ├── BadSettings            a setting is wrong
    ├── ServiceDown            MongoDB or Redis does not answer
    │   ├── LoginRefused       it does not accept user and password
    │   ├── RightMissing       it knows the user and forbids what is asked
    │   ├── NothingListens     the machine is there, the server is not
    │   ├── UnknownHost        the name in its address leads nowhere
    │   ├── StillLoading       it runs and is not ready yet
    │   ├── ReadsOnly          it is a replica
    │   ├── MemoryFull         it has reached its limit of memory and takes nothing more
    │   ├── DiskRefuses        it cannot write to its disk, which is full or read-only
    │   ├── NoMajority         a replica set does not confirm a write
    │   ├── ServerFault        it reports an internal error, again and again
    │   ├── NoAnswer           it is reached, or not even that, and time runs out
    │   └── ConnectionLost     the connection breaks off
    ├── IndexUnusable          the index is empty or stale; a comparison would lie
    │   ├── ForeignIndex       it is the index of another database
    │   └── MayEvict           Redis would delete what it holds when memory runs short
    ├── IndexBusy              another process mends, rebuilds or compacts the index
    ├── UnknownRecord          nothing of that name or id is stored
    │   └── MistakenName       and these names are like it
    └── …                      each package adds its own reasons next to the code that raises them

Each class carries its data as keyword arguments and an English ``template``. The command line looks the
template up in its catalogue, so a lower layer needs to know nothing about languages.
"""

import re
from typing import ClassVar

from system.exit_status import ExitStatus

MAX_MESSAGE_CHARS = 300


def one_line(text: str) -> str:
    """Return the first line of a message, printable and at most 300 characters long.

    What libraries and other processes say may hold anything: a document, control characters, half a page.
    """
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    printable = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line[: MAX_MESSAGE_CHARS + 1]
    )
    return printable if len(printable) <= MAX_MESSAGE_CHARS else printable[: MAX_MESSAGE_CHARS - 1] + "…"


class PindnaError(Exception):
    """Base of every error that is told to the user in one line.

    Args:
        **data: the values that the class's ``template`` names; a tuple of strings is a list of names.

    Attributes:
        exit_status: how a command ends that goes no further for it.
    """

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
        """The class's name as programs read it: ``missing-file`` of ``MissingFile``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(self).__name__).lower()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.data)


def _rebuild(kind: type[PindnaError], data: dict[str, object]) -> PindnaError:
    """Unpickle an error: keyword arguments do not survive ``Exception.__reduce__``."""
    return kind(**data)


class BadSettings(PindnaError):
    """A setting in ``pindna.toml`` or the environment is wrong. Data: ``where``, ``problem``."""

    template = "Setting {where} is wrong: {problem}. Correct it in pindna.toml or the environment."


class ServiceDown(PindnaError):
    """MongoDB or Redis does not answer. Data: ``service``, ``address``, ``problem``."""

    template = "{service} at {address} does not answer ({problem}). Start it, or run `pindna doctor`."
    exit_status = ExitStatus.DOWN


class LoginRefused(ServiceDown):
    """MongoDB or Redis does not accept user and password. Data: ``service``, ``address``, ``setting``."""

    template = "{service} at {address} refuses the login. Correct user and password in {setting}."


class RightMissing(ServiceDown):
    """MongoDB or Redis forbids its user what is asked. Data: ``service``, ``address``, ``setting``."""

    template = (
        "{service} at {address} forbids this to the user of {setting}. "
        "Let that user read and write, or name another one."
    )


class NothingListens(ServiceDown):
    """The connection is refused. Data: ``service``, ``address``, ``setting``."""

    template = (
        "Nothing listens at {address}, the address of {service}. Start {service}, or correct {setting}."
    )


class UnknownHost(ServiceDown):
    """The host name cannot be resolved. Data: ``service``, ``address``, ``setting``."""

    template = (
        "No machine is known by the name in {address}, the address of {service}. "
        "Correct {setting}, or mend this machine's name resolution (DNS)."
    )


class StillLoading(ServiceDown):
    """MongoDB or Redis runs and is not ready yet. Data: ``service``, ``address``."""

    template = (
        "{service} at {address} runs but is not ready yet: it loads its data or elects a primary. "
        "Run the command again in a minute."
    )


class ReadsOnly(ServiceDown):
    """Redis is a replica, which takes no writes. Data: ``service``, ``address``, ``setting``."""

    template = (
        "{service} at {address} is a replica and takes no writes. Name its primary in {setting}; "
        "after a failover, wait until one is elected."
    )


class MemoryFull(ServiceDown):
    """Redis is at its limit of memory. Data: ``service``, ``address``."""

    template = (
        "{service} at {address} has reached its limit of memory (maxmemory) and takes nothing more. "
        "Raise the limit."
    )


class DiskRefuses(ServiceDown):
    """The server cannot write to its disk. Data: ``service``, ``address``."""

    template = (
        "{service} at {address} cannot write to its disk, which is full or read-only. "
        "Make room there; what waits goes on by itself."
    )


class NoMajority(ServiceDown):
    """A majority of a replica set does not confirm a write. Data: ``service``, ``address``."""

    template = (
        "A majority of the replica set of {service} at {address} does not answer, so a write is not "
        "confirmed. Start the members that are down; the write is repeated."
    )


class ServerFault(ServiceDown):
    """The server reports an error that retries do not remove. Data: ``service``, ``address``, ``problem``."""

    template = (
        "{service} at {address} reports an error, and retries did not help: {problem}. "
        "Check the log of the server."
    )


class NoAnswer(ServiceDown):
    """No answer came in time. Data: ``service``, ``address``, ``setting``."""

    template = (
        "{service} at {address} does not answer in time. See whether it is overloaded, whether a firewall is "
        "in the way, and whether {setting} is right."
    )


class ConnectionLost(ServiceDown):
    """The connection breaks off. Data: ``service``, ``address``, ``setting``."""

    template = (
        "The connection to {service} at {address} breaks off. See whether it runs, and whether {setting} "
        "names its port and uses TLS as it does."
    )


class IndexUnusable(PindnaError):
    """The index does not hold what MongoDB says it should. Data: ``problem``."""

    template = "The fingerprint index cannot be trusted: {problem}. Run `pindna index rebuild`."
    exit_status = ExitStatus.DOWN


class ForeignIndex(IndexUnusable):
    """The index in Redis belongs to another MongoDB database, and is left alone."""

    template = (
        "The fingerprint index in Redis belongs to another MongoDB database. Give this one a Redis database "
        "of its own, or take it over with `pindna index rebuild`."
    )


class OvertakenIndex(IndexUnusable):
    """The index holds what the database does not know: that was restored from a backup. Data: ``problem``."""


class MayEvict(IndexUnusable):
    """Redis is set up to delete keys when memory runs short: postings, messages, addresses to crawl."""

    template = (
        "Redis may delete what it holds when memory runs short, such as parts of the index. "
        "Set its maxmemory-policy to noeviction, then run the command again."
    )


class IndexBusy(PindnaError):
    """Another process mends, rebuilds or compacts the index."""

    template = "Another process is at work on the index. Run the command again when it has finished."
    exit_status = ExitStatus.DOWN


class UnknownRecord(PindnaError):
    """Nothing of that name or id is stored. Data: ``kind``, ``name``."""

    template = "There is no {kind} called {name}."


class UnknownHolder(UnknownRecord):
    """No rights holder of that name is stored, though works may name it. Data: ``kind``, ``name``."""

    template = "There is no holder called {name}. Add it with `pindna holder add`; works that name it do not."


class UnknownId(UnknownRecord):
    """Nothing with that id is stored. Data: ``kind``, ``name``."""

    template = "There is no {kind} with the id {name}."


class MistakenName(UnknownRecord):
    """Nothing of that name is stored, but names like it. Data: ``kind``, ``name``, ``near``."""

    template = "There is no {kind} called {name}. Like it: {near}."
