"""Works: what is protected, and files dropped in to become works."""

from typing import get_args

from nicegui import events, ui

from analysis.acting.works import Loaded, add_file
from analysis.console.parts.badges import Tone, badge
from analysis.console.parts.filters import FilterForm
from analysis.console.parts.lists import nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.labels import WORK_KINDS, WORK_ROLES, WORK_STATES
from analysis.queries.works import WorksWanted, list_works
from storage.errors import PindnaError
from storage.messages import N_
from storage.records import Work, WorkRole, WorkStatus

_MEGABYTE = 1024 * 1024
_OUTCOMES = {
    "new": N_("Loaded; it is being indexed"),
    "changed": N_("Changed; it is being indexed"),
    "unchanged": N_("Known already, unchanged"),
}
_TONES: dict[str, Tone] = {"indexed": "well", "stored": "accent", "failed": "grave", "removed": ""}


async def build(
    view: View, *, title: str = "", holder: str = "", status: str = "", role: str = "", cursor: str = ""
) -> None:
    """Show the works that are asked for."""
    if view.may("works:write"):
        _drop_box(view)
    asked = {"title": title, "holder": holder, "status": status, "role": role}
    form = FilterForm(view, "/works", asked)
    form.text("title", view.gettext("Title begins with"))
    form.text("holder", view.gettext("Rights holder"))
    states = {name: view.word(WORK_STATES, name) for name in get_args(WorkStatus)}
    form.choice("status", view.gettext("State"), states)
    roles = {name: view.word(WORK_ROLES, name) for name in get_args(WorkRole)}
    form.choice("role", view.gettext("What it is here for"), roles)
    form.button()
    wanted = WorksWanted(
        title=title,
        holder=holder,
        status=status if status in states else None,  # type: ignore[arg-type]
        role=role if role in roles else None,  # type: ignore[arg-type]
    )
    listing = await view.read(list_works, wanted, cursor=cursor)
    if not listing.items:
        nothing(view, view.gettext("No work is here. Drop in its text, its book, or an archive of several."))
        return
    columns = (
        Column(view.gettext("Title"), "wide"),
        Column(view.gettext("Author")),
        Column(view.gettext("Rights holder")),
        Column(view.gettext("Kind"), "word"),
        Column(view.gettext("Passages"), "number"),
        Column(view.gettext("Characters"), "number"),
        Column(view.gettext("State"), "word"),
    )
    table = Table(view.gettext("Works"), columns)
    for work in listing.items:
        _row(view, table, work)
    pager(view, "/works", asked, following=listing.next)


def _row(view: View, table: Table, work: Work) -> None:
    with table.row() as row:
        row.link(work.title, f"/works/{work.id}")
        row.cell(work.author or "–")
        row.cell(work.holder or "–")
        with row.cell():
            plain(view.word(WORK_KINDS, work.kind))
            if work.role != "protected":
                badge(view.word(WORK_ROLES, work.role))
        row.cell(f"{len(work.passage_ids):,}")
        row.cell(f"{work.characters:,}")
        with row.cell():
            work_badge(view, work)


def work_badge(view: View, work: Work) -> None:
    """Show the state of a work."""
    badge(view.word(WORK_STATES, work.status), _TONES[work.status])


def _drop_box(view: View) -> None:
    """Show where files are dropped in, and below it what became of each."""
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("Add works")
        plain(view.gettext("Add works"), "h2").classes("subtitle")
        hint = view.gettext("Texts, books (EPUB, Word, HTML, Markdown), tables (JSON lines), archives (ZIP).")
        plain(hint, "p").classes("soft small")
        with ui.element("div").classes("row-line"):
            holder = ui.input(view.gettext("Rights holder")).props("outlined dense").classes("filter")
            roles = {name: view.word(WORK_ROLES, name) for name in get_args(WorkRole)}
            role = ui.select(roles, label=view.gettext("What they are here for"), value="protected")
            role.props("outlined dense").classes("filter")
        results = ui.element("div").props('aria-live="polite"').classes("steps")

        async def take(event: events.UploadEventArguments) -> None:
            name = event.file.name
            with results, ui.element("div").classes("row-line") as line:
                foreign(name)
                ui.spinner()
            data = await event.file.read()
            loaded: list[Loaded] | PindnaError
            try:
                loaded = await view.act(
                    add_file, name, data, holder=holder.value or "", role=role.value or None
                )
            except PindnaError as error:
                loaded = error
            line.clear()
            with line:
                foreign(name)
                _results(view, loaded)

        most = view.installation.settings.upload_megabytes * _MEGABYTE
        upload = ui.upload(multiple=True, auto_upload=True, on_upload=take, max_file_size=most)
        upload.on_rejected(lambda: ui.notify(view.gettext("A file is too large."), type="warning"))
        upload.classes("drop-box").props["aria-label"] = view.gettext("Drop files here")
        button = ui.button(view.gettext("Choose files"), icon="upload_file")
        button.on_click(lambda: upload.run_method("pickFiles"))


def _results(view: View, loaded: list[Loaded] | PindnaError) -> None:
    if isinstance(loaded, PindnaError):
        badge(view.texts.error(loaded), "grave")
        return
    with ui.element("ul").classes("results"):
        for one in loaded:
            with ui.element("li"):
                if one.work is not None and one.outcome is not None:
                    with ui.link(target=f"/works/{one.work.id}"):
                        foreign(one.work.title)
                    badge(view.word(_OUTCOMES, one.outcome), "" if one.outcome == "unchanged" else "well")
                elif one.problem is not None:
                    foreign(view.texts.error(one.problem)).classes("badge warn wrap")
