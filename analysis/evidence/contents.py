"""Collect the contents of a package, page by page, with the texts of one batch in memory.

Missing or damaged records become a :class:`PackageProblem` in the package; the export continues.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from analysis.evidence import layout
from analysis.evidence.captures import read_exchange
from analysis.evidence.changes import changes_between
from analysis.evidence.documents import json_of
from analysis.evidence.for_outsiders import redacted_work
from analysis.evidence.inputs import inputs_of
from analysis.evidence.staging import Staging
from crawler.pages.verifying import CheckedCapture, Verifier
from crawler.pages.warc import body_record
from crawler.pages.warc_reading import SnapshotDamaged
from crawler.readers.pool import Reader
from storage.collections.stores import Stores
from storage.records import CaptureSession, Match, Page, Passage
from system.batches import batched
from system.errors import UnknownRecord
from tracker.comparison import Corpus

ProblemKind = Literal[
    "page-gone",
    "passage-gone",
    "no-capture",
    "capture-missing",
    "capture-altered",
    "capture-unreadable",
    "computed-otherwise",
    "no-pdf",
    "no-screenshot",
]

_BATCH = 20  # pages whose texts are in memory at once
_SCREENSHOT = "screenshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageProblem:
    """A record that is missing or damaged.

    Attributes:
        subject: the address, passage or body.
        detail: the exact problem.
    """

    kind: ProblemKind
    subject: str
    detail: str = ""


@dataclass(slots=True)
class Gathered:
    """A summary of the collected records.

    Attributes:
        pages: address, title and first visit of each page, by id.
        bodies: SHA-256 of the bodies to archive, in the order of their pages.
        capture_ids, event_ids: ids of the packed captures and events.
        sessions: the environments of the packed captures, by id.
    """

    pages: dict[str, tuple[str, str, datetime]] = field(default_factory=dict)
    bodies: dict[str, None] = field(default_factory=dict)
    capture_ids: dict[str, None] = field(default_factory=dict)
    event_ids: dict[str, None] = field(default_factory=dict)
    sessions: dict[str, CaptureSession] = field(default_factory=dict)
    passages: int = 0
    problems: list[PackageProblem] = field(default_factory=list)


class Gatherer:
    """Writes the records and texts of matches.

    Args:
        stores: the database.
        corpus: the mother corpus behind its index.
        reader: reads the pages again.
        staging: receives the files.
        excerpts: of the passages, write only the stretches of the matches.
    """

    def __init__(
        self, stores: Stores, corpus: Corpus, reader: Reader, staging: Staging, *, excerpts: bool
    ) -> None:
        self._stores = stores
        self._corpus = corpus
        self._reader = reader
        self._staging = staging
        self._excerpts = excerpts
        self._verifier = Verifier(stores)
        self._session_ids: set[str] = set()
        self._gathered = Gathered()

    def gather(self, matches: Sequence[Match]) -> Gathered:
        """Write everything about the matches, and return a summary.

        Raises:
            ServiceDown, StorageFailed: the database refused.
            OSError: a file cannot be written.
        """
        with self._staging.lines(layout.MATCHES) as write:
            for match in matches:
                write(json_of(match))
        self._write_pages(matches)
        self._write_sessions()
        self._write_passages(matches)
        return self._gathered

    def _write_pages(self, matches: Sequence[Match]) -> None:
        by_page: dict[str, list[Match]] = defaultdict(list)
        for match in matches:
            by_page[match.page_id].append(match)
        with ExitStack() as stack:
            page_line, capture_line, visit_line = (
                stack.enter_context(self._staging.lines(name))
                for name in (layout.PAGES, layout.CAPTURES, layout.VISITS)
            )
            for ids in batched(by_page, _BATCH):
                pages = self._stores.pages.get_many(ids)
                for page_id in ids:
                    page = pages.get(page_id)
                    if page is None:
                        self._add_problem("page-gone", by_page[page_id][0].url)
                        continue
                    page_line(json_of(replace(page, text="", rest="")))
                    self._write_page(page, by_page[page_id])
                    for row in self._captures(page):
                        capture_line(row)
                    for row in self._visits(page):
                        visit_line(row)

    def _write_page(self, page: Page, matches: Sequence[Match]) -> None:
        """Write the texts of a page, and all inputs of its reading and its matches."""
        self._staging.write(layout.page_text(page.id), page.text.encode())
        if page.rest:
            self._staging.write(layout.page_rest(page.id), page.rest.encode())
        inputs = inputs_of(
            page,
            matches,
            stores=self._stores,
            corpus=self._corpus,
            reader=self._reader,
            excerpts=self._excerpts,
        )
        for name, content in inputs.files.items():
            self._staging.write(layout.INPUTS + name, content)
        for difference in inputs.differences:
            self._add_problem("computed-otherwise", page.url, difference)

    def _captures(self, page: Page) -> Iterator[dict[str, Any]]:
        """Yield the captures of a page, the oldest first, and record which bodies to archive."""
        captures = self._stores.captures.of_bodies(list(page.snapshots))
        named = {capture.sha256 for capture in captures}
        for sha256 in page.snapshots:
            if sha256 not in named:
                self._add_problem("no-capture", page.url, sha256)
                self._gathered.bodies[sha256] = None
        capture_ids = {capture.id for capture in captures}
        of_address = self._stores.captures.of_url(page.url)
        pictured = {stored.fetched for stored in of_address if stored.kind == _SCREENSHOT}
        pictures = [
            stored for stored in of_address if stored.fetched in pictured and stored.id not in capture_ids
        ]
        first = page.fetched or page.first_seen
        for capture in (*captures, *reversed(pictures)):
            if capture.sha256 in page.snapshots:
                first = min(first, capture.fetched)
            yield self._capture(page, self._verifier.check(capture))
        self._gathered.pages[page.id] = page.url, page.title, first

    def _capture(self, page: Page, checked: CheckedCapture) -> dict[str, Any]:
        capture = checked.capture
        self._gathered.capture_ids[capture.id] = None
        self._session_ids |= {capture.session} - {""}
        if checked.state == "missing":
            self._add_problem("capture-missing", capture.url, capture.sha256)
        elif checked.problem:
            self._add_problem("capture-altered", capture.url, f"{capture.sha256} ({checked.problem})")
        if capture.sha256:
            self._gathered.bodies[capture.sha256] = None
        if capture.kind == _SCREENSHOT and checked.state != "missing":
            self._write_picture(capture.sha256)
        return {
            **json_of(replace(capture, warc=b"")),
            "page_id": page.id,
            "checked": checked.state,
            "problem": checked.problem,
        }

    def _write_sessions(self) -> None:
        sessions = self._stores.capture_sessions.get_many(self._session_ids)
        with self._staging.lines(layout.SESSIONS) as write:
            for key in sorted(sessions, key=lambda key: (sessions[key].at, key)):
                self._gathered.sessions[key] = sessions[key]
                write(json_of(sessions[key]))

    def _write_picture(self, sha256: str) -> None:
        try:
            picture = read_exchange(sha256, self._stores).body
        except (UnknownRecord, SnapshotDamaged):  # the check of the evidence reports this
            return
        self._staging.write(f"{layout.SCREENSHOTS}{sha256}.png", picture)

    def _visits(self, page: Page) -> Iterator[dict[str, Any]]:
        """Yield the records about an address: visits, looks, events, versions and their changes."""
        visit = self._stores.visits.get(page.url)
        if visit is not None:
            yield {"record": "visit", **json_of(visit)}
        for event in self._stores.page_events.of_url(page.url):
            yield {"record": "event", **json_of(event)}
        for look in self._stores.looks.of_url(page.url):
            yield {"record": "look", **json_of(look)}
        yield from changes_between(self._stores.pages.versions(page.url))

    def _write_passages(self, matches: Iterable[Match]) -> None:
        """Write the works and passages of matches; for a package of excerpts, only the stretches."""
        stretches = stretches_of(matches)
        works: set[int] = set()
        with self._staging.lines(layout.PASSAGES) as write:
            for ids in batched(stretches, _BATCH):
                passages = self._stores.passages.get_many(ids)
                for passage_id in ids:
                    passage = passages.get(passage_id)
                    if passage is None:
                        self._add_problem("passage-gone", str(passage_id))
                        continue
                    write(json_of(replace(passage, text="")))
                    works.add(passage.work_id)
                    self._write_passage(passage, stretches[passage_id])
                    self._gathered.passages += 1
        work_records = self._stores.works.get_many(works)
        books = self._stores.works.get_many(
            {work.book_id for work in work_records.values()} - work_records.keys()
        )
        with self._staging.lines(layout.WORKS) as write:
            for _, work in sorted({**work_records, **books}.items()):
                write(json_of(redacted_work(work) if self._excerpts else replace(work, origin="")))

    def _write_passage(self, passage: Passage, stretches: Sequence[tuple[int, int]]) -> None:
        if not self._excerpts:
            self._staging.write(layout.passage_text(passage.id), passage.text.encode())
            return
        with self._staging.lines(layout.stretches(passage.id)) as write:
            for start, end in stretches:
                write({"start": start, "end": end, "text": passage.text[start:end]})

    def _add_problem(self, kind: ProblemKind, subject: str, detail: str = "") -> None:
        self._gathered.problems.append(PackageProblem(kind=kind, subject=subject, detail=detail))


def stretches_of(matches: Iterable[Match]) -> Mapping[int, Sequence[tuple[int, int]]]:
    """Return, by passage, the disjoint stretches that cover all spans of the matches, in order."""
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for match in matches:
        dismissed = (suppressed.span for suppressed in match.suppressed)
        match_spans = (*match.spans, *match.common, *dismissed)
        spans[match.passage_id] += [(span.passage_start, span.passage_end) for span in match_spans]
    return {passage_id: list(_join_stretches(sorted(pieces))) for passage_id, pieces in sorted(spans.items())}


def _join_stretches(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted stretches that touch."""
    start = end = -1
    for first, last in pieces:
        if first > end:
            if end > start:
                yield start, end
            start, end = first, last
        end = max(end, last)
    if end > start:
        yield start, end


def records_of(gathered: Gathered, stores: Stores) -> Iterator[tuple[str, bytes]]:
    """Yield the WARC records of the collected captures, each body before the records that refer to it."""
    for sha256 in gathered.bodies:
        try:
            snapshot = stores.snapshots.get(sha256)
        except UnknownRecord:  # the check of the evidence reports this
            continue
        if snapshot.warc:
            yield sha256, snapshot.warc
        elif hashlib.sha256(snapshot.body).hexdigest() == sha256:
            yield sha256, body_record(snapshot)
        for capture in stores.captures.of_bodies([sha256]):
            if capture.warc:
                yield capture.id, capture.warc
