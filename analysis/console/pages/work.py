"""One work: what it is, who may publish it, where it was found, and its DNA."""

from datetime import date
from typing import get_args

from nicegui import ui

from analysis.acting.licences import grant_licence
from analysis.acting.works import change_role, losses_of, remove, rename, revoke_licence
from analysis.console.pages.works import work_badge
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.dna import dna_strip
from analysis.console.parts.lists import address
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.work_map import work_map
from analysis.console.view import View
from analysis.labels import WORK_KINDS, WORK_ROLES
from analysis.licence_terms import marked_terms, new_licence
from analysis.queries.works import get_passage, get_work, list_passages
from storage.records import Work, WorkRole, utc_now

_PASSAGES_SHOWN = 100


async def build(view: View, *, work: str, first: str = "0") -> None:
    """Show a work by its id."""
    shown = await view.read(get_work, int(work) if work.isascii() and work.isdecimal() else 0)
    with ui.element("div").classes("row-line"):
        foreign(shown.title, tag="h2").classes("subtitle")
        work_badge(view, shown)
        ui.link(view.gettext("Its cases"), address("/cases", {"work": f"id:{shown.id}"}))
    with ui.element("div").classes("columns"):
        _facts(view, shown)
        if view.may("works:write"):
            _changes(view, shown)
    _licences(view, shown)
    await work_map(view, shown.id)
    await _passages(view, shown, int(first) if first.isascii() and first.isdecimal() else 0)


def _facts(view: View, work: Work) -> None:
    facts = (
        (view.gettext("Author"), work.author),
        (view.gettext("Rights holder"), work.holder),
        (view.gettext("Kind"), view.word(WORK_KINDS, work.kind)),
        (view.gettext("What it is here for"), view.word(WORK_ROLES, work.role)),
        (view.gettext("Published"), view.moment(work.published)),
        (view.gettext("Language"), work.language),
        (view.gettext("Rights"), work.rights),
        (view.gettext("Passages"), f"{len(work.passage_ids):,}"),
        (view.gettext("Characters"), f"{work.characters:,}"),
        (view.gettext("Loaded from"), work.origin),
    )
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("What it is")
        with ui.element("dl").classes("facts"):
            for name, value in facts:
                if value:
                    plain(name, "dt")
                    foreign(value, tag="dd")
            if work.url:
                plain(view.gettext("Address"), "dt")
                with ui.element("dd"):
                    foreign_link(work.url)


def _changes(view: View, work: Work) -> None:
    async def save_title() -> None:
        await view.act(rename, work.id, title.value or "")
        ui.navigate.reload()

    async def save_role() -> None:
        await view.act(change_role, work.id, role.value)
        ui.navigate.reload()

    async def take_away() -> None:
        losses = await view.act(losses_of, work.id)
        told = view.gettext(
            "{passages} passages, {matches} matches ({decided} of them decided) and {cases} cases go with it."
        )
        lines = (
            told.format(
                passages=losses.passages, matches=losses.matches, decided=losses.decided, cases=losses.cases
            ),
            view.gettext("`pindna corpus restore` brings it back for some days."),
        )
        question = view.gettext("Remove “{title}”?").format(title=work.title)
        if await confirmed(view, question, lines, act=view.gettext("Remove"), is_grave=True):
            await view.act(remove, work.id)
            ui.navigate.to("/works")

    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("Change it")
        plain(view.gettext("Change it"), "h2").classes("subtitle")
        with ui.element("div").classes("row-line"):
            title = ui.input(view.gettext("Title"), value=work.title).props("outlined dense").classes("field")
            ui.button(view.gettext("Rename"), on_click=save_title).props("outline")
        with ui.element("div").classes("row-line"):
            roles = {name: view.word(WORK_ROLES, name) for name in get_args(WorkRole)}
            role = ui.select(roles, label=view.gettext("What it is here for"), value=work.role)
            role.props("outlined dense").classes("field")
            ui.button(view.gettext("Change"), on_click=save_role).props("outline")
        ui.button(view.gettext("Remove"), on_click=take_away).props("flat color=negative")


def _licences(view: View, work: Work) -> None:
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("Licences")
        plain(view.gettext("Licences"), "h2").classes("subtitle")
        if not work.permissions:
            ui.label(view.gettext("No site may publish it.")).classes("soft")
        else:
            columns = (
                Column(view.gettext("Site"), "wide"),
                Column(view.gettext("Terms"), "wide"),
                Column(""),
            )
            table = Table(view.gettext("Licences"), columns)
            zone, now = view.installation.named_zone, utc_now()
            for licence in work.permissions:
                with table.row() as row:
                    row.cell(licence.site)
                    row.cell(marked_terms(licence, zone, view.texts, now=now))
                    with row.cell():
                        if view.may("works:write"):
                            _revoke_button(view, work, licence.site)
        if view.may("works:write") and work.is_owned:
            _new_licence(view, work)


def _revoke_button(view: View, work: Work, site: str) -> None:
    async def revoke() -> None:
        question = view.gettext("Take back the licences of {site}?").format(site=site)
        if await confirmed(view, question, act=view.gettext("Take back"), is_grave=True):
            await view.act(revoke_licence, work.id, site)
            ui.navigate.reload()

    ui.button(view.gettext("Take back"), on_click=revoke).props("flat dense color=negative")


def _new_licence(view: View, work: Work) -> None:
    with ui.element("div").classes("row-line"):
        site = ui.input(view.gettext("Site")).props("outlined dense").classes("filter")
        first = ui.input(view.gettext("First day")).props("outlined dense type=date stack-label")
        last = ui.input(view.gettext("Last day")).props("outlined dense type=date stack-label")
        share = ui.number(view.gettext("Largest share of a passage, in %"), min=0, max=100)
        share.props("outlined dense").classes("filter")
        attribution = ui.checkbox(view.gettext("Must name title, author or holder"))

    async def grant() -> None:
        licence = new_licence(
            site.value or "",
            view.installation.named_zone,
            first=date.fromisoformat(first.value) if first.value else None,
            last=date.fromisoformat(last.value) if last.value else None,
            attribution=attribution.value,
            share=None if share.value is None else share.value / 100,
        )
        await view.act(grant_licence, work.id, licence, replace=False)
        ui.navigate.reload()

    ui.button(view.gettext("Grant a licence"), on_click=grant).props("outline")


async def _passages(view: View, work: Work, first: int) -> None:
    heads, total = await view.read(list_passages, work.id, first=first, limit=_PASSAGES_SHOWN)
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("Passages")
        plain(view.gettext("Passages"), "h2").classes("subtitle")
        columns = (
            Column("#", "number"),
            Column(view.gettext("Heading"), "wide"),
            Column(view.gettext("DNA")),
        )
        table = Table(view.gettext("Passages"), columns)
        for number, head in enumerate(heads, start=first + 1):
            with table.row() as row:
                row.cell(str(number))
                row.cell(head.title or "–")
                with row.cell():
                    _dna_button(view, head.id, head.title or str(number))
        path = f"/works/{work.id}"
        with ui.element("div").classes("row-line"):
            if first:
                ui.link(view.gettext("First part"), path)
            if first + len(heads) < total:
                ui.link(view.gettext("Next part"), address(path, {"first": first + _PASSAGES_SHOWN}))


def _dna_button(view: View, passage_id: int, label: str) -> None:
    box = ui.element("div")

    async def show() -> None:
        passage = await view.read(get_passage, passage_id)
        box.clear()
        with box:
            await dna_strip(view, label, passage.text)

    with box:
        ui.button(view.gettext("Show"), on_click=show).props("flat dense")
