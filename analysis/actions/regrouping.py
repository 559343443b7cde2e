"""Works put in order by people and programs: made one, parted, and linked as editions of one book.

Each act takes ``works:write``; what it did is a row of the audit log.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.actions.works import EmptyTitle, field_of, log_fields, subject_of
from analysis.queries.scope import visible_work
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance, link_edition, resemblances, separate_edition
from tracker.corpus.naming import find_work
from tracker.corpus.regrouping import merge_works, split_work
from tracker.runtime import Runtime


class SameWork(PindnaError):
    """A work was to be put together with itself. Data: ``title``."""

    template = "This is “{title}” itself. Choose another work."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A work and another one that is to be put together with it."""

    work: Work
    other: Work


def pair_of(identity: Identity, runtime: Runtime, work_id: int, name: str) -> Pair:
    """Return a work and another one by its title, address or ``id:3``.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        UnknownRecord, AmbiguousTitle: no work, or several, are called so.
        SameWork: it is the work itself.
    """
    identity.require("works:write")
    work = visible_work(identity, runtime.stores, work_id)
    other = visible_work(identity, runtime.stores, find_work(name, runtime.stores).id)
    if other.id == work.id:
        raise SameWork(title=work.title)
    return Pair(work=work, other=other)


def resembling_works(identity: Identity, runtime: Runtime, works: Sequence[Work]) -> Iterator[Resemblance]:
    """Yield those of some works that are mostly the text of an earlier work of another book.

    Raises:
        NotPermitted: this one may not.
    """
    identity.require("works:write")
    for alike in resemblances(works, runtime.stores, runtime.guard.live(), runtime.params):
        if identity.may_see(alike.other.holder or ""):
            yield alike


def merge(identity: Identity, runtime: Runtime, ids: Sequence[int], *, title: str = "") -> Work:
    """Make several works one, the passages in their order; the first one's id stays, the others go.

    Args:
        identity: acts.
        runtime: the open services.
        ids: of the works, two or more.
        title: of the whole; empty: the first one's.

    Raises:
        NotPermitted, UnknownId: one is not this one's to change.
        SameWork: they are one already.
        TitleTaken, DifferentRoles, TooManyPassages: they cannot be one.
    """
    identity.require("works:write")
    works = [visible_work(identity, runtime.stores, work_id) for work_id in dict.fromkeys(ids)]
    if len(works) == 1:
        raise SameWork(title=works[0].title)
    merged = merge_works(works, field_of(title) or works[0].title, runtime.stores)
    for work in works:
        note_act(
            identity,
            runtime,
            "merge-works",
            subject_of(work),
            kind="work-changed" if work.id == merged.id else "work-removed",
            before=log_fields(work),
            after=log_fields(merged) if work.id == merged.id else {"merged_into": merged.id},
        )
    return merged


def split(identity: Identity, runtime: Runtime, work_id: int, *, title: str, numbers: Sequence[int]) -> Work:
    """Make some passages of a work a work of their own; returns that.

    Args:
        identity: acts.
        runtime: the open services.
        work_id: the work.
        title: of the new one.
        numbers: of the passages, from 1.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        EmptyTitle, LongField, TitleTaken: the new one cannot be called so.
        NoSuchPassages, NothingLeft: it has not these passages, or no others.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    if not field_of(title):
        raise EmptyTitle
    new = split_work(before, field_of(title), numbers, runtime.stores)
    remaining = visible_work(identity, runtime.stores, work_id)
    note_act(
        identity,
        runtime,
        "split-work",
        subject_of(before),
        kind="work-changed",
        before=log_fields(before),
        after=log_fields(remaining),
    )
    note_act(identity, runtime, "split-work", subject_of(new), kind="work-added", after=log_fields(new))
    return new


def set_edition(identity: Identity, runtime: Runtime, work_id: int, *, of: int | None) -> Work:
    """Make a work an edition of another one's book, or a separate book; returns it after the change.

    Args:
        identity: acts.
        runtime: the open services.
        work_id: the work.
        of: the other one; None: it is a separate book.

    Raises:
        NotPermitted, UnknownId: one is not this one's to change.
        SameWork: it is the work itself.
        DifferentRoles: they are here for different purposes.
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
    note_act(
        identity,
        runtime,
        "set-edition",
        subject_of(before),
        kind="work-changed",
        before={"edition_of": before.edition_of},
        after={"edition_of": after.edition_of},
    )
    return after
