"""The first three steps for new users, with a sample work, until the first scan has ended."""

from nicegui import ui

from analysis.actions.sample import add_sample
from analysis.console.parts.badges import badge
from analysis.console.parts.case_page import section
from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.queries.today import Today


def first_steps(view: View, figures: Today) -> None:
    """Show the first steps and which of them are complete; show nothing after the first scan."""
    _ = view.gettext
    if not view.identity.sees_everything:
        if not figures.works:
            with section(_("Welcome")):
                plain(_("None of your works is loaded yet. Ask an administrator."), "p")
        return
    if figures.since is not None and figures.works:
        return
    with section(_("First steps")), ui.element("ol").classes("steps-list"):
        steps = (
            ("/works", _("Load a work"), _("Add a text to protect: .txt, .epub …"), figures.works),
            (
                "/sources",
                _("Add a source"),
                _("Add a site to watch or a list of addresses."),
                figures.sources,
            ),
            ("/scans", _("Scan now"), _("After that, it runs every day."), bool(figures.since)),
        )
        for target, title, words, is_done in steps:
            _step(view, target, title, words, is_done=is_done)
        with ui.element("li").classes("soft"):
            _sample(view, is_loaded=figures.works)


def _step(view: View, target: str, title: str, words: str, *, is_done: bool) -> None:
    with ui.element("li"), ui.element("div").classes("row-line"):
        ui.link(title, target)
        plain(words).classes("soft")
        if is_done:
            badge(view.gettext("Done"), "well")


def _sample(view: View, *, is_loaded: bool) -> None:
    """Offer pindna's sample work, and a disguised copy of it for a check."""
    _ = view.gettext

    async def load() -> None:
        button.set_enabled(False)
        await view.act(add_sample)
        ui.navigate.reload()

    plain(_("To try pindna, load the sample work and check a copy of it that is disguised by homophones."))
    with ui.element("div").classes("row-line"):
        if view.may("works:write") and not is_loaded:
            button = ui.button(_("Load the sample work"), on_click=load).props("outline dense no-caps")
        ui.link(_("Text to copy"), "/static/sample-copy.txt", new_tab=True)
        ui.link(_("Check"), "/check")
