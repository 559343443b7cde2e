"""The states of a case in a row: the present one, the earlier ones, and those that a user may choose."""

from collections.abc import Iterable, Mapping

from nicegui import ui

from analysis.actions import cases as acts
from analysis.cases.moves import moves_by_hand
from analysis.console.parts.case_page import CasePage
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.texts import plain
from analysis.console.shell import name_control
from analysis.words.labels import CASE_STATES
from storage.records import CASE_STATES as STATES
from storage.records import CaseState, Event
from system.messages import N_

# States that require a reason from the user.
_WITH_REASON: frozenset[CaseState] = frozenset(
    {"dismissed", "closed", "removed", "partly_removed", "still_up", "back"}
)
# Explanations of states whose names are not clear.
_HINTS: Mapping[CaseState, str] = {
    "new": "",
    "confirmed": N_("All open matches of the case will be confirmed as infringing."),
    "dismissed": N_("All open matches of the case will be dismissed as not infringing."),
    "notified": N_("The site was contacted by other means."),
    "accepted": N_("The site says that it will remove the copies."),
    "refused": N_("The site says that it will not remove the copies."),
    "unanswered": N_("The site did not answer."),
    "removed": "",
    "partly_removed": "",
    "still_up": "",
    "back": "",
    "closed": N_("No further action. A new copy reopens the case."),
}


def show_rail(page: CasePage, history: Iterable[Event]) -> None:
    """Show the states of a case; the states that a user may choose are buttons."""
    view, case = page.view, page.case
    _ = view.gettext
    may = moves_by_hand(case) if view.may("cases:write") else ()
    been = {event.after: event.at for event in history if event.after}
    with name_control(ui.element("nav"), _("States of the case")), ui.element("ol").classes("rail"):
        for state in STATES:
            _station(page, state, is_open=state in may, was=view.moment(been[state]) if state in been else "")
    if case.state == "closed" and view.may("cases:write"):
        ui.button(_("Reopen…"), on_click=lambda: _reopen(page)).props("outline dense no-caps")


def _station(page: CasePage, state: CaseState, *, is_open: bool, was: str) -> None:
    view, is_here = page.view, page.case.state == state
    label = view.word(CASE_STATES, state)
    item = ui.element("li").classes("here" if is_here else "may" if is_open else "was" if was else "")
    if is_here:
        item.props('aria-current="step"')
    with item:
        if is_open:
            title = view.gettext("Move to “{state}”").format(state=label)
            button = ui.button(label, on_click=lambda: _ask(page, state)).props("flat dense no-caps")
            name_control(button, title).props["title"] = title
        else:
            plain(label)
        if is_here:
            plain(view.gettext("since {moment}").format(moment=view.moment(page.case.since))).classes("small")
        elif was and not is_open:
            plain(was).classes("small")


async def _ask(page: CasePage, state: CaseState) -> None:
    view, case = page.view, page.case
    label = view.word(CASE_STATES, state)
    title = view.gettext("Move {name} to “{state}”").format(name=case.name, state=label)
    words = await asked_for_words(
        page, title, hint=_HINTS[state] and view.gettext(_HINTS[state]), needed=state in _WITH_REASON
    )
    if words is not None:
        line = view.gettext("{name} is “{state}” now.").format(name=case.name, state=label)
        await page.do(acts.move, case.name, to=state, reason=words, expected_version=case.moves, line=line)


async def _reopen(page: CasePage) -> None:
    view, case = page.view, page.case
    title = view.gettext("Reopen {name}").format(name=case.name)
    words = await asked_for_words(page, title, hint=view.gettext("The previous state is restored."))
    if words is not None:
        line = view.gettext("{name} is open again.").format(name=case.name)
        await page.do(acts.reopen, case.name, reason=words, expected_version=case.moves, line=line)


async def asked_for_words(page: CasePage, title: str, *, hint: str = "", needed: bool = False) -> str | None:
    """Ask for a reason before an action. Return None if the user cancels.

    Args:
        page: that asks.
        title: what would be done.
        hint: what it means.
        needed: it is not done without a reason.
    """
    view = page.view
    with view.client, ui.dialog() as dialog, ui.card().classes("dialog"):
        dialog.props["aria-label"] = title
        plain(title, "h2").classes("subtitle part")
        if hint:
            plain(hint, "p").classes("soft")
        label = view.gettext("Reason (required)") if needed else view.gettext("Reason (optional)")
        words = ui.textarea(label).props('outlined autogrow autofocus maxlength="2000"').classes("wide-field")
        with ui.row().classes("row-line"):
            ui.button(view.gettext("Cancel"), on_click=lambda: dialog.submit(None)).props("flat no-caps")
            do = ui.button(title, on_click=lambda: dialog.submit(words.value or ""))
            do.props("unelevated no-caps")
        if needed:
            do.set_enabled(False)
            words.on_value_change(lambda: do.set_enabled(bool((words.value or "").strip())))
    answer = await answer_of(dialog)
    return None if answer is None else str(answer).strip()
