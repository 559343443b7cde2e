"""The checks of ``pindna doctor``: each finding states a fact and, if something is wrong, how to mend it.

Servers are asked, never started, and a page of our own is rendered if there is a browser.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta

from pydantic import BaseModel, SecretStr

from analysis.alerts.source_alerts import alert_words
from analysis.i18n import gettext as _
from analysis.i18n import ngettext, translator
from deploy.cli.findings import ORDER, Finding
from deploy.cli.machine import examine_browser, examine_disk
from deploy.cli.session import export, uses_own_services
from deploy.cli.waiting import missing_works
from deploy.stack import ServiceStatus, status_of
from storage.beats import known_beats
from storage.collections.stores import open_stores
from storage.errors import PindnaError
from storage.records import moment_text, utc_now, zone_of
from storage.redis_client import address_of, index_address_of, ping, ping_cluster
from storage.settings import Settings, TrackerSettings
from tracker.indexing.guard import verify
from tracker.queue import Queue
from tracker.runtime import Runtime, open_runtime
from tracker.scans.calendar import next_scan

_PING_S = 2.0
_BEAT_SILENCE = timedelta(seconds=30)  # it notes itself every five


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
        findings.append(Finding(_("next scan"), "good", _next_scan(settings.tracker)))
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
    stores = open_stores(settings.storage)
    findings = [
        _finding("MongoDB", lambda: f"{stores.address}, {stores.ping()}"),
        _finding("Redis", lambda: f"{address_of(settings.storage)}, {ping(settings.storage)}"),
    ]
    stores.close()
    if settings.storage.index_cluster is not None:
        findings.append(_finding("Redis Cluster", lambda: _cluster(settings)))
    if all(finding.state == "good" for finding in findings):
        findings += [*_index_findings(settings), _workers(settings), *_beats(settings), *_alerts(settings)]
    return findings


def _cluster(settings: Settings) -> str:
    nodes, version = ping_cluster(settings.storage)
    address = index_address_of(settings.storage)
    return _("{address}: {count} nodes, {version}").format(address=address, count=nodes, version=version)


def _finding(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "good", look())
    except PindnaError as error:
        return Finding(what, "wrong", translator().error(error))


def _index_findings(settings: Settings) -> list[Finding]:
    """Examine the index, and count the works that are not in it."""
    what = _("index")
    try:
        with closing(open_runtime(settings)) as runtime:
            works, missing = missing_works(runtime), _missing_passages(runtime)
    except PindnaError as error:
        return [Finding(what, "wrong", translator().error(error))]
    findings = [_index_finding(missing)]
    if works:
        told = ngettext(
            "{count} work is stored and not in the index; `pindna index verify` names it",
            "{count} works are stored and not in the index; `pindna index verify` names them",
            works,
        )
        findings.append(Finding(what, "alert", told.format(count=works)))
    return findings


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


def _alerts(settings: Settings) -> Iterator[Finding]:
    """Yield alerts that did not get through, and those of sources; they need a person, nothing is down."""
    stores = open_stores(settings.storage)
    try:
        if failed := stores.outbox.count("failed"):
            told = ngettext(
                "{count} message did not get through; `pindna alert outbox` says why",
                "{count} messages did not get through; `pindna alert outbox` says why",
                failed,
            )
            yield Finding(_("alerts"), "alert", told.format(count=failed))
        for alert in stores.health.open_alerts():
            what = _("source {name}").format(name=alert.source)
            yield Finding(
                what, "alert", f"{alert_words(translator(), alert)} ({_shown_time(alert.since, settings)})"
            )
    except PindnaError as error:
        yield Finding(_("alerts"), "wrong", translator().error(error))
    finally:
        stores.close()


def _workers(settings: Settings) -> Finding:
    with closing(Queue(settings.storage)) as queue:
        answers = queue.workers(timeout_s=_PING_S)
    if answers:
        return Finding(_("worker"), "good", ", ".join(answers))
    problem = _("none answers; start one with `celery -A tracker worker`")
    return Finding(_("worker"), "wrong", problem)


def _beats(settings: Settings) -> Iterator[Finding]:
    """Yield whether beat runs, and when it opens the next scan."""
    try:
        beats, now = known_beats(settings.storage), utc_now()
    except PindnaError as error:
        yield Finding(_("schedule"), "wrong", translator().error(error))
        return
    running = [beat for beat in beats if now - beat.seen < _BEAT_SILENCE]
    names = ", ".join(beat.name for beat in running)
    if len(running) > 1:
        told = _("{count} run: {names}; each opens every scan, so let only one run")
        yield Finding(_("schedule"), "wrong", told.format(count=len(running), names=names))
    elif running:
        yield Finding(_("schedule"), "good", names)
    else:
        told = _("no beat runs, so no scan begins by itself; start one with `celery -A tracker beat`")
        seen = _("; {name} was last seen {time}") if beats else ""
        last = seen.format(name=beats[0].name, time=_shown_time(beats[0].seen, settings)) if beats else ""
        yield Finding(_("schedule"), "alert", told + last)
    for beat in running[:1]:
        rules = settings.tracker.model_copy(
            update={"scan_schedule": beat.schedule, "timezone": beat.timezone}
        )
        yield Finding(_("next scan"), "good", _next_scan(rules))


def _next_scan(rules: TrackerSettings) -> str:
    """Return when beat opens the next scan."""
    moment = next_scan(rules.scan_schedule, rules.timezone, now=utc_now())
    return f"{moment:%Y-%m-%d %H:%M} ({rules.timezone}; {rules.scan_schedule})"


def _shown_time(moment: datetime, settings: Settings) -> str:
    return moment_text(moment, zone_of(settings.tracker.timezone))
