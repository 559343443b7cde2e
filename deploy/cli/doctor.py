"""The checks of ``pindna doctor``: each finding states a fact and, if something is wrong, how to mend it."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from analysis.i18n import gettext as _
from analysis.i18n import translator
from crawler.download.browser.chromium import browser_path, has_driver, has_sandbox
from deploy.cli.session import export, uses_own_services
from deploy.cli.source import alert_line
from deploy.stack import status_of
from storage.collections.stores import open_stores
from storage.errors import PindnaError
from storage.redis_client import address_of, index_address_of, ping, ping_cluster
from storage.settings import Settings
from tracker.indexing.guard import verify
from tracker.queue import Queue
from tracker.runtime import open_runtime

_MIN_FREE_BYTES = 1 << 30
_PING_S = 2.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined.

    ``idle`` means not running and not needed now, ``alert`` that a person should look.
    """

    what: str
    state: Literal["good", "idle", "alert", "wrong"]
    text: str


def shown_settings(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield every effective setting; secrets are masked, addresses shown without credentials."""
    for section, values in settings:
        for name, value in values:
            yield f"{section}.{name}", str(value) if not isinstance(value, SecretStr) else "**********"


def examine(settings: Settings) -> list[Finding]:
    """Return what is reachable and what is wrong."""
    own = uses_own_services(settings)
    findings = [_disk(settings.storage.data_dir), _browser(settings)]
    if own:
        findings += _server_findings(settings)
    else:
        findings += _embedded_findings(settings)
    return findings


def _embedded_findings(settings: Settings) -> list[Finding]:
    """Examine the embedded services without starting any."""
    try:
        statuses = status_of(settings.storage.data_dir)
    except PindnaError as error:
        return [Finding(_("embedded services"), "wrong", translator().error(error))]
    return [
        Finding(status.title, "good", f"{status.address} ({_('process')} {status.pid})")
        if status.running
        else Finding(status.title, "idle", _("not running; commands start it when they need it"))
        for status in statuses
    ]


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
        findings += [_finding(_("index"), lambda: _index(settings)), _workers(settings), *_alerts(settings)]
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


def _index(settings: Settings) -> str:
    runtime = open_runtime(settings)
    try:
        if not runtime.stores.works.count("indexed"):
            return _("no work is loaded yet")
        missing = verify(runtime.stores, runtime.redis, runtime.params)
        if not missing:
            return _("holds every passage of every indexed work")
        return _("{count} passages are missing; the next scan adds them").format(count=missing)
    finally:
        runtime.close()


def _alerts(settings: Settings) -> Iterator[Finding]:
    """Yield the open alerts of sources; they need a person, but nothing is down."""
    stores = open_stores(settings.storage)
    try:
        for alert in stores.health.open_alerts():
            what = _("source {name}").format(name=alert.source)
            yield Finding(what, "alert", f"{alert_line(alert)} ({alert.since:%Y-%m-%d %H:%M})")
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


def _browser(settings: Settings) -> Finding:
    """Return whether sources can be rendered; nothing else needs a browser."""
    path, configured = browser_path(settings.crawler), settings.crawler.browser_path
    if configured is not None and path is None:
        return Finding(_("browser"), "wrong", _("{path} is no program").format(path=configured))
    if not has_driver():
        note = _("the extra is not installed; pip install 'pindna[browser]' adds it, for sources with render")
        return Finding(_("browser"), "idle", note)
    if path is None:
        note = _("none is installed; sources with render need one, such as chromium")
        return Finding(_("browser"), "idle", note)
    if not has_sandbox():
        note = _("{path} runs without its sandbox as root; crawl as another user, for sources with render")
        return Finding(_("browser"), "alert", note.format(path=path))
    return Finding(_("browser"), "good", str(path))


def _disk(folder: Path) -> Finding:
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if not there.is_dir() or not os.access(there, os.W_OK):
        return Finding(_("disk"), "wrong", _("{folder} cannot be written").format(folder=there))
    space = _("{gigabytes:.1f} GB free in {folder}").format(gigabytes=free / 2**30, folder=folder)
    return Finding(_("disk"), "good" if free > _MIN_FREE_BYTES else "wrong", space)
