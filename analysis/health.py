"""Whether the services that pindna works on are well: asked, never started or mended.

`pindna doctor` and the first page of the console tell these findings; each states a fact and, where something
is wrong, how to mend it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from analysis.alerts.source_alerts import alert_words
from analysis.i18n import Translator
from storage.beats import known_beats
from storage.collections.stores import Stores
from storage.collections.walking import Run
from storage.errors import PindnaError
from storage.index.redis_index import RedisIndex
from storage.records import moment_text, utc_now, zone_of
from storage.redis_client import address_of, index_address_of, ping, ping_cluster
from storage.settings import Settings, TrackerSettings
from tracker.indexing.guard import verify
from tracker.queue import Queue
from tracker.queues import QUEUES
from tracker.runtime import Runtime
from tracker.scans.calendar import next_scan

State = Literal["good", "idle", "alert", "wrong"]
ORDER: tuple[State, ...] = ("wrong", "alert", "good", "idle")
_INDEXED = Run({"status": "indexed"}, (("name", 1), ("_id", 1)))
_PING_S = 2.0
_KNOWN_S = 15.0  # that the answers of workers are known for
_BEAT_SILENCE = timedelta(seconds=30)  # it notes itself every five


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined.

    ``idle`` means not running and not needed now, ``alert`` that a person should look.
    """

    what: str
    state: State
    text: str


class Workers:
    """The workers that answer; asked once for all who want to know within a few seconds.

    Args:
        queue: that leads to them.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._lock = threading.Lock()
        self._queues: dict[str, frozenset[str]] = {}
        self._until = 0.0

    def queues(self) -> dict[str, frozenset[str]]:
        """Return the workers that answered of late, and what each takes from; this may take two seconds.

        Raises:
            ServiceDown: the queue does not answer.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                self._queues = self._queue.taken_by(timeout_s=_PING_S)
                self._until = time.monotonic() + _KNOWN_S
            return self._queues


def service_findings(stores: Stores, settings: Settings, texts: Translator) -> list[Finding]:
    """Return whether the databases answer."""
    findings = [
        _finding("MongoDB", texts, lambda: f"{stores.address}, {stores.ping()}"),
        _finding("Redis", texts, lambda: f"{address_of(settings.storage)}, {ping(settings.storage)}"),
    ]
    if settings.storage.index_cluster is not None:
        findings.append(_finding("Redis Cluster", texts, lambda: _cluster(settings, texts)))
    return findings


def _cluster(settings: Settings, texts: Translator) -> str:
    nodes, version = ping_cluster(settings.storage)
    address = index_address_of(settings.storage)
    told = texts.gettext("{address}: {count} nodes, {version}")
    return told.format(address=address, count=nodes, version=version)


def _finding(what: str, texts: Translator, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "good", look())
    except PindnaError as error:
        return Finding(what, "wrong", texts.error(error))


def index_finding(runtime: Runtime, texts: Translator) -> Finding:
    """Return whether the index is there, is that of this database, and knows its corpus.

    Whether every passage is in it, `pindna doctor` and the next scan look up; here nothing is read through.
    """
    what, stores = texts.gettext("index"), runtime.stores
    try:
        index = RedisIndex.live(runtime.redis, runtime.params.params_ids, corpus=stores.versions.corpus_id())
        if not stores.versions.knows(*index.caught_up):
            told = texts.gettext("is not of this state of the database; the next scan builds it anew")
            return Finding(what, "alert", told)
        return Finding(what, "good", texts.gettext("is there and knows the works of this database"))
    except PindnaError as error:
        if not stores.lists.works([_INDEXED], after=None, limit=1).records:
            return Finding(what, "idle", texts.gettext("no work is loaded yet"))
        return Finding(what, "wrong", texts.error(error))


def whole_index_finding(runtime: Runtime, texts: Translator) -> Finding:
    """Return whether every passage of every indexed work is in the index; all of them are read.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    what = texts.gettext("index")
    if not runtime.stores.works.count("indexed"):
        return Finding(what, "idle", texts.gettext("no work is loaded yet"))
    try:
        missing = verify(runtime.stores, runtime.redis, runtime.params)
    except PindnaError as error:
        return Finding(what, "wrong", texts.error(error))
    if missing:
        told = texts.ngettext(
            "{count} passage is missing; the next scan adds it",
            "{count} passages are missing; the next scan adds them",
            missing,
        )
        return Finding(what, "alert", told.format(count=missing))
    return Finding(what, "good", texts.gettext("holds every passage of every indexed work"))


def missing_works(stores: Stores) -> int:
    """Return how many works no comparison takes into account now.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    return stores.works.count("stored") + stores.works.count("failed")


def works_findings(works: int, texts: Translator) -> Iterator[Finding]:
    """Yield that some works are stored and not in the index."""
    if works:
        told = texts.ngettext(
            "{count} work is stored and not in the index; `pindna index verify` names it",
            "{count} works are stored and not in the index; `pindna index verify` names them",
            works,
        )
        yield Finding(texts.gettext("index"), "alert", told.format(count=works))


def worker_findings(workers: Workers, texts: Translator) -> Iterator[Finding]:
    """Yield which workers answer, and that nobody takes from some queues."""
    what = texts.gettext("worker")
    try:
        answers = workers.queues()
    except PindnaError as error:
        yield Finding(what, "wrong", texts.error(error))
        return
    if not answers:
        problem = texts.gettext("none answers; start one with `celery -A tracker worker`")
        yield Finding(what, "wrong", problem)
        return
    yield Finding(what, "good", ", ".join(sorted(answers)))
    left = [name for name in QUEUES if not any(name in taken for taken in answers.values())]
    if left:
        told = texts.gettext(
            "none takes from {names}; start one with `celery -A tracker worker -Q {queues}`, or without -Q"
        )
        yield Finding(what, "wrong", told.format(names=", ".join(left), queues=",".join(left)))


def beat_findings(settings: Settings, texts: Translator) -> Iterator[Finding]:
    """Yield whether beat runs, and when it opens the next scan."""
    what = texts.gettext("schedule")
    try:
        beats, now = known_beats(settings.storage), utc_now()
    except PindnaError as error:
        yield Finding(what, "wrong", texts.error(error))
        return
    running = [beat for beat in beats if now - beat.seen < _BEAT_SILENCE]
    names = ", ".join(beat.name for beat in running)
    if len(running) > 1:
        told = texts.gettext("{count} run: {names}; what they send for is done once")
        yield Finding(what, "good", told.format(count=len(running), names=names))
    elif running:
        yield Finding(what, "good", names)
    else:
        told = texts.gettext(
            "no beat runs, so no scan begins by itself; start one with `celery -A tracker beat`"
        )
        seen = texts.gettext("; {name} was last seen {time}") if beats else ""
        last = seen.format(name=beats[0].name, time=_shown_time(beats[0].seen, settings)) if beats else ""
        yield Finding(what, "alert", told + last)
    for beat in running[:1]:
        rules = settings.tracker.model_copy(
            update={"scan_schedule": beat.schedule, "timezone": beat.timezone}
        )
        yield Finding(texts.gettext("next scan"), "good", next_scan_words(rules))


def next_scan_words(rules: TrackerSettings) -> str:
    """Return when beat opens the next scan."""
    moment = next_scan(rules.scan_schedule, rules.timezone, now=utc_now())
    return f"{moment:%Y-%m-%d %H:%M} ({rules.timezone}; {rules.scan_schedule})"


def alert_findings(stores: Stores, settings: Settings, texts: Translator) -> Iterator[Finding]:
    """Yield alerts that did not get through, and those of sources; they need a person, nothing is down."""
    try:
        if failed := stores.outbox.count("failed"):
            told = texts.ngettext(
                "{count} message did not get through; `pindna alert outbox` says why",
                "{count} messages did not get through; `pindna alert outbox` says why",
                failed,
            )
            yield Finding(texts.gettext("alerts"), "alert", told.format(count=failed))
        for alert in stores.health.open_alerts():
            what = texts.gettext("source {name}").format(name=alert.source)
            words = f"{alert_words(texts, alert)} ({_shown_time(alert.since, settings)})"
            yield Finding(what, "alert", words)
    except PindnaError as error:
        yield Finding(texts.gettext("alerts"), "wrong", texts.error(error))


def _shown_time(moment: datetime, settings: Settings) -> str:
    return moment_text(moment, zone_of(settings.tracker.timezone))
