"""Rounds of the takedown watch: take addresses that are due, check them, and apply the results.

Theory of operation. A row is *taken* by a conditional update that stores its round and moves its due date to
the end of a lease. The crawler checks the addresses and stores each look under the key (address, round). Then
the look of each row is recorded, the cases of the row are judged, the round ends, and the row is due by the
schedule again. After a kill, the lease ends and the row is taken again under the same round. An address that
has its look is not checked again, and repeated steps give the same result. So each look is made once and
counts once.
"""

import logging
import os
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic

from analysis.watch.enrolling import enrol_number
from analysis.watch.looks import NOT_ASKED, due_after, healthy_hosts, watch_after
from analysis.watch.moving import moved_address
from analysis.watch.rewriting import judged_look
from analysis.watch.verdicts import judge
from storage.collections.looks import look_id
from storage.collections.stores import Stores
from storage.records import Look, Watch, utc_now
from storage.settings.results import AnalysisSettings, WatchSettings
from system.child_process import last_line
from system.errors import UnknownId
from system.exit_status import ExitStatus
from system.sites import host_of
from tracker.judgement.cases import refresh_cases
from tracker.stopping import is_stopping

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3  # attempts of a round; if all fail, its addresses count as not checked
_MAX_S = 300.0  # time limit for a crawler process, which usually ends itself earlier
_GRACE_S = 5.0  # time for a crawler process to end by itself when this worker stops
_LOOK_S = 0.5
# maximum number of addresses per host and round; then pages that prove that the host is up are checked
_PER_HOST = 10
_READ = 20  # number of due rows to read per row to take, so that a slow site does not hide other sites
_BROKEN_OFF = frozenset({ExitStatus.DOWN, ExitStatus.BUG, ExitStatus.INTERRUPTED})

# Checks the addresses of a round (round, source); returns whether it was completed.
Ask = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Round:
    """Addresses of one source that are checked together."""

    id: str
    source: str
    watches: tuple[Watch, ...]


def take_due(
    stores: Stores, rules: WatchSettings, *, now: datetime, sources: int | None = None
) -> list[Round]:
    """Take addresses that are due, the longest waiting first. The other addresses stay due.

    Args:
        stores: the database.
        rules: the maximum number.
        now: the time.
        sources: the maximum number of sources.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    while rows := stores.watches.due(now, limit=rules.batch * _READ):
        if open_rows := _at_open_sources(rows, stores, now=now):
            return _take_watches(_choose_watches(open_rows, rules, sources), stores, rules, now=now)
    return []


def _choose_watches(watches: Iterable[Watch], rules: WatchSettings, sources: int | None) -> list[Watch]:
    chosen: list[Watch] = []
    on_host, names = Counter[str](), set[str]()
    for watch in watches:
        host = host_of(watch.url)
        is_full = watch.source not in names and len(names) == sources
        if is_full or on_host[host] == _PER_HOST or len(chosen) == rules.batch:
            continue
        on_host[host] += 1
        names.add(watch.source)
        chosen.append(watch)
    return chosen


def run_due(
    stores: Stores,
    settings: AnalysisSettings,
    *,
    processes: int,
    budget_s: float,
    ask: Ask | None = None,
    now: Callable[[], datetime] = utc_now,
) -> list[Watch]:
    """Run small rounds until nothing is due or the time is over. Return the updated rows.

    Args:
        stores: the database.
        settings: the watch, and the deadlines of cases.
        processes: number of concurrent rounds.
        budget_s: seconds after which no further round begins; remaining rows stay due.
        ask: checks the addresses of a round; by default in a crawler process.
        now: the clock.

    Raises:
        ServiceDown, StorageFailed: the database refused; the leases end by themselves.
    """
    ends, updated = monotonic() + budget_s, list[Watch]()
    while rounds := take_due(stores, settings.watch, now=now(), sources=processes):
        updated += run_rounds(rounds, stores, settings, processes=processes, ask=ask, now=now)
        if monotonic() >= ends or is_stopping():
            break
    return updated


def take(watches: Iterable[Watch], stores: Stores, rules: WatchSettings, *, now: datetime) -> list[Round]:
    """Take addresses and return them by round.

    Addresses that another process has taken are left out. Addresses of sources that are closed now are
    postponed.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    return _take_watches(_at_open_sources(watches, stores, now=now), stores, rules, now=now)


def closed_sources(stores: Stores, now: datetime) -> dict[str, datetime]:
    """Return the sources that must not be visited now, with the time when each opens."""
    opens = {source.name: source.opens(now) for source in stores.sources.all() if source.hours}
    return {name: moment for name, moment in opens.items() if moment > now}


def _at_open_sources(watches: Iterable[Watch], stores: Stores, *, now: datetime) -> list[Watch]:
    """Return the addresses that may be checked now, and postpone the others."""
    closed, open_rows = closed_sources(stores, now), list[Watch]()
    for watch in watches:
        if watch.source in closed:
            stores.watches.postpone(watch, until=closed[watch.source])
        else:
            open_rows.append(watch)
    return open_rows


def _take_watches(
    watches: Iterable[Watch], stores: Stores, rules: WatchSettings, *, now: datetime
) -> list[Round]:
    until = now + timedelta(seconds=rules.lease_s)
    fresh: dict[str, str] = {}
    rounds: dict[tuple[str, str], list[Watch]] = {}
    for watch in watches:
        name = watch.round or fresh.setdefault(watch.source, f"watch-{uuid.uuid4().hex[:16]}")
        if stores.watches.claim(watch, name, until=until):
            taken = replace(watch, round=name, due=until, attempts=watch.attempts + 1)
            rounds.setdefault((name, watch.source), []).append(taken)
    return [Round(name, source, tuple(rows)) for (name, source), rows in rounds.items()]


def run_rounds(
    rounds: Sequence[Round],
    stores: Stores,
    settings: AnalysisSettings,
    *,
    processes: int,
    ask: Ask | None = None,
    now: Callable[[], datetime] = utc_now,
) -> list[Watch]:
    """Check the addresses of rounds, and apply each look. Return the updated rows.

    A stopping worker releases unfinished addresses; they continue as the same round.

    Args:
        rounds: the taken rounds.
        stores: the database.
        settings: the watch, and the deadlines of cases.
        processes: number of concurrent rounds.
        ask: checks the addresses of a round; by default in a crawler process.
        now: the clock.

    Raises:
        ServiceDown, StorageFailed: the database refused; the leases end by themselves.
    """
    ended: list[Watch] = []
    with ThreadPoolExecutor(max_workers=processes) as pool:
        running: dict[Future[bool], Round] = {
            pool.submit(ask or ask_in_process, watch_round.id, watch_round.source): watch_round
            for watch_round in rounds
        }
        while running:
            lease_s = settings.watch.lease_s
            finished, _ = wait(running, timeout=lease_s / 4, return_when=FIRST_COMPLETED)
            for future in finished:
                watch_round, is_whole = running.pop(future), future.result()
                if not is_whole and is_stopping():
                    stores.watches.release(watch_round.watches, due=now())
                else:
                    ended += end_round(watch_round, stores, settings, is_whole=is_whole, now=now())
            until = now() + timedelta(seconds=lease_s)
            stores.watches.extend(
                [row.id for watch_round in running.values() for row in watch_round.watches], until=until
            )
    return ended


def ask_in_process(round_id: str, source: str) -> bool:
    """Check the addresses of a round in a crawler process. Return whether it was completed."""
    command = [sys.executable, "-P", "-m", "crawler", "--source", source, "--watch", round_id]
    process = subprocess.Popen(  # noqa: S603 - our own module, arguments are not interpreted by a shell
        [*command, "--parent", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    errors = _errors_of(process)
    if errors is None:
        log.warning("round %s was stopped early", round_id)
        return False
    if process.returncode:
        log.warning("round %s at %s: %s", round_id, source, last_line(errors) or process.returncode)
    return process.returncode >= 0 and process.returncode not in _BROKEN_OFF


def _errors_of(process: subprocess.Popen[bytes]) -> bytes | None:
    """Wait for a crawler and return its error output; None if a time limit or the worker stopped it."""
    ends, is_told = monotonic() + _MAX_S, False
    while True:
        try:
            _, errors = process.communicate(timeout=_LOOK_S)
        except subprocess.TimeoutExpired:
            if monotonic() >= ends:
                process.kill()
            elif is_stopping() and not is_told:
                process.terminate()
                ends, is_told = monotonic() + _GRACE_S, True
        else:
            return None if is_told or process.returncode == -signal.SIGKILL else errors


def end_round(
    watch_round: Round, stores: Stores, settings: AnalysisSettings, *, is_whole: bool, now: datetime
) -> list[Watch]:
    """Apply the looks of a round, end it, and return its updated rows.

    Args:
        watch_round: a round whose addresses were checked.
        stores: the database.
        settings: the watch, and the deadlines of cases.
        is_whole: its process was completed, so unchecked addresses will not be checked in this round.
            Otherwise nothing is applied yet: the round continues after its leases, unless it was tried too
            often.
        now: the time.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    rules = settings.watch
    if not is_whole and all(row.attempts < MAX_ATTEMPTS for row in watch_round.watches):
        return []
    looks = {look.url: look for look in stores.looks.of_scan(watch_round.id)}
    looks |= _store_unchecked_looks(
        [row for row in watch_round.watches if row.url not in looks], watch_round, stores, now=now
    )
    well = healthy_hosts(looks.values())
    updated = [
        _record_look(row, looks[row.url], stores, rules, is_well=_is_healthy(row, well))
        for row in watch_round.watches
    ]
    cases = dict.fromkeys(number for row in updated for number in row.cases)
    for number in cases:
        _update_case(number, stores, settings, now=now)
    for row in updated:
        stores.watches.end_round(row, due=due_after(row, rules, now=now))
    return updated


def _is_healthy(row: Watch, well: Mapping[str, set[str]]) -> bool:
    """Return whether another page of the same host was up."""
    return bool(well.get(host_of(row.url), set()) - {row.url})


def _store_unchecked_looks(
    rows: Iterable[Watch], watch_round: Round, stores: Stores, *, now: datetime
) -> dict[str, Look]:
    """Store looks for addresses that were not checked."""
    looks = [
        Look(
            id=look_id(row.url, watch_round.id),
            url=row.url,
            page_id=row.page_id,
            state="unreachable",
            scan_id=watch_round.id,
            source=watch_round.source,
            at=now,
            reason=NOT_ASKED,
        )
        for row in rows
    ]
    stores.looks.add_many(looks)
    return {look.url: look for look in looks}


def _record_look(row: Watch, look: Look, stores: Stores, rules: WatchSettings, *, is_well: bool) -> Watch:
    after = watch_after(row, judged_look(row, look, stores), is_well=is_well, rules=rules)
    if after.gone_since is not None and (new_address := moved_address(after, stores)):
        after = replace(after, state="moved", moved_to=new_address)
    stores.watches.record_look(after)
    return after


def _update_case(number: int, stores: Stores, settings: AnalysisSettings, *, now: datetime) -> None:
    """Recompute a case, watch its new copies, and move the case to the state that the looks prove."""
    case = enrol_number(number, stores, settings.watch, now=now)
    if case is None:
        return
    refresh_cases(stores, [(case.work_id, case.site)])
    try:
        judge(number, stores, settings)
    except UnknownId:
        log.info("case %d no longer exists", number)
