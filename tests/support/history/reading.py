"""What a database holds after a scan and in the end, recorded as events."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace

from support.faults import day_faults
from support.history.recording import Recorder

from storage.collections.stores import Stores
from storage.records import FREE, NumberMark
from tracker.runtime import Runtime

_LEASED = ("works", "pages", "crawls")
_EFFORT = frozenset({"evidence", "scans"})  # counts what was asked for twice after a kill, too
_TURNS = ("turns", "alert_marks")


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with the names of sites instead of their hosts and ports, and without schemes."""
    for host, name in names.items():
        text = text.replace(f"http://{host}", name).replace(host, name)
    return text


def record_scan(
    recorder: Recorder, runtime: Runtime, day: int, scan_id: str, names: Mapping[str, str]
) -> None:
    """Record what a closed scan says of itself, and each page that it saw and that counts."""
    stores = runtime.stores
    scan = stores.scans.get(scan_id)
    recorder.record(
        "reader",
        "closed",
        day=day,
        status=scan.status,
        compared=scan.counts.get("state:compared", 0),
        not_compared=scan.not_compared,
        left=scan.left,
        error=scan.error,
        crawls=[
            {"source": crawl.source, "state": crawl.state, "end": crawl.end, "attempts": crawl.attempts}
            for crawl in stores.scans.crawls(scan_id)
        ],
    )
    for page in stores.pages.of_scan(scan_id):
        if page.standing == "current":
            recorder.record(
                "reader",
                "page",
                day=day,
                address=renamed(page.url, names),
                state=page.state,
                verdict=page.verdict,
                version=page.corpus_version,
            )


def record_ending(recorder: Recorder, runtime: Runtime, names: Mapping[str, str]) -> None:
    """Record what is there in the end: records, findings, notices, leases, and what waits."""
    stores = runtime.stores
    ports = {name: host.rpartition(":")[2] for host, name in names.items()}
    outcome = day_faults.outcome(runtime, SimpleNamespace(ports=ports))
    parts = {name: rows for name, rows in outcome.items() if name not in _EFFORT}
    recorder.record("reader", "outcome", parts=parts)
    cases = {case.number: case for case in stores.cases.listed()}
    for row in stores.database["events"].find({"kind": "joined"}):
        case = cases[row["case"]]
        url = renamed(row["detail"].get("url") or row["subject"], names)
        recorder.record(
            "reader", "finding", id=finding_id("new-copy", case.work_title, renamed(case.site, names), url)
        )
    for notice in stores.notices.listed():
        recorder.record("reader", "notice", id=notice.name, state=notice.state)
    for name in _LEASED:
        for row in stores.database[name].find({"lease.token": {"$ne": FREE.token}}):
            recorder.record("reader", "lease", of=f"{name} {renamed(str(row['_id']), names)}")
    for name in _TURNS:
        for row in stores.database[name].find({"token": {"$exists": True, "$ne": FREE.token}}):
            recorder.record("reader", "lease", of=f"{name} {row['_id']}")
    recorder.record(
        "reader",
        "waiting",
        **{name: count(stores) for name, count in WAITING.items()},
    )


def _unread_events(stores: Stores) -> int:
    """Return how many stored events alerts have not read."""
    mark = stores.outbox.mark("events") or NumberMark(id="events", reached=0)
    gaps = [{"number": {"$gte": gap.first, "$lte": gap.last}} for gap in mark.gaps]
    return stores.database["events"].count_documents({"$or": [{"number": {"$gt": mark.reached}}, *gaps]})


def _held_turns(stores: Stores) -> int:
    held = {"token": {"$exists": True, "$ne": FREE.token}}
    return sum(stores.database[name].count_documents(held) for name in _TURNS)


# What may wait, in the order in which one leads to the next. Who counts in this order misses nothing: what
# moves on is counted at its next place.
WAITING: Mapping[str, Callable[[Stores], int]] = {
    "works": lambda stores: stores.works.count("stored"),
    "scans": lambda stores: len(stores.scans.running()),
    "pages": lambda stores: stores.database["pages"].count_documents({"state": "fetched"}),
    "events": _unread_events,
    "deliveries": lambda stores: stores.database["outbox"].count_documents({"mailing": ""}),
    "mailings": lambda stores: stores.database["mailings"].count_documents({"state": {"$ne": "sent"}}),
    "turns": _held_turns,
}


def finding_id(kind: str, work: str, site: str, url: str) -> str:
    """Return a name of a finding that is the same in every run."""
    return f"{kind} {work} {site} {url}"
