"""Metrics of the whole installation, which Prometheus reads from the console.

A worker serves its own metrics (:mod:`tracker.metrics`). The state of the databases is the same
wherever it is read, so it is served once, here. Every number comes from an index, a counter or a key; nothing
that grows is read through. A service that does not answer is reported as such, and its metrics are
left out.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from cryptography import x509
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import AlertKind, Source, SourceHealth, utc_now
from storage.running.beats import list_beats
from storage.servers.redis_client import clock_ahead_s, list_lengths, ping
from system.errors import IndexUnusable, PindnaError, ServiceDown
from tracker.indexing.guard import live_index
from tracker.metrics import machine_metrics
from tracker.queues import EARLIER, QUEUES
from tracker.runtime import Runtime

log = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_KNOWN_S = 10.0  # lifetime of the cached metrics
_STATUSES = ("stored", "indexed", "failed")


class InstallationMetrics:
    """The metrics of an installation, which are read at most once in ten seconds.

    Args:
        runtime: the open services.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_InstallationCollector(runtime))
        self._lock = Lock()
        self._text, self._until = b"", 0.0

    def text(self, identity: Identity) -> bytes:
        """Return all metrics in Prometheus's text format.

        Raises:
            NotPermitted: the user may not read metrics. Rights holders never may.
        """
        identity.require("metrics:read")
        with self._lock:
            if time.monotonic() >= self._until:
                self._text = generate_latest(self._registry)
                self._until = time.monotonic() + _KNOWN_S
            return self._text


class _InstallationCollector(Collector):
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: registering this would otherwise query all services."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of the installation."""
        runtime = self._runtime
        yield from machine_metrics(runtime.settings.storage.data_dir)
        yield from _certificate_metrics(runtime.settings.analysis.server.certificate)
        is_up = {
            "mongodb": _does_answer(runtime.stores.ping),
            "redis": _does_answer(lambda: ping(runtime.settings.storage)),
        }
        if is_up["mongodb"]:
            yield from _all_or_none(lambda: _store_metrics(runtime.stores))
        if is_up["redis"]:
            yield from _all_or_none(lambda: _queue_metrics(runtime))
        if all(is_up.values()):
            is_up["index"] = False
            for metric in _all_or_none(lambda: _index_metrics(runtime)):
                is_up["index"] = True
                yield metric
        meaning = "Whether a service can be used; the index must exist and belong to the database."
        up = GaugeMetricFamily("pindna_service_up", meaning, labels=["service"])
        for service, answers in is_up.items():
            up.add_metric([service], float(answers))
        yield up


def _does_answer(ask: Callable[[], object]) -> bool:
    with suppress(PindnaError):
        ask()
        return True
    return False


def _all_or_none(metrics: Callable[[], Iterator[Metric]]) -> list[Metric]:
    """Return the metrics of a service; none if it stops answering."""
    try:
        return list(metrics())
    except (IndexUnusable, ServiceDown):
        return []
    except PindnaError as error:
        log.warning("metrics are incomplete: %s", error)
        return []


def _certificate_metrics(path: Path | None) -> Iterator[Metric]:
    """Yield the remaining lifetime of the console's certificate; a proxy's certificate is unknown here."""
    remaining = None
    if path is not None:
        try:
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
            remaining = (certificate.not_valid_after_utc - utc_now()).total_seconds()
        except (OSError, ValueError) as error:
            log.warning("the certificate %s cannot be read: %s", path, error)
    meaning = "Seconds until the certificate of the console ends."
    yield GaugeMetricFamily("pindna_certificate_left_seconds", meaning, value=remaining)


def _store_metrics(stores: Stores) -> Iterator[Metric]:
    now, running = utc_now(), stores.scans.running()
    yield GaugeMetricFamily("pindna_scans_running", "Scans that are not finished.", value=len(running))
    last = _last_scheduled(stores)
    age = None if last is None else now - last
    yield _age_gauge(
        "pindna_last_scan_age_seconds",
        "Seconds since a daily scan finished last, or one by hours where all sources have hours.",
        age,
    )
    waiting = [
        now - max(since, scan.started)
        for scan in running
        if (since := stores.pages.oldest_waiting(scan.id)) is not None
    ]
    meaning = "Seconds that the oldest page of a running scan waits for its comparison; 0: none waits."
    yield _age_gauge("pindna_oldest_waiting_page_seconds", meaning, max(waiting, default=timedelta(0)))
    works = GaugeMetricFamily("pindna_works", "Works, by whether they are in the index.", labels=["status"])
    for status in _STATUSES:
        works.add_metric([status], stores.works.count(status))
    yield works
    yield from _source_metrics(stores)
    meaning = "Messages of alerts that did not get through."
    yield GaugeMetricFamily("pindna_alert_messages_failed", meaning, value=stores.outbox.count("failed"))


def _last_scheduled(stores: Stores) -> datetime | None:
    """Return when the last daily scan ended. If all sources have hours, scans by hours count too."""
    ends = [stores.scans.last_end(trigger="schedule")]
    if all(source.hours for source in stores.sources.all() if source.enabled):
        ends.append(stores.scans.last_end(trigger="hours"))
    return max((end for end in ends if end is not None), default=None)


def _source_metrics(stores: Stores) -> Iterator[Metric]:
    """Yield the number of sources by state; `pindna doctor` lists the failing ones."""
    sources, health, now = stores.sources.all(), stores.health.all(), utc_now()
    alerts = stores.health.open_alerts()
    failing = {alert.source for alert in alerts}
    counts = Counter(
        {
            "enabled": sum(source.enabled for source in sources),
            "paused": sum(_is_paused(source, health, now) for source in sources),
            "failing": sum(source.enabled and source.name in failing for source in sources),
        }
    )
    meaning = "Sources that are enabled; of these, those that pause, and those with an open alert."
    shown = GaugeMetricFamily("pindna_sources", meaning, labels=["state"])
    for state, number in counts.items():
        shown.add_metric([state], number)
    yield shown
    kinds = Counter[AlertKind](alert.kind for alert in alerts)
    by_kind = GaugeMetricFamily("pindna_source_alerts", "Open alerts of sources, by kind.", labels=["kind"])
    for kind, number in sorted(kinds.items()):
        by_kind.add_metric([kind], number)
    yield by_kind


def _is_paused(source: Source, health: dict[str, SourceHealth], now: datetime) -> bool:
    paused = health[source.name].paused_until if source.name in health else None
    return source.enabled and paused is not None and paused > now


def _queue_metrics(runtime: Runtime) -> Iterator[Metric]:
    lengths = GaugeMetricFamily("pindna_queue_messages", "Messages that wait in a queue.", labels=["queue"])
    for name, length in list_lengths(runtime.settings.storage, (*QUEUES, EARLIER)).items():
        lengths.add_metric([name], length)
    yield lengths
    storage = runtime.settings.storage
    beats, ahead_s = list_beats(storage), clock_ahead_s(storage)  # use the clock that beats use
    now = utc_now() + timedelta(seconds=ahead_s)
    age = now - beats[0].seen if beats else None
    yield _age_gauge("pindna_beat_age_seconds", "Seconds since any beat sent its message last.", age)


def _index_metrics(runtime: Runtime) -> Iterator[Metric]:
    size = live_index(runtime.stores, runtime.redis, runtime.params).size()
    meaning = "Postings that were put into the index in use."
    yield GaugeMetricFamily("pindna_index_postings", meaning, value=size.postings)
    meaning = "Bytes of memory that the servers of the index use, for all that they hold."
    yield GaugeMetricFamily("pindna_index_bytes", meaning, value=size.memory_bytes)


def _age_gauge(name: str, meaning: str, age: timedelta | None) -> Metric:
    """Return a gauge of seconds; without a value if ``age`` is None, so that its name is still known."""
    return GaugeMetricFamily(name, meaning, value=None if age is None else max(0.0, age.total_seconds()))
