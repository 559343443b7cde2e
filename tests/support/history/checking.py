"""Whether a history is one that pindna promises. Pure: events in, problems out.

The events are those of :mod:`support.history.reading` and of the run: what sites list, scans, pages,
findings, alerts, mails, leases, and ends of processes. They are compared with those of a quiet run.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from support.history.recording import Event

SHOWN = 5  # rows of a difference


def problems_of(history: Sequence[Event], quiet: Sequence[Event]) -> list[str]:
    """Return what is wrong with a history, a sentence each; nothing when all promises were kept.

    Args:
        history: of the run.
        quiet: of a run with the same sites and works and without faults; may be the same one.
    """
    return [
        *(problem for check in _CHECKS for problem in check(history)),
        *_is_like_quiet(history, quiet),
    ]


def _named(history: Sequence[Event], name: str) -> list[Event]:
    return [event for event in history if event["event"] == name]


def _scans_are_accounted_for(history: Sequence[Event]) -> Iterator[str]:
    """Listed = compared + not compared + left, for each scan."""
    closed = {event["day"]: event for event in _named(history, "closed")}
    for event in _named(history, "listed"):
        day, listed = event["day"], len(event["addresses"])
        if (scan := closed.get(day)) is None:
            yield f"day {day}: its scan was never closed"
            continue
        if scan["status"] != "finished" or any(crawl["state"] != "done" for crawl in scan["crawls"]):
            yield f"day {day}: its scan is {scan['status']}, with the crawls {scan['crawls']}"
        numbers = (scan["compared"], sum(scan["not_compared"].values()), sum(scan["left"].values()))
        if listed != sum(numbers):
            yield f"day {day}: {listed} addresses listed, but {numbers} compared, not compared and left"


def _pages_are_compared(history: Sequence[Event]) -> Iterator[str]:
    """Every listed address has a page, which was compared with the corpus of the day or has a reason."""
    versions = {event["day"]: event["version"] for event in _named(history, "opened")}
    remaining = {event["day"]: sum(event["left"].values()) for event in _named(history, "closed")}
    pages = {(event["day"], event["address"]): event for event in _named(history, "page")}
    for event in _named(history, "listed"):
        day = event["day"]
        missing = [address for address in event["addresses"] if (day, address) not in pages]
        if len(missing) > remaining.get(day, 0):
            yield f"day {day}: lost {', '.join(missing)}"
        for address, titles in event["addresses"].items():
            page = pages.get((day, address))
            if page is None or page["state"] == "failed":
                continue
            if page["state"] != "compared":
                yield f"day {day}: {address} still waits"
            elif page["version"] < versions.get(day, 0):
                yield f"day {day}: {address} was compared with version {page['version']} of {versions[day]}"
            elif titles and page["verdict"] == "clear":
                yield f"day {day}: {address} is clear, but copies {', '.join(titles)}"


def _pages_are_listed(history: Sequence[Event]) -> Iterator[str]:
    """No page is counted twice, or comes from nowhere."""
    listed = {
        (event["day"], address) for event in _named(history, "listed") for address in event["addresses"]
    }
    counts = Counter((event["day"], event["address"]) for event in _named(history, "page"))
    for key, count in counts.items():
        if key not in listed:
            yield f"day {key[0]}: nobody listed {key[1]}"
        if count > 1:
            yield f"day {key[0]}: {key[1]} counts {count} times"


def _alerts_arrive_once(history: Sequence[Event]) -> Iterator[str]:
    """Each finding is in exactly one mailing, which may arrive again with the same id."""
    mailings: dict[str, set[str]] = {}
    for event in _named(history, "alerted"):
        mailings.setdefault(event["finding"], set()).add(event["mailing"])
    findings = {event["id"] for event in _named(history, "finding")}
    for finding in sorted(findings - mailings.keys()):
        yield f"no alert told of {finding}"
    for finding in sorted(mailings.keys() - findings):
        yield f"an alert told of {finding}, which is not there"
    for finding, ids in mailings.items():
        if len(ids) > 1:
            yield f"{len(ids)} mailings told of {finding}"


def _notices_go_out_once(history: Sequence[Event]) -> Iterator[str]:
    """Each notice arrives at most once, and did where its state says so."""
    mails = Counter(event["id"] for event in _named(history, "mailed"))
    states = {event["id"]: event["state"] for event in _named(history, "notice")}
    for name, count in mails.items():
        if count > 1:
            yield f"notice {name} was sent {count} times"
        if states.get(name) in {None, "made", "failed"}:
            yield f"notice {name} was sent, and is {states.get(name)}"
    for name, state in states.items():
        if state == "sent" and not mails[name]:
            yield f"notice {name} never arrived, and is sent"


def _nothing_is_held(history: Sequence[Event]) -> Iterator[str]:
    """No lease is left behind, and nothing waits."""
    for event in _named(history, "lease"):
        yield f"a lease is left on {event['of']}"
    ends = _named(history, "waiting")
    if not ends:
        yield "the run never came to its end"
    for event in ends:
        for name, count in event.items():
            if name not in {"t", "actor", "event"} and count:
                yield f"{count} {name} still wait"


def _nothing_is_doubled(history: Sequence[Event]) -> Iterator[str]:
    for event in _named(history, "outcome"):
        for row in event["parts"]["doubled"]:
            yield f"there twice: {row}"


def _run_ended(history: Sequence[Event]) -> Iterator[str]:
    for event in _named(history, "never ended"):
        yield f"the run never ended: {event['what']}"
    for event in _named(history, "fault failed"):
        yield f"a fault could not be brought about: {event['error']}"


def _processes_last(history: Sequence[Event]) -> Iterator[str]:
    for event in _named(history, "ended by itself"):
        yield f"{event['actor']} ended by itself, with status {event['status']}:\n{event['log']}"


_CHECKS: tuple[Callable[[Sequence[Event]], Iterator[str]], ...] = (
    _scans_are_accounted_for,
    _pages_are_listed,
    _pages_are_compared,
    _alerts_arrive_once,
    _notices_go_out_once,
    _nothing_is_held,
    _nothing_is_doubled,
    _run_ended,
    _processes_last,
)


def _is_like_quiet(history: Sequence[Event], quiet: Sequence[Event]) -> Iterator[str]:
    """Records, and what was found, are those of the quiet run."""
    parts, expected = _outcome(history), _outcome(quiet)
    for name in sorted(parts.keys() | expected.keys()):
        rows, quiet_rows = Counter(map(str, parts.get(name, ()))), Counter(map(str, expected.get(name, ())))
        more, less = list((rows - quiet_rows).elements()), list((quiet_rows - rows).elements())
        if more or less:
            yield f"{name}: only here {more[:SHOWN]}, only in the quiet run {less[:SHOWN]}"
    findings = [{event["id"] for event in _named(events, "finding")} for events in (history, quiet)]
    if findings[0] != findings[1]:
        yield f"findings differ from the quiet run: {sorted(findings[0] ^ findings[1])[:SHOWN]}"


def _outcome(history: Sequence[Event]) -> dict[str, Any]:
    return dict(next((event["parts"] for event in _named(history, "outcome")), {}))
