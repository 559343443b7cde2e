"""``pindna demo``: run all steps on sample data, and compare every verdict with the expected one."""

import json
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.managing import Manager
from analysis.accounts.permissions import Identity
from analysis.actions.loading import add_works
from analysis.actions.sources import save_source
from analysis.queries.sources import every_source
from analysis.words.i18n import N_, translator
from analysis.words.i18n import gettext as _
from analysis.words.labels import VERDICTS, word
from deploy.cli.backup.upgrade import bring_up_to_date
from deploy.cli.console import print_progress, print_result, print_table
from deploy.cli.demo.demo_case import show_case
from deploy.cli.files import write
from deploy.cli.identity import terminal_identity
from deploy.cli.report.report_files import render_report
from deploy.cli.scan.scan import run_scans, show_scan
from deploy.cli.services.serve import require_libraries, require_safe, serve_console
from deploy.cli.session import export, watching
from deploy.demo.layout import SiteName
from deploy.demo.plan import DemoPage, licences, plan, sources
from deploy.demo.samples import MOTHER_CORPUS
from deploy.demo.sites import RunningSites, start_sites
from deploy.stack import embedded_stack
from storage.collections.stores import open_stores
from storage.records import SYSTEM, Scan, Verdict
from storage.settings import Settings, load_settings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.corpus.loading import Terms
from tracker.corpus.reading import read_works
from tracker.runtime import Runtime, open_runtime

_TITLE_CHARS = 8
_DISGUISES = {
    "none": N_("no copy"),
    "verbatim": N_("verbatim"),
    "edited": N_("a tenth edited"),
    "homophones": N_("homophones"),
    "traditional": N_("traditional characters"),
    "shuffled": N_("sentences shuffled"),
    "adverts": N_("adverts inserted"),
    "mixed": N_("homophones and edits"),
    "half": N_("half a page"),
    "quotation": N_("quotation"),
}
# Settings of the demo: the sample sites are on this machine, so requests need no delay.
_ENVIRONMENT = {"PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]', "PINDNA_CRAWLER__DELAY_S": "0"}


_ACCOUNT = "demo"
_PASSWORD_BYTES = 12
_CONFIRM_S = 1.0  # time between the two looks after which a page is gone; normally an hour


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scan's verdict of a sample page."""

    page: DemoPage
    verdict: Verdict | None
    work: str | None

    @property
    def agrees(self) -> bool:
        """Return whether the verdict is the expected one."""
        return self.verdict == self.page.expected and self.work == self.page.work


def demo(
    *,
    data_dir: Annotated[
        Path | None, typer.Option(help=_("Data folder; default: the folder “demo” in the usual data folder."))
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help=_("Then serve the console with the results, until Ctrl-C."))
    ] = False,
) -> None:
    """Run the demo; the exit status is 0 only if every sample page got the expected verdict."""
    if serve:
        require_libraries()
        require_safe(load_settings().analysis.server)
    folder = (data_dir or load_settings().storage.data_dir / "demo").expanduser().resolve()
    settings = load_settings(
        storage={"mongo_url": None, "redis_url": None},
        analysis={
            "notices": {"folder": folder / "notices"},
            "evidence": {"folder": folder / "evidence"},
            "watch": {"confirm_s": _CONFIRM_S},
        },
    )
    upgrade_samples(folder, settings)
    with (
        embedded_stack(folder, worker=True, settings=settings, env=_ENVIRONMENT) as stack,
        start_sites(ports=_known_ports(folder)) as sites,
    ):
        export(stack.settings, _ENVIRONMENT)
        _remember_ports(folder, sites)
        with watching(stack):
            is_right = _run_demo(stack.settings, sites, folder)
            if serve:
                _serve(stack.settings)
    if not is_right:
        raise typer.Exit(ExitStatus.FOUND)


def upgrade_samples(folder: Path, settings: Settings) -> None:
    """Upgrade the folder of an earlier demo, without a backup.

    Raises:
        NewerSchema: the folder is a later version's.
    """
    if not folder.exists():
        return
    with (
        embedded_stack(folder, settings=settings) as stack,
        closing(open_stores(stack.settings.storage)) as stores,
    ):
        if stores.older_schema():
            bring_up_to_date(stores, stack.settings)


def _run_demo(settings: Settings, sites: RunningSites, folder: Path) -> bool:
    """Load the works, scan the sites, write the report, and follow one case; return whether all succeeded."""
    runtime = open_runtime(settings)
    try:
        print_progress(_("Loading the sample works."))
        identity = terminal_identity(settings)
        _load(identity, runtime, sites)
        context = {
            view.source.name: view.source for view in every_source(identity, runtime.stores, settings.tracker)
        }
        for source in sources(sites.base_urls):
            save_source(identity, runtime, source, previous=context.get(source.name))
        closed = run_scans(identity, runtime, [source.name for source in sources(sites.base_urls)])[-1]
        show_scan(identity, runtime, closed)
        path = folder / "report.html"
        write(path, render_report(runtime, scan_id=closed.id))
        outcomes = _outcomes(runtime, closed, sites)
        _show(outcomes)
        print_result(_("The report is in {path}.").format(path=path))
        is_removed = show_case(runtime, sites, folder)
        return is_removed and all(outcome.agrees for outcome in outcomes)
    finally:
        runtime.close()


def _serve(settings: Settings) -> None:
    """Serve the console with the results of the demo, and print the password of its account."""
    runtime = open_runtime(settings)
    try:
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        manager = Manager(runtime.stores, SYSTEM)
        if runtime.stores.accounts.find(_ACCOUNT) is None:
            manager.add(_ACCOUNT, role="administrator", password=password)
        else:
            manager.reset(_ACCOUNT, password)
            manager.enable(_ACCOUNT)
        print_result(_("Sign in as {name} with {password}").format(name=_ACCOUNT, password=password))
        serve_console(runtime)
    finally:
        runtime.close()


def _load(identity: Identity, runtime: Runtime, sites: RunningSites) -> None:
    """Store the sample works with the licences of the licensed site."""
    allowed = licences(sites.base_urls)
    for path in MOTHER_CORPUS:
        for raw in read_works(path):
            if isinstance(raw, PindnaError):
                raise raw
            terms = Terms("pindna", allowed.get(raw.title, ()))
            add_works(identity, runtime, [raw], terms)


def _outcomes(runtime: Runtime, closed: Scan, sites: RunningSites) -> list[Outcome]:
    """Return the verdict of every sample page, including pages that the scan missed."""
    pages = {page.url: page for page in runtime.stores.pages.of_scan(closed.id) if page.verdict}
    outcomes = []
    for sample in plan():
        page = pages.get(sites.base_urls[sample.site] + sample.path)
        matches = runtime.stores.matches.of_page(page.id) if page else []
        verdict = page.verdict if page else None
        outcomes.append(Outcome(sample, verdict, matches[0].work_title if matches else None))
    return outcomes


def _show(outcomes: list[Outcome]) -> None:
    headers = _("page"), _("disguise"), _("expected"), _("actual"), ""
    print_table(headers, map(_cells, outcomes))
    agreeing = sum(outcome.agrees for outcome in outcomes)
    print_result(
        _("{agreeing} of {total} pages have the expected verdict.").format(
            agreeing=agreeing, total=len(outcomes)
        )
    )


def _cells(outcome: Outcome) -> tuple[str, ...]:
    texts, page = translator(), outcome.page
    expected = f"{word(texts, VERDICTS, page.expected)} {shorten(page.work or '')}"
    verdict = word(texts, VERDICTS, outcome.verdict) if outcome.verdict else _("not compared")
    result = f"{verdict} {shorten(outcome.work or '')}"
    mark = "✓" if outcome.agrees else "✗"
    return f"{page.site}{page.path}", word(texts, _DISGUISES, page.disguise), expected, result, mark


def shorten(title: str) -> str:
    """Shorten a title to fit into a cell of a table."""
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "…"


def _known_ports(folder: Path) -> Mapping[SiteName, int] | None:
    """Return the ports of an earlier run, so that pages keep their addresses."""
    path = folder / "sites.json"
    ports: Mapping[SiteName, int] | None = None
    if path.is_file():
        ports = json.loads(path.read_text(encoding="utf-8"))
    return ports


def _remember_ports(folder: Path, sites: RunningSites) -> None:
    (folder / "sites.json").write_text(json.dumps(sites.ports), encoding="utf-8")
