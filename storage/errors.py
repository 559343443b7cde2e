"""Errors that a caller can act on.

Tree::

    PindnaError
    ├── BadSettings            a setting is wrong
    ├── ServiceDown            MongoDB or Redis does not answer
    │   └── LoginRefused       it does not accept user and password
    ├── IndexUnusable          the index is empty or stale; a comparison would lie
    │   ├── ForeignIndex       it is the index of another database
    │   └── MayEvict           Redis would delete parts of it when memory runs short
    ├── IndexBusy              another process mends, rebuilds or compacts the index
    ├── UnknownRecord          nothing of that name or id is stored
    └── …                      each package adds its own reasons next to the code that raises them

Each class carries its data as keyword arguments and an English ``template``. The command line looks the
template up in its catalogue, so a lower layer needs to know nothing about languages.
"""

import re
from typing import ClassVar

from storage.exit_status import ExitStatus

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
        **data: the values that the class's ``template`` names.

    Attributes:
        exit_status: how a command ends that goes no further for it.
    """

    template: ClassVar[str] = "{message}"
    exit_status: ClassVar[ExitStatus] = ExitStatus.UNUSABLE

    def __init__(self, **data: object) -> None:
        super().__init__(data)
        self.data = data

    def __str__(self) -> str:
        return self.template.format(**self.data)

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
    """MongoDB or Redis does not accept user and password. Data: ``service``, ``address``."""

    template = (
        "{service} at {address} refuses the login. Correct user and password in its address, "
        "storage.mongo_url or storage.redis_url."
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


class MayEvict(IndexUnusable):
    """Redis is set up to delete keys when memory runs short, so the index could lose postings unnoticed."""

    template = (
        "Redis may delete parts of the index when memory runs short. "
        "Set its maxmemory-policy to noeviction, then run the command again."
    )


class IndexBusy(PindnaError):
    """Another process mends, rebuilds or compacts the index."""

    template = "Another process is at work on the index. Run the command again when it has finished."
    exit_status = ExitStatus.DOWN


class UnknownRecord(PindnaError):
    """Nothing of that name or id is stored. Data: ``kind``, ``name``."""

    template = "There is no {kind} called {name}."
