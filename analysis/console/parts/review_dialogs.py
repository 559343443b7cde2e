"""Dialogs for decisions about matches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.queries.review import recent_reasons
from analysis.words.labels import DISGUISES
from analysis.words.licence_terms import all_terms, new_licence, terms
from storage.records import Match, SiteLicence, Span, Work
from system.errors import PindnaError
from system.messages import N_
from tracker.judgement.reviewing import Stretch

_PROPOSED = 6  # maximum number of suggested reasons
_SHOWN_CHARS = 26  # maximum number of shown characters from the start of a stretch
KEYS = (
    ("y", N_("infringing")),
    ("n", N_("not infringing, because …")),
    ("h", N_("doubtful: set aside, with a note")),
    ("l", N_("licensed: the site may publish the work")),
    ("j", N_("the next find")),
    ("k", N_("the previous find")),
    ("u", N_("undo the last decision")),
    ("?", N_("these shortcuts")),
)


@dataclass
class ProblemLine:
    """The line of a dialog that shows an input error."""

    view: View
    line: TextElement = field(init=False)

    def __post_init__(self) -> None:
        self.line = plain("", "p").props('role="alert"').classes("problem-line")

    def show(self, text: str) -> None:
        """Show the error text."""
        self.line.set_text(text)


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a decision, and the stretches that it covers.

    Attributes:
        because: in words.
        marked: the stretches that it is about; None: all that are open.
    """

    text: str
    marked: tuple[Stretch, ...] | None = None


async def ask_reason(
    view: View, match: Match, passage: str, *, title: str, act: str, last: str, is_dismissal: bool
) -> Reason | None:
    """Ask for the reason of a decision and for the stretches that it covers. Return None if the user cancels.

    Args:
        view: the page.
        match: the find.
        passage: the text that its stretches are of; empty: it is not stored any more.
        title: of the dialog and of its field.
        act: on the button.
        last: the reason that was given last.
        is_dismissal: propose the reasons of other dismissals, and let stretches be marked.
    """
    reasons = list(await view.read(recent_reasons)) if is_dismissal else []
    spans = open_spans(match) if is_dismissal else []
    with ui.dialog() as dialog, ui.card().classes("dialog asking"):
        dialog.props["aria-label"] = title
        ui.label(title).classes("subtitle")
        words = ui.input(title, value=last).props("autofocus outlined").classes("full")
        proposed = [reason for reason in reasons if reason][:_PROPOSED]
        _proposals(view, proposed, words.set_value)
        marks = _marks(view, spans, passage) if len(spans) > 1 else []
        problem = ProblemLine(view)

        def submit() -> None:
            reason = words.value.strip()
            marked = [span for span, mark in marks if mark.value]
            if not reason:
                problem.show(view.gettext("Enter a reason for later reviewers."))
            elif marks and not marked:
                problem.show(view.gettext("Mark at least one stretch."))
            else:
                places = tuple((span.passage_start, span.passage_end) for span in marked)
                dialog.submit(Reason(reason, places if len(marked) < len(marks) else None))

        words.on("keydown.enter", submit)
        _buttons(view, dialog, act, submit)
    answer = await answer_of(dialog)
    return answer if isinstance(answer, Reason) else None


def open_spans(match: Match) -> list[Span]:
    """Return the stretches of a match that are still undecided, by their position in the page."""
    spans = sorted(match.spans, key=lambda span: span.page_start)
    if not match.undecided:
        return spans
    return [
        span
        for span in spans
        if any(start < span.passage_end and span.passage_start < end for start, end in match.undecided)
    ]


def _proposals(view: View, reasons: Sequence[str], take: Callable[[str], object]) -> None:
    if not reasons:
        return
    with ui.element("div").classes("row-line"):
        plain(view.gettext("Earlier reasons:")).classes("soft small")
        for reason in reasons:
            button = ui.button(on_click=lambda reason=reason: take(reason))
            with button.props("outline dense no-caps").classes("proposal"):
                foreign(reason, most=40)


def _marks(view: View, spans: Sequence[Span], passage: str) -> list[tuple[Span, ui.checkbox]]:
    """Show the stretches as checkboxes, all of them selected."""
    with ui.element("fieldset").classes("marks"):
        plain(view.gettext("Applies to these stretches"), "legend").classes("small soft")
        return [(span, _mark(view, number, span, passage)) for number, span in enumerate(spans, 1)]


def _mark(view: View, number: int, span: Span, passage: str) -> ui.checkbox:
    length = span.page_end - span.page_start
    words = view.ngettext("{count} character", "{count} characters", length).format(count=length)
    disguises = [view.word(DISGUISES, code) for code in span.disguises]
    beginning = passage[span.passage_start : span.passage_end][:_SHOWN_CHARS]
    with ui.element("div").classes("row-line"):
        box = ui.checkbox(f"{number} · {words}", value=True).props("dense")
        for disguise in disguises:
            plain(disguise).classes("badge")
        foreign(beginning).classes("soft small")
    return box


def _buttons(view: View, dialog: ui.dialog, act: str, submit: Callable[[], None]) -> None:
    with ui.element("div").classes("row-line ends"):
        ui.button(view.gettext("Cancel"), on_click=lambda: dialog.submit(None)).props("flat no-caps")
        ui.button(act, on_click=submit).props("no-caps")


@dataclass(frozen=True, slots=True)
class Grant:
    """The terms of a licence that the user wants to grant.

    Attributes:
        licence: its terms.
        replace: in the place of those that the site has.
    """

    licence: SiteLicence
    replace: bool


async def ask_licence(view: View, work: Work, site: str, zone: ZoneInfo) -> Grant | None:
    """Ask for the terms on which a site may publish a work. Return None if the user cancels.

    Args:
        view: the page.
        work: the work.
        site: that is proposed; another one, or a pattern, may be written.
        zone: of the days.
    """
    title = view.gettext("Let a site publish “{title}”").format(title=work.title[:80])
    with ui.dialog() as dialog, ui.card().classes("dialog asking"):
        dialog.props["aria-label"] = title
        ui.label(title).classes("subtitle")
        host = ui.input(view.gettext("Site, or a pattern such as *.example.cn"), value=site)
        host.props("outlined autofocus").classes("full")
        with ui.element("div").classes("row-line"):
            first = ui.input(view.gettext("First day")).props("outlined type=date stack-label")
            last = ui.input(view.gettext("Last day")).props("outlined type=date stack-label")
            share = ui.number(view.gettext("Maximum share of a passage, %"), min=0, max=100)
            share.props("outlined").classes("share")
        attribution = ui.checkbox(view.gettext("Pages must name title, author or rights holder"))
        way = _way(view, [permission for permission in work.permissions if permission.site == site], zone)
        problem = ProblemLine(view)

        def submit() -> None:
            try:
                licence = new_licence(
                    host.value.strip(),
                    zone,
                    first=_day(first.value),
                    last=_day(last.value),
                    attribution=attribution.value,
                    share=None if share.value is None else share.value / 100,
                )
            except PindnaError as error:
                problem.show(view.texts.error(error))
            except ValueError:
                problem.show(view.gettext("Write days as 2026-03-31."))
            else:
                dialog.submit(Grant(licence, way is not None and way.value == "replace"))

        host.on("keydown.enter", submit)
        plain(view.gettext("The stored finds of the site are judged again at once.")).classes("soft small")
        _buttons(view, dialog, view.gettext("Grant the licence"), submit)
    answer = await answer_of(dialog)
    return answer if isinstance(answer, Grant) else None


def _way(view: View, permissions: Sequence[SiteLicence], zone: ZoneInfo) -> ui.radio | None:
    """Ask whether the new licence replaces the site's existing licences; None if there are none."""
    if not permissions:
        return None
    old = all_terms(permissions, zone, view.texts)
    plain(view.gettext("The site already has a licence: {terms}.").format(terms=old), "p")
    ways = {
        "replace": view.gettext("Replace with the new licence"),
        "add": view.gettext("Keep both; the more permissive one counts"),
    }
    return ui.radio(ways, value="replace")


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def licence_line(view: View, licences: Sequence[SiteLicence], zone: ZoneInfo) -> str:
    """Return the line about licences that were granted after a match was judged."""
    words = view.gettext("; ").join(terms(licence, zone, view.texts) for licence in licences)
    return view.gettext("The site has a licence now ({terms}). The find is being judged again.").format(
        terms=words
    )


async def show_keys(view: View, *, is_on: bool) -> bool:
    """Show the keyboard shortcuts. Return whether the user wants them enabled."""
    title = view.gettext("Keys")
    with ui.dialog() as dialog, ui.card().classes("dialog asking"):
        dialog.props["aria-label"] = title
        ui.label(title).classes("subtitle")
        with ui.element("dl").classes("keys"):
            for key, meaning in KEYS:
                with ui.element("dt"):
                    plain(key, "kbd")
                plain(view.gettext(meaning), "dd")
        plain(
            view.gettext("The same key again undoes a decision. After a decision, the next find opens."),
            "p",
        ).classes("soft small")
        switch = ui.switch(view.gettext("Use keyboard shortcuts"), value=is_on)
        with ui.element("div").classes("row-line ends"):
            ui.button(view.gettext("Close"), on_click=lambda: dialog.submit(None)).props("no-caps autofocus")
    await answer_of(dialog)
    return bool(switch.value)
