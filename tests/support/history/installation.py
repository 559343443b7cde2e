"""Everything that runs in a run: sites, servers, receivers of alerts and mails, and the processes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr
from support.history.actors import COMMANDS, QUIET, Stage, mongo_url, running_actors
from support.history.clocks import Clock, compile_clock
from support.history.nemesis import Nemesis
from support.history.recording import Recorder
from support.history.schedule import Fault
from support.history.servers import Servers, running_servers
from support.history.world import SitePlan, World
from support.letters import Inbox, mail_server
from support.receivers import HttpReceiver, http_receiver
from support.watched import chapter
from support.webserver import Reply, WebSite, anchors, web_site

from storage.records import Source
from storage.settings import Settings
from tracker.runtime import Runtime, open_runtime

_DELAY_S = 0.3  # between two requests to a site, so that faults meet crawls
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - of the tests
_ALERTS = {
    "addressees": {"ops": {"webhook": "${PINDNA_SECRET_OPS}", "secret": "${PINDNA_SECRET_KEY}"}},
    "rules": [{"to": ["ops"], "events": ["new-copy"], "verdicts": ["copy", "partial", "quote"]}],
}
_VARIABLES = {
    "PINDNA_CRAWLER__FRONTIER_LEASE_S": "2",
    "PINDNA_STORAGE__TIMEOUT_S": "3",
    "PINDNA_TRACKER__BATCH_PAGES": "3",
    "PINDNA_TRACKER__LEASE_S": "3",
    "PINDNA_TRACKER__SCAN_SCHEDULE": "0 0 29 2 *",  # on no day of these runs, for any clock
    "PINDNA_ANALYSIS__ALERTS": json.dumps(_ALERTS),
    "PINDNA_SECRET_KEY": _SECRET,
}


@dataclass(frozen=True, slots=True)
class Installation:
    """What runs.

    Attributes:
        world: what its sites and works are.
        stage: what its processes share.
        runtime: the way of this process to the servers, which nothing disturbs.
        sites: by name.
        names: host and port → name of each site.
        receiver: of alerts.
        inbox: of notices; ``smtp_port`` leads to it.
        nemesis: with the processes, what brings faults about.
    """

    world: World
    stage: Stage
    runtime: Runtime
    sites: Mapping[str, WebSite]
    names: Mapping[str, str]
    receiver: HttpReceiver
    inbox: Inbox
    smtp_port: int
    nemesis: Nemesis

    def show(self, day: int) -> None:
        """Let the sites have the pages of a day, and the sources list them."""
        for plan in self.world.sites:
            site = self.sites[plan.name]
            site.pages = _pages(plan, day)
            self.runtime.stores.sources.save(_source(plan, site, day))


@contextmanager
def running_installation(
    world: World, faults: Sequence[Fault], trees: Mapping[str, Path], folder: Path, recorder: Recorder
) -> Iterator[Installation]:
    """Start everything in a folder; the processes go on until the block ends.

    Without faults there is one worker and no beat: what is there in the end is the same.

    Args:
        world: its sites and works.
        faults: of its schedule.
        trees: of the version before, by the names of the processes that have it.
        folder: for its files.
        recorder: of its history.
    """
    with ExitStack() as opened:
        servers = opened.enter_context(running_servers(folder))
        sites = {plan.name: opened.enter_context(web_site()) for plan in world.sites}
        receiver = opened.enter_context(http_receiver())
        inbox, rules = opened.enter_context(mail_server())
        settings = _settings(servers, folder)
        runtime = opened.enter_context(closing(open_runtime(settings)))
        variables = {**_VARIABLES, "PINDNA_SECRET_OPS": f"{receiver.url}/hook"}
        stage = Stage(
            servers,
            settings,
            variables,
            folder,
            recorder,
            clocks=_clocks(faults, folder),
            trees=trees,
        )
        commands = COMMANDS if faults else QUIET
        actors = opened.enter_context(running_actors(commands, stage))
        yield Installation(
            world=world,
            stage=stage,
            runtime=runtime,
            sites=sites,
            names={site.url.removeprefix("http://"): name for name, site in sites.items()},
            receiver=receiver,
            inbox=inbox,
            smtp_port=rules.smtp_port,
            nemesis=Nemesis(servers, actors, recorder),
        )


def _clocks(faults: Sequence[Fault], folder: Path) -> dict[str, Clock]:
    """Return clocks for the processes whose clocks are set."""
    names = {fault.actor for fault in faults if fault.kind == "clock"}
    library = compile_clock(folder) if names else None
    if library is None:
        return {}
    clocks = {name: Clock(folder / f"{name}.clock", library) for name in names}
    for clock in clocks.values():
        clock.set(0)
    return clocks


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


def _pages(plan: SitePlan, day: int) -> dict[str, Reply | str]:
    pages: dict[str, Reply | str] = {
        path: Reply("gone", status=404) if page.text is None else chapter(page.text, title=f"正文{path}")
        for path, page in plan.days[day].items()
    }
    return {"/": anchors(*((path, f"第{path}篇文章") for path in pages)), **pages}


def _source(plan: SitePlan, site: WebSite, day: int) -> Source:
    paths = ("/",) if plan.kind == "news" else tuple(plan.days[day])
    urls = tuple(f"{site.url}{path}" for path in paths)
    return Source(name=plan.name, kind=plan.kind, start_urls=urls, follow=r"/\w+\.html$", delay_s=_DELAY_S)
