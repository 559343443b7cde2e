"""Describe, license, remove and restore works.

Each act needs the permission ``works:write``, and adds a row to the audit log.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action, work_subject
from analysis.queries.scope import visible_work
from storage.records import ClaimedDate, Removal, Work, WorkRole, claim, zone_of
from system.errors import PindnaError, UnknownId, UnknownRecord
from tracker.corpus.content import MAX_FIELD_CHARS
from tracker.corpus.naming import ids_in
from tracker.corpus.regrouping import rename_work
from tracker.corpus.removal import (
    Remains,
    find_removed,
    finish_removals,
    remains_of,
    removal_of,
    remove_work,
    restore_work,
)
from tracker.corpus.roles import set_role
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works


class EmptyTitle(PindnaError):
    """A work must have a title."""

    template = "A work needs a title."


class LongField(PindnaError):
    """A title or a name is too long.

    Attributes:
        most: maximum number of characters.
    """

    template = "Titles and names have at most {most} characters."


class HolderOfBackground(PindnaError):
    """A background text cannot have a rights holder."""

    template = (
        "Background texts have no rights holder. Leave the rights holder empty, or choose another role."
    )


def describe_work(
    identity: Identity,
    runtime: Runtime,
    work_id: int,
    *,
    title: str | None = None,
    author: str | None = None,
    holder: str | None = None,
    published: date | Literal[""] | None = None,
    role: WorkRole | None = None,
) -> Work:
    """Change the description and the role of a work. Return it after the change.

    Args:
        identity: the user or program that acts.
        runtime: the open services.
        work_id: the work.
        title: the title; None: unchanged, as for all fields below.
        author: the author; empty: unknown.
        holder: the rights holder; empty: unknown.
        published: the day of its first publication, in ``tracker.timezone``; empty: unknown.
        role: role of the work and of all its editions; ``background`` also removes its holder.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
        EmptyTitle, LongField: a value is not allowed.
        TitleTaken: another work has the title.
        HolderOfBackground: it is background text, which has no holder.
    """
    identity.require("works:write")
    stores, before = runtime.stores, visible_work(identity, runtime.stores, work_id)
    is_owned = before.is_owned if role is None else role != "background"
    if holder and not is_owned:
        raise HolderOfBackground
    if role == "background":
        holder = ""
    old_values = (before.title, before.author or "", before.holder or "")
    title, author, holder = (
        old if new is None else field_of(new)
        for old, new in zip(old_values, (title, author, holder), strict=True)
    )
    if not title:
        raise EmptyTitle
    work = before if title == before.title else rename_work(before, title, stores)
    day = before.published if published is None else _claimed_day(published, before, runtime)
    if (author, holder, day) != (work.author or "", work.holder or "", work.published):
        now = replace(work, author=author or None, holder=holder or None, published=day)
        stores.works.describe(work, now)
        stores.works.record_change(work.id)  # attribution depends on names, publication order on dates
    work = _record_change(identity, runtime, "describe-work", before)
    return work if role is None else change_role(identity, runtime, work_id, role)


def _claimed_day(day: date | Literal[""], work: Work, runtime: Runtime) -> ClaimedDate | None:
    """Return a day as the date of a work; an exact time on that day stays unchanged."""
    if not day:
        return None
    if work.published is not None and work.published.local.date() == day:
        return work.published
    zone = zone_of(runtime.settings.tracker.timezone)
    return claim(datetime(day.year, day.month, day.day), zone=zone)  # noqa: DTZ001 - a wall clock's


def change_role(identity: Identity, runtime: Runtime, work_id: int, role: WorkRole) -> Work:
    """Set the role of a work and of all its editions. Return it after the change.

    Raises:
        NotPermitted, UnknownId: the user may not change it.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    if role != before.role:
        set_role(before, role, runtime.stores)
    return _record_change(identity, runtime, "change-role", before)


def removed_works(identity: Identity, runtime: Runtime) -> list[Work]:
    """Finish interrupted removals, and return the removed works that can be restored, sorted by id.

    Raises:
        NotPermitted: the user may not remove works.
    """
    identity.require("works:write")
    finish_removals(runtime.stores, runtime.guard.live())
    return [work for work in runtime.stores.works.removed() if identity.may_see(work.holder or "")]


def losses_of(identity: Identity, runtime: Runtime, work_id: int) -> tuple[Removal, Remains | None]:
    """Return the records that removing a work would delete, and those that another edition would keep.

    Raises:
        NotPermitted, UnknownId: the user may not remove it.
    """
    identity.require("works:write")
    work = visible_work(identity, runtime.stores, work_id)
    return removal_of(work, runtime.stores), remains_of(work, runtime.stores)


def remove(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Remove a work with its matches and cases. It can be restored for some days.

    Raises:
        NotPermitted, UnknownId: the user may not remove it.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    remove_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    after = _get_removed(identity, runtime, work_id)
    record_action(
        identity,
        runtime,
        "remove-work",
        work_subject(before.id),
        kind="work-removed",
        before=log_fields(before),
        after=log_fields(after),
    )
    return after


def removed_works_called(identity: Identity, runtime: Runtime, name: str) -> list[Work]:
    """Return the removed works with a name: a title, an address, ``id:3`` or ``id:1-35``.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord, AmbiguousTitle: no removed work has that name, or several removed works have it.
        UnknownId: the user may not restore it.
    """
    removed = removed_works(identity, runtime)
    if ids := frozenset(ids_in(name)):
        if works := [work for work in removed if work.id in ids]:
            return works
        raise UnknownRecord(kind="work", name=name)
    return [_get_removed(identity, runtime, find_removed(name, runtime.stores).id)]


def restore(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Restore a removed work with its records, and have it indexed.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownId: no such work was removed, or the user may not restore it.
        NameTaken: another work now has its title or address.
    """
    identity.require("works:write")
    before = _get_removed(identity, runtime, work_id)
    restore_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    return _record_change(identity, runtime, "restore-work", before)


def _get_removed(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Return a removed work that can be restored.

    Raises:
        UnknownId: it does not exist, or the user may not see it.
    """
    for work in runtime.stores.works.removed():
        if work.id == work_id and identity.may_see(work.holder or ""):
            return work
    raise UnknownId(kind="work", name=str(work_id))


def field_of(text: str) -> str:
    """Return a title or a name, reduced to one line.

    Raises:
        LongField: it is too long.
    """
    line = " ".join(text.split())
    if len(line) > MAX_FIELD_CHARS:
        raise LongField(most=MAX_FIELD_CHARS)
    return line


def _record_change(identity: Identity, runtime: Runtime, act: str, before: Work) -> Work:
    """Record an action if it changed the work. Return the work after the change."""
    after = runtime.stores.works.get_many([before.id])[before.id]
    fields = log_fields(before), log_fields(after)
    if fields[0] != fields[1]:
        record_action(
            identity,
            runtime,
            act,
            work_subject(before.id),
            kind="work-changed",
            before=fields[0],
            after=fields[1],
        )
    return after


def log_fields(work: Work) -> Mapping[str, object]:
    """Return the fields of a work for the audit log."""
    removed = work.status == "removed"
    return {
        "title": work.title,
        "author": work.author or "",
        "holder": work.holder or "",
        "published": work.published.iso() if work.published else "",
        "role": work.role,
        "licensed": ", ".join(work.licensed_sites),
        "characters": work.characters,
        "removed": removed,
    }
