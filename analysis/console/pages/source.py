"""One source: its definition, how it fares, and what a try of it sees."""

import asyncio

from nicegui import ui
from nicegui.element import Element

from analysis.acting.scans import start_scan
from analysis.acting.sources import keep_repeated, remove_source, save_source, switch_source, try_source
from analysis.console.pages.sources import addresses_of, state_of
from analysis.console.parts.badges import badge
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.source_form import SourceForm
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.view import View
from analysis.labels import ENTRY_KINDS, PAGE_KINDS
from analysis.queries.sources import SourceView, get_source, repeats_of
from crawler.sources.probe import Step
from storage.collections.repeats import Repeat
from storage.records import Source
from storage.sites import host_of

_LEARNT_SHOWN = 100


async def build(view: View, *, name: str) -> None:
    """Show a source by its name."""
    shown = await view.read(get_source, name)
    source, can_write = shown.source, view.may("sources:write")
    with ui.element("div").classes("row-line"):
        foreign(source.name, tag="h2").classes("subtitle")
        state_of(view, shown)
    if can_write:
        _actions(view, source)
    elif view.may("scans:run"):
        _crawl_button(view, source)
    _health(view, shown)
    form = SourceForm(view, source, can_write=can_write)
    if can_write:
        _save_and_try(view, form, source)
    for host in sorted({host_of(url) for url in addresses_of(source)}):
        await _learnt(view, host)


async def build_new(view: View) -> None:
    """Show an empty form."""
    view.identity.require("sources:write")
    _save_and_try(view, SourceForm(view, None, can_write=True), None)


def _crawl_button(view: View, source: Source) -> None:
    async def crawl() -> None:
        scan = await view.act(start_scan, [source.name])
        ui.navigate.to(f"/scans/{scan.id}")

    ui.button(view.gettext("Crawl it now"), icon="radar", on_click=crawl)


def _actions(view: View, source: Source) -> None:
    async def switch() -> None:
        await view.act(switch_source, source.name, enabled=not source.enabled)
        ui.navigate.reload()

    async def remove() -> None:
        question = view.gettext("Remove source {name}?").format(name=source.name)
        lines = (view.gettext("Its settings, pauses and alerts go, its pages stay."), *addresses_of(source))
        if await confirmed(view, question, lines, act=view.gettext("Remove"), is_grave=True):
            await view.act(remove_source, source.name)
            ui.navigate.to("/sources")

    with ui.element("div").classes("row-line"):
        if view.may("scans:run"):
            _crawl_button(view, source)
        label = view.gettext("Disable") if source.enabled else view.gettext("Enable, and end its pause")
        ui.button(label, on_click=switch).props("flat")
        ui.button(view.gettext("Remove"), on_click=remove).props("flat color=negative")


def _health(view: View, shown: SourceView) -> None:
    health = shown.health
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("How it fares")
        plain(view.gettext("How it fares"), "h2").classes("subtitle")
        ui.link(view.gettext("Its pages"), address("/pages", {"source": shown.source.name}))
        if not health.recent:
            ui.label(view.gettext("It was not crawled yet.")).classes("soft")
            return
        columns = (
            Column(view.gettext("Ended"), "word"),
            Column(view.gettext("Texts listed"), "number"),
            Column(view.gettext("Texts read"), "number"),
            Column(view.gettext("Pages without a text"), "number"),
            Column(view.gettext("Confidence"), "number"),
        )
        table = Table(view.gettext("Last crawls"), columns)
        for crawl in health.recent:
            with table.row() as row:
                row.link(view.moment(crawl.ended), f"/scans/{crawl.scan_id}")
                for number in (crawl.listed, crawl.texts, crawl.failed):
                    row.cell(f"{number:,}")
                row.cell(f"{crawl.confidence:.2f}")


def _save_and_try(view: View, form: SourceForm, seen: Source | None) -> None:
    async def save() -> None:
        source = form.source()
        await view.act(save_source, source, seen=seen)
        ui.notify(view.gettext("Saved."), type="positive")
        ui.navigate.to(f"/sources/{source.name}")

    async def try_it() -> None:
        source = form.source()
        button.disable()
        steps.clear()
        with steps:
            ui.spinner(size="lg")
            ui.label(view.gettext("A few pages are fetched; nothing is stored.")).classes("soft")
        try:
            seen_steps = await view.act(try_source, source)
        finally:
            steps.clear()
            button.enable()
        with steps:
            _show_steps(view, seen_steps)
        await asyncio.sleep(0)

    with ui.element("div").classes("row-line"):
        ui.button(view.gettext("Save"), icon="save", on_click=save)
        button = ui.button(view.gettext("Try it now"), icon="play_arrow", on_click=try_it).props("outline")
    steps = ui.element("div").props('aria-live="polite"').classes("steps")


def _show_steps(view: View, steps: list[Step]) -> None:
    if not steps:
        nothing(view, view.gettext("No address was asked for."))
        return
    columns = (
        Column(view.gettext("Asked as"), "word"),
        Column(view.gettext("Address"), "wide"),
        Column(view.gettext("Answer"), "word"),
        Column(view.gettext("Seen"), "wide"),
        Column(view.gettext("Leads to"), "wide"),
    )
    table = Table(view.gettext("Steps"), columns)
    for step in steps:
        with table.row() as row:
            row.cell(view.word(ENTRY_KINDS, step.asked))
            with row.cell():
                foreign_link(step.url)
            row.cell(str(step.status or "–"))
            with row.cell():
                _outcome(view, step)
            with row.cell():
                _leads(view, step)


def _outcome(view: View, step: Step) -> None:
    if step.reason:
        badge(view.texts.reason(step.reason), "warn")
        if step.advice:
            plain(view.gettext(step.advice), "div").classes("small")
    elif step.kind:
        badge(view.word(PAGE_KINDS, step.kind), "well")
        foreign(step.title, tag="div")
        told = view.gettext("{characters} characters, confidence {confidence:.2f}, {encoding}")
        figures = told.format(characters=step.characters, confidence=step.confidence, encoding=step.encoding)
        foreign(figures, tag="div").classes("soft small")


def _leads(view: View, step: Step) -> Element:
    with ui.element("div") as box:
        if step.asked != "text" or step.texts:
            told = view.gettext("{texts} texts and {lists} further lists")
            plain(told.format(texts=step.texts, lists=step.lists), "div")
        for url in step.first:
            foreign(url, tag="div").classes("small soft")
    return box


async def _learnt(view: View, host: str) -> None:
    repeats = await view.read(repeats_of, host)
    if not repeats:
        return
    with ui.element("section").classes("panel") as panel:
        title = view.gettext("What {host} prints on many pages; it is left out of their texts")
        panel.props["aria-label"] = title.format(host=host)
        foreign(title.format(host=host), tag="h2").classes("subtitle")
        columns = (
            Column(view.gettext("Sentence"), "wide"),
            Column(view.gettext("Texts"), "number"),
            Column(view.gettext("Left out"), "word"),
        )
        table = Table(view.gettext("Repeated sentences"), columns)
        for repeat in repeats[:_LEARNT_SHOWN]:
            _repeat_row(view, table, host, repeat)


def _repeat_row(view: View, table: Table, host: str, repeat: Repeat) -> None:
    async def switch() -> None:
        await view.act(keep_repeated, host, repeat.id, kept=not repeat.kept)
        ui.navigate.reload()

    with table.row() as row:
        row.cell(repeat.text)
        row.cell(str(repeat.texts))
        with row.cell():
            if repeat.is_protected:
                plain(view.gettext("No: it stands in a work"))
            elif view.may("sources:write"):
                label = view.gettext("No, kept") if repeat.kept else view.gettext("Yes")
                ui.button(label, on_click=switch).props("flat dense")
            else:
                plain(view.gettext("No, kept") if repeat.kept else view.gettext("Yes"))
