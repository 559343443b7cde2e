"""Derives the next visit of an address, and the events of its history, from an outcome. Pure.

The interval of a visit doubles while the text stays the same and is divided by four when it changes, within
the limits of the settings. A page with a match never waits longer than the lower limit, because the removal
of a copy must be noticed soon. A failure that says nothing about the page (a timeout, a ban) changes only the
date. A text that differs only because our extraction changed (repeated sentences or rules) has not changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeGuard

from crawler.pages.looks import Observation, look_of, next_presence, observation_of
from crawler.pages.outcomes import FailedFetch, Outcome, Text, UnchangedText
from crawler.pages.page_records import text_hash
from storage.collections.page_events import event_id
from storage.records import Look, Page, PageEvent, PageEventKind, Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBounds:
    """The shortest and the longest interval between two visits, in seconds."""

    min_s: float
    max_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """The records to store: visits (two if a page moved), events, and looks."""

    visits: tuple[Visit, ...]
    events: tuple[PageEvent, ...]
    looks: tuple[Look, ...] = ()


@dataclass(frozen=True, slots=True)
class _Check:
    """One check of an address; ``sight`` is the observation."""

    source: str
    now: datetime
    bounds: ChangeBounds
    sight: Observation
    watched: bool

    def first_visit(self, url: str) -> Visit:
        """Return the visit of an address that was never requested."""
        return Visit(url=url, source=self.source, first_seen=self.now, last_changed=self.now)

    def of_target(self) -> "_Check":
        """Return this check with the result that the text is online."""
        return replace(self, sight=Observation(state="up"))

    def of(self, visit: Visit, *, changed: bool) -> Visit:
        """Return a visit after this check."""
        interval = next_interval(visit.interval_s, changed=changed, bounds=self.bounds)
        interval = self.bounds.min_s if self.watched else interval
        return replace(
            visit,
            source=self.source,
            last_checked=self.now,
            last_changed=self.now if changed else visit.last_changed,
            checks=visit.checks + 1,
            changes=visit.changes + changed,
            interval_s=interval,
            due=self.now + timedelta(seconds=interval),
            presence=next_presence(self.sight, visit.presence, now=self.now),
        )

    def without_result(self, visit: Visit) -> Visit:
        """Return a visit after a check without information about the page: it is due again soon."""
        return replace(
            visit,
            source=self.source,
            last_checked=self.now,
            due=self.now + timedelta(seconds=self.bounds.min_s),
            presence=next_presence(self.sight, visit.presence, now=self.now),
        )


def change_of(
    outcome: Outcome,
    visit: Visit | None,
    *,
    expected: Visit | None = None,
    target: Visit | None = None,
    source: str,
    scan_id: str,
    now: datetime,
    bounds: ChangeBounds,
    watched: bool = False,
    still_held: bool | None = None,
) -> Change:
    """Return what to store for an outcome.

    Args:
        outcome: of an address.
        visit: the stored visit of the requested address; None for a new address.
        expected: the stored visit with the version that the takedown watch expects; None unless that is not
            the last version.
        target: the stored visit of the address that answered, if it is another address.
        source: of the crawl.
        scan_id: of the crawl.
        now: time of the check.
        bounds: of the interval.
        watched: whether the page matches a work.
        still_held: whether the page still has the copied stretches of the expected version, see
            :func:`crawler.pages.looks.observation_of`.
    """
    is_last = expected is None or expected is visit
    sight = observation_of(outcome, visit, held=still_held if is_last else None)
    check = _Check(source, now, bounds, sight, watched)
    visits = tuple(_new_visits(outcome, visit, target, check))
    events = tuple(
        PageEvent(
            id=event_id(url, kind, page, scan_id),
            url=url,
            source=source,
            kind=kind,
            at=now,
            scan_id=scan_id,
            page_id=page,
            before=visit.page_id if visit else "",
            detail=detail,
        )
        for kind, url, page, detail in _page_events(outcome, visit, sight)
    )
    looked_for = expected or visit
    if looked_for is None or not watched:
        return Change(visits, events)
    if not is_last:
        sight = observation_of(outcome, expected, held=still_held)
    look = look_of(sight, looked_for.url, page_id=looked_for.page_id, source=source, scan_id=scan_id, now=now)
    return Change(visits, events, (look,))


def _page_events(
    outcome: Outcome, visit: Visit | None, sight: Observation
) -> Iterator[tuple[PageEventKind, str, str, str]]:
    """Yield (kind, address, version, detail)."""
    had_text = visit is not None and bool(visit.content_hash)
    state = visit.state if visit else "there"
    if _is_moved(outcome):
        if visit is None or visit.moved_to != outcome.response_url:
            yield "moved", outcome.requested_url, outcome.page_id, outcome.response_url
    elif sight.state == "gone":
        if had_text and state == "there":
            yield "gone", outcome.requested_url, "", sight.reason
    elif isinstance(outcome, UnchangedText) or (isinstance(outcome, Text) and _is_version(outcome, visit)):
        yield from _events_of_text(outcome, visit)


def _events_of_text(
    outcome: Text | UnchangedText, visit: Visit | None
) -> Iterator[tuple[PageEventKind, str, str, str]]:
    if visit is None or not visit.content_hash:
        yield "new", outcome.requested_url, outcome.page_id, ""
        return
    if visit.state != "there":
        yield "returned", outcome.requested_url, outcome.page_id, visit.state
    if isinstance(outcome, Text) and _is_changed(outcome, visit):
        yield "changed", outcome.requested_url, outcome.page_id, ""


def _new_visits(
    outcome: Outcome, visit: Visit | None, target: Visit | None, check: _Check
) -> Iterator[Visit]:
    base = visit or check.first_visit(outcome.requested_url)
    if _is_moved(outcome):
        moved = replace(base, state="moved", moved_to=outcome.response_url, etag=None, last_modified=None)
        yield check.of(moved, changed=base.state != "moved")
        base, check = target or check.first_visit(outcome.response_url), check.of_target()
    if isinstance(outcome, UnchangedText):
        there = replace(outcome.visit, state="there", moved_to="")
        yield check.of(there, changed=outcome.visit.state != "there")
    elif check.sight.state == "gone":
        gone = replace(base, state="gone", etag=None, last_modified=None, parts=())
        yield check.of(gone, changed=base.state == "there")
    elif isinstance(outcome, Text) and _is_version(outcome, visit):
        changed = bool(base.content_hash) and _is_changed(outcome, base)
        fresh = _visit_with_text(base, outcome, check.source)
        yield check.of_target().of(fresh, changed=changed or base.state != "there")
    else:  # the outcome has no information about the text, so check again soon
        yield check.without_result(_visit_with_page(base, outcome))


def _is_version(outcome: Text, visit: Visit | None) -> bool:
    """Return whether a page is the text of its address, or a list that replaced a text."""
    took_place = visit is not None and bool(visit.content_hash) and outcome.record.page.kind == "list"
    return outcome.is_text or (outcome.is_compared and took_place)


def _visit_with_page(visit: Visit, outcome: Text | FailedFetch) -> Visit:
    """Return the visit with the version of a compared page, if the address never had a text."""
    if isinstance(outcome, FailedFetch) or not outcome.is_compared or visit.content_hash:
        return visit
    return replace(visit, page_id=outcome.page_id)


def _visit_with_text(base: Visit, outcome: Text, source: str) -> Visit:
    page: Page = outcome.record.page
    is_single = (
        len(outcome.fetched) == 1
    )  # a later part of a joined text may change even if the first part is unchanged
    return replace(
        base,
        url=page.url,
        source=source,
        state="there",
        page_id=page.id,
        content_hash=text_hash(page),
        whole_hash=outcome.record.whole_hash,
        extraction_version=outcome.extraction_version,
        etag=page.etag if is_single else None,
        last_modified=page.last_modified if is_single else None,
        parts=tuple(fetched.text_part for fetched in outcome.fetched),
        moved_to="",
    )


def next_interval(interval_s: float, *, changed: bool, bounds: ChangeBounds) -> float:
    """Return the seconds until the next visit; ``interval_s`` is 0 for a new address."""
    if interval_s <= 0:
        return bounds.min_s
    return min(bounds.max_s, max(bounds.min_s, interval_s / 4 if changed else interval_s * 2))


def is_reread(outcome: Text, visit: Visit | None) -> bool:
    """Return whether a text differs from the stored one only because our extraction changed.

    Args:
        outcome: of an address.
        visit: the stored visit of the address.
    """
    if visit is None or not visit.content_hash or not outcome.is_text or _is_moved(outcome):
        return False
    return outcome.record.page.id != visit.page_id and not _is_changed(outcome, visit)


def _is_changed(outcome: Text, visit: Visit) -> bool:
    """Return whether the site changed a text; False if only our extraction changed."""
    if text_hash(outcome.record.page) == visit.content_hash:
        return False
    if visit.whole_hash and outcome.record.whole_hash == visit.whole_hash:
        return False
    return tuple(fetched.text_part for fetched in outcome.fetched) != visit.parts


def _is_moved(outcome: Outcome) -> TypeGuard[Text | UnchangedText]:
    """Return whether a text came from another address than the requested one."""
    if isinstance(outcome, FailedFetch) or (isinstance(outcome, Text) and not outcome.is_text):
        return False
    return outcome.response_url != outcome.requested_url
