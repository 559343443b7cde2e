"""Editions of one book: works that are mostly the same text, found by fingerprints, linked and separated.

Licences, matches and cases belong to the book. A book has the id of one of its editions
(:attr:`Work.book_id`). Every edition has all licences of the book; matches, dismissals and cases have its id.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from fingerprint.mixing import Hashes
from fingerprint.text.letters import to_letters
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.index.interface import FingerprintIndex, Hits
from storage.records import SiteLicence, Work, WorkKind, WorkRole
from tracker.corpus.hashes import joint_hash, passage_hashes
from tracker.corpus.reading import RawWork
from tracker.corpus.refusals import is_same_text
from tracker.corpus.roles import refuse_different
from tracker.indexing.fingerprints import fingerprints_of
from tracker.indexing.params import IndexParams
from tracker.judgement.cases import close_joined, refresh_cases
from tracker.judgement.licences import request_verdicts

# Minimum share of a work's shingles that another work contains if both are mostly the same text. Articles of
# one form, such as weather reports, share half of their shingles.
MIN_SHARES: Mapping[WorkKind, float] = {"novel": 0.5, "news": 0.8}
_PASSAGES = 40  # number of evenly chosen passages of a work that are looked up
_HASHES = 2_000  # number of evenly chosen hashes of a work that are looked up
_TOGETHER = 50  # number of works that are looked up at once
_NEAR = 0.1  # maximum relative difference in length between two versions of one text
_COMPARED = 20  # maximum number of works that a work is compared with line by line
_SKETCH = 500  # number of smallest hashes that represent a work
_NEAREST = 5  # maximum number of works that a work is compared with by its smallest hashes
_NOT_STORED = 2**62  # first provisional id of works that are not stored yet


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A work that is mostly the text of another one.

    Attributes:
        share: approximate share of the work's text that the other one contains, 0 to 1.
    """

    work: Work
    other: Work
    share: float

    @property
    def is_contradicted(self) -> bool:
        """Return whether different authors or rights holders contradict that both are one book."""
        pairs = (self.work.author, self.other.author), (self.work.holder, self.other.holder)
        return any(first and other and first != other for first, other in pairs)


def resemblances(
    works: Sequence[Work], stores: Stores, index: FingerprintIndex, params: IndexParams
) -> Iterator[Resemblance]:
    """Yield the works that are mostly the text of an earlier work of another book.

    A sample of each work's shingles is looked up; those of background texts are ignored.

    Args:
        works: the works to check.
        stores: the database.
        index: the live index; works that are not indexed are not found.
        params: of the index.
    """
    for start in range(0, len(works), _TOGETHER):
        batch = works[start : start + _TOGETHER]
        yield from _resembling(batch, _samples(batch, stores, params), stores, index, params)


def similar_works(
    raws: Sequence[RawWork], stores: Stores, index: FingerprintIndex, params: IndexParams, *, role: WorkRole
) -> dict[str, Resemblance]:
    """Return, by the key of each new work, the stored work that contains most of its text.

    Works that wait to be indexed are compared line by line, the others as in :func:`resemblances`.

    Args:
        raws: as read, with keys that no stored work has.
        stores: the database.
        index: the live index.
        params: of the index.
        role: the intended role.
    """
    works = [_not_stored(raw, number, role) for number, raw in enumerate(raws)]
    alike = {}
    waiting = stores.works.waiting_outlines()
    for work, raw in zip(works, raws, strict=True):
        if (other := _same_among(raw, waiting, stores)) is not None and other.role == role:
            alike[raw.key] = Resemblance(work, other, 1.0)
    for start in range(0, len(works), _TOGETHER):
        batch = works[start : start + _TOGETHER]
        texts = zip(batch, raws[start : start + _TOGETHER], strict=True)
        samples = {work.id: _sample_of(raw, params) for work, raw in texts}
        for likeness in _resembling(batch, samples, stores, index, params):
            alike.setdefault(likeness.work.key, likeness)
    return alike


def similar_works_among(
    raws: Sequence[RawWork], params: IndexParams, *, role: WorkRole
) -> dict[str, Resemblance]:
    """Return, by key, the new works of a batch that are mostly the text of an earlier work of the batch.

    Each text is reduced to its smallest hashes, a random sample of it. Two samples show how much of one text
    the other contains (Broder, "On the resemblance and containment of documents", 1997).

    Args:
        raws: as read, with different keys.
        params: how texts become hashes.
        role: the intended role.
    """
    alike: dict[str, Resemblance] = {}
    holding: dict[int, list[int]] = {}  # hash → numbers of the works that contain this hash
    sketches = [_sketch_of(raw, params) for raw in raws] if len(raws) > 1 else []
    for number, sketch in enumerate(sketches):
        shared = Counter(other for value in sketch.tolist() for other in holding.get(value, ()))
        shares = {other: _containment(sketch, sketches[other]) for other, _ in shared.most_common(_NEAREST)}
        best = max(shares, key=lambda other: (shares[other], -other), default=None)
        work = _not_stored(raws[number], number, role)
        if best is not None and shares[best] >= MIN_SHARES[work.kind]:
            alike[work.key] = Resemblance(work, _not_stored(raws[best], best, role), shares[best])
            continue
        for value in sketch.tolist():
            holding.setdefault(value, []).append(number)
    return alike


def _not_stored(raw: RawWork, number: int, role: WorkRole) -> Work:
    """Return a provisional record of a work that is not stored yet."""
    return Work(
        id=_NOT_STORED + number,
        key=raw.key,
        title=raw.title,
        kind=raw.kind,
        origin=raw.origin,
        author=raw.author,
        holder=raw.holder,
        role=role,
    )


def _sketch_of(raw: RawWork, params: IndexParams) -> Hashes:
    """Return the smallest hashes of a whole work, ascending."""
    sets = (params.of_passage(to_letters(section.text)) for section in raw.sections)
    return np.unique(
        np.concatenate([fingerprints[params.shingle.params_id].hashes for fingerprints in sets])
    )[:_SKETCH]


def _containment(contained: Hashes, whole: Hashes) -> float:
    """Return the approximate share of a text that another one contains, 0 to 1, by their smallest hashes."""
    last = min(contained[-1], whole[-1])  # both samples are complete up to this hash
    compared = contained[contained <= last]
    return float(np.isin(compared, whole).sum() / len(compared)) if len(compared) else 0.0


def _same_among(raw: RawWork, outlines: Mapping[int, tuple[int, str]], stores: Stores) -> Work | None:
    """Return the stored work that has the text of a new work; None if there is none.

    An identical text is found by its digest. A slightly changed one is compared line by line with the few
    works of the nearest size.

    Args:
        raw: the work that is not stored.
        outlines: characters and digest of the possible works, by id.
        stores: the database.
    """
    size, digest = sum(len(section.text) for section in raw.sections), joint_hash(passage_hashes(raw))
    away = {key: abs(length - size) for key, (length, _) in outlines.items()}
    near = sorted(
        (key for key in away if away[key] <= _NEAR * max(outlines[key][0], size)), key=away.__getitem__
    )
    equal = [key for key in near if outlines[key][1] == digest]
    for work in stores.works.get_many((equal or near)[:_COMPARED]).values():
        if is_same_text(raw.sections, stores.passages.of_work(work.id)):
            return work
    return None


def _sample_of(raw: RawWork, params: IndexParams) -> Hashes:
    """Return some distinct shingles of a work that is not stored yet."""
    sections = raw.sections[:: max(1, -(-len(raw.sections) // _PASSAGES))]
    sets = [params.of_passage(to_letters(section.text)) for section in sections]
    return _sample([fingerprints[params.shingle.params_id].hashes for fingerprints in sets])


def _resembling(
    works: Sequence[Work],
    samples: Mapping[int, Hashes],
    stores: Stores,
    index: FingerprintIndex,
    params: IndexParams,
) -> Iterator[Resemblance]:
    """Yield the works that are mostly the text of an earlier one, by samples of their shingles."""
    queries = [{params.shingle.params_id: samples[work.id]} for work in works]
    answers = [answer[params.shingle.params_id] for answer in index.lookup_many(queries)]
    holders = _holders(works, answers, stores)
    owned = {
        key
        for key, stored_work in stores.works.get_many(set(holders.values())).items()
        if stored_work.is_owned
    }
    for work, hits in zip(works, answers, strict=True):
        shares = _shares(hits, len(samples[work.id]), holders, owned)
        if (other := _likest(work, shares, stores)) is not None:
            yield other


def _samples(works: Sequence[Work], stores: Stores, params: IndexParams) -> dict[int, Hashes]:
    """Return some distinct shingles of each work."""
    passages = {
        work.id: work.passage_ids[:: max(1, -(-len(work.passage_ids) // _PASSAGES))] for work in works
    }
    ids = [passage_id for passage_ids in passages.values() for passage_id in passage_ids]
    stored = stores.fingerprints.get_many(ids, params.shingle.params_id)
    hashes = {
        passage_id: np.frombuffer(passage_ids.hashes, dtype="<u8")
        for passage_id, passage_ids in stored.items()
    }
    missing = stores.passages.get_many(set(ids) - hashes.keys())
    for prints in fingerprints_of(missing.values(), params):
        hashes[prints.passage_id] = prints.sets[params.shingle.params_id].hashes
    return {
        work_id: _sample([hashes[key] for key in passage_ids if key in hashes])
        for work_id, passage_ids in passages.items()
    }


def _sample(hashes: Sequence[Hashes]) -> Hashes:
    """Return an even selection of the distinct hashes."""
    every = np.unique(np.concatenate([np.empty(0, dtype=np.uint64), *hashes]))
    return np.ascontiguousarray(every[:: max(1, -(-len(every) // _HASHES))])


def _holders(works: Sequence[Work], answers: Sequence[Hits], stores: Stores) -> Mapping[int, int]:
    """Return the work of each passage that was hit."""
    hit = {passage_id for hits in answers for passage_id in np.unique(hits.passages).tolist()}
    new_holders = {passage_id: work.id for work in works for passage_id in work.passage_ids}
    return new_holders | stores.passages.works_of(sorted(hit - new_holders.keys()))


def _shares(
    hits: Hits, sampled: int, holders: Mapping[int, int], owned: Collection[int]
) -> Mapping[int, float]:
    """Return the share of the hashes that each owned work contains, without those of background texts."""
    pairs = {
        (query, holders[passage])
        for query, passage in zip(hits.queries.tolist(), hits.passages.tolist(), strict=True)
        if passage in holders
    }
    background = {query for query, work_id in pairs if work_id not in owned}
    held = Counter(work_id for query, work_id in pairs if query not in background)
    return {work_id: count / (sampled - len(background)) for work_id, count in held.items()}


def _likest(work: Work, shares: Mapping[int, float], stores: Stores) -> Resemblance | None:
    """Return the earlier work of the same role that contains most of a work, if there is one."""
    earlier = [key for key, share in shares.items() if key < work.id and share >= MIN_SHARES[work.kind]]
    earlier_works = stores.works.get_many(earlier) if earlier else {}
    other_books = [
        other for other in earlier_works.values() if other.book_id != work.book_id and other.role == work.role
    ]
    best = max(other_books, key=lambda other: (shares[other.id], -other.id), default=None)
    return None if best is None else Resemblance(work, best, shares[best.id])


def link_edition(work: Work, other: Work, stores: Stores) -> None:
    """Make a work, with all its editions, an edition of another work's book; may be repeated.

    If the other work is an edition of this one, the other one becomes the book's representative.

    Raises:
        DifferentRoles: the works have different roles.
    """
    refuse_different(work, other)
    if other.edition_of == work.id:
        make_representative(other, stores)
        return
    editions, book_id = stores.works.of_book(work.book_id), other.book_id
    for edition in editions:
        stores.works.set_edition(edition.id, None if edition.id == book_id else book_id)
    move_findings(editions, stores, book_id=book_id)
    _share_licences(stores.works.of_book(book_id), stores)


def spread_licences(work: Work, stores: Stores) -> None:
    """Copy the licences of each edition of a book to all its editions, if they differ."""
    editions = stores.works.of_book(work.book_id)
    if len({frozenset(edition.permissions) for edition in editions}) > 1:
        _share_licences(editions, stores)


def separate_edition(work: Work, stores: Stores) -> None:
    """Make a work a separate book again; its licences stay."""
    if work.edition_of is None:
        transfer_book(work, stores)
    stores.works.set_edition(work.id, None)
    move_findings([work], stores, book_id=work.id)
    stores.works.record_change(work.id)


def transfer_book(work: Work, stores: Stores) -> None:
    """If a book has the id of this work and another edition, make that edition the representative."""
    remaining = [edition for edition in stores.works.of_book(work.id) if edition.id != work.id]
    if remaining:
        make_representative(remaining[0], stores)


def make_representative(work: Work, stores: Stores) -> None:
    """Make an edition the representative of its book; cases keep their numbers."""
    editions = stores.works.of_book(work.book_id)
    move_findings(editions, stores, book_id=work.id)
    for edition in sorted(editions, key=lambda edition: edition.id != work.id):
        stores.works.set_edition(edition.id, None if edition.id == work.id else work.id)
        stores.works.record_change(edition.id)  # pages that were compared in the meantime have the old id


def move_findings(works: Iterable[Work], stores: Stores, *, book_id: int) -> None:
    """Move the findings on works to a book and recompute its cases; may be repeated.

    A case that moves completely keeps its number, unless the book has a case on that site.
    """
    title = stores.works.title_of(book_id)
    touched: set[tuple[int, str]] = set()
    for before, group in groupby(sorted(works, key=lambda work: work.book_id), lambda work: work.book_id):
        history = stores.matches.history_of_work(before)
        for work in group:
            edition, passages = "" if work.id == book_id else work.title, frozenset(work.passage_ids)
            matches = [match for match in history if match.passage_id in passages]
            stores.matches.reassign(book_id, [match.id for match in matches], title=title, edition=edition)
            stores.decisions.reassign(book_id, sorted(work.passage_ids), title=title)
            touched |= {(before, match.site) for match in matches}
    _move_cases(touched, stores, book_id=book_id)


def _move_cases(keys: Collection[tuple[int, str]], stores: Stores, *, book_id: int) -> None:
    """Recompute the cases that lost matches to a book, and the book's cases."""
    for before, site in keys:
        if before != book_id and not stores.matches.of_case(before, site):
            stores.cases.move(case_id(before, site), case_id(book_id, site), work_id=book_id)
    refresh_cases(stores, {(book_id, site) for _, site in keys})
    close_joined(keys, stores, book_id=book_id)
    refresh_cases(stores, keys)


def _share_licences(editions: Sequence[Work], stores: Stores) -> None:
    """Copy the licences of every edition of a book to all its editions."""
    sites = sorted({site for edition in editions for site in edition.licensed_sites})
    licences: dict[SiteLicence, None] = {}
    for edition in editions:
        licences |= dict.fromkeys(edition.licences)

    def joint(edition: Work) -> tuple[list[str], list[SiteLicence]]:
        present = dict.fromkeys(edition.licences)
        return sorted({*sites, *edition.licensed_sites}), list({**licences, **present})

    for edition in editions:
        stores.works.change_licences(edition.id, joint)
    permissions = [frozenset(edition.permissions) for edition in editions]
    changed = frozenset().union(*permissions) - permissions[0].intersection(*permissions)
    request_verdicts(editions[0], sorted({licence.site for licence in changed}), stores)
