"""One source: its definition, its health, and the results of a trial."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from analysis.actions.scans import start_scan
from analysis.actions.site_learning import keep_repeated, use_container
from analysis.actions.source_trials import try_source
from analysis.actions.sources import remove_source, save_source, switch_source
from analysis.console.pages.sources import state_of
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.in_view import Announcement, bring_into_view
from analysis.console.parts.lists import address
from analysis.console.parts.source_form import SourceForm
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.trial import show_steps, trial_summary
from analysis.console.view import View
from analysis.queries.sources import SourceView, get_source, repeats_of, templates_of
from analysis.words.i18n import NC_
from analysis.words.labels import SOURCE_KINDS
from analysis.words.search_budget import budget_line
from crawler.sources.proposed_kind import proposed_kind
from storage.collections.repeats import Repeat
from storage.collections.templates import LearntContainer
from storage.records import Source, SourceKind
from system.sites import host_of

_LEARNT_SHOWN = 100
_LEARNT_HOSTS = 20
_NAMED = 10  # maximum number of addresses in the question before a source is removed


async def build(view: View, *, name: str) -> None:
    """Show a source by its name."""
    shown = await view.read(get_source, view.installation.runtime.settings.tracker, name)
    source, can_write = shown.source, view.may("sources:write")
    view.entitle(view.gettext("Source {name}").format(name=source.name))
    with ui.element("div").classes("row-line"):
        state_of(view, shown)
    if can_write:
        _actions(view, source)
    elif view.may("scans:run"):
        _crawl_button(view, source)
    _health(view, shown)
    form = SourceForm(view, source, can_write=can_write)
    if can_write:
        _save_and_try(view, form, source)
    hosts = {host_of(url) for url in source.addresses}
    learnt = await view.read(repeats_of, hosts, limit=_LEARNT_HOSTS)
    for host, repeats in learnt.items():
        _repeats(view, host, repeats)
    if len(learnt) == _LEARNT_HOSTS < len(hosts):
        line = view.gettext("The source has {count} hosts; the first {shown} are shown.")
        plain(line.format(count=f"{len(hosts):,}", shown=_LEARNT_HOSTS), "p").classes("soft small")
    for host, template in (await view.read(templates_of, hosts, limit=_LEARNT_HOSTS)).items():
        _template(view, host, template.containers)


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
        lines = (
            view.gettext("Its settings, pauses and alerts are deleted. Its pages stay."),
            *source.addresses[:_NAMED],
        )
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
        panel.props["aria-label"] = view.gettext("Status")
        plain(view.gettext("Status"), "h2").classes("subtitle")
        ui.link(view.gettext("Its pages"), address("/pages", {"source": shown.source.name}))
        with ui.element("dl").classes("facts"):
            plain(view.gettext("Next crawl"), "dt")
            plain(_next_crawl(view, shown), "dd")
            if shown.source.hours:
                plain(view.gettext("Crawl hours"), "dt")
                foreign(f"{', '.join(shown.source.hours)} ({shown.source.timezone})", tag="dd")
            if shown.source.discovery is not None:
                plain(view.gettext("Search"), "dt")
                plain(budget_line(shown.source.discovery, shown.searches, view.texts), "dd")
        if health.rest:
            plain(
                view.gettext(
                    "The last crawl stopped at the end of the crawl hours. The next crawl continues with "
                    "the remaining pages."
                ),
                "p",
            )
        if not health.recent:
            ui.label(view.gettext("Not crawled yet.")).classes("soft")
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


def _next_crawl(view: View, shown: SourceView) -> str:
    if not shown.source.enabled:
        return view.gettext("none: the source is disabled")
    return view.moment(shown.next_crawl)


def _save_and_try(view: View, form: SourceForm, previous: Source | None) -> None:
    async def save() -> None:
        source = form.source()
        await view.act(save_source, source, previous=previous)
        ui.notify(view.gettext("Saved."), type="positive")
        ui.navigate.to(f"/sources/{source.name}")

    async def try_it() -> None:
        source = form.source()
        button.disable()
        steps.clear()
        with steps:
            ui.spinner(size="lg").props('aria-hidden="true"')
        line.say(view.gettext("A few pages are fetched; nothing is stored."))
        bring_into_view(result)
        try:
            seen_steps = await view.act(try_source, source)
        except BaseException:
            line.say("")
            raise
        finally:
            if not steps.is_deleted:
                steps.clear()
                button.enable()
        if steps.is_deleted:  # the user left the page
            return
        line.say(trial_summary(view, seen_steps))
        with steps:
            _propose_kind(view, form, proposed_kind(source.kind, seen_steps))
            show_steps(view, source, seen_steps)
        bring_into_view(result)

    with ui.element("div").classes("row-line save-bar"):
        ui.button(view.gettext("Save"), icon="save", on_click=save)
        button = ui.button(view.gettext("Try it now"), icon="play_arrow", on_click=try_it).props("outline")
    with ui.element("section").classes("stack in-view") as result:
        result.props["aria-label"] = view.gettext("Result of the trial")
        line = Announcement()
        steps = ui.element("div").classes("steps")


def _propose_kind(view: View, form: SourceForm, kind: SourceKind | None) -> None:
    """Propose another kind, with a button that sets it in the form; nothing if the kind is right."""
    if kind is None:
        return

    def change() -> None:
        form.set_kind(kind)
        note.clear()
        with note:
            plain(view.gettext("The kind is changed in the form. Try it again, and save."))

    with ui.element("div").classes("note row-line") as note:
        line = view.gettext("The pages look like those of another kind of source: {kind}.")
        plain(line.format(kind=view.word(SOURCE_KINDS, kind)))
        ui.button(view.gettext("Change the kind"), on_click=change).props("outline dense no-caps")


def _repeats(view: View, host: str, repeats: Sequence[Repeat]) -> None:
    title = view.gettext(
        "Sentences that {host} repeats on many pages; they are left out of the texts"
    ).format(host=host)
    columns = (
        Column(view.gettext("Sentence"), "wide"),
        Column(view.gettext(NC_("count", "Texts")), "number"),
        Column(view.gettext("Left out"), "word"),
    )
    with _learnt_panel(title):
        table = Table(view.gettext("Repeated sentences"), columns)
        for repeat in repeats[:_LEARNT_SHOWN]:
            _repeat_row(view, table, host, repeat)


def _learnt_panel(title: str) -> ui.element:
    """Return a titled section for what was learnt from a host."""
    panel = ui.element("section").classes("panel")
    panel.props["aria-label"] = title
    with panel:
        foreign(title, tag="h2").classes("subtitle")
    return panel


def _switch(view: View, label: str, act: Callable[[], Awaitable[None]]) -> None:
    """Show whether something is enabled, as a switch if the user may change sources."""

    async def switch() -> None:
        await act()
        ui.navigate.reload()

    if view.may("sources:write"):
        ui.button(label, on_click=switch).props("flat dense")
    else:
        plain(label)


def _repeat_row(view: View, table: Table, host: str, repeat: Repeat) -> None:
    async def switch() -> None:
        await view.act(keep_repeated, host, repeat.id, kept=not repeat.kept)

    with table.row() as row:
        row.cell(repeat.text)
        row.cell(str(repeat.texts))
        with row.cell():
            if repeat.is_protected:
                plain(view.gettext("No: it appears in a work"))
            else:
                _switch(view, view.gettext("No, kept") if repeat.kept else view.gettext("Yes"), switch)


def _template(view: View, host: str, containers: Sequence[LearntContainer]) -> None:
    title = view.gettext("Learned positions of the texts on {host}").format(host=host)
    columns = (
        Column(view.gettext("Position"), "wide"),
        Column(view.gettext(NC_("count", "Pages")), "number"),
        Column(view.gettext("Used"), "word"),
    )
    with _learnt_panel(title):
        table = Table(view.gettext("Positions of the texts"), columns)
        for container in containers:
            _container_row(view, table, host, container)


def _container_row(view: View, table: Table, host: str, container: LearntContainer) -> None:
    async def switch() -> None:
        await view.act(use_container, host, container.id, used=not container.is_used)

    with table.row() as row:
        row.cell(container.path)
        row.cell(str(container.pages))
        with row.cell():
            label = view.gettext("Yes") if container.is_used else view.gettext("No, ignored")
            _switch(view, label, switch)
