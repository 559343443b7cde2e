"""Merge and split works, and link works as editions of one book.

Each act needs the permission ``works:write``, and adds a row to the audit log.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action, work_subject
from analysis.actions.works import EmptyTitle, field_of, log_fields
from analysis.queries.scope import visible_work
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance, link_edition, resemblances, separate_edition
from tracker.corpus.naming import find_work
from tracker.corpus.regrouping import merge_works, split_work
from tracker.runtime import Runtime


class SameWork(PindnaError):
    """A work cannot be merged or linked with itself.

    Attributes:
        title: title of the work.
    """

    template = "This is “{title}” itself. Choose another work."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A work, and another work to merge or link it with."""

    work: Work
    other: Work


def pair_of(identity: Identity, runtime: Runtime, work_id: int, name: str) -> Pair:
    """Return a work, and another work found by its title, its address or ``id:3``.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        UnknownRecord, AmbiguousTitle: no work has that name, or several works have it.
        SameWork: both are the same work.
    """
    identity.require("works:write")
    work = visible_work(identity, runtime.stores, work_id)
    other = visible_work(identity, runtime.stores, find_work(name, runtime.stores).id)
    if other.id == work.id:
        raise SameWork(title=work.title)
    return Pair(work=work, other=other)


def resembling_works(identity: Identity, runtime: Runtime, works: Sequence[Work]) -> Iterator[Resemblance]:
    """Yield the works that consist mostly of the text of an earlier work of another book.

    Raises:
        NotPermitted: the user lacks the permission.
    """
    identity.require("works:write")
    for alike in resemblances(works, runtime.stores, runtime.guard.live(), runtime.params):
        if identity.may_see(alike.other.holder or ""):
            yield alike


def merge(identity: Identity, runtime: Runtime, ids: Sequence[int], *, title: str = "") -> Work:
    """Merge works, with their passages in order. The first work keeps its id; the other works are deleted.

    Args:
        identity: the user or program that acts.
        runtime: the open services.
        ids: ids of at least two works.
        title: title of the merged work; empty: title of the first work.

    Raises:
        NotPermitted, UnknownId: the user may not change one of them.
        SameWork: an id occurs twice.
        TitleTaken, DifferentRoles, TooManyPassages: the works cannot be merged.
    """
    identity.require("works:write")
    works = [visible_work(identity, runtime.stores, work_id) for work_id in dict.fromkeys(ids)]
    if len(works) == 1:
        raise SameWork(title=works[0].title)
    merged = merge_works(works, field_of(title) or works[0].title, runtime.stores)
    for work in works:
        record_action(
            identity,
            runtime,
            "merge-works",
            work_subject(work.id),
            kind="work-changed" if work.id == merged.id else "work-removed",
            before=log_fields(work),
            after=log_fields(merged) if work.id == merged.id else {"merged_into": merged.id},
        )
    return merged


def split(identity: Identity, runtime: Runtime, work_id: int, *, title: str, numbers: Sequence[int]) -> Work:
    """Move passages of a work to a new work, and return the new work.

    Args:
        identity: the user or program that acts.
        runtime: the open services.
        work_id: the work.
        title: title of the new work.
        numbers: numbers of the passages, from 1.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        EmptyTitle, LongField, TitleTaken: the title is not allowed.
        NoSuchPassages, NothingLeft: the work lacks these passages, or would have no passage left.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    if not field_of(title):
        raise EmptyTitle
    new = split_work(before, field_of(title), numbers, runtime.stores)
    remaining = visible_work(identity, runtime.stores, work_id)
    record_action(
        identity,
        runtime,
        "split-work",
        work_subject(before.id),
        kind="work-changed",
        before=log_fields(before),
        after=log_fields(remaining),
    )
    record_action(
        identity, runtime, "split-work", work_subject(new.id), kind="work-added", after=log_fields(new)
    )
    return new


def set_edition(identity: Identity, runtime: Runtime, work_id: int, *, of: int | None) -> Work:
    """Make a work an edition of another work's book, or a separate book. Return it after the change.

    Args:
        identity: the user or program that acts.
        runtime: the open services.
        work_id: the work.
        of: id of the other work; None: make it a separate book.

    Raises:
        NotPermitted, UnknownId: the user may not change one of them.
        SameWork: it is the work itself.
        DifferentRoles: both works have different roles.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    if of is None:
        separate_edition(before, runtime.stores)
    else:
        other = visible_work(identity, runtime.stores, of)
        if other.id == before.id:
            raise SameWork(title=before.title)
        link_edition(before, other, runtime.stores)
    after = visible_work(identity, runtime.stores, work_id)
    record_action(
        identity,
        runtime,
        "set-edition",
        work_subject(before.id),
        kind="work-changed",
        before={"edition_of": before.edition_of},
        after={"edition_of": after.edition_of},
    )
    return after
