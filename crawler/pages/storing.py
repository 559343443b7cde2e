"""Stores outcomes in MongoDB, in as few operations as possible.

Pages come first, then events, visits and evidence. Every write is an upsert on a natural key, so everything
can be repeated. If evidence cannot be stored, it is counted, and its page is stored without it.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from crawler.exchange import Exchange
from crawler.pages.changes import Change, ChangeBounds, change_of, is_reread
from crawler.pages.looks import Observation, look_of, still_holds
from crawler.pages.outcomes import FailedFetch, FetchedPart, Outcome, Text, UnchangedText
from crawler.pages.page_records import text_hash
from crawler.pages.screenshots import keep_screenshot
from crawler.pages.warc import capture_of, response_record, seen_again_record
from storage.collections.documents import Unstorable
from storage.records import Match, Page, Snapshot, Visit
from system.bugs import summary_of
from system.errors import PindnaError

if TYPE_CHECKING:
    from crawler.job import Job

log = logging.getLogger(__name__)


def store_outcomes(job: "Job", outcomes: Sequence[Outcome]) -> list[Counter[str]]:
    """Store outcomes and return the counts of each. Blocks.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    visits = _known_visits(job, outcomes)
    # read this before the pages are stored, because the rest of a version may be replaced
    looks_for = _looked_for(job, outcomes, visits)
    new = _store_pages(job, outcomes, visits)
    changes = _changes_of(job, outcomes, visits, looks_for)
    # Stored before the visits, so that a repeated crawl derives the same events and looks.
    job.stores.page_events.add_many([event for change in changes for event in change.events])
    looks = [look for change in changes for look in change.looks]
    job.stores.looks.add_many(looks)
    if not job.expected_versions:
        job.stores.watches.follow_contradictions(looks, now=job.clock())
    job.stores.visits.save_many([visit for change in changes for visit in change.visits])
    lost = keep_evidence(job, outcomes)
    return [
        _outcome_counts(outcome, is_new=is_new, change=change) + Counter(evidence_lost=is_lost)
        for outcome, is_new, change, is_lost in zip(outcomes, new, changes, lost, strict=True)
    ]


def store_neighbour(job: "Job", outcome: Outcome, sight: Observation, *, url: str, page_id: str) -> None:
    """Store the look of a neighbour, which shows whether its site works, and its evidence.

    Args:
        job: a round of the takedown watch.
        outcome: of the page.
        sight: the observation.
        url: of the page, canonical.
        page_id: the expected version; empty for a front page.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    look = look_of(sight, url, page_id=page_id, source=job.source.name, scan_id=job.scan_id, now=job.clock())
    job.stores.looks.add_many([look])
    keep_evidence(job, [outcome])


def store_imported(job: "Job", outcomes: Sequence[Text]) -> list[bool]:
    """Store pages that others captured, with their evidence; return which pages are new. Blocks.

    They are no visits of pindna: no address becomes due, and no look or event follows from them.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    pages = [outcome.record.page for outcome in outcomes]
    new = job.stores.pages.add_imported(pages)
    job.stores.pages.settle([page.url for page in pages])
    keep_evidence(job, outcomes)
    return new


def store_lists(job: "Job", urls: Sequence[str]) -> None:
    """Delete the stored failures of addresses that answered as pages of links.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    job.stores.pages.forget_failures(urls)


def _store_pages(job: "Job", outcomes: Sequence[Outcome], visits: Mapping[str, Visit]) -> list[bool]:
    """Store the pages, mark the current versions, and return which pages are new."""
    same = [outcome.visit for outcome in outcomes if isinstance(outcome, UnchangedText)]
    if same:
        seen_by = "" if job.expected_versions else job.scan_id
        job.stores.pages.touch([visit.page_id for visit in same], scan_id=seen_by)
    pages = list(_pages_read(job, outcomes, visits))
    new = iter(job.stores.pages.see_many(pages, keep_scan=bool(job.expected_versions)))
    job.stores.pages.settle([*(visit.url for visit in same), *(page.url for page in pages)])
    return [not isinstance(outcome, UnchangedText) and next(new) for outcome in outcomes]


def _pages_read(job: "Job", outcomes: Sequence[Outcome], visits: Mapping[str, Visit]) -> Iterator[Page]:
    """Yield the pages of the outcomes; a page that only our extraction changed keeps its first date."""
    readings = {
        outcome.requested_url: visits[outcome.requested_url].page_id
        for outcome in outcomes
        if isinstance(outcome, Text) and is_reread(outcome, visits.get(outcome.requested_url))
    }
    first_seen = job.stores.pages.first_seen_of(sorted(readings.values()))
    for outcome in outcomes:
        if isinstance(outcome, UnchangedText):
            continue
        page = (outcome.record if isinstance(outcome, Text) else outcome.page).page
        before = readings.get(outcome.requested_url)
        if before is not None and before in first_seen:
            page = replace(page, reread_of=before, first_seen=first_seen[before])
        yield page


@dataclass(frozen=True, slots=True)
class _LookedFor:
    """The expectation for an address.

    Attributes:
        expected: stored visit with the expected version, in a round of the takedown watch; None in a crawl.
        watched: whether the address has a match.
        still_held: whether the page has the copied stretches, see :func:`is_still_held`.
    """

    expected: Visit | None
    watched: bool
    still_held: bool | None


def _looked_for(job: "Job", outcomes: Sequence[Outcome], visits: Mapping[str, Visit]) -> list[_LookedFor]:
    known_pages = {visit.page_id for visit in visits.values() if visit.page_id}
    matching = job.stores.matches.pages_with_matches(sorted(known_pages))
    looked_for = []
    for outcome in outcomes:
        before = visits.get(outcome.requested_url)
        expected = _expected_visit(job, outcome.requested_url, before)
        watched = expected is not None or (before is not None and before.page_id in matching)
        still_held = is_still_held(job, outcome, expected or before) if watched else None
        looked_for.append(_LookedFor(expected, watched, still_held))
    return looked_for


def _changes_of(
    job: "Job",
    outcomes: Sequence[Outcome],
    known_visits: Mapping[str, Visit],
    looked_for: Sequence[_LookedFor],
) -> list[Change]:
    visits = dict(known_visits)
    changes = []
    for outcome, look in zip(outcomes, looked_for, strict=True):
        before = visits.get(outcome.requested_url)
        is_same = look.expected is None or before is known_visits.get(outcome.requested_url)
        expected = look.expected if is_same else _expected_visit(job, outcome.requested_url, before)
        change = change_of(
            outcome,
            before,
            expected=expected,
            target=visits.get(outcome.response_url) if _is_elsewhere(outcome) else None,
            source=job.source.name,
            scan_id=job.scan_id,
            now=job.clock(),
            bounds=_change_bounds(job),
            watched=look.watched,
            still_held=look.still_held,
        )
        visits.update((visit.url, visit) for visit in change.visits)
        changes.append(change)
    return changes


def _expected_visit(job: "Job", url: str, visit: Visit | None) -> Visit | None:
    """Return the visit with the version that the takedown watch expects; None in a crawl."""
    page_id = job.expected_versions.get(url)
    if page_id is None or (visit is not None and visit.page_id == page_id):
        return None if page_id is None else visit
    base = visit or Visit(url=url, source=job.source.name)
    page = job.stores.pages.get(page_id)
    content_hash = text_hash(page) if page else ""
    return replace(base, page_id=page_id, content_hash=content_hash, whole_hash="", parts=())


def _known_visits(job: "Job", outcomes: Sequence[Outcome]) -> dict[str, Visit]:
    """Return the stored visits of all addresses of the outcomes."""
    unchanged = {
        outcome.visit.url: outcome.visit for outcome in outcomes if isinstance(outcome, UnchangedText)
    }
    requested = [outcome.requested_url for outcome in outcomes]
    targets = [outcome.response_url for outcome in outcomes if _is_elsewhere(outcome)]
    missing = [url for url in dict.fromkeys((*requested, *targets)) if url not in unchanged]
    return {**unchanged, **job.stores.visits.get_many(missing)}


def _is_elsewhere(outcome: Outcome) -> TypeGuard[Text | UnchangedText]:
    return not isinstance(outcome, FailedFetch) and outcome.response_url != outcome.requested_url


def is_still_held(job: "Job", outcome: Outcome, expected: Visit | None) -> bool | None:
    """Return whether a page still has the copied stretches of the expected version.

    Returns:
        True: another text has them. False: the same article is online, but not the copy in the rest of the
        page. None: the comparison of versions decides.
    """
    if expected is None or isinstance(outcome, FailedFetch):
        return None
    if outcome.page_id == expected.page_id:
        return _has_copied_rest(job, outcome, expected) if isinstance(outcome, Text) else None
    before = job.stores.pages.get(expected.page_id)
    answer = outcome.record.page if isinstance(outcome, Text) else job.stores.pages.get(outcome.page_id)
    if before is None or answer is None:
        return None
    return _still_has_matches(answer, before, _matches_of(job, before)) or None


def _has_copied_rest(job: "Job", outcome: Text, expected: Visit) -> bool | None:
    """Return whether a page with the same article still has the copies in its rest."""
    if tuple(fetched.text_part for fetched in outcome.fetched) == expected.parts:
        return None
    before, answer = job.stores.pages.get(expected.page_id), outcome.record.page
    if before is None or before.rest_hash == answer.rest_hash:
        return None
    matches = _matches_of(job, before)
    if not matches or any(match.part == "article" for match in matches):
        return None
    return _still_has_matches(answer, before, matches)


def _matches_of(job: "Job", page: Page) -> list[Match]:
    matches = job.stores.matches.of_page(page.id)
    return [match for match in matches if match.review != "dismissed"]


def _still_has_matches(answer: Page, before: Page, matches: Iterable[Match]) -> bool:
    """Return whether a page has the matched stretches of an earlier version."""
    stretches = (
        before.text_of(match.part)[span.page_start : span.page_end]
        for match in matches
        for span in match.spans
    )
    return still_holds(f"{answer.text}\n{answer.rest}", stretches)


def _change_bounds(job: "Job") -> ChangeBounds:
    min_h, max_h = job.settings.revisit_min_h, job.settings.revisit_max_h
    return ChangeBounds(min_s=min_h * 3600, max_s=max(min_h, max_h) * 3600)


def keep_evidence(job: "Job", outcomes: Sequence[Outcome]) -> list[int]:
    """Store the evidence of outcomes; return 1 for each outcome whose evidence cannot be stored, else 0.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    try:
        _store_evidence(job, outcomes)
    except PindnaError as error:
        if not isinstance(error, Unstorable):
            raise
    except Exception as error:  # noqa: BLE001 - caused by the headers or the body of one response
        log.error("evidence could not be written: %s", summary_of(error))  # noqa: TRY400 - no page text in a log
    else:
        return [0] * len(outcomes)
    if len(outcomes) == 1:
        return [1]
    return [lost for outcome in outcomes for lost in keep_evidence(job, [outcome])]


def _store_evidence(job: "Job", outcomes: Sequence[Outcome]) -> None:
    """Store the exchanges: in full if their body is new, else as revisits of the stored one."""
    exchanges = [
        (fetched.received, fetched.text_part.sha256, snapshot)
        for fetched, snapshot in _fetched_parts(outcomes)
        if fetched.received is not None
    ]
    in_full = [
        _full_snapshot(snapshot, received, sha256)
        for received, sha256, snapshot in exchanges
        if snapshot is not None
    ]
    new = iter(job.stores.snapshots.save_many(in_full))
    captures, repeated = [], []
    for received, sha256, snapshot in exchanges:
        captures += keep_screenshot(job, received)
        if snapshot is not None and next(new):
            captures.append(capture_of(job, received, sha256))
        else:
            repeated.append((received, sha256))
    kept = job.stores.snapshots.about_many(list(dict.fromkeys(sha256 for _, sha256 in repeated)))
    for received, sha256 in repeated:
        if sha256 in kept:  # if retention deleted the body, the next change stores a full record
            first = kept[sha256]
            warc = seen_again_record(
                received, sha256=sha256, first_url=first.url, first_fetched=first.fetched
            )
            captures.append(capture_of(job, received, sha256, warc=warc))
    job.stores.captures.add_many(captures)


def _fetched_parts(outcomes: Sequence[Outcome]) -> Iterator[tuple[FetchedPart, Snapshot | None]]:
    for outcome in outcomes:
        record = outcome.record if isinstance(outcome, Text) else None
        record = outcome.page if isinstance(outcome, FailedFetch) else record
        snapshots = record.snapshots if record else ()
        attached = outcome.attached if isinstance(outcome, Text) else ()
        for number, fetched in enumerate((*outcome.fetched, *attached)):
            yield fetched, snapshots[number] if number < len(snapshots) else None


def _full_snapshot(snapshot: Snapshot, received: Exchange, sha256: str) -> Snapshot:
    return replace(
        snapshot, sha256=sha256, headers=received.header_block, body=b"", warc=response_record(received)
    )


def _outcome_counts(outcome: Outcome, *, is_new: bool, change: Change) -> Counter[str]:
    kinds = Counter(event.kind for event in change.events)
    counts: Counter[str] = Counter({f"event:{kind}": number for kind, number in kinds.items()})
    counts.update(f"look:{look.state}" for look in change.looks)
    counts["repeated_parts"] += isinstance(outcome, Text) and outcome.is_endless
    if isinstance(outcome, UnchangedText):
        counts.update(["unchanged", "not_modified" if outcome.not_modified else "same_body"])
    elif isinstance(outcome, Text) and outcome.is_article:
        page = outcome.record.page
        # A new version without an event: only the extraction of pindna changed.
        names = ["pages"] if is_new and kinds else ["unchanged", *(["read_again"] if is_new else [])]
        counts.update([*names, "extracted", f"kind:{page.kind}"])
        counts.update(f"step:{name}" for name in outcome.record.failed_steps)
        counts["confidence"] += round(page.confidence * 1000)
    elif isinstance(outcome, Text) and outcome.is_compared:
        counts.update(["pages" if is_new else "unchanged", f"kind:{outcome.record.page.kind}"])
    else:
        page = outcome.record.page if isinstance(outcome, Text) else outcome.page.page
        counts.update(["failed", f"failed:{page.reason or page.kind}", f"kind:{page.kind}"])
    return counts
