"""Works described, licensed, removed and brought back by people and programs.

Each act takes ``works:write``; what it did is a row of the audit log.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.queries.scope import visible_work
from storage.records import ClaimedDate, Removal, Work, WorkRole, claim, zone_of
from system.errors import PindnaError, UnknownId
from tracker.corpus.content import MAX_FIELD_CHARS
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
    """A work was to have no title."""

    template = "A work needs a title."


class LongField(PindnaError):
    """What is said of a work is too long. Data: ``most``."""

    template = "Titles and names have at most {most} characters."


class HolderOfBackground(PindnaError):
    """Texts cannot be public and have a rights holder."""

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
    """Change what is said of a work and what it is here for; returns it as it is then.

    Args:
        identity: acts.
        runtime: the open services.
        work_id: the work.
        title: what it is called; None, here and below: as it is.
        author: who wrote it; empty: unknown.
        holder: whose it is; empty: unknown.
        published: the day of its first publication, in ``tracker.timezone``; empty: unknown.
        role: what it, with all its editions, is here for; ``background`` takes its holder away.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        EmptyTitle, LongField: it cannot be called so.
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
    day = before.published if published is None else _day(published, before, runtime)
    if (author, holder, day) != (work.author or "", work.holder or "", work.published):
        now = replace(work, author=author or None, holder=holder or None, published=day)
        stores.works.describe(work, now)
        stores.works.record_change(work.id)  # names count for attribution, dates for who was first
    work = _note_change(identity, runtime, "describe-work", before)
    return work if role is None else change_role(identity, runtime, work_id, role)


def _day(day: date | Literal[""], work: Work, runtime: Runtime) -> ClaimedDate | None:
    """Return a day as the date of a work; what is known of that day more exactly stays."""
    if not day:
        return None
    if work.published is not None and work.published.local.date() == day:
        return work.published
    zone = zone_of(runtime.settings.tracker.timezone)
    return claim(datetime(day.year, day.month, day.day), zone=zone)  # noqa: DTZ001 - a wall clock's


def change_role(identity: Identity, runtime: Runtime, work_id: int, role: WorkRole) -> Work:
    """Say what a work, with all its editions, is here for; returns it as it is then.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    if role != before.role:
        set_role(before, role, runtime.stores)
    return _note_change(identity, runtime, "change-role", before)


def removed_works(identity: Identity, runtime: Runtime) -> list[Work]:
    """Return the works that were removed and may come back, by id; removals that broke off are finished.

    Raises:
        NotPermitted: works are not this one's to remove.
    """
    identity.require("works:write")
    finish_removals(runtime.stores, runtime.guard.live())
    return [work for work in runtime.stores.works.removed() if identity.may_see(work.holder or "")]


def losses_of(identity: Identity, runtime: Runtime, work_id: int) -> tuple[Removal, Remains | None]:
    """Return what would go with a work, and what of its book would stay with another edition.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
    """
    identity.require("works:write")
    work = visible_work(identity, runtime.stores, work_id)
    return removal_of(work, runtime.stores), remains_of(work, runtime.stores)


def remove(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Remove a work with what was found about it; for some days it can be brought back.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
    """
    identity.require("works:write")
    before = visible_work(identity, runtime.stores, work_id)
    remove_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    after = _removed(identity, runtime, work_id)
    note_act(
        identity,
        runtime,
        "remove-work",
        subject_of(before),
        kind="work-removed",
        before=log_fields(before),
        after=log_fields(after),
    )
    return after


def removed_work_called(identity: Identity, runtime: Runtime, name: str) -> Work:
    """Return a removed work by its title, address or ``id:3``.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord, AmbiguousTitle: no removed work, or several, are called so.
        UnknownId: it is not this one's to bring back.
    """
    identity.require("works:write")
    finish_removals(runtime.stores, runtime.guard.live())
    return _removed(identity, runtime, find_removed(name, runtime.stores).id)


def restore(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Bring a removed work back with what was known of it, and have it indexed.

    Raises:
        NotPermitted: this one may not.
        UnknownId: no such work was removed, or not for this one to bring back.
        NameTaken: another work has its title or address now.
    """
    identity.require("works:write")
    before = _removed(identity, runtime, work_id)
    restore_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    return _note_change(identity, runtime, "restore-work", before)


def _removed(identity: Identity, runtime: Runtime, work_id: int) -> Work:
    """Return a work that was removed and may come back.

    Raises:
        UnknownId: there is none, or not for this one.
    """
    for work in runtime.stores.works.removed():
        if work.id == work_id and identity.may_see(work.holder or ""):
            return work
    raise UnknownId(kind="work", name=str(work_id))


def field_of(text: str) -> str:
    """Return what is said of a work in one line.

    Raises:
        LongField: it is too long.
    """
    line = " ".join(text.split())
    if len(line) > MAX_FIELD_CHARS:
        raise LongField(most=MAX_FIELD_CHARS)
    return line


def _note_change(identity: Identity, runtime: Runtime, act: str, before: Work) -> Work:
    """Write an act down, if it changed anything; returns the work as it is now."""
    after = runtime.stores.works.get_many([before.id])[before.id]
    fields = log_fields(before), log_fields(after)
    if fields[0] != fields[1]:
        note_act(
            identity, runtime, act, subject_of(before), kind="work-changed", before=fields[0], after=fields[1]
        )
    return after


def subject_of(work: Work) -> str:
    """Return what the audit log calls a work."""
    return f"work {work.id}"


def log_fields(work: Work) -> Mapping[str, object]:
    """Return the facts of a work for the audit log."""
    removed = work.status == "removed"
    return {
        "title": work.title,
        "author": work.author or "",
        "holder": work.holder or "",
        "published": work.published.iso() if work.published else "",
        "role": work.role,
        "characters": work.characters,
        "removed": removed,
    }
