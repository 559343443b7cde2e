"""Storing of works: new, changed or known. Only changes are stored and indexed again.

Order of writes: new passages, then decisions of removed passages are transferred, then the work, then removed
passages are deleted. A crash in between leaves passages that belong to no work; the next change of the work
deletes them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from storage.collections.stores import Stores
from storage.index.interface import FingerprintIndex
from storage.records import FREE, Addition, ClaimedDate, Passage, Work, WorkRole, utc_now
from system.errors import PindnaError
from tracker.corpus.carrying import carry_decisions
from tracker.corpus.hashes import joint_hash, passage_hashes
from tracker.corpus.reading import RawWork
from tracker.corpus.refusals import (
    DuplicateTitle,
    OtherPassages,
    PassagesGone,
    SameText,
    TextReplaced,
    TooManyPassages,
    is_other_text,
    is_same_text,
)
from tracker.corpus.roles import set_role
from tracker.judgement.licences import request_verdicts

Outcome = Literal["new", "changed", "unchanged"]
MAX_PASSAGES = 200_000  # their ids take 2.5 MB of the work's document; the limit of MongoDB is 16 MB


Refused = DuplicateTitle | OtherPassages | SameText | TooManyPassages
Report = Callable[[PindnaError], None]


def ignore(_remark: PindnaError) -> None:
    """Discard a remark."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The rights holder's terms for works that are added.

    Attributes:
        holder: name of the rights holder.
        sites: hosts that may publish the works.
        role: of the works; None: unchanged, and ``protected`` for new ones.
        edition_of: the id of the book of which new works are editions; licences are spread afterwards.
    """

    holder: str | None = None
    sites: tuple[str, ...] = ()
    role: WorkRole | None = None
    edition_of: int | None = None


def store_works(
    raws: Sequence[RawWork],
    stores: Stores,
    index: FingerprintIndex,
    *,
    terms: Terms,
    report: Report = ignore,
) -> list[tuple[Outcome, Work] | Refused]:
    """Store works. New works are stored together, to save a round trip for each.

    Args:
        raws: the works as read.
        stores: the database.
        index: of their fingerprints.
        terms: of the rights holder.
        report: receives a remark on each work whose text comes from a different file than before, or that
            has fewer passages than before.

    Returns:
        For each work the outcome and the stored work, or why it was refused.
    """
    outcomes: dict[int, tuple[Outcome, Work] | Refused] = {
        number: too_many for number, raw in enumerate(raws) if (too_many := _too_many(raw))
    }
    rest = [(number, raw) for number, raw in enumerate(raws) if number not in outcomes]
    while rest:  # store works with the same key one after another: a later one may be a new version
        first = {raw.key: number for number, raw in reversed(rest)}
        now = [(number, raw) for number, raw in rest if first[raw.key] == number]
        rest = [(number, raw) for number, raw in rest if first[raw.key] != number]
        known_works = _stored_works([raw for _, raw in now], stores)
        new = [(number, raw) for number, raw in now if raw.key not in known_works]
        works = _store_new([raw for _, raw in new], stores, terms)
        outcomes |= {number: ("new", work) for (number, _), work in zip(new, works, strict=True)}
        for number, raw in now:
            if raw.key in known_works:
                before = known_works[raw.key]
                outcomes[number] = stored = _store_known(raw, before, stores, index, terms)
                if isinstance(stored, tuple) and stored[0] == "changed":
                    for remark in _remarks(raw, before):
                        report(remark)
    return [outcomes[number] for number in range(len(raws))]


def unknown_among(raws: Sequence[RawWork], stores: Stores) -> list[RawWork]:
    """Return the works whose keys are not stored yet, the first work of each key."""
    known_works = _stored_works(raws, stores)
    return list({raw.key: raw for raw in reversed(raws) if raw.key not in known_works}.values())[::-1]


def _stored_works(raws: Sequence[RawWork], stores: Stores) -> dict[str, Work]:
    """Return the stored works that have the keys of these works, also if they got the key by a renaming."""
    renamed = stores.works.titled_by_hand([raw.title for raw in raws if raw.url is None])
    return renamed | stores.works.by_keys([raw.key for raw in raws])


def _remarks(raw: RawWork, before: Work) -> Iterator[PindnaError]:
    """Yield remarks on a new version of a work."""
    if raw.origin != before.origin:
        yield TextReplaced(title=raw.title, origin=raw.origin, other=before.origin)
    if (count := len(raw.sections)) < len(before.passage_ids):
        yield PassagesGone(title=raw.title, origin=raw.origin, count=count, before=len(before.passage_ids))


def _too_many(raw: RawWork) -> TooManyPassages | None:
    """Return the error if a work has too many passages to be stored."""
    count = len(raw.sections)
    if count <= MAX_PASSAGES:
        return None
    return TooManyPassages(title=raw.title, origin=raw.origin, count=count, limit=MAX_PASSAGES)


def _store_new(raws: Sequence[RawWork], stores: Stores, terms: Terms) -> list[Work]:
    if not raws:
        return []
    work_ids = stores.works.new_ids("works", len(raws))
    ids = iter(stores.works.new_ids("passages", sum(len(raw.sections) for raw in raws)))
    works: list[Work] = []
    passages: list[Passage] = []
    for work_id, raw in zip(work_ids, raws, strict=True):
        shas = passage_hashes(raw)
        work_passages = _section_passages(work_id, raw, shas, ids=list(islice(ids, len(shas))))
        role = terms.role or "protected"
        new = Work(
            id=work_id,
            key=raw.key,
            title=raw.title,
            kind=raw.kind,
            origin=raw.origin,
            role=role,
            edition_of=terms.edition_of,
        )
        works.append(_with_passages(_with_metadata(raw, terms, new), raw, work_passages))
        passages += work_passages
    stores.passages.save_many(passages)
    stores.works.save_many(works)
    return works


def _store_known(
    raw: RawWork, stored_work: Work, stores: Stores, index: FingerprintIndex, terms: Terms
) -> tuple[Outcome, Work] | Refused:
    """Store a work whose key is known: a new version of its text, or new metadata."""
    shas = passage_hashes(raw)
    if stored_work.sha256 == joint_hash(shas):
        stored_work = _with_role(stored_work, terms.role, stores)
        return "unchanged", _store_description(raw, stored_work, stores, terms)
    stored = stores.passages.of_work(stored_work.id)
    before = {passage.sha256: passage for passage in stored}
    if not before.keys() & set(shas) and (refused := _refusal(raw, stored_work, stored)) is not None:
        return refused
    stored_work = _with_role(stored_work, terms.role, stores)
    # Unchanged passages keep their ids; two equal passages have two ids.
    kept = [before.pop(sha, None) for sha in shas]
    fresh = iter(stores.works.new_ids("passages", kept.count(None)) if None in kept else ())
    ids = [next(fresh) if passage is None else passage.id for passage in kept]
    passages = _section_passages(stored_work.id, raw, shas, ids=ids)
    stores.passages.save_many(passages)
    there, earlier = set(ids), set(stored_work.passage_ids)
    gone = [passage for passage in stored if passage.id not in there]
    carry_decisions(gone, [passage for passage in passages if passage.id not in earlier], stores)
    # Storing the passages took time: read the licences that are stored now.
    stored_work = stores.works.get_many([stored_work.id]).get(stored_work.id, stored_work)
    work = _with_passages(_with_metadata(raw, terms, stored_work), raw, passages)
    if new_ids := sorted(there - earlier):
        work = replace(work, additions=(*work.additions, Addition(first_id=new_ids[0], at=utc_now())))
    stores.works.save_version(stored_work, work)
    work = _judged_again(stored_work, work, stores)
    forget_passages([passage.id for passage in gone], stores, index)
    return "changed", work


def _refusal(raw: RawWork, stored: Work, passages: Sequence[Passage]) -> Refused | None:
    """Return why a text that shares no passage with the stored one is no new version of it."""
    if stored.origin != raw.origin:
        refusal = SameText if is_same_text(raw.sections, passages) else DuplicateTitle
        return refusal(title=raw.title, origin=raw.origin, other=stored.origin)
    if is_other_text(raw.sections, passages):
        return OtherPassages(title=raw.title, origin=raw.origin, count=len(passages))
    return None


def _with_role(work: Work, role: WorkRole | None, stores: Stores) -> Work:
    """Return a stored work with a new role; None keeps its present role."""
    if role is None or role == work.role:
        return work
    set_role(work, role, stores)
    return replace(work, role=role)


def _store_description(raw: RawWork, stored: Work, stores: Stores, terms: Terms) -> Work:
    """Store the metadata of a work with unchanged text; a work that could not be indexed waits again."""
    work = _with_metadata(raw, terms, stored)
    if work.status == "failed":
        work = replace(work, status="stored", attempts=0)
    stores.works.describe(stored, work)
    return _judged_again(stored, work, stores)


def _judged_again(before: Work, work: Work, stores: Stores) -> Work:
    """Request new verdicts if the licences or the date of a work changed; return the work as it is stored."""
    if (work.licensed_sites, work.published) == (before.licensed_sites, before.published):
        return work
    stores.works.record_change(work.id)
    request_verdicts(work, sorted({*work.licensed_sites} - {*before.licensed_sites}), stores)
    return stores.works.get_many([work.id]).get(work.id, work)


def forget_passages(ids: list[int], stores: Stores, index: FingerprintIndex) -> None:
    """Delete passages from the index and the database."""
    if ids:
        index.remove(ids)
        stores.fingerprints.delete_many(ids, index.params_ids)
        stores.passages.delete_many(ids)


def _with_metadata(raw: RawWork, terms: Terms, work: Work) -> Work:
    """Return the work with the metadata of the file and the command line; missing values change nothing."""
    return replace(
        work,
        title=work.title if work.is_renamed else raw.title,
        origin=raw.origin,
        author=raw.author or work.author,
        url=raw.url or work.url,
        published=_publication_date(raw.published, work.published),
        language=raw.language or work.language,
        rights=raw.rights or work.rights,
        holder=terms.holder or raw.holder or work.holder,
        licensed_sites=tuple(sorted({*work.licensed_sites, *terms.sites})),
    )


def _publication_date(claimed: ClaimedDate | None, stored: ClaimedDate | None) -> ClaimedDate | None:
    """Return the date of a work that is added again; a zone that an earlier setting supplied stays."""
    if claimed is None:
        return stored
    is_as_before = stored is not None and stored.has_same_words(claimed)
    return stored if is_as_before and claimed.is_zone_assumed else claimed


def _section_passages(
    work_id: int, raw: RawWork, shas: Sequence[str], *, ids: Sequence[int]
) -> list[Passage]:
    """Return a work's sections as passages."""
    return [
        Passage(
            id=passage_id,
            work_id=work_id,
            ordinal=ordinal,
            title=section.title,
            text=section.text,
            sha256=sha,
        )
        for ordinal, (section, sha, passage_id) in enumerate(zip(raw.sections, shas, ids, strict=True))
    ]


def _with_passages(work: Work, raw: RawWork, passages: Sequence[Passage]) -> Work:
    """Return the work with exactly these passages; they wait to be indexed."""
    return replace(
        work,
        kind=raw.kind,
        passage_ids=tuple(passage.id for passage in passages),
        characters=sum(len(passage.text) for passage in passages),
        sha256=joint_hash([passage.sha256 for passage in passages]),
        status="stored",
        attempts=0,
        updated=utc_now(),
        lease=FREE,
    )
