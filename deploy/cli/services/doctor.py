"""The checks of ``pindna doctor``: each finding states a fact and, if something is wrong, how to fix it.

The checks query servers but never start any. If there is a browser, it renders a page of pindna itself.
"""

import os
from contextlib import closing
from typing import TYPE_CHECKING

from analysis.health.machine import browser_finding, disk_finding
from analysis.health.services import (
    ORDER,
    Finding,
    Workers,
    agreement_findings,
    alert_findings,
    beat_findings,
    missing_works,
    next_scan_words,
    service_findings,
    setting_findings,
    whole_index_finding,
    worker_findings,
    works_findings,
)
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from deploy.cli.console import busy
from deploy.cli.session import export, uses_own_services
from storage.collections.stores import Stores, open_stores
from storage.running.live_settings import LiveSettings
from storage.settings import Settings
from system.errors import PindnaError
from system.extras import importing_extra
from tracker.queue import Queue
from tracker.runtime import open_runtime

if TYPE_CHECKING:
    from deploy.stack import ServiceStatus


def examine(settings: Settings) -> list[Finding]:
    """Return the findings: first the problems, then the warnings, then all others."""
    texts = translator()
    with busy(_("Rendering a page")):
        folder = settings.storage.data_dir
        findings = [disk_finding(folder, texts), browser_finding(settings.crawler, texts, folder=folder)]
    if uses_own_services(settings):
        findings += _server_findings(settings)
    else:
        findings += _embedded_findings(settings)
    return sorted(findings, key=lambda finding: ORDER.index(finding.state))


def _embedded_findings(settings: Settings) -> list[Finding]:
    """Examine the embedded services without starting any."""
    try:
        with importing_extra():
            from deploy.stack import running_settings, status_of  # noqa: PLC0415 - psutil is of an extra
        statuses = status_of(settings.storage.data_dir)
        running = running_settings(settings.storage.data_dir)
    except PindnaError as error:
        return [Finding("embedded", _("embedded services"), "wrong", translator().error(error))]
    findings = [_embedded_finding(status) for status in statuses]
    if runs_as_root():
        text = _("pindna runs as root. An ordinary user is enough, and safer.")
        findings.append(Finding("user", _("user"), "alert", text))
    if running is not None:
        with closing(open_stores(running.storage)) as stores:
            live = _followed(settings, stores)
        settings = live.state.settings
        findings += setting_findings(live, translator())
    if any(status.name == "beat" and status.running for status in statuses):
        findings.append(Finding("next-scan", _("next scan"), "good", next_scan_words(settings.tracker)))
    return findings


def _followed(settings: Settings, stores: Stores) -> LiveSettings:
    """Return the settings with the stored ones, which are already read."""
    live = LiveSettings(settings, stores.stored_settings.get)
    live.follow()
    return live


def runs_as_root() -> bool:
    """Return whether this process runs as root, so that its servers could do everything on the machine."""
    return os.geteuid() == 0


def _embedded_finding(status: "ServiceStatus") -> Finding:
    """Return the finding about one embedded service."""
    if not status.running:
        text = _("not running; commands start the service when they need it")
        return Finding(status.name, _(status.title), "idle", text)
    text = _("{address} (process {pid})").format(address=status.address, pid=status.pid)
    return Finding(status.name, _(status.title), "good", text)


def _server_findings(settings: Settings) -> list[Finding]:
    """Examine configured servers, the index and the workers."""
    export(settings)
    texts = translator()
    with closing(open_stores(settings.storage)) as stores:
        findings = service_findings(stores, settings, texts)
        if any(finding.state != "good" for finding in findings):
            return findings
        findings += _index_findings(settings)
        with closing(Queue(settings.storage)) as queue:
            workers = Workers(queue)
            findings += worker_findings(workers, texts)
            findings += agreement_findings(stores, workers, settings, texts)
        live = _followed(settings, stores)
        return [
            *findings,
            *beat_findings(live.state.settings, texts),
            *alert_findings(stores, settings, texts),
            *setting_findings(live, texts),
        ]


def _index_findings(settings: Settings) -> list[Finding]:
    """Examine the index, and count the works that are not in it."""
    try:
        with closing(open_runtime(settings)) as runtime:
            works = works_findings(missing_works(runtime.stores), translator())
            return [whole_index_finding(runtime, translator()), *works]
    except PindnaError as error:
        return [Finding("index", _("index"), "wrong", translator().error(error))]
