"""The services of one data folder as a context manager.

Guarantees: inside the block both servers answer, and also worker, beat and console if they were requested. At
the end of the block, even after Ctrl-C or SIGTERM, the last user of the folder stops the services in order
(console, beat, worker, Redis, documents) and waits until they have closed their files. After a kill -9 the
services continue, and the next user adopts them.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.stack import passwords, programs, supervisor
from deploy.stack.errors import DataFolderLocked
from deploy.stack.folder import DataFolder, Membership, existing, prepare, starting
from deploy.stack.launcher import Launcher
from deploy.stack.signals import Interrupts
from storage.settings import Settings, load_settings

READY_TIMEOUT_S = 60.0  # long for busy machines; five such starts fit into the supervisor's window
_LOOK_S = 2.0


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The state of one service.

    Args:
        name: one of ``programs.START_ORDER``.
        title: its name for people.
        pid: its process, None when it does not run.
        address: where it is (or was last) reached.
        running: whether its process runs.
        log: where it writes what it does.
    """

    name: str
    title: str
    pid: int | None
    address: str
    running: bool
    log: Path


class EmbeddedStack:
    """The services of one data folder; use it in a ``with`` statement.

    Args:
        data_dir: the data folder; created when missing.
        worker: whether a Celery worker is wanted.
        beat: whether Celery beat is wanted.
        console: whether the web console is wanted.
        settings: what to fill the URLs into; read from file and environment when None.
        env: environment variables for the services, over this process's own.
        ready_timeout_s: how long each service may take until it answers, in seconds.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        worker: bool = False,
        beat: bool = False,
        console: bool = False,
        settings: Settings | None = None,
        env: Mapping[str, str] | None = None,
        ready_timeout_s: float = READY_TIMEOUT_S,
    ) -> None:
        self._data_dir = data_dir
        chosen = {"worker": worker, "beat": beat, "console": console}
        self._wanted = tuple(name for name in programs.START_ORDER if chosen.get(name, True))
        self._base = settings
        self._env = dict(env or {})
        self._ready_timeout_s = ready_timeout_s
        self._interrupts = Interrupts()
        self._launcher: Launcher | None = None
        self._membership: Membership | None = None
        self.found_running = False

    def __enter__(self) -> Self:
        """Start or adopt the services.

        Raises:
            StackError: a service or the data folder is in the way; the error says which and what to do.
            BadSettings: no settings were given and those found are wrong.
        """
        folder = prepare(self._data_dir)
        base = self._base or load_settings()
        self._launcher = Launcher(folder, base, self._env, self._interrupts, self._ready_timeout_s)
        self._membership = Membership(folder)
        self._interrupts.install()
        try:
            with starting(folder):
                passwords.ensure(folder)
                alone = self._membership.join()
                self.found_running = not alone
                for name in self._wanted:
                    self._launcher.ensure(name, fixed_port=not alone)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()

    @property
    def folder(self) -> DataFolder:
        """The data folder, resolved."""
        return self._inside.folder

    @property
    def settings(self) -> Settings:
        """The settings with the URLs of both servers."""
        launcher = self._inside
        return programs.with_urls(launcher.settings, launcher.folder, launcher.load().ports)

    @property
    def mongo_url(self) -> str:
        """The URL of the document server."""
        url = self.settings.storage.mongo_url
        return url.get_secret_value() if url else ""

    @property
    def redis_url(self) -> str:
        """The URL of Redis, which contains index, broker and results."""
        url = self.settings.storage.redis_url
        return url.get_secret_value() if url else ""

    def status(self) -> list[ServiceStatus]:
        """Return the state of each service."""
        return _statuses(self._inside)

    def is_alone(self) -> bool:
        """Return whether no other command uses the services, so that they end with this command.

        Raises:
            DataFolderUnusable: the data folder does not say.
        """
        try:
            with starting(self._inside.folder, timeout_s=_LOOK_S):
                return self._membership is None or self._membership.is_alone()
        except DataFolderLocked:  # another command started it and uses it
            return False

    def watch(self, stop: threading.Event | None = None) -> None:
        """Restart any required service that dies, until ``stop`` is set or a signal ends the program.

        Raises:
            ServiceKeepsDying: one died too often.
            StackError: one cannot be started again.
            KeyboardInterrupt: Ctrl-C.
            SystemExit: SIGTERM or SIGHUP.
        """
        supervisor.watch(self._inside, self._wanted, stop or threading.Event())

    @property
    def _inside(self) -> Launcher:
        if self._launcher is None:
            message = "an embedded stack has addresses only inside its with block"
            raise RuntimeError(message)
        return self._launcher

    def _leave(self) -> None:
        """Leave the data folder, and stop the services if no other command uses it."""
        launcher, self._launcher = self._launcher, None
        membership, self._membership = self._membership, None
        if launcher is None or membership is None:
            return
        try:
            with self._interrupts.hold(), starting(launcher.folder):
                if membership.leave():
                    launcher.stop_all()
        finally:
            self._interrupts.restore()


def embedded_stack(
    data_dir: Path,
    *,
    worker: bool = False,
    beat: bool = False,
    console: bool = False,
    settings: Settings | None = None,
    env: Mapping[str, str] | None = None,
) -> EmbeddedStack:
    """Return the stack of a data folder for a ``with`` statement; see ``EmbeddedStack``."""
    return EmbeddedStack(data_dir, worker=worker, beat=beat, console=console, settings=settings, env=env)


def status_of(data_dir: Path) -> list[ServiceStatus]:
    """Return the states of the services of a data folder, without changing anything.

    Raises:
        EmbeddedMissing: the servers are not installed.
        BadSettings: the settings are wrong.
        DataFolderUnusable: the folder cannot be read.
        FolderOfOthers, FolderOpen, LinkInFolder: it is not safe to use.
    """
    folder = existing(data_dir)
    return _statuses(Launcher(folder, load_settings(), {}, Interrupts(), READY_TIMEOUT_S))


def running_settings(data_dir: Path) -> Settings | None:
    """Return the settings with the URLs of the servers of a data folder; None if its database does not run.

    Raises:
        StackError, BadSettings: as in :func:`status_of`.
    """
    launcher = Launcher(existing(data_dir), load_settings(), {}, Interrupts(), READY_TIMEOUT_S)
    if launcher.running("mongo") is None:
        return None
    return programs.with_urls(launcher.settings, launcher.folder, launcher.load().ports)


def _statuses(launcher: Launcher) -> list[ServiceStatus]:
    return [_status(launcher, name) for name in programs.START_ORDER]


def _status(launcher: Launcher, name: str) -> ServiceStatus:
    service, mark = launcher.describe(name), launcher.running(name)
    return ServiceStatus(
        name=name,
        title=service.title,
        pid=mark.pid if mark else None,
        address=service.address,
        running=mark is not None,
        log=service.log,
    )
