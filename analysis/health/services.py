"""Check the services that pindna uses; never start or repair them.

`pindna doctor` and the first page of the console show these findings. Each states a fact, and how to fix it
if something is wrong.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from analysis.alerts.source_alerts import alert_words
from analysis.words.i18n import Translator
from storage.collections.keyset import IndexRun
from storage.collections.schema import VERSION as VERSION_OF_SCHEMA
from storage.collections.schema import HalfRestored, NewerSchema
from storage.collections.stores import Stores
from storage.index.upkeep import refuse_evicting
from storage.records import moment_text, utc_now, zone_of
from storage.running.beats import list_beats
from storage.running.live_settings import LiveSettings, decrypted_secret
from storage.servers.redis_client import (
    address_of,
    clock_ahead_s,
    index_address_of,
    open_index,
    open_redis,
    ping,
    ping_cluster,
)
from storage.settings import Settings, TrackerSettings
from system.errors import OvertakenIndex, PindnaError
from system.version import VERSION
from tracker.indexing.guard import live_index, verify
from tracker.queue import Queue, WorkerState
from tracker.queues import QUEUES
from tracker.runtime import Runtime
from tracker.scans.calendar import next_scan

State = Literal["good", "idle", "alert", "wrong"]
ORDER: tuple[State, ...] = ("wrong", "alert", "good", "idle")
_INDEXED = IndexRun({"status": "indexed"}, (("name", 1), ("_id", 1)))
_PING_S = 2.0
_KNOWN_S = 15.0  # lifetime of the workers' answers
_MAX_AHEAD_S = 2.0  # tolerated difference of a clock
_BEAT_SILENCE = timedelta(seconds=30)  # beat counts as stopped after this time; it reports every five seconds


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    ``idle`` means not running and not needed now; ``alert`` means that a user should look at it.

    Attributes:
        check: name of the check for programs.
        what: name of the check for users.
        subject: the source, server, worker or beat, if the check covers several.
    """

    check: str
    what: str
    state: State
    text: str
    subject: str = ""


class Workers:
    """The workers that answer, cached for a few seconds for all callers.

    Args:
        queue: the queue that reaches them.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._lock = threading.Lock()
        self._states: dict[str, WorkerState] = {}
        self._until = 0.0

    def states(self) -> dict[str, WorkerState]:
        """Return the states of the workers that answered recently; this may take two seconds.

        Raises:
            ServiceDown: the queue does not answer.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                self._states = self._queue.states(timeout_s=_PING_S)
                self._until = time.monotonic() + _KNOWN_S
            return self._states


def service_findings(stores: Stores, settings: Settings, texts: Translator) -> list[Finding]:
    """Check whether the databases answer, are configured to persist data, and have this schema."""
    findings = [
        _make_finding("mongodb", "MongoDB", texts, lambda: f"{stores.address}, {stores.ping()}"),
        _make_finding("redis", "Redis", texts, lambda: _check_redis(settings)),
    ]
    if findings[0].state == "good":
        findings.append(
            _make_finding("schema", texts.gettext("schema"), texts, lambda: _check_schema(stores))
        )
        findings.append(
            _make_finding(
                "rights", texts.gettext("rights in MongoDB"), texts, lambda: _check_permissions(stores, texts)
            )
        )
    if settings.storage.index_cluster is not None:
        findings.append(
            _make_finding("redis-cluster", "Redis Cluster", texts, lambda: _check_cluster(settings, texts))
        )
    return findings


def _check_redis(settings: Settings) -> str:
    version = ping(settings.storage)
    with closing(open_redis(settings.storage)) as client:
        refuse_evicting(client)
    return f"{address_of(settings.storage)}, {version}"


def _check_schema(stores: Stores) -> str:
    stores.require_schema()
    return str(VERSION_OF_SCHEMA)


def _check_permissions(stores: Stores, texts: Translator) -> str:
    with suppress(NewerSchema, HalfRestored):  # reported by separate checks
        stores.require_rights()
    if stores.may_change_collections():
        return texts.gettext("enough for every command")
    return texts.gettext("enough for daily work; upgrades and restores need the role dbAdmin")


def _check_cluster(settings: Settings, texts: Translator) -> str:
    nodes, version = ping_cluster(settings.storage)
    with closing(open_index(settings.storage)) as client:
        refuse_evicting(client)
    address = index_address_of(settings.storage)
    line = texts.gettext("{address}: {count} nodes, {version}")
    return line.format(address=address, count=nodes, version=version)


def _make_finding(check: str, what: str, texts: Translator, look: Callable[[], str]) -> Finding:
    try:
        return Finding(check, what, "good", look())
    except PindnaError as error:
        return Finding(check, what, "wrong", texts.error(error))


def index_finding(runtime: Runtime, texts: Translator) -> Finding:
    """Check whether the index exists, belongs to this database, and matches its corpus.

    This reads only summaries; `pindna doctor` and the next scan check every passage.
    """
    what, stores = texts.gettext("index"), runtime.stores
    try:
        live_index(stores, runtime.redis, runtime.params)
        return Finding("index", what, "good", texts.gettext("matches the works of this database"))
    except OvertakenIndex:
        line = texts.gettext("does not match the database; the next scan rebuilds it")
        return Finding("index", what, "alert", line)
    except PindnaError as error:
        if not stores.lists.works([_INDEXED], after=None, limit=1).records:
            return Finding("index", what, "idle", texts.gettext("no works have been added yet"))
        return Finding("index", what, "wrong", texts.error(error))


def whole_index_finding(runtime: Runtime, texts: Translator) -> Finding:
    """Check whether every passage of every indexed work is in the index, by reading all of them."""
    what = texts.gettext("index")
    if not runtime.stores.works.count("indexed"):
        return Finding("index", what, "idle", texts.gettext("no works have been added yet"))
    try:
        missing = verify(runtime.stores, runtime.redis, runtime.params)
    except PindnaError as error:
        return Finding("index", what, "wrong", texts.error(error))
    if missing:
        line = texts.ngettext(
            "{count} passage is missing; the next scan adds it",
            "{count} passages are missing; the next scan adds them",
            missing,
        )
        return Finding("index", what, "alert", line.format(count=missing))
    return Finding("index", what, "good", texts.gettext("contains every passage of every indexed work"))


def missing_works(stores: Stores, *, owners: Collection[str] | None = None) -> int:
    """Return the number of works that comparisons do not include now.

    Args:
        stores: the database.
        owners: ids of the holders whose works count; None: all.
    """
    return sum(stores.works.count(status, owners=owners) for status in ("stored", "failed"))


def works_findings(works: int, texts: Translator) -> Iterator[Finding]:
    """Yield a finding if stored works are not in the index."""
    if works:
        line = texts.ngettext(
            "{count} work is stored but not in the index",
            "{count} works are stored but not in the index",
            works,
        )
        line += texts.gettext("; for a list, run `pindna index verify`")
        yield Finding("index", texts.gettext("index"), "alert", line.format(count=works))


def worker_findings(workers: Workers, texts: Translator) -> Iterator[Finding]:
    """Yield the workers that answer, and queues without a worker."""
    what = texts.gettext("worker")
    try:
        answers = workers.states()
    except PindnaError as error:
        yield Finding("worker", what, "wrong", texts.error(error))
        return
    if not answers:
        problem = texts.gettext("no worker answers; start one with `celery -A tracker worker`")
        yield Finding("worker", what, "wrong", problem)
        return
    yield Finding("worker", what, "good", ", ".join(sorted(answers)))
    unserved = [name for name in QUEUES if not any(name in state.queues for state in answers.values())]
    if unserved and all(
        state.version for state in answers.values()
    ):  # workers of an earlier version report no queues
        line = texts.gettext(
            "no worker serves the queues {names}; start one with `celery -A tracker worker -Q "
            "{queues}`, or without -Q"
        )
        yield Finding(
            "worker", what, "wrong", line.format(names=", ".join(unserved), queues=",".join(unserved))
        )


def beat_findings(settings: Settings, texts: Translator) -> Iterator[Finding]:
    """Yield whether beat runs, and when it starts the next scan."""
    what = texts.gettext("schedule")
    try:
        beats = list_beats(settings.storage)
        now = utc_now() + timedelta(seconds=clock_ahead_s(settings.storage))  # use the clock that beats use
    except PindnaError as error:
        yield Finding("schedule", what, "wrong", texts.error(error))
        return
    running = [beat for beat in beats if now - beat.seen < _BEAT_SILENCE]
    names = ", ".join(beat.name for beat in running)
    if len(running) > 1:
        line = texts.gettext("{count} are running: {names}; each task is still started only once")
        yield Finding("schedule", what, "good", line.format(count=len(running), names=names))
    elif running:
        yield Finding("schedule", what, "good", names)
    else:
        line = texts.gettext(
            "beat is not running, so scans do not start automatically; start it with `celery -A tracker beat`"
        )
        last_seen = texts.gettext("; {name} last reported at {time}") if beats else ""
        last = (
            last_seen.format(name=beats[0].name, time=_shown_time(beats[0].seen, settings)) if beats else ""
        )
        yield Finding("schedule", what, "alert", line + last)
    if running:
        line = texts.gettext("{time}, {seconds:.0f} s ago")
        age = max(0.0, (now - beats[0].seen).total_seconds())
        shown = line.format(time=_shown_time(beats[0].seen, settings), seconds=age)
        yield Finding("last-tick", texts.gettext("last tick"), "good", shown)
    for beat in running[:1]:
        rules = settings.tracker.model_copy(
            update={"scan_schedule": beat.schedule, "timezone": beat.timezone}
        )
        yield Finding("next-scan", texts.gettext("next scan"), "good", next_scan_words(rules))


def agreement_findings(
    stores: Stores, workers: Workers, settings: Settings, texts: Translator
) -> Iterator[Finding]:
    """Yield whether the clocks and versions of all processes and servers agree with this process."""
    try:
        states = workers.states()
        redis_s = clock_ahead_s(settings.storage)
        now = utc_now() + timedelta(seconds=redis_s)
        beats = [beat for beat in list_beats(settings.storage) if now - beat.seen < _BEAT_SILENCE]
        ahead = {"MongoDB": stores.clock_ahead_s(), "Redis": redis_s}
    except PindnaError as error:
        yield Finding("clocks", texts.gettext("clocks"), "wrong", texts.error(error))
        return
    ahead |= {name: state.ahead_s for name, state in states.items()}
    ahead |= {beat.name: beat.ahead_s + redis_s for beat in beats}
    yield from _clock_findings(ahead, texts)
    versions = {name: state.version for name, state in states.items()}
    yield from _version_findings(versions | {beat.name: beat.version for beat in beats}, texts)


def _clock_findings(ahead: Mapping[str, float], texts: Translator) -> Iterator[Finding]:
    """Yield the clocks that differ from this machine's clock."""
    what, off = texts.gettext("clocks"), False
    for name, seconds in sorted(ahead.items()):
        if abs(seconds) > _MAX_AHEAD_S:
            off = True
            line = (
                texts.gettext("{name} is {seconds:.0f} s ahead of this machine; synchronise both with NTP")
                if seconds > 0
                else texts.gettext("{name} is {seconds:.0f} s behind this machine; synchronise both with NTP")
            )
            yield Finding("clocks", what, "alert", line.format(name=name, seconds=abs(seconds)), name)
    if not off:
        line = texts.gettext("agree within {seconds:.0f} s: {names}")
        shown = line.format(seconds=_MAX_AHEAD_S, names=", ".join(sorted(ahead)))
        yield Finding("clocks", what, "good", shown)


def _version_findings(versions: Mapping[str, str], texts: Translator) -> Iterator[Finding]:
    """Yield the processes that run another version of pindna."""
    what = texts.gettext("versions")
    other_versions = {name: version for name, version in sorted(versions.items()) if version != VERSION}
    for name, version in other_versions.items():
        line = texts.gettext("{name} runs {version}; this is {own}")
        shown = version or texts.gettext("an earlier version")
        yield Finding("versions", what, "alert", line.format(name=name, version=shown, own=VERSION), name)
    if versions and not other_versions:
        yield Finding("versions", what, "good", texts.gettext("all run {version}").format(version=VERSION))


def next_scan_words(rules: TrackerSettings) -> str:
    """Return when beat starts the next scan."""
    moment = next_scan(rules.scan_schedule, rules.timezone, now=utc_now())
    return f"{moment:%Y-%m-%d %H:%M} ({rules.timezone}; {rules.scan_schedule})"


def setting_findings(live: LiveSettings, texts: Translator) -> Iterator[Finding]:
    """Yield the stored settings that are not used, and stored secrets that this machine cannot decrypt."""
    state = live.state
    for problem in state.problems:
        line = texts.gettext("the stored value is not used ({problem}); the default is used instead")
        shown = line.format(problem=texts.problem(problem.problem))
        what = texts.gettext("setting {name}").format(name=problem.name)
        yield Finding("settings", what, "alert", shown, problem.name)
    for name, ciphertext in state.stored.ciphertexts.items():
        try:
            decrypted_secret(live.base, name, ciphertext)
        except PindnaError as error:
            yield Finding("secrets", texts.gettext("stored secrets"), "wrong", texts.error(error), name)
            return  # the same file for all of them


def alert_findings(stores: Stores, settings: Settings, texts: Translator) -> Iterator[Finding]:
    """Yield undelivered alerts and the alerts of sources. They need a user; no service is down."""
    try:
        if failed := stores.outbox.count("failed"):
            line = texts.ngettext(
                "{count} alert message was not delivered", "{count} alert messages were not delivered", failed
            )
            line += texts.gettext("; for the reasons, run `pindna alert outbox`")
            yield Finding("alerts", texts.gettext("alerts"), "alert", line.format(count=failed))
        for alert in stores.health.open_alerts():
            what = texts.gettext("source {name}").format(name=alert.source)
            words = f"{alert_words(texts, alert)} ({_shown_time(alert.since, settings)})"
            yield Finding("source", what, "alert", words, alert.source)
    except PindnaError as error:
        yield Finding("alerts", texts.gettext("alerts"), "wrong", texts.error(error))


def _shown_time(moment: datetime, settings: Settings) -> str:
    return moment_text(moment, zone_of(settings.tracker.timezone))
