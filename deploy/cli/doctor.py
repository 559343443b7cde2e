"""The checks of ``pindna doctor``: each finding states a fact and, if something is wrong, how to mend it.

Servers are asked, never started, and a page of our own is rendered if there is a browser.
"""

import os
from collections.abc import Iterator
from contextlib import closing

from pydantic import BaseModel, SecretStr

from analysis.health import (
    ORDER,
    Finding,
    Workers,
    alert_findings,
    beat_findings,
    missing_works,
    next_scan_words,
    service_findings,
    worker_findings,
    works_findings,
)
from analysis.i18n import gettext as _
from analysis.i18n import ngettext, translator
from deploy.cli.machine import examine_browser, examine_disk
from deploy.cli.session import export, uses_own_services
from deploy.stack import ServiceStatus, status_of
from storage.collections.stores import open_stores
from storage.errors import PindnaError
from storage.settings import Settings
from tracker.indexing.guard import verify
from tracker.queue import Queue
from tracker.runtime import Runtime, open_runtime


def shown_settings(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield every effective setting; secrets are masked, addresses shown without credentials."""
    for section, values in settings:
        yield from _shown(section, values)


def _shown(section: str, values: BaseModel) -> Iterator[tuple[str, str]]:
    for name, value in values:
        if isinstance(value, BaseModel):
            yield from _shown(f"{section}.{name}", value)
        else:
            yield f"{section}.{name}", str(value) if not isinstance(value, SecretStr) else "**********"


def examine(settings: Settings) -> list[Finding]:
    """Return what is wrong, then what a person should look at, then the rest."""
    findings = [examine_disk(settings.storage.data_dir), examine_browser(settings.crawler)]
    if uses_own_services(settings):
        findings += _server_findings(settings)
    else:
        findings += _embedded_findings(settings)
    return sorted(findings, key=lambda finding: ORDER.index(finding.state))


def _embedded_findings(settings: Settings) -> list[Finding]:
    """Examine the embedded services without starting any."""
    try:
        statuses = status_of(settings.storage.data_dir)
    except PindnaError as error:
        return [Finding(_("embedded services"), "wrong", translator().error(error))]
    findings = [_embedded_finding(status) for status in statuses]
    if runs_as_root():
        text = _("pindna runs as root. An ordinary user is enough, and safer.")
        findings.append(Finding(_("user"), "alert", text))
    if any(status.name == "beat" and status.running for status in statuses):
        findings.append(Finding(_("next scan"), "good", next_scan_words(settings.tracker)))
    return findings


def runs_as_root() -> bool:
    """Return whether servers that this process starts may do everything on the machine."""
    return os.geteuid() == 0


def _embedded_finding(status: ServiceStatus) -> Finding:
    """Return what one embedded service is doing."""
    if not status.running:
        return Finding(_(status.title), "idle", _("not running; commands start it when they need it"))
    text = _("{address} (process {pid})").format(address=status.address, pid=status.pid)
    return Finding(_(status.title), "good", text)


def _server_findings(settings: Settings) -> list[Finding]:
    """Examine configured servers, the index and the workers."""
    export(settings)
    texts = translator()
    with closing(open_stores(settings.storage)) as stores:
        findings = service_findings(stores, settings, texts)
        if any(finding.state != "good" for finding in findings):
            return findings
        findings += [*_index_findings(settings), *_worker_findings(settings)]
        return [
            *findings,
            *beat_findings(settings, texts),
            *alert_findings(stores, settings, texts),
        ]


def _worker_findings(settings: Settings) -> list[Finding]:
    with closing(Queue(settings.storage)) as queue:
        return list(worker_findings(Workers(queue), translator()))


def _index_findings(settings: Settings) -> list[Finding]:
    """Examine the index, and count the works that are not in it."""
    what = _("index")
    try:
        with closing(open_runtime(settings)) as runtime:
            works, missing = missing_works(runtime.stores), _missing_passages(runtime)
    except PindnaError as error:
        return [Finding(what, "wrong", translator().error(error))]
    return [_index_finding(missing), *works_findings(works, translator())]


def _missing_passages(runtime: Runtime) -> int | None:
    """Return how many passages the index lacks, None when no work is indexed."""
    if not runtime.stores.works.count("indexed"):
        return None
    return verify(runtime.stores, runtime.redis, runtime.params)


def _index_finding(missing: int | None) -> Finding:
    if missing is None:
        return Finding(_("index"), "idle", _("no work is loaded yet"))
    if missing:
        told = ngettext(
            "{count} passage is missing; the next scan adds it",
            "{count} passages are missing; the next scan adds them",
            missing,
        ).format(count=missing)
        return Finding(_("index"), "alert", told)
    return Finding(_("index"), "good", _("holds every passage of every indexed work"))
