"""Renaming, merging and splitting of works; passages keep their ids, so index and findings stay valid.

Order of writes: the work that gains passages lists them first, then the passages refer to it, then the work
that loses them is updated. A work without passages is deleted last. If a call is interrupted, every passage
still has a work, and the call may be repeated.
"""

from collections.abc import Sequence
from dataclasses import replace

from storage.collections.stores import Stores
from storage.records import FREE, Passage, SiteLicence, Work, utc_now
from system.errors import PindnaError
from tracker.corpus.editions import move_findings, spread_licences, transfer_book
from tracker.corpus.hashes import joint_hash
from tracker.corpus.loading import MAX_PASSAGES
from tracker.corpus.refusals import TooManyPassages
from tracker.corpus.roles import refuse_different

_NAMED = 20  # maximum number of passages that an error lists


class TitleTaken(PindnaError):
    """Another work has the title.

    Attributes:
        title: the title.
        other: the other work, or its origin.
    """

    template = "Another work, id:{other}, already has the title “{title}”. Choose another title."


class NoSuchPassages(PindnaError):
    """A work does not have the passages with some numbers.

    Attributes:
        title: the title.
        numbers: the numbers as given.
        count: how many there are.
    """

    template = "“{title}” has passages 1 to {count}, but not {numbers}. Select existing passages."


class NothingLeft(PindnaError):
    """All passages of a work were selected for splitting.

    Attributes:
        title: the title.
    """

    template = "Cannot split off all passages of “{title}”. Select fewer passages, or rename the work."


def rename_work(work: Work, title: str, stores: Stores) -> Work:
    """Rename a work. If its file is added again, the work keeps the new title.

    Raises:
        TitleTaken: another work has it.
    """
    _refuse_taken(title, [work], stores)
    renamed = replace(work, title=title, is_renamed=True)
    stores.works.describe(work, renamed)
    _update_findings(renamed, work.title, stores)
    stores.works.record_change(work.id)
    return renamed


def _refuse_taken(title: str, works: Sequence[Work], stores: Stores) -> None:
    """Check that no other work has, or had, a title.

    Raises:
        TitleTaken: another work has it.
    """
    ids = {work.id for work in works}
    key = stores.works.by_key(title)
    taken = [*stores.works.by_title(title), *([key] if key is not None else [])]
    for other in taken:
        if other.id not in ids and title in {other.title, other.key}:
            raise TitleTaken(title=title, other=other.id)


def _update_findings(work: Work, before: str, stores: Stores) -> None:
    """Store the title of a work in its findings."""
    if work.edition_of is None:
        stores.matches.retitle(work.id, work.title)
        stores.decisions.retitle(work.id, work.title)
        stores.cases.retitle(work.id, work.title)
    else:
        stores.matches.retitle_edition(work.book_id, before, work.title)


def merge_works(works: Sequence[Work], title: str, stores: Stores) -> Work:
    """Merge works into the first one, with the passages in the order of the works, and return it.

    Raises:
        TitleTaken: another work has the title.
        DifferentRoles: the works have different roles.
        TooManyPassages: the merged work has too many passages.
    """
    _refuse_taken(title, works, stores)
    for work in works[1:]:
        refuse_different(work, works[0])
    for work in works[1:]:
        transfer_book(work, stores)
    first, *later_works = (stores.works.get_many([work.id])[work.id] for work in works)
    passages = _ordered_passages([first, *later_works], stores)
    if len(passages) > MAX_PASSAGES:
        raise TooManyPassages(title=title, origin=first.origin, count=len(passages), limit=MAX_PASSAGES)
    licences: dict[SiteLicence, None] = dict.fromkeys(
        licence for work in (first, *later_works) for licence in work.licences
    )
    merged = replace(
        _with_passages(first, passages),
        key=first.url or title,
        title=title,
        kind="novel" if len(passages) > 1 else first.kind,
        licensed_sites=tuple(
            sorted({site for work in (first, *later_works) for site in work.licensed_sites})
        ),
        licences=tuple(licences),
        postings=first.postings + sum(work.postings for work in later_works if _is_apart(work, first)),
        status="indexed" if all(work.status == "indexed" for work in (first, *later_works)) else "stored",
    )
    if merged.key in stores.works.by_keys([merged.key]):
        _free_key(merged.key, later_works, stores)
    stores.works.save(merged)
    stores.passages.save_many(_passages_of_work(merged, passages))
    _update_findings(merged, first.title, stores)
    parts = [
        replace(work, id=merged.id, title=title, edition_of=work.book_id) for work in later_works
    ]  # the works in their present state, with their former books
    move_findings(parts, stores, book_id=merged.book_id)
    spread_licences(merged, stores)
    stores.works.record_change(merged.id)
    for work in later_works:
        stores.works.delete(work.id)
    return merged


def _is_apart(work: Work, whole: Work) -> bool:
    """Return whether a work has passages that the merged work lacks; after a broken merge there are none."""
    return not set(work.passage_ids) <= set(whole.passage_ids)


def _free_key(key: str, works: Sequence[Work], stores: Stores) -> None:
    """Change the key of the work that has this key, because the work is about to be deleted."""
    for work in works:
        if work.key == key:
            stores.works.save(replace(work, key=f"merged:{work.id}"))


def _ordered_passages(works: Sequence[Work], stores: Stores) -> list[Passage]:
    """Return the passages of several works, each once; a passage without a heading gets its work's title."""
    texts = stores.passages.get_many(dict.fromkeys(key for work in works for key in work.passage_ids))
    named: dict[int, Passage] = {}
    for work in works:
        for key in work.passage_ids:
            named.setdefault(key, replace(texts[key], title=texts[key].title or work.title))
    return list(named.values())


def split_work(work: Work, title: str, numbers: Sequence[int], stores: Stores) -> Work:
    """Move passages of a work to a new work, and return the new work.

    Args:
        work: the work.
        title: of the new one.
        numbers: of the passages, from 1.
        stores: the database.

    Raises:
        NoSuchPassages: the work does not have these numbers.
        NothingLeft: the numbers are all passages of the work.
        TitleTaken: another work has the title.
    """
    count = len(work.passage_ids)
    if wrong := [number for number in numbers if not 0 < number <= count]:
        raise NoSuchPassages(title=work.title, numbers=tuple(map(str, wrong[:_NAMED])), count=count)
    moved_ids = [work.passage_ids[number - 1] for number in sorted(set(numbers))]
    if len(moved_ids) == count:
        raise NothingLeft(title=work.title)
    _refuse_taken(title, [], stores)
    texts = stores.passages.get_many(work.passage_ids)
    moved = [texts[key] for key in moved_ids]
    rest = [texts[key] for key in work.passage_ids if key not in set(moved_ids)]
    share = sum(len(passage.text) for passage in moved) / max(1, work.characters)
    new_id = stores.works.new_ids("works", 1)[0]
    new = replace(_with_passages(replace(work, id=new_id), moved), key=title, title=title, edition_of=None)
    new = replace(new, url=None, is_renamed=False, postings=round(work.postings * share))
    remaining = replace(_with_passages(work, rest), postings=work.postings - new.postings)
    stores.works.save(new)
    stores.passages.save_many(_passages_of_work(new, moved))
    stores.works.save(remaining)
    stores.passages.save_many(_passages_of_work(remaining, rest))
    move_findings([replace(new, edition_of=work.book_id)], stores, book_id=new.id)
    for changed in (new, remaining):
        stores.works.record_change(changed.id)
    return new


def _with_passages(work: Work, passages: Sequence[Passage]) -> Work:
    """Return a work with these passages; the passages stay in the index."""
    return replace(
        work,
        passage_ids=tuple(passage.id for passage in passages),
        characters=sum(len(passage.text) for passage in passages),
        sha256=joint_hash([passage.sha256 for passage in passages]),
        updated=utc_now(),
        attempts=0,
        lease=FREE,
    )


def _passages_of_work(work: Work, passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages as those of a work, numbered in order."""
    return [replace(passage, work_id=work.id, ordinal=ordinal) for ordinal, passage in enumerate(passages)]
