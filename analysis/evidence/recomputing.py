"""Computes the texts and matches of a package once more, with nothing but what the package holds.

Each page is read again from its archived bodies, and its matches are aligned and judged again, with what had
a say in them (:mod:`analysis.evidence.inputs`). Whatever parses or compares what a stranger may have written
runs in a reader, within its bounds of time and memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from analysis.evidence import layout
from analysis.evidence.archived import ArchivedBody, ArchiveQuestion
from analysis.evidence.documents import record_of
from analysis.evidence.inputs import VERSIONS, RecordedInputs, differences_again, other_passage, page_inputs
from analysis.evidence.opening import Package
from analysis.evidence.rejudging import JudgementInputs
from analysis.evidence.rereading import read_again, reading_differences
from analysis.evidence.versions import versions
from crawler.readers.pool import CannotRead, Reader
from storage.batches import batched
from storage.records import Match, Page

Result = Literal["same", "same-other-version", "stretches-only", "different"]

RESULTS: tuple[Result, ...] = ("same", "same-other-version", "stretches-only", "different")
"""From the best to the worst: the result of a package is the worst of its matches'."""

_PAGES = 100  # whose bodies are held at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """A match that was computed once more.

    Attributes:
        name: of the match, such as ``m12``.
        url: of its page.
        work: title of its work.
        result: ``same``; ``same-other-version``: the same, by another version of pindna or of a library;
            ``stretches-only``: the page reads the same, and the package has too little of the work for more;
            ``different``.
        differences: a line each; of the page's text first.
    """

    name: str
    url: str
    work: str
    result: Result
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _PageDocuments:
    """What a package says of a page, as plain JSON."""

    page: Any
    matches: list[Any]


def other_versions(package: Package) -> dict[str, tuple[str, str]]:
    """Return of what there is another version here: name → version in the package, version here.

    Raises:
        NotAPackage: the package does not say.
    """
    recorded, here = package.document(layout.INPUTS + VERSIONS), versions()
    names = sorted({*recorded, *here})
    both = {name: (str(recorded.get(name, "")), here.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def recompute(package: Package, reader: Reader) -> Iterator[Recomputed]:
    """Yield the matches of a package, computed once more.

    Args:
        package: whose bytes were checked.
        reader: parses and compares.

    Raises:
        NotAPackage, NotADocument: something in it is missing, or of another shape.
    """
    is_same_version = not other_versions(package)
    by_page: dict[str, list[Any]] = defaultdict(list)
    for row in package.lines(layout.MATCHES):
        by_page[row["page_id"]].append(row)
    pages = {row["id"]: row for row in package.lines(layout.PAGES)}
    for ids in batched(by_page, _PAGES):
        known = {page_id: _PageDocuments(pages.get(page_id), by_page[page_id]) for page_id in ids}
        bodies = _bodies(package, known.values(), reader)
        for page_id, documents in known.items():
            matches = [record_of(Match, row) for row in documents.matches]
            if documents.page is None:
                yield from (_different(match, ["page: –"]) for match in matches)
                continue
            page = record_of(Page, {**documents.page, "text": package.text(layout.page_text(page_id))})
            for one in _page(package, page, matches, bodies, reader):
                is_other = one.result == "same" and not is_same_version
                yield replace(one, result="same-other-version") if is_other else one


def _bodies(package: Package, pages: Iterable[_PageDocuments], reader: Reader) -> Mapping[str, ArchivedBody]:
    """Return the bodies of some pages; none where the archive cannot be read."""
    wanted = {sha256 for known in pages if known.page is not None for sha256 in known.page["snapshots"]}
    member = f"{package.number}/{layout.ARCHIVE}"
    try:
        return reader.ask(ArchiveQuestion(str(package.path.resolve()), member, frozenset(wanted)))[0]
    except CannotRead:
        return {}


def _page(
    package: Package,
    page: Page,
    matches: Sequence[Match],
    bodies: Mapping[str, ArchivedBody],
    reader: Reader,
) -> Iterator[Recomputed]:
    """Yield the matches of a page."""
    inputs = record_of(RecordedInputs, package.document(layout.INPUTS + page_inputs(page.id)))
    of_text = _reading(page, inputs, bodies, reader)
    if inputs.judgement is None:
        for match in matches:
            yield _different(match, of_text) if of_text else _of(match, "stretches-only")
        return
    judged = _judging(package, page, matches, inputs.judgement, reader)
    for match in matches:
        own = [line.removeprefix(f"{match.name} ") for line in judged if line.startswith(f"{match.name} ")]
        yield _different(match, [*of_text, *own]) if of_text or own else _of(match, "same")


def _reading(
    page: Page, inputs: RecordedInputs, bodies: Mapping[str, ArchivedBody], reader: Reader
) -> list[str]:
    """Return what of a page reads otherwise than it is stored."""
    if inputs.reading is None:
        return ["text: –"]
    missing = [part.sha256 for part in inputs.reading.parts if not _is_whole(part.sha256, bodies)]
    if missing:
        return [f"body: {sha256} → –" for sha256 in missing]
    elsewhere = [part.url for part in inputs.reading.parts if part.url not in _addresses(part.sha256, bodies)]
    if elsewhere:
        return [f"address: {url} → –" for url in elsewhere]
    contents = {part.sha256: bodies[part.sha256].body for part in inputs.reading.parts}
    try:
        return reading_differences(page, read_again(inputs.reading, contents, reader).page)
    except CannotRead as error:
        return [f"text: {error.reason}"]


def _is_whole(sha256: str, bodies: Mapping[str, ArchivedBody]) -> bool:
    return sha256 in bodies and bool(bodies[sha256].body)


def _addresses(sha256: str, bodies: Mapping[str, ArchivedBody]) -> set[str]:
    """Return where the archive says that a body came from."""
    return {sighting.url for sighting in bodies[sha256].sightings}


def _judging(
    package: Package, page: Page, matches: Sequence[Match], inputs: JudgementInputs, reader: Reader
) -> list[str]:
    """Return in what the matches of a page come out otherwise, each line with the match's name."""
    packed = {own.passage_id for own in inputs.others if own.is_packed}
    texts = dict[int, str]()
    for head in inputs.passages:
        own = layout.passage_text(head.id)
        if own not in package.members and head.id in packed:
            own = layout.INPUTS + other_passage(head.id)
        texts[head.id] = package.text(own)
    return differences_again(page, matches, inputs, texts, reader)


def _of(match: Match, result: Result, differences: Sequence[str] = ()) -> Recomputed:
    return Recomputed(
        name=match.name, url=match.url, work=match.work_title, result=result, differences=tuple(differences)
    )


def _different(match: Match, differences: Sequence[str]) -> Recomputed:
    return _of(match, "different", differences)
