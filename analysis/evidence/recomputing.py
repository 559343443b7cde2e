"""Compute the texts and matches of a package again, from nothing but its contents.

Each page is read again from its archived bodies, and its matches are aligned and judged again with the
recorded inputs (:mod:`analysis.evidence.inputs`). Readers parse and compare all foreign content, within
limits of time and memory. The total time is limited too; matches beyond it are reported as not computed.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from analysis.evidence import layout
from analysis.evidence.added_responses import unreferenced_responses
from analysis.evidence.agreement import environment_statements
from analysis.evidence.archived import ArchivedBodies, ArchiveQuestion, LoggedDigests, Sighting, is_logged
from analysis.evidence.custom_rules import differences_by_builtin_rules, forged_profiles, maker_statement
from analysis.evidence.documents import record_of
from analysis.evidence.inputs import VERSIONS, RecordedInputs, other_passage, page_inputs
from analysis.evidence.listed_works import ListedWorks, contradictions, listed_works
from analysis.evidence.opening import OpenPackage
from analysis.evidence.rejudging import JudgementInputs, JudgementQuestion, judgement_differences
from analysis.evidence.rereading import ReadingInputs, ReadingPart, read_again, reading_differences
from crawler.addresses import canonical
from crawler.readers.pool import CannotRead, Reader
from crawler.reasons import TOO_SLOW
from crawler.versions import versions
from storage.records import Match, Page
from storage.records.pages import MAX_TEXT_CHARS
from system.batches import batched
from system.messages import N_, Message
from system.sites import host_of

Result = Literal["same", "same-other-version", "stretches-only", "not-computed", "different"]

RESULTS: tuple[Result, ...] = ("same", "same-other-version", "stretches-only", "not-computed", "different")
"""From best to worst. The result of a package is the worst result of its matches."""

_PAGES = 100  # number of pages whose bodies are in memory at once
_MAX_TEXT = 4 * MAX_TEXT_CHARS  # maximum bytes of a text in UTF-8
_MAX_TEXTS = 64 << 20  # maximum bytes of all passages for one page


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """A recomputed match.

    Attributes:
        name: of the match, such as ``m12``.
        url: address of its page.
        work: title of its work.
        result: ``same``; ``same-other-version``: the same with another version of pindna or of a library;
            ``stretches-only``: the page reads the same, and the package contains too little of the work for
            more; ``not-computed``: it needed too much time or memory; ``different``.
        differences: one line for each difference; differences of the page's text come first.
        word: inputs that only the maker of the package vouches for.
    """

    name: str
    url: str
    work: str
    result: Result
    differences: tuple[str, ...] = ()
    word: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class _PageRecords:
    """The records of a page in a package."""

    page: Page | None
    matches: list[Match]


@dataclass(frozen=True, slots=True)
class _Statements:
    """What a package as a whole states.

    Attributes:
        logged: digests of the captures that are proven to be in the log.
        listed: its works and passages.
        environments: what a reader must know about the environments of a page's captures, by page.
    """

    logged: LoggedDigests
    listed: ListedWorks
    environments: Mapping[str, tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class _Reading:
    """The result of reading a page again.

    Attributes:
        differences: one line each.
        contents: its bodies; empty if one is missing.
        is_computed: the reader did not exceed its limits.
    """

    differences: list[str]
    contents: Mapping[str, bytes] = field(default_factory=dict)
    is_computed: bool = True

    @property
    def result(self) -> Result | None:
        """The result of the matches if reading decides it; None if they must be judged."""
        if not self.is_computed:
            return "not-computed"
        return "different" if self.differences else None


def other_versions(package: OpenPackage) -> dict[str, tuple[str, str]]:
    """Return the differing versions: name → version in the package, installed version.

    Raises:
        NotAPackage: the package lists no versions.
    """
    recorded, installed = package.document(layout.INPUTS + VERSIONS), versions()
    names = sorted({*recorded, *installed})
    both = {name: (str(recorded.get(name, "")), installed.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def recompute(
    package: OpenPackage, archives: Reader, reader: Reader, *, logged: LoggedDigests, max_s: float
) -> Iterator[Recomputed]:
    """Yield the recomputed matches of a package.

    Args:
        package: a package whose bytes were checked.
        archives: unpacks web archives, which may take longer than a page.
        reader: parses and compares.
        logged: digests of the captures that are proven to be in the log.
        max_s: seconds after which no further page is started.

    Raises:
        NotAPackage, NotADocument: a part is missing or has another structure.
    """
    end = time.monotonic() + max_s
    is_same_version = not other_versions(package)
    by_page: dict[str, list[Match]] = defaultdict(list)
    for row in package.lines(layout.MATCHES):
        match = record_of(Match, row)
        by_page[match.page_id].append(match)
    pages = {row["id"]: record_of(Page, row) for row in package.lines(layout.PAGES)}
    statements = _Statements(logged, listed_works(package), environment_statements(package))
    for ids in batched(by_page, _PAGES):
        page_records = {page_id: _PageRecords(pages.get(page_id), by_page[page_id]) for page_id in ids}
        is_late = time.monotonic() > end
        archived = TOO_SLOW if is_late else _bodies(package, page_records.values(), archives, logged)
        for records in page_records.values():
            bodies = TOO_SLOW if time.monotonic() > end else archived
            for recomputation in _recompute_page(package, records, bodies, statements, reader):
                is_other = recomputation.result == "same" and not is_same_version
                yield replace(recomputation, result="same-other-version") if is_other else recomputation


def _bodies(
    package: OpenPackage, pages: Iterable[_PageRecords], reader: Reader, logged: LoggedDigests
) -> ArchivedBodies | str:
    """Return the archived bodies of pages, or the reason why the archive cannot be read."""
    hashes = {sha256 for records in pages if records.page is not None for sha256 in records.page.snapshots}
    member = f"{package.number}/{layout.ARCHIVE}"
    question = ArchiveQuestion(str(package.path.resolve()), member, frozenset(hashes), logged)
    try:
        return reader.ask(question)[0]
    except CannotRead as error:
        return error.reason


def _recompute_page(
    package: OpenPackage,
    records: _PageRecords,
    bodies: ArchivedBodies | str,
    statements: _Statements,
    reader: Reader,
) -> Iterator[Recomputed]:
    """Yield the recomputed matches of a page."""
    matches = records.matches
    if records.page is None:
        yield from (_make_recomputed(match, "different", ["page: –"]) for match in matches)
        return
    if isinstance(bodies, str):
        yield from (_make_recomputed(match, "not-computed", [f"archive: {bodies}"]) for match in matches)
        return
    page = _load_texts(package, records.page)
    inputs = record_of(RecordedInputs, package.document(layout.INPUTS + page_inputs(page.id)))
    reading = _read_page_again(page, inputs, bodies, statements.logged, reader)
    word = (
        *_unlogged_statements(inputs, bodies),
        *_unreferenced_statements(inputs, reading, reader),
        *maker_statement(inputs),
        *statements.environments.get(page.id, ()),
    )
    if inputs.judgement is None:
        for match in matches:
            yield _make_recomputed(match, reading.result or "stretches-only", reading.differences, word)
        return
    texts = _passage_texts(package, inputs.judgement)
    forged = [
        *(f"profile: {name} → –" for name in forged_profiles(inputs.judgement)),
        *contradictions(statements.listed, inputs.judgement, matches),
    ]
    again, reason = _judge_page(page, inputs.judgement, texts, reader)
    by_own_rules = dict[str, Message]()
    if reading.result is None and not reason:
        by_own_rules = differences_by_builtin_rules(
            page, matches, inputs, contents=reading.contents, texts=texts, reader=reader
        )
    for match in matches:
        differences = [f"match: {reason}"] if reason else [*forged, *judgement_differences(match, again)]
        result = reading.result if reason or not differences else "different"
        result = result or ("not-computed" if reason else "same")
        more = [by_own_rules[match.name]] if match.name in by_own_rules else []
        yield _make_recomputed(match, result, [*reading.differences, *differences], (*word, *more))


def _load_texts(package: OpenPackage, page: Page) -> Page:
    """Return a page with its texts. Packages of earlier versions have no rest.

    Raises:
        NotAPackage: the text is missing, or one is too long.
    """
    text = package.text(layout.page_text(page.id), max_bytes=_MAX_TEXT)
    name = layout.page_rest(page.id)
    rest = package.text(name, max_bytes=_MAX_TEXT) if name in package.members else ""
    return replace(page, text=text, rest=rest)


def _read_page_again(
    page: Page, inputs: RecordedInputs, bodies: ArchivedBodies, logged: LoggedDigests, reader: Reader
) -> _Reading:
    """Read a page again and compare it with the stored one."""
    if inputs.reading is None:
        return _Reading(["text: –"])
    missing = [response.sha256 for response in inputs.reading.parts if not _is_whole(response.sha256, bodies)]
    if missing:
        return _Reading([f"body: {sha256} → –" for sha256 in missing])
    elsewhere = _addresses_without_body(page, inputs.reading, bodies)
    if elsewhere:
        return _Reading([f"address: {url} → –" for url in elsewhere])
    unlike = _captures_unlike_the_log(inputs.reading, bodies, logged)
    if unlike:
        return _Reading([f"capture: {url} → –" for url in unlike])
    archived = bodies.by_sha256
    contents = {response.sha256: archived[response.sha256].body for response in inputs.reading.parts}
    try:
        again = read_again(inputs.reading, contents, reader).page
    except CannotRead as error:
        return _Reading([f"text: {error.reason}"], contents, is_computed=False)
    return _Reading(reading_differences(page, again), contents)


def _addresses_without_body(page: Page, reading: ReadingInputs, bodies: ArchivedBodies) -> list[str]:
    """Return the recorded addresses for which the archive does not contain the body in this form."""
    if not reading.parts or _canonical(reading.parts[0].url) != page.url or host_of(page.url) != page.host:
        return [page.url]
    return [response.url for response in reading.parts if not _sightings_of(response, bodies)]


def _canonical(url: str) -> str:
    """Return the canonical form of an address; empty if it has none."""
    try:
        return canonical(url)
    except ValueError:
        return ""


def _is_whole(sha256: str, bodies: ArchivedBodies) -> bool:
    return sha256 in bodies.by_sha256 and bool(bodies.by_sha256[sha256].body)


def _sightings_of(response: ReadingPart, bodies: ArchivedBodies) -> list[Sighting]:
    """Return the archived captures of a response: with its address, its charset and its kind of body."""
    return [
        sighting
        for sighting in bodies.by_sha256[response.sha256].sightings
        if (sighting.url, sighting.declared, sighting.is_rendered)
        == (response.url, response.declared, response.is_rendered)
    ]


def _captures_unlike_the_log(
    reading: ReadingInputs, bodies: ArchivedBodies, logged: LoggedDigests
) -> list[str]:
    """Return the addresses whose body is in the log, but not with the archived address, date and headers."""
    return [
        response.url
        for response in reading.parts
        if response.sha256 in logged
        and not any(
            is_logged(response.sha256, sighting, logged) for sighting in _sightings_of(response, bodies)
        )
    ]


def _unlogged_statements(inputs: RecordedInputs, bodies: ArchivedBodies) -> Iterator[Message]:
    """Report the archived captures of a page that the log does not contain."""
    urls = {response.url for response in inputs.reading.parts} if inputs.reading is not None else set()
    if count := sum(url in urls for url in bodies.unlogged):
        yield Message(N_("responses without a capture in the evidence log: {count}"), {"count": count})


def _unreferenced_statements(inputs: RecordedInputs, reading: _Reading, reader: Reader) -> Iterator[Message]:
    """Report the responses behind a page's rest that the page itself does not refer to."""
    if inputs.reading is None or not reading.contents:
        return
    if count := len(unreferenced_responses(inputs.reading, reading.contents, reader)):
        yield Message(
            N_("documents in the rest of the page that the page does not refer to: {count}"), {"count": count}
        )


def _passage_texts(package: OpenPackage, inputs: JudgementInputs) -> dict[int, str]:
    """Return the texts of passages, by id.

    Raises:
        NotAPackage: one is missing, or all together are too long.
    """
    packed = {other.passage_id for other in inputs.other_passages if other.is_packed}
    texts, size = dict[int, str](), 0
    for head in inputs.passages:
        other = layout.passage_text(head.id)
        if other not in package.members and head.id in packed:
            other = layout.INPUTS + other_passage(head.id)
        size += package.size(other)
        if size > _MAX_TEXTS:
            raise package.refusal(N_("{name} is too long"), name=layout.PASSAGE_TEXTS)
        texts[head.id] = package.text(other)
    return texts


def _judge_page(
    page: Page, inputs: JudgementInputs, texts: Mapping[int, str], reader: Reader
) -> tuple[Sequence[Match], str]:
    """Return the recomputed matches of a page, or the reason why there are none."""
    try:
        return reader.ask(JudgementQuestion(page, inputs, texts))[0], ""
    except CannotRead as error:
        return (), error.reason


def _make_recomputed(
    match: Match, result: Result, differences: Sequence[str] = (), word: Sequence[Message] = ()
) -> Recomputed:
    return Recomputed(
        name=match.name,
        url=match.url,
        work=match.work_title,
        result=result,
        differences=tuple(differences),
        word=tuple(word),
    )
