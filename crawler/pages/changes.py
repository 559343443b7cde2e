"""What an outcome means for an address: its next visit, and the events that tell its history. Pure.

A visit's interval doubles while the text stays the same and is quartered when it changes, between the two
bounds of the settings; a page that matches a work never waits longer than the shorter bound, as it is
news when a copy disappears. A failure that says nothing about the page (a timeout, a ban) changes only the
date. A text that differs only because our extraction changed (what its site repeats was learnt, a rule was
changed) has not changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeGuard

from crawler.pages.outcomes import Failed, Outcome, Same, Text
from storage.collections.page_events import event_id
from storage.records import Page, PageEvent, PageEventKind, Visit

_GONE = frozenset({"http-404", "http-410", "http-451"})
_NO_TEXT = frozenset({"empty", "list"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The shortest and the longest interval between two visits, in seconds."""

    min_s: float
    max_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """What to store: visits by address (one, or two when a page moved), and the events."""

    visits: tuple[Visit, ...]
    events: tuple[PageEvent, ...]


def change_of(
    outcome: Outcome,
    known: Visit | None,
    *,
    target: Visit | None = None,
    source: str,
    scan_id: str,
    now: datetime,
    bounds: Bounds,
    watched: bool = False,
) -> Change:
    """Return what to store for an outcome.

    Args:
        outcome: of an address.
        known: what was known of the address that was asked for, before.
        target: what was known of the address that answered, when it is another one.
        source: that asked.
        scan_id: that asked.
        now: when.
        bounds: of the interval.
        watched: the page matches a work.
    """
    visits = tuple(_visits(outcome, known, target, source=source, now=now, bounds=bounds, watched=watched))
    events = tuple(
        PageEvent(
            id=event_id(url, kind, page, scan_id),
            url=url,
            source=source,
            kind=kind,
            at=now,
            scan_id=scan_id,
            page_id=page,
            before=known.page_id if known else "",
            detail=detail,
        )
        for kind, url, page, detail in _events(outcome, known)
    )
    return Change(visits, events)


def _events(outcome: Outcome, known: Visit | None) -> Iterator[tuple[PageEventKind, str, str, str]]:
    """Yield (kind, address, version, detail)."""
    had_text = known is not None and bool(known.content_hash)
    state = known.state if known else "there"
    if _is_moved(outcome):
        if known is None or known.moved_to != outcome.seen.page.url:
            yield "moved", outcome.asked, outcome.seen.page.id, outcome.seen.page.url
    elif isinstance(outcome, Same) or (isinstance(outcome, Text) and outcome.is_text):
        yield from _events_of_text(outcome, known)
    elif isinstance(outcome, (Text, Failed)) and had_text and state == "there" and _is_gone(outcome):
        yield "gone", outcome.asked, "", _reason(outcome)


def _events_of_text(
    outcome: Text | Same, known: Visit | None
) -> Iterator[tuple[PageEventKind, str, str, str]]:
    url = outcome.asked if isinstance(outcome, Text) else outcome.visit.url
    page_id = outcome.seen.page.id if isinstance(outcome, Text) else outcome.visit.page_id
    if known is None or not known.content_hash:
        yield "new", url, page_id, ""
        return
    if known.state != "there":
        yield "returned", url, page_id, known.state
    if isinstance(outcome, Text) and _is_changed(outcome, known):
        yield "changed", url, page_id, ""


def _visits(
    outcome: Outcome,
    known: Visit | None,
    target: Visit | None,
    *,
    source: str,
    now: datetime,
    bounds: Bounds,
    watched: bool,
) -> Iterator[Visit]:
    if isinstance(outcome, Same):
        back = outcome.visit.state != "there"
        there = replace(outcome.visit, state="there", moved_to="")
        yield _with_check(there, source, now, bounds, changed=back, watched=watched)
        return
    base = known or Visit(url=outcome.asked, source=source, first_seen=now, last_changed=now)
    if _is_moved(outcome):
        moved = replace(base, state="moved", moved_to=outcome.seen.page.url, etag=None, last_modified=None)
        yield _with_check(moved, source, now, bounds, changed=base.state != "moved", watched=watched)
        base = target or Visit(url=outcome.seen.page.url, source=source, first_seen=now, last_changed=now)
    if isinstance(outcome, Text) and outcome.is_text:
        changed = bool(base.content_hash) and _is_changed(outcome, base)
        back = base.state != "there"
        fresh = _with_text(base, outcome, source)
        yield _with_check(fresh, source, now, bounds, changed=changed or back, watched=watched)
    elif _is_gone(outcome):
        gone = replace(base, state="gone", etag=None, last_modified=None, parts=())
        yield _with_check(gone, source, now, bounds, changed=base.state == "there", watched=watched)
    else:  # nothing was learnt about the page: ask again soon
        soon = now + timedelta(seconds=bounds.min_s)
        yield replace(base, source=source, last_checked=now, due=soon)


def _with_text(base: Visit, outcome: Text, source: str) -> Visit:
    page: Page = outcome.seen.page
    is_single = (
        len(outcome.fetched) == 1
    )  # of a joined text the first part may stay while a later one changes
    return replace(
        base,
        url=page.url,
        source=source,
        state="there",
        page_id=page.id,
        content_hash=page.content_hash,
        whole_hash=outcome.seen.whole_hash,
        extraction_version=outcome.extraction_version,
        etag=page.etag if is_single else None,
        last_modified=page.last_modified if is_single else None,
        parts=tuple(fetched.part for fetched in outcome.fetched),
        moved_to="",
    )


def _with_check(
    visit: Visit, source: str, now: datetime, bounds: Bounds, *, changed: bool, watched: bool
) -> Visit:
    interval = next_interval(visit.interval_s, changed=changed, bounds=bounds)
    interval = bounds.min_s if watched else interval
    return replace(
        visit,
        source=source,
        last_checked=now,
        last_changed=now if changed else visit.last_changed,
        checks=visit.checks + 1,
        changes=visit.changes + changed,
        interval_s=interval,
        due=now + timedelta(seconds=interval),
    )


def next_interval(interval_s: float, *, changed: bool, bounds: Bounds) -> float:
    """Return the seconds until the next visit; 0 stands for an address that was never asked for."""
    if interval_s <= 0:
        return bounds.min_s
    return min(bounds.max_s, max(bounds.min_s, interval_s / 4 if changed else interval_s * 2))


def _is_changed(outcome: Text, known: Visit) -> bool:
    """Return whether the site changed a text: not when only our extraction of it differs."""
    if outcome.seen.page.content_hash == known.content_hash:
        return False
    if known.whole_hash and outcome.seen.whole_hash == known.whole_hash:
        return False
    return tuple(fetched.part for fetched in outcome.fetched) != known.parts


def _is_moved(outcome: Outcome) -> TypeGuard[Text]:
    """Return whether another address answered, with a text."""
    if not isinstance(outcome, Text) or not outcome.is_text:
        return False
    return outcome.seen.page.url != outcome.asked


def _is_gone(outcome: Text | Failed) -> bool:
    return _reason(outcome) in (_GONE if isinstance(outcome, Failed) else _NO_TEXT)


def _reason(outcome: Text | Failed) -> str:
    if isinstance(outcome, Failed):
        return outcome.reason
    return outcome.seen.page.reason or outcome.seen.page.kind  # a list is compared, and is no text
