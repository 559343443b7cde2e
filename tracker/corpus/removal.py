"""Removal of works, their restoration, and their deletion after the retention time.

A removed work leaves the index, its matches and decisions leave their collections, and its cases are closed.
Its text and these findings stay stored for ``REMOVED_DAYS`` days. The next removal completes an interrupted
removal or restoration as a removal (:func:`finish_removals`).
"""

from dataclasses import dataclass, replace
from datetime import datetime

from storage.collections.stores import Stores
from storage.index.interface import FingerprintIndex
from storage.records import FREE, SYSTEM, Match, Removal, Work, utc_now
from storage.records.evidence_log import Statement
from system.errors import PindnaError, UnknownRecord
from system.names import name_key, unknown_record
from tracker.corpus.editions import separate_edition, transfer_book
from tracker.corpus.hashes import joint_hash
from tracker.corpus.loading import forget_passages
from tracker.corpus.naming import AmbiguousTitle, find_work, id_in, shown_id
from tracker.corpus.roles import set_role
from tracker.judgement.cases import refresh_cases

REMOVED_DAYS = 30


class NameTaken(PindnaError):
    """Another work now has a removed work's title or address.

    Attributes:
        title: the title.
        other: the other work, or its origin.
    """

    template = "Another work, id:{other}, now has the title “{title}”. Remove or rename that work first."


def removal_of(work: Work, stores: Stores) -> Removal:
    """Return what the removal of a work would remove."""
    passages = frozenset(work.passage_ids)
    matches = [match for match in stores.matches.of_work(work.book_id) if match.passage_id in passages]
    decisions = stores.decisions.on_passages(sorted(passages))
    return Removal(
        at=utc_now(),
        key=work.key,
        passages=len(passages),
        matches=len(matches),
        decided=sum(bool(match.review) for match in matches),
        cases=len({match.site for match in matches}),
        dismissals=sum(decision.state == "dismissed" for decision in decisions),
        captures=_count_captures(matches, stores),
    )


@dataclass(frozen=True, slots=True)
class Remains:
    """The findings that a book keeps when one of its editions is removed.

    Attributes:
        heir: the edition that then represents the book.
        matches, cases: how many of the book stay.
    """

    heir: Work
    matches: int
    cases: int


def remains_of(work: Work, stores: Stores) -> Remains | None:
    """Return the findings that a book keeps if an edition is removed; None without another edition."""
    editions = [edition for edition in stores.works.of_book(work.book_id) if edition.id != work.id]
    if not editions:
        return None
    heir = next((edition for edition in editions if edition.edition_of is None), editions[0])
    passages = frozenset(work.passage_ids)
    matches = [match for match in stores.matches.of_work(work.book_id) if match.passage_id not in passages]
    return Remains(heir, len(matches), len({match.site for match in matches}))


def _count_captures(matches: list[Match], stores: Stores) -> int:
    """Return how many captures show pages of the matches."""
    return stores.captures.count_of(match.url for match in matches)


def remove_work(name: str, stores: Stores, index: FingerprintIndex) -> Work:
    """Remove a work and its findings; :func:`restore_work` restores both.

    Args:
        name: title, address or ``id:`` of the work.
        stores: the database.
        index: the live index.

    Raises:
        UnknownRecord: there is no such work.
        ServiceDown: a service does not answer; :func:`finish_removals` continues the removal.
    """
    finish_removals(stores, index)
    work = find_work(name, stores)
    if work.edition_of is None:
        transfer_book(work, stores)
        work = find_work(f"id:{work.id}", stores)
    _take_away(replace(work, removal=removal_of(work, stores)), stores, index)
    return work


def finish_removals(stores: Stores, index: FingerprintIndex) -> None:
    """Continue interrupted removals."""
    for work in stores.works.removed():
        if work.removal is None or not work.removal.whole:
            _take_away(work, stores, index)


def _take_away(work: Work, stores: Stores, index: FingerprintIndex) -> None:
    """Mark a work as removed, remove it everywhere, and then mark the removal as complete."""
    removal = work.removal or Removal(at=utc_now(), key=work.key)
    # Clear the digest, so no late result of a worker and no file counts as the stored text.
    gone = replace(work, key=f"removed:{work.id}", sha256="", status="removed", lease=FREE)
    stores.works.save(replace(gone, removal=replace(removal, whole=False)))
    stores.versions.raise_version()
    if work.passage_ids:
        index.remove(work.passage_ids)
        stores.fingerprints.delete_many(work.passage_ids, index.params_ids)
    stores.removed.archive_findings(work)
    stores.evidence_log.add_statement(
        Statement(
            id=f"removed:{work.id}:{removal.at.isoformat()}",
            kind="removed",
            at=removal.at,
            by=SYSTEM,
            because=work.title,
        )
    )
    refresh_cases(stores, stores.cases.keys_of(work.book_id))
    stores.works.save(replace(gone, removal=replace(removal, whole=True)))


def find_removed(name: str, stores: Stores) -> Work:
    """Return a removed work by title, address or ``id:``.

    Raises:
        UnknownRecord: no such work was removed, or its retention time is over.
        AmbiguousTitle: several were.
    """
    works = stores.works.removed()
    named = [work for work in works if id_in(name) == work.id or _is_called(work, name)]
    if len(named) > 1:
        raise AmbiguousTitle(name=name, works=tuple(map(shown_id, named)))
    if not named:
        raise unknown_record(kind="removed work", name=name, known_names=[work.title for work in works])
    return named[0]


def _is_called(work: Work, name: str) -> bool:
    return name == work.url or name_key(work.title) == name_key(name)


def restore_work(name: str, stores: Stores, index: FingerprintIndex) -> Work:
    """Restore a removed work with its findings; it waits to be indexed.

    Args:
        name: title, address or ``id:`` of the work.
        stores: the database.
        index: the live index.

    Raises:
        UnknownRecord: no such work was removed, or its retention time is over.
        NameTaken: another work has its title or address now.
    """
    finish_removals(stores, index)
    work = find_removed(name, stores)
    if work.removal is None:
        raise UnknownRecord(kind="removed work", name=name)
    if (other := stores.works.by_key(work.removal.key)) is not None:
        raise NameTaken(title=work.title, other=other.id)
    stores.works.save(replace(work, removal=replace(work.removal, whole=False)))
    if work.is_owned:
        stores.removed.restore_findings(work.id)
    passages = stores.passages.get_many(work.passage_ids)
    shas = [passages[passage_id].sha256 for passage_id in work.passage_ids]
    back = replace(
        work, key=work.removal.key, sha256=joint_hash(shas), status="stored", attempts=0, removal=None
    )
    stores.works.save(back)
    matches = stores.matches.of_work(work.book_id)
    stores.pages.settle({match.url for match in matches}, compared={match.page_id for match in matches})
    book = stores.works.get_many([back.book_id]).get(back.book_id)
    if book is None:
        separate_edition(back, stores)
        return replace(back, edition_of=None)
    if book.role != back.role:  # the role changed while the work was removed
        set_role(back, book.role, stores)
    refresh_cases(stores, {(match.work_id, match.site) for match in matches})
    return back


def purge_removed(stores: Stores, index: FingerprintIndex, *, before: datetime) -> int:
    """Delete the works that were removed before a given time; return their number."""
    finish_removals(stores, index)
    old = [work for work in stores.works.removed() if work.removal is None or work.removal.at < before]
    for work in old:
        stores.removed.delete_of_work(work.id)
        forget_passages(stores.passages.ids_of_work(work.id), stores, index)
        stores.works.delete(work.id)
    return len(old)
