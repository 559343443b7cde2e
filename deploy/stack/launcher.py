"""Starts and stops the services of one data folder. Call every method inside ``folder.starting``.

A service that already runs there is adopted, even if another command started it or ``stack.json`` does not
list it, because two Redis servers on one append-only file would destroy the file. A started process is
recorded immediately, and signals are delayed in between. So a crash at any moment leaves either no process or
one that is found again.
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
        """Ensure that a service runs and answers: adopt it or start it.

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
        """Return the description of a service with the recorded ports; port 0 is not chosen yet.

        Raises:
            EmbeddedMissing: its program is not installed.
        """
        known_ports = {
            service_name: self.load().ports.get(service_name, 0) for service_name in programs.DATA_SERVICES
        }
        return programs.describe(name, self.folder, known_ports, self.settings, self.env)

    def running(self, name: str) -> ProcessMark | None:
        """Return the recorded process of a service if it still runs."""
        mark = self.load().marks.get(name)
        if mark is None:
            return None
        description = self.describe(name)
        return mark if processes.is_ours(mark, description.program, description.matches) else None

    def stop(self, name: str) -> None:
        """Stop a service and delete its record; no effect if it does not run."""
        if mark := self.running(name):
            clean = service.stop(self.describe(name), mark)
            logger.log(logging.INFO if clean else logging.WARNING, "%s: process %d ended", name, mark.pid)
        self._save(self.load().without_mark(name))

    def end_panicked(self, name: str) -> bool:
        """Kill a service that runs but has failed permanently; returns whether there was one."""
        return service.has_panicked(self.describe(name)) and self._end(name)

    def end_for_room(self, name: str) -> None:
        """Kill a service that may acknowledge writes and lose them, because its disk was full."""
        if self.describe(name).panic and self._end(name):
            logger.warning("%s is ended until there is room", name)

    def _end(self, name: str) -> bool:
        mark = self.running(name)
        if mark is not None:
            processes.end(mark, ())
        return mark is not None

    def stop_all(self) -> None:
        """Stop all services; a service is stopped before the services that it uses."""
        for name in reversed(programs.START_ORDER):
            self.stop(name)

    def load(self) -> State:
        """Return the recorded state.

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
        """Adopt a running process of this folder; returns whether there is one."""
        description = self.describe(name)
        mark = self.running(name)
        if mark is None:
            mark = self._claim_stray(description)
        if mark is None:
            return False
        try:
            self._wait_ready(self.describe(name), mark)
        except LoginRefused:  # a service reads new passwords only when it starts
            self.stop(name)
            return False
        except ServiceSilent as error:
            if name in programs.DEPENDENT_SERVICES:  # the console stores no data, so it can be replaced
                self.stop(name)
                return False
            # The process is reported and not killed, because its owner may be able to fix it.
            self._save(self.load().without_mark(name))
            holder = f"process {mark.pid}"
            raise FolderHeld(service=description.title, path=description.folder, holder=holder) from error
        logger.info("%s: process %d adopted", name, mark.pid)
        return True

    def _claim_stray(self, description: Service) -> ProcessMark | None:
        """Record an unrecorded process of this folder as its service; end child processes without parents."""
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
        """Check that no other program uses the folder of a service that does not lock its folder itself."""
        intruder = (
            processes.find_intruder(description.program, description.intrudes)
            if description.intrudes
            else None
        )
        if intruder is not None:
            holder = f"process {intruder.pid}"
            raise FolderHeld(service=description.title, path=description.folder, holder=holder)

    def _start_somewhere(self, name: str, *, fixed_port: bool) -> None:
        """Start a service; if its port is taken and may change, use another port."""
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
        """Record the new port of a data service; services that use the old port must restart."""
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
        """Start the document server; if the store lacks our account, create the account first."""
        opening = self.describe(programs.ACCOUNT)
        for mark in processes.find(opening.program, opening.matches):  # left behind by a killed command
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
        """Create our account, or set its password, while no other client can reach the store."""
        opening, known_passwords = self.describe(programs.ACCOUNT), passwords.ensure(self.folder)
        with account.fresh_key(self.folder):
            self._start(opening)
            try:
                server = LockedServer(HOST, opening.port or 0, self.folder.account_key, self.ready_timeout_s)
                account.refuse_others(self.folder, server.save_account(passwords.USER, known_passwords.mongo))
            finally:
                self.stop(programs.ACCOUNT)

    def _refuse_other_accounts(self) -> None:
        """Check that the document server has no account except pindna's; otherwise stop the server."""
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
        """Return the title of a service that this service needs to answer, if the needed service is down."""
        needed = programs.NEEDED_TO_ANSWER.get(name)
        return self.describe(needed).title if needed and self.running(needed) is None else None
