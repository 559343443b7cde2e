"""Record all inputs of a page's text and its matches when a package is made.

The rules, style sheets and repeated lines that a page was read with are not stored with it; only their
present state is. So all possible ways to read the page are tried, and the one that yields the stored text is
recorded, with only those learnt lines that occur on the page. The page is also compared again. The passages
of the matches are recorded, and further passages only if the matches differ without them. Any remaining
difference, for example after a change of the corpus, is reported when the package is made; verifying reports
the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from analysis.evidence.archived import ArchivedBody, RecordsQuestion
from analysis.evidence.documents import json_bytes, json_of
from analysis.evidence.rejudging import (
    JudgementInputs,
    JudgementQuestion,
    OtherPassage,
    judgement_differences,
    works_of,
)
from analysis.evidence.rereading import (
    NO_LAYOUT,
    LearntLayout,
    LearntLine,
    ReadingInputs,
    ReadingPart,
    read_again,
    reading_differences,
)
from crawler.addresses import canonical
from crawler.exchange import SHOWN_TYPE
from crawler.pages.stylesheets import is_own
from crawler.pages.warc import body_record
from crawler.protected_sentences import removable_sentences
from crawler.readers.pool import CannotRead, Reader
from crawler.readers.questions import SheetsQuestion
from crawler.versions import versions
from storage.collections.repeats import Repeat
from storage.collections.stores import Stores
from storage.records import NO_RULES, Capture, Match, Page, TextPart, WorkKind
from system.errors import UnknownRecord
from system.sites import host_of
from tracker.comparison import ComparedText, Corpus, compare, rest_of
from tracker.comparison.passages import MotherPassage
from tracker.judgement.profiles import EARLIER, Profile
from tracker.scans.pages import facts_of

VERSIONS = "versions.json"
_MOST_REST_CHARS = 300_000  # the highest limit that the settings allow


def page_inputs(page_id: str) -> str:
    """Return the name, below ``data/inputs/``, of the inputs of a page and its matches."""
    return f"{page_id}.json"


def other_passage(passage_id: int) -> str:
    """Return the name, below ``data/inputs/``, of a passage that belongs to no match."""
    return f"passages/{passage_id}.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedInputs:
    """The inputs of a page and its matches, as they are written.

    Attributes:
        reading: inputs of its text; None if a body is missing.
        judgement: inputs of its matches; None in a package of excerpts.
    """

    reading: ReadingInputs | None
    judgement: JudgementInputs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInputs:
    """The inputs of a page in a package.

    Attributes:
        files: name below ``data/inputs/`` → content.
        differences: what already differs now; one line each, as :mod:`analysis.evidence.recomputing` reports
            it.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    differences: tuple[str, ...] = ()


def inputs_of(
    page: Page,
    matches: Sequence[Match],
    *,
    stores: Stores,
    corpus: Corpus,
    reader: Reader,
    excerpts: bool = False,
) -> PageInputs:
    """Return all inputs of a page and its packed matches.

    Args:
        page: the page with its text.
        matches: the packed matches of the page.
        stores: the database.
        corpus: the mother corpus behind its index.
        reader: parses the page and compares it with the packed passages.
        excerpts: no passage is packed, so matches are not judged again.
    """
    reading, unlike = _reading_inputs(page, stores, reader)
    judgement, texts, otherwise = None, dict[int, str](), list[str]()
    if not excerpts:
        judgement, texts, otherwise = _judgement_inputs(page, matches, stores, corpus, reader)
    passage_ids = {match.passage_id for match in matches}
    recorded = RecordedInputs(reading=reading, judgement=judgement)
    files = {
        VERSIONS: json_bytes(versions()),
        page_inputs(page.id): json_bytes(json_of(recorded)),
        **{other_passage(key): text.encode() for key, text in texts.items() if key not in passage_ids},
    }
    return PageInputs(files=files, differences=(*unlike, *otherwise))


def _reading_inputs(page: Page, stores: Stores, reader: Reader) -> tuple[ReadingInputs | None, list[str]]:
    """Return the inputs that the page is read with, and the remaining differences."""
    bodies = _bodies_of(page, stores, reader)
    missing = [sha256 for sha256 in page.snapshots if not (sha256 in bodies and bodies[sha256].sightings)]
    if missing or not page.snapshots:
        return None, [f"body: {sha256} → –" for sha256 in missing or ("",)]
    contents = {sha256: body.body for sha256, body in bodies.items()}
    best: tuple[ReadingInputs, list[str]] | None = None
    for inputs in _ways_to_read(page, bodies, stores, reader):
        try:
            again = read_again(inputs, contents, reader)
            sentences = again.sentences
            differences = reading_differences(page, again.page)
        except CannotRead as error:
            return inputs, [f"text: {error.reason}"]
        learnt = tuple(line for line in inputs.learnt if line.hash in sentences)
        if best is None or len(differences) < len(best[1]):
            best = replace(inputs, learnt=learnt), differences
        if not differences:
            break
    return best if best is not None else (None, ["text: –"])


def _bodies_of(page: Page, stores: Stores, reader: Reader) -> Mapping[str, ArchivedBody]:
    """Return the bodies of a page with their sightings. Bodies that took too long are missing."""
    records = bytearray()
    for sha256 in dict.fromkeys(page.snapshots):
        try:
            snapshot = stores.snapshots.get(sha256)
        except UnknownRecord:
            continue
        records += snapshot.warc or body_record(snapshot)
    for capture in stores.captures.of_bodies(list(page.snapshots)):
        records += capture.warc
    return reader.ask(RecordsQuestion(bytes(records), frozenset(page.snapshots)))[0] if records else {}


def _ways_to_read(
    page: Page, bodies: Mapping[str, ArchivedBody], stores: Stores, reader: Reader
) -> Iterator[ReadingInputs]:
    """Yield the possible ways to read the page, the most probable first."""
    source = next((candidate for candidate in stores.sources.all() if candidate.name == page.source), None)
    rules, timezone = (source.rules, source.timezone) if source else (NO_RULES, "+08:00")
    parts = _parts_of(page, bodies, stores)
    sheets = [_sheets_of(response, bodies[response.sha256].body, stores, reader) for response in parts]
    styled = tuple(
        replace(response, sheets=linked_sheets) for response, linked_sheets in zip(parts, sheets, strict=True)
    )
    learnt = _learnt_lines(page, stores)
    removed = removable_sentences(page.host, stores, max_chars=0)
    chosen = [tuple(line for line in learnt if line.hash in removed), (), learnt]
    layouts = _learnt_layout(page, stores), NO_LAYOUT
    for layout, lines, linked_sheets in dict.fromkeys(product(layouts, chosen, (styled, parts))):
        yield ReadingInputs(
            parts=linked_sheets,
            rules=rules,
            timezone=timezone,
            learnt=lines,
            fetched=page.fetched,
            layout=layout,
            max_rest_chars=len(page.rest) if "limit" in page.unread else _MOST_REST_CHARS,
        )


def _learnt_layout(page: Page, stores: Stores) -> LearntLayout:
    """Return the learnt position of texts on the page's site."""
    templates = stores.templates.of_host(page.host)
    if not templates.used:
        return NO_LAYOUT
    return LearntLayout(containers=tuple(sorted(templates.used)), frame=tuple(sorted(templates.frame_hashes)))


def _learnt_lines(page: Page, stores: Stores) -> tuple[LearntLine, ...]:
    """Return the repeated lines of the page's site that do not occur in the stored text."""
    repeats: Iterable[Repeat] = stores.repeats.of_host(page.host).repeats
    return tuple(
        LearntLine(hash=line.hash, text=line.text, texts=line.texts)
        for line in repeats
        if line.text not in page.text
    )


def _parts_of(page: Page, bodies: Mapping[str, ArchivedBody], stores: Stores) -> tuple[ReadingPart, ...]:
    """Return the responses of a page, from its last visit or its captures."""
    visit = stores.visits.get(page.url)
    visited_parts: Sequence[TextPart] = visit.parts if visit is not None and visit.page_id == page.id else ()
    by_body: dict[str, list[Capture]] = {}
    for capture in stores.captures.of_bodies(list(page.snapshots)):
        by_body.setdefault(capture.sha256, []).append(capture)
    parts, texts = [], len(page.text_snapshots)
    for number, sha256 in enumerate(page.snapshots):
        sightings = bodies[sha256].sightings
        is_seen = len(visited_parts) == texts and number < texts and visited_parts[number].sha256 == sha256
        urls = [visited_parts[number].url] if is_seen else []
        added = page.added_snapshots[number - texts] if number >= texts else None
        urls += [page.url] if number == 0 or (added is not None and added.role != "frame") else []
        urls += [response.url for response in by_body.get(sha256, ()) if host_of(response.url) == page.host]
        addresses = [canonical(url) for url in urls]
        sighting = min(sightings, key=lambda response: _rank(canonical(response.url), addresses))
        parts.append(
            ReadingPart(
                url=sighting.url,
                sha256=sha256,
                declared=sighting.declared,
                is_rendered=sighting.is_rendered,
                content_type=sighting.content_type,
                role="text" if added is None else added.role,
                place="" if added is None else added.place,
            )
        )
    return tuple(parts)


def _rank(url: str, addresses: Sequence[str]) -> int:
    return addresses.index(url) if url in addresses else len(addresses)


def _sheets_of(
    response: ReadingPart, body: bytes, stores: Stores, reader: Reader
) -> tuple[tuple[str, str], ...]:
    """Return the known style sheets of a response, with their rules."""
    # the browser marked the visible text, so style sheets are not needed
    if response.is_rendered and SHOWN_TYPE.encode() in body:
        return ()
    try:
        linked, _ = reader.ask(SheetsQuestion(body, response.url))
    except CannotRead:
        return ()
    own_sheets = [address for address in linked if is_own(address, response.url)]
    stored = stores.sheets.get_many(own_sheets)
    return tuple(
        (address, stored[address].rules)
        for address in own_sheets
        if address in stored and stored[address].rules
    )


def _judgement_inputs(
    page: Page, matches: Sequence[Match], stores: Stores, corpus: Corpus, reader: Reader
) -> tuple[JudgementInputs, dict[int, str], list[str]]:
    """Return the inputs of the judgement, the texts of the passages, and the differences."""
    judging = replace(corpus, profiles=_profiles_of(matches, corpus.profiles))
    result = compare(ComparedText(page.text), judging, facts=facts_of(page), rest=rest_of(page))
    own_ids = {match.passage_id for match in matches}
    passages = corpus.passages.read(sorted(own_ids | result.taking_part))
    books = {passages[key].work.book_id for key in own_ids if key in passages}
    matched = {key: passage for key, passage in passages.items() if passage.work.book_id in books}
    decisions = [
        decision
        for recorded in stores.decisions.of_passages(
            {passage.passage.sha256 for passage in passages.values()}, site=page.site
        ).values()
        for decision in recorded
    ]
    best: tuple[JudgementInputs, dict[int, str], list[str]] | None = None
    for packed, is_settled in product((matched, passages), (False, True) if decisions else (False,)):
        inputs = _make_judgement_inputs(packed, passages, judging.profiles)
        shas = {head.sha256 for head in inputs.passages}
        inputs = replace(
            inputs,
            decisions=tuple(passage for passage in decisions if passage.passage_sha256 in shas),
            is_settled=is_settled,
        )
        texts = {key: passage.passage.text for key, passage in packed.items()}
        differences = differences_again(page, matches, inputs, texts, reader)
        if best is None or len(differences) < len(best[2]):
            best = inputs, texts, differences
        if not best[2]:
            break
    if best is None:
        raise AssertionError("there is always a way to judge")
    return best


def differences_again(
    page: Page, matches: Iterable[Match], inputs: JudgementInputs, texts: Mapping[int, str], reader: Reader
) -> list[str]:
    """Compare matches with their recomputed versions. Return the differences, each with the match's name.

    Args:
        page: the page with its text.
        matches: the stored matches.
        inputs: their recorded inputs.
        texts: texts of the passages, by id.
        reader: compares.
    """
    try:
        again, _ = reader.ask(JudgementQuestion(page, inputs, texts))
    except CannotRead as error:
        return [f"{match.name} match: {error.reason}" for match in matches]
    return [f"{match.name} {line}" for match in matches for line in judgement_differences(match, again)]


def _make_judgement_inputs(
    packed: Mapping[int, MotherPassage],
    other_passages: Mapping[int, MotherPassage],
    profiles: Mapping[WorkKind, Profile],
) -> JudgementInputs:
    heads = tuple(packed_passage.passage.head for packed_passage in packed.values())
    return JudgementInputs(
        profiles=dict(profiles),
        works=works_of((packed_passage.work for packed_passage in packed.values()), heads),
        passages=heads,
        other_passages=tuple(
            OtherPassage(
                passage_id=key,
                work=packed_passage.work.title,
                passage=packed_passage.passage.title,
                sha256=packed_passage.passage.sha256,
                is_packed=key in packed,
            )
            for key, packed_passage in other_passages.items()
        ),
    )


def _profiles_of(matches: Iterable[Match], present: Mapping[WorkKind, Profile]) -> dict[WorkKind, Profile]:
    """Return the profiles of matches: the present ones, or the earlier ones that they refer to."""
    named = [EARLIER[match.profile] for match in matches if match.profile in EARLIER]
    by_name = {profile.name: profile for profile in named}
    return {kind: by_name.get(profile.name, profile) for kind, profile in present.items()}
