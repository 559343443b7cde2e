"""One work: its description, licences and chapters, the sites that copied them, and its DNA."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from nicegui import ui

from analysis.actions.licences import grant_licence, revoke_licence
from analysis.actions.works import describe_work, losses_of, remove
from analysis.console.pages.works import cases_link, state_badges
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.dna import dna_strip
from analysis.console.parts.holder_dialog import ask_holder
from analysis.console.parts.lists import address
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.regrouping import regroup_menu
from analysis.console.parts.removals import losses_line
from analysis.console.parts.review_dialogs import ask_licence
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.work_map import work_map
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.fields.cells import fact_lines
from analysis.fields.field import visible
from analysis.fields.works import FACT_FIELDS
from analysis.queries.work_page import editions_of, map_of, open_cases, passage_at
from analysis.queries.works import get_work, list_passages, unjudged_pages
from analysis.words.labels import WORK_ROLES
from analysis.words.licence_terms import has_ended, marked_terms
from storage.records import SiteLicence, Work, utc_now
from system.errors import UnknownId
from tracker.corpus.removal import REMOVED_DAYS

_CHAPTERS = 50
_DRAWN_CHARS = 20_000  # maximum characters of a chapter whose DNA is drawn


async def build(view: View, *, work: str, first: str = "", chapter: str = "") -> None:
    """Show a work.

    Args:
        view: the page.
        work: its number.
        first: number of the first chapter that is listed, from 1.
        chapter: number of the chapter whose DNA is drawn, from 1.
    """
    if not work.isdecimal() or len(work) > 9:  # noqa: PLR2004 - ids are small
        raise UnknownId(kind="work", name=work)
    work_view = await view.read(get_work, int(work))
    view.entitle(work_view.title)
    with ui.element("div").classes("row-line"):
        state_badges(view, work_view)
    editions = await view.read(editions_of, work_view)
    if view.may("works:write"):
        _actions(view, work_view, is_edition=bool(editions))
    await _facts(view, work_view, editions)
    if work_view.is_owned:
        await _licences(view, work_view)
        if view.may("matches:read"):
            with titled_panel(view.gettext("Sites with matches")):
                work_map(view, await view.read(map_of, work_view.id))
    await _chapters(view, work_view, first=_number(first), chapter=_number(chapter))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and 0 < len(text) < 9 and int(text) else 1  # noqa: PLR2004


def _actions(view: View, work: Work, *, is_edition: bool) -> None:
    with ui.element("div").classes("row-line"):
        ui.button(view.gettext("Change"), icon="edit", on_click=partial(_change, view, work))
        regroup_menu(view, work, is_edition=is_edition)
        remove_it = partial(_remove, view, work)
        ui.button(view.gettext("Remove"), on_click=remove_it).props("flat color=negative")


async def _change(view: View, work: Work) -> None:
    title = view.gettext("Details of the work")
    with ui.dialog() as dialog, ui.card().classes("dialog"):
        dialog.props["aria-label"] = title
        plain(title, "h3").classes("subtitle")
        fields = {
            "title": ui.input(view.gettext("Title"), value=work.title),
            "author": ui.input(view.gettext("Author"), value=work.author or ""),
            "holder": ui.input(view.gettext("Rights holder"), value=work.holder or ""),
        }
        for field in fields.values():
            field.props("outlined dense").classes("full")
        published_day = work.published.local.date().isoformat() if work.published else ""
        day = ui.input(view.gettext("First published"), value=published_day)
        day.props("type=date outlined dense stack-label").classes("full")
        roles = {code: view.gettext(words) for code, words in WORK_ROLES.items()}
        role = ui.select(roles, label=view.gettext("Role"), value=work.role)
        role.props("outlined dense options-dense").classes("full")
        line = view.gettext(
            "A background text has no rights holder. Its matches do not count until it has a rights "
            "holder again."
        )
        plain(line, "p").classes("soft small")

        async def save() -> None:
            values = {name: field.value or "" for name, field in fields.items()}
            if role.value == "background":
                values["holder"] = ""
            published: date | Literal[""] = date.fromisoformat(day.value) if day.value else ""
            await view.act(describe_work, work.id, **values, published=published, role=role.value)
            ui.navigate.reload()

        with ui.row().classes("row-line"):
            ui.button(view.gettext("Cancel"), on_click=dialog.close).props("flat")
            ui.button(view.gettext("Save"), on_click=save)
    dialog.open()


async def _remove(view: View, work: Work) -> None:
    losses, remains = await view.act(losses_of, work.id)
    lines = [losses_line(view, losses, characters=work.characters)]
    if remains is not None:
        stays = view.gettext(
            "“{title}”, another edition of the book, remains: {matches} matches and {cases} cases stay "
            "with it."
        )
        lines.append(stays.format(title=remains.heir.title, matches=remains.matches, cases=remains.cases))
    lines.append(view.gettext("It can be restored for {days} days.").format(days=REMOVED_DAYS))
    question = view.gettext("Remove “{title}”?").format(title=work.title[:80])
    if await confirmed(view, question, tuple(lines), act=view.gettext("Remove"), is_grave=True):
        await view.act(remove, work.id)
        ui.navigate.to(address("/works", {"status": "removed"}))


async def _facts(view: View, work: Work, editions: Sequence[Work]) -> None:
    cases = (await view.read(open_cases, (work,)))[work.id] if view.may("cases:read") else 0
    with titled_panel(view.gettext("Details of the work")), ui.element("dl").classes("facts"):
        if work.holder:
            plain(view.gettext("Rights holder"), "dt")
            with ui.element("dd"):
                foreign(work.holder)
                if view.may("works:write"):
                    ask = partial(ask_holder, view, work.holder, work.book_id)
                    ui.button(view.gettext("Details…"), on_click=ask).props("flat dense no-caps")
        fields = visible(FACT_FIELDS, view.identity)
        for term, value in fact_lines(fields, work, view.texts, view.installation.zone):
            plain(term, "dt")
            foreign(value, tag="dd")
        if work.url:
            plain(view.gettext("Address"), "dt")
            with ui.element("dd"):
                foreign_link(work.url)
        if work.is_owned:
            plain(view.gettext("Open cases"), "dt")
            with ui.element("dd"):
                cases_link(view, work, cases)
        if editions:
            plain(view.gettext("Other editions"), "dt")
            with ui.element("dd"):
                for edition in editions:
                    with ui.element("div"), ui.link(target=f"/works/{edition.id}"):
                        foreign(edition.title)


async def _licences(view: View, work: Work) -> None:
    zone = ZoneInfo(view.installation.runtime.settings.tracker.timezone)
    may_write = view.may("works:write")

    async def add() -> None:
        granted = await ask_licence(view, work, "", zone)
        if granted is not None:
            await view.act(grant_licence, work.id, granted.licence, replace=granted.replace)
            ui.navigate.reload()

    with titled_panel(view.gettext("Licences")):
        if work.permissions:
            columns = [Column(view.gettext("Site"), "word"), Column(view.gettext("Terms"), "wide")]
            columns += [Column(view.gettext("State"), "word")]
            columns += [Column(view.gettext("Undo"), "word")] if may_write else []
            table = Table(view.gettext("Licences"), columns)
            for licence in work.permissions:
                with table.row() as row:
                    row.cell(licence.site)
                    row.cell(marked_terms(licence, zone, view.texts, now=utc_now()))
                    row.cell(_state(view, licence))
                    if may_write:
                        with row.cell():
                            button = ui.button(
                                icon="undo", on_click=partial(_revoke, view, work, licence.site)
                            )
                            name = view.gettext("Undo: {name}").format(name=licence.site)
                            name_control(button.props("flat dense"), name)
        else:
            plain(view.gettext("No site is licensed."), "p").classes("soft")
        if waiting := await view.read(unjudged_pages, work.id):
            line = view.ngettext(
                "{count} page is being judged again.", "{count} pages are being judged again.", waiting
            )
            plain(line.format(count=waiting), "p")
        if may_write:
            ui.button(view.gettext("Grant a licence"), icon="add", on_click=add).props("outline")


def _state(view: View, licence: SiteLicence) -> str:
    now = utc_now()
    if has_ended(licence, now=now):
        return view.gettext("Has ended")
    if licence.since is not None and licence.since > now:
        return view.gettext("Has not begun")
    return view.gettext("In force")


async def _revoke(view: View, work: Work, site: str) -> None:
    question = view.gettext("Revoke the licences of {site}?").format(site=site)
    lines = (view.gettext("The stored finds of the site are judged again at once."),)
    if await confirmed(view, question, lines, act=view.gettext("Undo"), is_grave=True):
        await view.act(revoke_licence, work.id, site)
        ui.navigate.reload()


async def _chapters(view: View, work: Work, *, first: int, chapter: int) -> None:
    heads, count = await view.read(list_passages, work.id, first=first - 1, limit=_CHAPTERS)
    with titled_panel(view.gettext("Chapters and DNA")):
        passage = await view.read(passage_at, work.id, chapter)
        if passage is not None:
            label = f"{chapter} {passage.title}".strip()
            await dna_strip(view, label, passage.text[:_DRAWN_CHARS])
        table = Table(
            view.gettext("Chapters"),
            (Column(view.gettext("Number"), "word"), Column(view.gettext("Chapter"), "wide")),
        )
        for head in heads:
            number = head.ordinal + 1
            with table.row() as row:
                row.cell(f"{number:,}")
                row.link(head.title or "–", address(f"/works/{work.id}", {"chapter": number, "first": first}))
        with ui.element("nav").classes("row-line") as nav:
            nav.props["aria-label"] = view.gettext("Pages of the list")
            if first > 1:
                ui.link(view.gettext("First page"), f"/works/{work.id}")
            if first + _CHAPTERS <= count:
                further = address(f"/works/{work.id}", {"first": first + _CHAPTERS})
                ui.link(view.gettext("Next page"), further)
