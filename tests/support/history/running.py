"""One run: sites, servers and processes live through two days and a round of notices, with faults or without.

Each day further works are loaded and the sites are scanned; on the second one the sites have changed. Then
cases are confirmed, and two programs send the notices about them. In the end nothing is disturbed any more
until nothing waits, and what is there is recorded.

What waits for a lease of minutes (an alert that was being sent, a turn) is aged in the end, as if these
minutes had passed.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pydantic import SecretStr
from support.history import sender
from support.history.actors import COMMANDS, Actor, mongo_url, running_actors
from support.history.nemesis import Nemesis
from support.history.reading import finding_id, record_ending, record_scan, renamed
from support.history.recording import Event, Recorder
from support.history.schedule import SENDERS, Fault
from support.history.servers import Servers, running_servers
from support.history.world import DAYS, SitePlan, World
from support.letters import Inbox, mail_server, stored_notice
from support.receivers import HttpReceiver, http_receiver
from support.watched import chapter
from support.watched import confirm as confirm_case
from support.webserver import Reply, WebSite, anchors, web_site

from analysis.notices.mail import write_mail
from storage.errors import PindnaError
from storage.records import Source, utc_now
from storage.settings import Settings
from tracker.corpus.loading import Terms, store_works
from tracker.queue import Queue
from tracker.runtime import Runtime, open_runtime
from tracker.scans.scanning import start_scan, tick
from tracker.scans.turns import StillScanning

PATIENCE_S = 240.0
_TICK_S, _ALERTS_S, _AGED_AFTER_S = 1.0, 3.0, 6.0
_PAUSE_S = 0.2
_NOTICES = 4
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - of the tests
_ALERTS = {
    "addressees": {"ops": {"webhook": "${PINDNA_SECRET_OPS}", "secret": "${PINDNA_SECRET_KEY}"}},
    "rules": [{"to": ["ops"], "events": ["new-copy"], "verdicts": ["copy", "partial", "quote"]}],
}
_RULES = {
    "PINDNA_CRAWLER__FRONTIER_LEASE_S": "2",
    "PINDNA_STORAGE__TIMEOUT_S": "3",
    "PINDNA_TRACKER__BATCH_PAGES": "3",
    "PINDNA_TRACKER__LEASE_S": "3",
    "PINDNA_ANALYSIS__ALERTS": json.dumps(_ALERTS),
    "PINDNA_SECRET_KEY": _SECRET,
}


class NeverEnded(Exception):
    """Something did not happen in time. The argument says what."""


@dataclass(slots=True)
class _Run:
    """A run under way.

    Attributes:
        world: its sites and works.
        faults: of its schedule.
        folder: for its files.
        recorder: of its history.
        runtime: the way of this process to the servers, which nothing disturbs.
        servers, sites, receiver, inbox: what runs.
        nemesis: with the actors.
        names: host and port → name of each site.
    """

    world: World
    faults: Sequence[Fault]
    folder: Path
    recorder: Recorder
    runtime: Runtime
    servers: Servers
    sites: Mapping[str, WebSite]
    receiver: HttpReceiver
    inbox: Inbox
    nemesis: Nemesis
    names: Mapping[str, str]
    _recorded: dict[str, int] = field(default_factory=lambda: {"alerts": 0, "mails": 0})
    _last: dict[str, float] = field(default_factory=dict)

    def wait(self, condition: Callable[[], object], what: str, *, ticks: bool = True) -> None:
        """Do what goes on all the time until a condition holds.

        Args:
            condition: may raise what a service that is down raises.
            what: that is waited for.
            ticks: send on what waits, as a command does that somebody watches; or leave it to beat.

        Raises:
            NeverEnded: it does not hold in time.
        """
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self._go_on(ticks=ticks)
            with suppress(PindnaError):
                if condition():
                    return
            time.sleep(_PAUSE_S)
        raise NeverEnded(f"in {PATIENCE_S} s in vain: {what}")

    def _go_on(self, *, ticks: bool) -> None:
        for actor in list(self.nemesis.actors.values()):
            actor.check()
        self._record_arrivals()
        with suppress(PindnaError):
            if ticks and self._is_time("tick", _TICK_S):
                tick(self.runtime.stores, self.runtime.settings, self.runtime.queue.send)
            if self._is_time("alerts", _ALERTS_S):
                _send(self.runtime.queue, "analysis.tasks.tell_alerts")

    def _is_time(self, name: str, every_s: float) -> bool:
        if time.monotonic() - self._last.get(name, 0.0) < every_s:
            return False
        self._last[name] = time.monotonic()
        return True

    def _record_arrivals(self) -> None:
        """Record alerts and mails that came since the last time."""
        requests = self.receiver.requests[self._recorded["alerts"] :]
        for request in requests:
            for finding in json.loads(request.body)["events"]:
                site, url = (renamed(finding[name] or "", self.names) for name in ("site", "url"))
                name = finding_id(finding["kind"], finding["work"]["title"], site, url)
                self.recorder.record("receiver", "alerted", finding=name, mailing=request.headers["webhook-id"])
        self._recorded["alerts"] += len(requests)
        mails = self.inbox.mails[self._recorded["mails"] :]
        for _, _, content in mails:
            name = content.split(b"Message-ID: <")[1].split(b".")[0].decode()
            self.recorder.record("mail server", "mailed", id=name)
        self._recorded["mails"] += len(mails)

    def play(self) -> None:
        """Live through all phases."""
        self._last["alerts"] = 0.0
        self.wait(self._hears_alerts, "the first run of alerts")
        for day in range(DAYS):
            self._live_day(day)
        self._send_notices()
        self._settle()
        record_ending(self.recorder, self.runtime, self.names)

    def _hears_alerts(self) -> bool:
        """Return whether alerts have begun: of what happened before nobody is told."""
        return self.runtime.stores.outbox.mark("events") is not None

    def _live_day(self, day: int) -> None:
        self._show(day)
        phase = "day 1" if day == 0 else "day 2"
        self.recorder.record("run", "phase", name=phase)
        with self.nemesis.during(phase, self.faults):
            self.wait(lambda: self._load(day), "works are stored")
            self.wait(lambda: not self.runtime.stores.works.count("stored"), "works are indexed")
            listed = self.world.listed(day)
            self.recorder.record("sites", "listed", day=day, addresses=listed)
            self.wait(lambda: self._open(day), "a scan is opened")
            self.wait(lambda: not self.runtime.stores.scans.running(), "the scan is closed", ticks=day == 0)
        record_scan(self.recorder, self.runtime, day, f"day-{day}", self.names)

    def _load(self, day: int) -> bool:
        stores, index = self.runtime.stores, self.runtime.guard.live()
        store_works(self.world.works[day], stores, index, terms=Terms("pindna"))
        return True

    def _open(self, day: int) -> bool:
        stores, tracker = self.runtime.stores, self.runtime.settings.tracker
        with suppress(StillScanning):  # it is open, and only the answer was lost
            scan = start_scan(
                stores,
                self.runtime.guard,
                tracker,
                sources=stores.sources.all(),
                trigger="hand",
                scan_id=f"day-{day}",
            )
            self.recorder.record("run", "opened", day=day, version=scan.corpus_version)
        return True

    def _show(self, day: int) -> None:
        """Let the sites have the pages of a day, and the sources list them."""
        for plan in self.world.sites:
            site = self.sites[plan.name]
            site.pages = _pages(plan, day)
            self.runtime.stores.sources.save(_source(plan, site, day))

    def _send_notices(self) -> None:
        stores, now = self.runtime.stores, utc_now()
        for case in islice(stores.cases.listed(), _NOTICES):
            confirm_case(case, stores, now=now)
            folder = self.folder / f"notice-{case.number}"
            folder.mkdir()
            number = len(list(stores.notices.listed())) + 1
            stored_notice(stores, folder, _mail(f"n{number}"), case=case.number)
        self.recorder.record("run", "phase", name="notices")
        port = self.inbox.port
        commands = {name: (sys.executable, sender.__file__, str(port)) for name in SENDERS}
        with running_actors(
            commands, self.servers, self.runtime.settings, _RULES, self.folder, self.recorder, repeat=False
        ) as senders:
            self.nemesis.actors |= senders
            with self.nemesis.during("notices", self.faults):
                self.wait(lambda: _have_ended(senders), "notices are sent")
            self.wait(lambda: _have_ended(senders), "senders end")
            for name in senders:
                del self.nemesis.actors[name]

    def _settle(self) -> None:
        """Wait until nothing waits any more; leases of minutes are aged."""
        self.recorder.record("run", "phase", name="quiet")
        self.wait(self._is_quiet, "nothing waits any more")

    def _is_quiet(self) -> bool:
        stores, database = self.runtime.stores, self.runtime.stores.database
        if self._is_time("age", _AGED_AFTER_S):
            self._age()
        return not (
            stores.works.count("stored")
            or stores.scans.running()
            or stores.outbox.count("waiting")
            or database["outbox"].count_documents({"mailing": ""})
            or database["alert_marks"].count_documents({"_id": "turn", "token": {"$ne": ""}})
            or database["turns"].count_documents({"token": {"$ne": ""}})
            or self._has_unread_events()
        )

    def _has_unread_events(self) -> bool:
        stores = self.runtime.stores
        mark = stores.outbox.mark("events")
        return mark is None or mark.reached < stores.events.last_number()

    _held: dict[str, str] = field(default_factory=dict)

    def _age(self) -> None:
        """Let leases of minutes end that nothing has changed since the last time."""
        database = self.runtime.stores.database
        held = {
            **{f"mailing {row['_id']}": str(row["due"]) for row in database["mailings"].find({"state": "waiting"})},
            **{
                f"{name} {row['_id']}": row["token"]
                for name in ("alert_marks", "turns")
                for row in database[name].find({"token": {"$exists": True, "$ne": ""}})
            },
        }
        for name in held.keys() & self._held.keys():
            if held[name] == self._held[name]:
                collection, _, key = name.partition(" ")
                if collection == "mailing":
                    database["mailings"].update_one({"_id": key}, {"$set": {"due": utc_now()}})
                else:
                    database[collection].update_one({"_id": key}, {"$set": {"until": utc_now()}})
                self.recorder.record("run", "aged", of=name)
        self._held = held


def _have_ended(actors: Mapping[str, Actor]) -> bool:
    return all(actor.has_finished() for actor in actors.values())


def _send(queue: Queue, task: str) -> None:
    with queue._outages():
        queue._app.send_task(task)


def _pages(plan: SitePlan, day: int) -> dict[str, Reply | str]:
    pages: dict[str, Reply | str] = {
        path: Reply("gone", status=404) if page.text is None else chapter(page.text, title=f"正文{path}")
        for path, page in plan.days[day].items()
    }
    return {"/": anchors(*((path, f"第{path}篇文章") for path in pages)), **pages}


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


def _source(plan: SitePlan, site: WebSite, day: int) -> Source:
    urls = (f"{site.url}/",) if plan.kind == "news" else tuple(f"{site.url}{path}" for path in plan.days[day])
    return Source(name=plan.name, kind=plan.kind, start_urls=urls, follow=r"/\w+\.html$", delay_s=0.3)


def _settings(servers: Servers, folder: Path) -> Settings:
    return Settings(
        storage={
            "mongo_url": SecretStr(mongo_url(servers.mongo_port)),
            "mongo_database": "test_history",
            "redis_url": SecretStr(f"redis://127.0.0.1:{servers.redis_port}/0"),
            "data_dir": folder / "data",
        },
        crawler={"allow_inner": ["127.0.0.1"], "delay_s": 0, "processes": 4},
        tracker={"lease_s": 3, "batch_pages": 3},
        analysis={"report_dir": folder / "reports", "evidence": {"folder": folder / "evidence"}},
    )


def run(world: World, faults: Sequence[Fault], folder: Path) -> list[Event]:
    """Play a run and return its history, which is in ``history.jsonl`` in the folder too.

    Args:
        world: its sites and works.
        faults: of its schedule; none: a quiet run.
        folder: that exists, for its files.
    """
    recorder = Recorder(folder / "history.jsonl")
    try:
        with _running(world, faults, folder, recorder) as running:
            running.play()
    except NeverEnded as error:
        recorder.record("run", "never ended", what=str(error))
    return recorder.events


@contextmanager
def _running(world: World, faults: Sequence[Fault], folder: Path, recorder: Recorder) -> Iterator[_Run]:
    with ExitStack() as opened:
        servers = opened.enter_context(running_servers(folder))
        sites = {plan.name: opened.enter_context(web_site()) for plan in world.sites}
        receiver = opened.enter_context(http_receiver())
        inbox, rules = opened.enter_context(mail_server())
        inbox.port = rules.smtp_port
        settings = _settings(servers, folder)
        runtime = opened.enter_context(closing(open_runtime(settings)))
        variables = {**_RULES, "PINDNA_SECRET_OPS": f"{receiver.url}/hook"}
        actors = opened.enter_context(
            running_actors(COMMANDS, servers, settings, variables, folder, recorder)
        )
        names = {site.url.removeprefix("http://"): name for name, site in sites.items()}
        nemesis = Nemesis(servers, actors, recorder)
        yield _Run(world, faults, folder, recorder, runtime, servers, sites, receiver, inbox, nemesis, names)
