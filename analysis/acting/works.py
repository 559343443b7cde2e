"""Works added, renamed and removed, and licences taken back, by people and programs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from analysis.queries.scope import visible_work
from analysis.reading import readers_with
from analysis.saved_pages import reading_rules
from crawler.extraction import Extracted
from crawler.readers.questions import PageQuestion
from storage.errors import PindnaError
from storage.records import EventKind, Removal, Work, WorkRole, utc_now
from tracker.corpus.layout import DEFAULT_LAYOUT, units_of
from tracker.corpus.loading import Outcome, Terms, store_works
from tracker.corpus.reading import RawWork, read_unit
from tracker.corpus.regrouping import rename_work
from tracker.corpus.removal import removal_of, remove_work
from tracker.corpus.roles import set_role
from tracker.judgement.licences import revoke
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

_MAX_NAME_BYTES = 200  # file systems take 255
_BATCH = 200  # works stored together


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a work of an uploaded file, or of a file that is none.

    Attributes:
        outcome: ``new``, ``changed``, ``unchanged``; None: it was refused.
        work: as it is stored now.
        problem: why it was refused, or what of it could not be used.
    """

    outcome: Outcome | None
    work: Work | None
    problem: PindnaError | None = None


def add_file(
    who: Identity, runtime: Runtime, name: str, data: bytes, *, holder: str = "", role: WorkRole | None = None
) -> list[Loaded]:
    """Load the works of a file, as `pindna corpus add` does: a text, a book, a table, or an archive of them.

    Works that are there already are known again by title or address; workers index what is new.

    Args:
        who: adds them.
        runtime: settings and stores.
        name: of the file, whose ending tells its form.
        data: its bytes.
        holder: the rights holder; empty: as the file says.
        role: what they are here for; None: what they were, and ``protected`` of new ones.

    Raises:
        NotPermitted: this one may not.
        ServiceDown: a service does not answer; the file may be given again.
    """
    who.require("works:write")
    terms = Terms(holder.strip() or None, (), role)
    loaded: list[Loaded] = []
    with TemporaryDirectory(prefix="pindna-upload-") as folder:
        path = Path(folder) / _safe_name(name)
        path.write_bytes(data)
        rules = reading_rules(runtime.settings.tracker, partial(_extract, runtime))
        raws: list[RawWork] = []
        for unit in units_of([path], rules, DEFAULT_LAYOUT):
            for raw in read_unit(unit, rules):
                if isinstance(raw, PindnaError):
                    loaded.append(Loaded(None, None, raw))
                    continue
                loaded += [Loaded(None, None, remark) for remark in raw.remarks]
                raws.append(replace(raw, origin=name))
                if len(raws) == _BATCH:
                    loaded += _store(who, runtime, raws, terms)
                    raws = []
        loaded += _store(who, runtime, raws, terms)
    return loaded


def _store(who: Identity, runtime: Runtime, raws: list[RawWork], terms: Terms) -> Iterator[Loaded]:
    if not raws:
        return
    stores = runtime.stores
    for stored in store_works(raws, stores, runtime.guard.live(), terms=terms):
        if isinstance(stored, PindnaError):
            yield Loaded(None, None, stored)
            continue
        outcome, work = stored
        if outcome != "unchanged":
            after = {"title": work.title, "characters": work.characters, "holder": work.holder}
            _note(who, runtime, "work-added", work.id, after=after)
        yield Loaded(outcome, work)
    dispatch_works(stores, runtime.settings.tracker, runtime.queue.send)


def _extract(runtime: Runtime, data: bytes, name: str) -> Extracted:
    """Return what extraction finds in a page, in a process whose memory is bounded."""
    return readers_with(runtime.settings.crawler.reader_megabytes).ask(PageQuestion(data, ""), name=name)


def _safe_name(name: str) -> str:
    """Return a name for a file of one's own: the end of the given one, without folders."""
    plain = "".join(letter if letter.isalnum() or letter in "._- " else "_" for letter in Path(name).name)
    return plain.encode()[-_MAX_NAME_BYTES:].decode(errors="ignore").lstrip(". ") or "upload"


def rename(who: Identity, runtime: Runtime, work_id: int, title: str) -> Work:
    """Give a work another title.

    Raises:
        NotPermitted, UnknownId: it is not this one's to rename.
        TitleTaken: another work has it.
        ServiceDown: MongoDB does not answer.
    """
    who.require("works:write")
    work = visible_work(who, runtime.stores, work_id)
    renamed = rename_work(work, title.strip(), runtime.stores)
    _note(who, runtime, "work-changed", work_id, before={"title": work.title}, after={"title": renamed.title})
    return renamed


def change_role(who: Identity, runtime: Runtime, work_id: int, role: WorkRole) -> None:
    """Say what a work is here for; its editions have the same role.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("works:write")
    work = visible_work(who, runtime.stores, work_id)
    set_role(work, role, runtime.stores)
    _note(who, runtime, "work-changed", work_id, before={"role": work.role}, after={"role": role})


def revoke_licence(who: Identity, runtime: Runtime, work_id: int, site: str) -> None:
    """Take back the licences that a site has for a work.

    Raises:
        NotPermitted, UnknownId: it is not this one's to take back.
        UnknownRecord: the site has none.
        ServiceDown: MongoDB does not answer.
    """
    who.require("works:write")
    work = visible_work(who, runtime.stores, work_id)
    revoke(work, site, runtime.stores)
    _note(who, runtime, "work-changed", work_id, before={"licensed": site})


def losses_of(who: Identity, runtime: Runtime, work_id: int) -> Removal:
    """Return what removing a work would take away.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
        ServiceDown: MongoDB does not answer.
    """
    who.require("works:write")
    return removal_of(visible_work(who, runtime.stores, work_id), runtime.stores)


def remove(who: Identity, runtime: Runtime, work_id: int) -> Work:
    """Remove a work with what was found about it; `pindna corpus restore` brings both back for some days.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    who.require("works:write")
    work = visible_work(who, runtime.stores, work_id)
    removed = remove_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    _note(who, runtime, "work-removed", work_id, before={"title": work.title})
    return removed


def _note(
    who: Identity,
    runtime: Runtime,
    kind: EventKind,
    work_id: int,
    *,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> None:
    record(
        runtime.stores,
        kind,
        by=who.name,
        at=utc_now(),
        subject=f"work {work_id}",
        before=before or {},
        after=after or {},
    )
