"""One run: sites, servers and processes live through two days and a round of notices, with faults or without.

Each day further works are loaded and the sites are scanned; on the second one the sites have changed. Then
cases are confirmed, and two programs send the notices about them. In the end nothing is disturbed any more
until nothing waits, and what is there is recorded.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from support.history import sender
from support.history.actors import Actor, running_actors, stop_all
from support.history.installation import Installation, running_installation
from support.history.reading import WAITING, record_ending, record_scan
from support.history.recording import Event, Recorder
from support.history.schedule import SENDERS, Fault, Phase
from support.history.waiting import NeverEnded, Waiting
from support.history.world import DAYS, World
from support.letters import stored_notice
from support.watched import confirm

from analysis.notices.mail import write_mail
from storage.records import utc_now
from tracker.corpus.loading import Terms, store_works
from tracker.runtime import Runtime
from tracker.scans.scanning import start_scan
from tracker.scans.turns import StillScanning

_NOTICES = 4
_PHASES: tuple[Phase, ...] = ("day 1", "day 2")


def run(world: World, faults: Sequence[Fault], folder: Path, *, trees: Mapping[str, Path]) -> list[Event]:
    """Play a run and return its history, which is in ``history.jsonl`` in the folder too.

    Args:
        world: its sites and works.
        faults: of its schedule; none: a quiet run.
        folder: that exists, for its files.
        trees: of the version before, by the names of the processes that have it.
    """
    recorder = Recorder(folder / "history.jsonl")
    try:
        with running_installation(world, faults, trees, folder, recorder) as installation:
            _Run(installation, faults, recorder, installation.runtime, Waiting(installation)).play()
    except NeverEnded as error:
        recorder.record("run", "never ended", what=str(error))
    return recorder.events


@dataclass(frozen=True, slots=True)
class _Run:
    """A run under way.

    Attributes:
        installation: that lives through it.
        faults: of its schedule.
        recorder: of its history.
        runtime: what nothing disturbs.
        wait: does what goes on all the time.
    """

    installation: Installation
    faults: Sequence[Fault]
    recorder: Recorder
    runtime: Runtime
    wait: Waiting

    def play(self) -> None:
        """Live through all phases."""
        self.wait.until(self._hears_alerts, "alerts begin")
        for day in range(DAYS):
            self._live_day(day)
        self._make_notices()
        self._send_notices()
        self.recorder.record("run", "phase", name="quiet")
        self.wait.until(self._is_quiet, "nothing waits any more")
        stop_all(self.installation.nemesis.actors.values())  # so that no idle task still holds a lease
        self.wait.record_arrivals()
        record_ending(self.recorder, self.runtime, self.installation.names)

    def _hears_alerts(self) -> bool:
        """Return whether alerts have begun: of what happened before nobody is told."""
        return self.runtime.stores.outbox.mark("events") is not None

    def _live_day(self, day: int) -> None:
        stores, phase = self.runtime.stores, _PHASES[day]
        self.installation.show(day)
        self.recorder.record("run", "phase", name=phase)
        with self.installation.nemesis.during(phase, self.faults):
            self.wait.until(lambda: self._load(day), "works are stored")
            self.wait.until(lambda: not stores.works.count("stored"), "works are indexed")
            self.recorder.record("sites", "listed", day=day, addresses=self.installation.world.listed(day))
            self.wait.until(lambda: self._open(day), "a scan is opened")
            self.wait.until(
                lambda: not stores.scans.running(), "the scan is closed", ticks=day == 0 or not self.faults
            )
        record_scan(self.recorder, self.runtime, day, f"day-{day}", self.installation.names)

    def _load(self, day: int) -> bool:
        stores, index = self.runtime.stores, self.runtime.guard.live()
        store_works(self.installation.world.works[day], stores, index, terms=Terms("pindna"))
        return True

    def _open(self, day: int) -> bool:
        stores, tracker = self.runtime.stores, self.runtime.settings.tracker
        sources = stores.sources.all()
        with suppress(StillScanning):  # it is open, and only the answer was lost
            scan = start_scan(
                stores, self.runtime.guard, tracker, sources=sources, trigger="hand", scan_id=f"day-{day}"
            )
            self.recorder.record("run", "opened", day=day, version=scan.corpus_version)
        return True

    def _make_notices(self) -> None:
        """Confirm some cases, and make a notice about each."""
        stores, now = self.runtime.stores, utc_now()
        for number, case in enumerate(islice(stores.cases.listed(), _NOTICES), 1):
            confirm(case, stores, now=now)
            folder = self.installation.stage.folder / f"notice-{number}"
            folder.mkdir()
            stored_notice(stores, folder, _mail(f"n{number}"), case=case.number)

    def _send_notices(self) -> None:
        nemesis, port = self.installation.nemesis, self.installation.smtp_port
        self.recorder.record("run", "phase", name="notices")
        commands = {name: (sys.executable, "-P", sender.__file__, str(port)) for name in SENDERS}
        with running_actors(commands, self.installation.stage, repeat=False) as senders:
            nemesis.actors |= senders
            with nemesis.during("notices", self.faults):
                self.wait.until(lambda: _have_ended(senders), "notices are sent")
            self.wait.until(lambda: _have_ended(senders), "senders end")
            for name in senders:
                del nemesis.actors[name]

    def _is_quiet(self) -> bool:
        return not any(count(self.runtime.stores) for count in WAITING.values())


def _have_ended(actors: Mapping[str, Actor]) -> bool:
    return all(actor.has_finished() for actor in actors.values())


def _mail(name: str) -> bytes:
    return write_mail(
        sender=("青灯文化", "legal@qingdeng.example"),
        to=("某某网络", "notice@copy.example"),
        subject="侵权通知书",
        text="正文\n",
        attachments=(),
        message_id=f"<{name}.x@pindna.invalid>",
        made=utc_now(),
    )
