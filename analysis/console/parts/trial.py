"""The results of a trial of a source: each address with its result, next to the fetched page."""

from collections.abc import Sequence

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.lists import nothing
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.tones import Tone
from analysis.console.view import View
from analysis.words.i18n import NC_
from analysis.words.labels import ENTRY_KINDS, PAGE_KINDS, ROBOTS
from analysis.words.visible import visible
from crawler.sources.probe import ProbeStep
from storage.records import Source, utc_now

_TEXT_CHARS = 4_000  # maximum number of shown characters of a text; the fetched page shows all
_ROBOTS_TONES: dict[str, Tone] = {"allowed": "well", "disregarded": "warn"}


def trial_summary(view: View, steps: Sequence[ProbeStep]) -> str:
    """Return the result of a trial in a sentence."""
    count, read = len(steps), sum(bool(step.characters) for step in steps)
    line = view.ngettext(
        "{count} address was tried, {read} texts were read.",
        "{count} addresses were tried, {read} texts were read.",
        count,
    )
    return line.format(count=count, read=read)


def show_steps(view: View, source: Source, steps: Sequence[ProbeStep]) -> None:
    """Show the steps of a trial in the order in which they finished.

    Args:
        view: the page.
        source: that was tried.
        steps: what came of each address.
    """
    if source.opens(utc_now()) > utc_now():
        line = view.gettext(
            "The source is outside its crawl hours. A trial runs now; a crawl waits until {until}."
        )
        plain(line.format(until=view.moment(source.opens(utc_now()))), "p").classes("note")
    if not steps:
        nothing(view, view.gettext("No address was requested."))
    elif not any(step.characters for step in steps):
        plain(view.gettext("No text was read."), "p").classes("note")
    for number, step in enumerate(steps, start=1):
        _show(view, number, step)


def _show(view: View, number: int, step: ProbeStep) -> None:
    with ui.element("section").classes("panel step") as panel:
        panel.props["aria-label"] = view.gettext("Step {number}").format(number=number)
        with ui.element("div").classes("row-line"):
            plain(f"{number}.").classes("soft")
            plain(view.word(ENTRY_KINDS, step.asked)).classes("strong")
            foreign_link(step.url)
        with ui.element("div").classes("beside"):
            with ui.element("div"):
                _facts(view, step)
            with ui.element("div"):
                _page(view, number, step)


def _facts(view: View, step: ProbeStep) -> None:
    _ = view.gettext
    with ui.element("dl").classes("facts"):
        plain("robots.txt", "dt")
        with ui.element("dd"):
            badge(
                view.word(ROBOTS, step.robots), _ROBOTS_TONES.get(step.robots, "grave" if step.robots else "")
            )
        plain(_(NC_("trial", "Fetched")), "dt")
        with ui.element("dd"):
            _fetched(view, step)
        if step.kind:
            plain(_("Kind"), "dt")
            with ui.element("dd"):
                badge(step.kind and view.word(PAGE_KINDS, step.kind), "warn" if step.reason else "well")
            _fields(view, step)
        if step.asked != "text" or step.texts:
            plain(_("Leads to"), "dt")
            with ui.element("dd"):
                line = _("{texts} texts and {lists} further lists")
                plain(line.format(texts=step.texts, lists=step.lists), "div")
                for url in step.first:
                    foreign(url, tag="div").classes("small soft")
    if step.text:
        plain(_("Text as it is compared"), "h3").classes("small soft")
        more = "" if len(step.text) <= _TEXT_CHARS else "…"
        text = plain(visible(step.text[:_TEXT_CHARS]) + more, "div").classes("extracted foreign")
        text.props('tabindex="0" role="group"').props["aria-label"] = _("Text as it is compared")


def _fetched(view: View, step: ProbeStep) -> None:
    if step.kind or not step.reason:
        badge(f"{step.status}" if step.status else view.gettext("yes"), "well")
    else:
        badge(view.texts.reason(step.reason), "warn")
        if step.advice:
            plain(view.gettext(step.advice), "div").classes("small")
    if step.rendered:
        plain(view.gettext("shown in a browser")).classes("soft small")


def _fields(view: View, step: ProbeStep) -> None:
    _ = view.gettext
    for name, value in (
        (_("Title"), step.title),
        (_("Author"), step.author),
        (_("Date stated on the page"), step.published),
    ):
        plain(name, "dt")
        foreign(value or "–", tag="dd")
    plain(_(NC_("trial", "Text")), "dt")
    line = _("{characters} characters, confidence {confidence:.2f}, {encoding}")
    figures = line.format(characters=step.characters, confidence=step.confidence, encoding=step.encoding)
    foreign(figures, tag="dd")
    plain(_("Continued at"), "dt")
    with ui.element("dd"):
        if not step.following:
            plain("–")
        for url in step.following:
            foreign(url, tag="div").classes("small")


def _page(view: View, number: int, step: ProbeStep) -> None:
    if not step.page:
        plain(view.gettext("There is no page to show."), "p").classes("soft small")
        return
    name = view.installation.trial_pages.keep(view.identity.name, step.page)
    title = view.gettext("The page as it was fetched, step {number}").format(number=number)
    line = view.gettext("Shown without scripts, forms, links and content that would have to be loaded.")
    plain(line, "p").classes("soft small")
    frame = ui.element("iframe").props('sandbox="" referrerpolicy="no-referrer"')
    frame.props["title"] = title
    frame.props["src"] = f"/sources/-/trial/{name}"
