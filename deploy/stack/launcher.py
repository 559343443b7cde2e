"""Brings services up and down in one data folder. Every method expects to run inside ``folder.starting``.

A service that already runs there is adopted, whichever of our commands started it and whether or not
``stack.json`` knows it: two Redis servers on one append-only file would destroy it. What was started is
noted at once, with signals held back in between, so that a crash at any moment leaves either nothing or
something that is found again.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from deploy.stack import account, passwords, ports, processes, programs, service, state
from deploy.stack.errors import FolderHeld, ForeignAccounts, PortTaken, ServiceSilent
from deploy.stack.folder import DataFolder, unusable
from deploy.stack.probes import HOST
from deploy.stack.service import Service
from deploy.stack.signals import Interrupts
from deploy.stack.state import ProcessMark, State
from storage.collections.server_account import LockedServer, account_names
from storage.settings import Settings
from system.errors import LoginRefused

logger = logging.getLogger(__name__)

_PORT_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts, adopts and stops the services of one data folder.

    Args:
        folder: the data folder.
        settings: what the worker is run with.
        env: environment variables that go over this process's own.
        interrupts: holds signals back while a started process is not noted yet.
        ready_timeout_s: how long a service may take until it answers, in seconds.
    """

    folder: DataFolder
    settings: Settings
    env: Mapping[str, str]
    interrupts: Interrupts
    ready_timeout_s: float

    def ensure(self, name: str, *, fixed_port: bool) -> None:
        """Make a service run and answer: adopt it, or start it.

        Args:
            name: one of ``programs.START_ORDER``; what it depends on must run already.
            fixed_port: another command uses its port already, so that it must not move.

        Raises:
            StackError: it cannot run, and why.
        """
        if not self._adopt(name):
            self._start_somewhere(name, fixed_port=fixed_port)
        if name == "mongo":
            self._refuse_other_accounts()

    def describe(self, name: str) -> Service:
        """Return the description of a service on the ports noted; 0 means that the port is not chosen yet.

        Raises:
            EmbeddedMissing: its program is not installed.
        """
        known_ports = {
            service_name: self.load().ports.get(service_name, 0) for service_name in programs.DATA_SERVICES
        }
        return programs.describe(name, self.folder, known_ports, self.settings, self.env)

    def running(self, name: str) -> ProcessMark | None:
        """Return the noted process of a service if it still runs."""
        mark = self.load().marks.get(name)
        if mark is None:
            return None
        description = self.describe(name)
        return mark if processes.is_ours(mark, description.program, description.matches) else None

    def stop(self, name: str) -> None:
        """Stop a service and forget it; without effect when it does not run."""
        if mark := self.running(name):
            clean = service.stop(self.describe(name), mark)
            logger.log(logging.INFO if clean else logging.WARNING, "%s: process %d ended", name, mark.pid)
        self._save(self.load().without_mark(name))

    def end_panicked(self, name: str) -> bool:
        """Kill a service that runs and can do no more; returns whether there was one."""
        return service.has_panicked(self.describe(name)) and self._end(name)

    def end_for_room(self, name: str) -> None:
        """Kill a service that acknowledges, after its disk was full, what it cannot find again."""
        if self.describe(name).panic and self._end(name):
            logger.warning("%s is ended until there is room", name)

    def _end(self, name: str) -> bool:
        mark = self.running(name)
        if mark is not None:
            processes.end(mark, ())
        return mark is not None

    def stop_all(self) -> None:
        """Stop every service, those that use others first."""
        for name in reversed(programs.START_ORDER):
            self.stop(name)

    def load(self) -> State:
        """Return the noted state.

        Raises:
            DataFolderUnusable: the note cannot be opened.
        """
        try:
            return state.load(self.folder.state)
        except OSError as error:
            raise unusable(self.folder.path, error) from error

    def _save(self, new: State) -> None:
        try:
            state.save(self.folder.state, new)
        except OSError as error:
            raise unusable(self.folder.path, error) from error

    def _adopt(self, name: str) -> bool:
        """Take over a process that serves this folder; returns whether there is one."""
        description = self.describe(name)
        mark = self.running(name)
        if mark is None:
            mark = self._claim_stray(description)
        if mark is None:
            return False
        try:
            self._wait_ready(self.describe(name), mark)
        except LoginRefused:  # the passwords are new; it learns them when it starts
            self.stop(name)
            return False
        except ServiceSilent as error:
            if name in programs.DEPENDENT_SERVICES:  # it holds no data, so it may simply be replaced
                self.stop(name)
                return False
            # Its owner may mend it, so it is named and not killed.
            self._save(self.load().without_mark(name))
            holder = f"process {mark.pid}"
            raise FolderHeld(service=description.title, path=description.folder, holder=holder) from error
        logger.info("%s: process %d adopted", name, mark.pid)
        return True

    def _claim_stray(self, description: Service) -> ProcessMark | None:
        """Note a process that serves this folder although no note says so; end headless children of one."""
        self._refuse_intruder(description)
        leader = None
        for mark in processes.find(description.program, description.matches):
            if leader is None and processes.leads_session(mark.pid):
                leader = mark
            elif leader is None:
                processes.end(mark, description.stop_signals)
        if leader is None:
            return None
        new = self.load().with_mark(description.name, leader)
        if description.port is None:
            self._save(new)
            return leader
        port = processes.wait_listening(leader, self.ready_timeout_s)
        if port is None and not processes.is_gone(leader):
            raise FolderHeld(service=description.title, path=description.folder, holder=f"PID {leader.pid}")
        if port is None:
            return None
        self._move(description.name, port, new)
        return leader

    def _refuse_intruder(self, description: Service) -> None:
        """Check that no other program works in the folder of a service without its own lock."""
        intruder = (
            processes.find_intruder(description.program, description.intrudes)
            if description.intrudes
            else None
        )
        if intruder is not None:
            holder = f"process {intruder.pid}"
            raise FolderHeld(service=description.title, path=description.folder, holder=holder)

    def _start_somewhere(self, name: str, *, fixed_port: bool) -> None:
        """Start a service, on another port if its own is taken and may be given up."""
        for attempt in range(_PORT_ATTEMPTS):
            description = self._with_port(name, fixed_port=fixed_port)
            try:
                return self._start_mongo(description) if name == "mongo" else self._start(description)
            except PortTaken:
                if fixed_port or attempt == _PORT_ATTEMPTS - 1:
                    raise
        return None

    def _with_port(self, name: str, *, fixed_port: bool) -> Service:
        description = self.describe(name)
        if description.port is None or (description.port and (fixed_port or ports.is_free(description.port))):
            return description
        noted = self.load()
        self._move(name, ports.choose(description.title, but=noted.ports.values()), noted)
        return self.describe(name)

    def _move(self, name: str, port: int, new: State) -> None:
        """Note a data service's port; a service that was started with another one must restart."""
        if new.ports.get(name, port) != port:
            for dependent in reversed(programs.DEPENDENT_SERVICES):
                self.stop(dependent)
                new = new.without_mark(dependent)
        self._save(new.with_port(name, port))

    def _start(self, description: Service) -> None:
        with self.interrupts.hold():
            mark = service.start(description)
            self._save(self.load().with_mark(description.name, mark))
        try:
            self._wait_ready(description, mark)
        except BaseException:
            with self.interrupts.hold():
                self.stop(description.name)
            raise
        logger.info("%s: process %d started", description.name, mark.pid)

    def _start_mongo(self, description: Service) -> None:
        """Start the document server; a store without our account gets one first."""
        opening = self.describe(programs.ACCOUNT)
        for mark in processes.find(opening.program, opening.matches):  # a killed command left it
            service.stop(opening, mark)
        self.folder.account_key.unlink(missing_ok=True)
        if not any(description.folder.iterdir()):
            self._make_account()
        try:
            self._start(description)
        except LoginRefused:
            self._make_account()
            self._start(description)

    def _make_account(self) -> None:
        """Make our account, or give it our password, while no other client can reach the store."""
        opening, known_passwords = self.describe(programs.ACCOUNT), passwords.ensure(self.folder)
        with account.fresh_key(self.folder):
            self._start(opening)
            try:
                server = LockedServer(HOST, opening.port or 0, self.folder.account_key, self.ready_timeout_s)
                account.refuse_others(self.folder, server.save_account(passwords.USER, known_passwords.mongo))
            finally:
                self.stop(programs.ACCOUNT)

    def _refuse_other_accounts(self) -> None:
        """Check that the document server knows no account except pindna's; else it is stopped."""
        try:
            storage = programs.with_urls(self.settings, self.folder, self.load().ports).storage
            account.refuse_others(self.folder, account_names(storage))
        except ForeignAccounts:
            self.stop("mongo")
            raise

    def _wait_ready(self, description: Service, mark: ProcessMark) -> None:
        forsaken = partial(self._forsaken, description.name)
        service.wait_ready(description, mark, timeout_s=self.ready_timeout_s, forsaken=forsaken)

    def _forsaken(self, name: str) -> str | None:
        """Return the title of a service that this one needs in order to answer, if that does not run."""
        needed = programs.NEEDED_TO_ANSWER.get(name)
        return self.describe(needed).title if needed and self.running(needed) is None else None
