"""Bulk actions on cases: show a plan first, then change one case after another."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from analysis.actions import cases as acts
from analysis.cases.bulk import Assign, BulkMove, Change, Plan, SetDeadline, plan_of
from analysis.cases.deadlines import end_of_day
from analysis.cases.moves import moves_by_hand
from analysis.console.parts.bulk_export import ExportDialog
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.texts import foreign
from analysis.console.shell import name_control
from analysis.console.view import SignedOut, View
from analysis.words.labels import CASE_STATES
from storage.records import Case
from system.errors import PindnaError

_NAMED = 12  # maximum number of cases that a summary lists


class BulkBar:
    """The selected cases of a list, and the actions on them.

    Args:
        view: the page.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._chosen: dict[str, Case] = {}
        self._boxes: list[ui.checkbox] = []
        _ = view.gettext
        with name_control(ui.element("section"), _("Chosen cases")).classes("row-line bulk"):
            ui.button(_("Choose all shown"), on_click=self._choose_all).props("flat dense no-caps")
            self._count = ui.label().props('role="status"')
            self._buttons = []
            if view.may("cases:write"):
                self._buttons += [
                    ui.button(_("Move…"), on_click=self._move),
                    ui.button(_("Assign…"), on_click=self._assign),
                    ui.button(_("Deadline…"), on_click=self._deadline),
                ]
            if view.may("evidence:export"):
                self._buttons.append(ui.button(_("Evidence…"), on_click=self._export))
            for button in self._buttons:
                button.props("outline dense no-caps")
        self._show_count()

    def add_checkbox(self, case: Case) -> None:
        """Show the checkbox that selects a case."""
        box = ui.checkbox(on_change=lambda event: self._choose(case, is_chosen=bool(event.value)))
        name_control(box, self._view.gettext("Choose {name}").format(name=case.name)).props("dense")
        self._boxes.append(box)

    def _choose(self, case: Case, *, is_chosen: bool) -> None:
        if is_chosen:
            self._chosen[case.id] = case
        else:
            self._chosen.pop(case.id, None)
        self._show_count()

    def _choose_all(self) -> None:
        choose_all = len(self._chosen) < len(self._boxes)
        for box in self._boxes:
            box.value = choose_all

    def _show_count(self) -> None:
        count = len(self._chosen)
        self._count.text = self._view.ngettext("{count} case chosen", "{count} cases chosen", count).format(
            count=count
        )
        for button in self._buttons:
            button.set_enabled(bool(count))

    def _export(self) -> None:
        ExportDialog(self._view, tuple(self._chosen.values()))

    async def _move(self) -> None:
        view = self._view
        states = {state: None for case in self._chosen.values() for state in moves_by_hand(case)}
        options: dict[str, str] = {state: view.word(CASE_STATES, state) for state in states}
        dialog = BulkDialog(view, view.gettext("Move cases"), tuple(self._chosen.values()))
        with dialog.fields:
            to = ui.select(options, label=view.gettext("To the state")).props("outlined dense")
            reason = ui.textarea(view.gettext("Why")).props('outlined dense autogrow maxlength="2000"')
        await dialog.ask(lambda: BulkMove(to.value, reason.value or "") if to.value else None, to, reason)

    async def _assign(self) -> None:
        view = self._view
        dialog = BulkDialog(view, view.gettext("Assign cases"), tuple(self._chosen.values()))
        with dialog.fields:
            name = ui.input(view.gettext("Assignee; empty: unassigned"), value=view.identity.name)
            name.props('outlined dense maxlength="100"')
        await dialog.ask(lambda: Assign(name.value or ""), name)

    async def _deadline(self) -> None:
        view = self._view
        dialog = BulkDialog(view, view.gettext("Set a deadline"), tuple(self._chosen.values()))
        with dialog.fields:
            day = ui.input(view.gettext("Last day; empty: the default"))
            day.props("type=date outlined dense stack-label")
        await dialog.ask(lambda: SetDeadline(deadline_of_day(view, day.value)), day)


def deadline_of_day(view: View, text: str | None) -> datetime | None:
    """Return the end of the entered day; None if the field is empty or incomplete."""
    try:
        return end_of_day(date.fromisoformat(text), view.installation.zone) if text else None
    except ValueError:
        return None


class BulkDialog:
    """Dialog for an action on several cases: options, plan, progress.

    Args:
        view: the page.
        title: what is done.
        cases: as they were shown; one that changed since is left alone, and listed.
    """

    def __init__(self, view: View, title: str, cases: Sequence[Case]) -> None:
        self._view = view
        self._cases = cases
        self._plan = Plan()
        self._change: Change | None = None
        self._problems: list[str] = []
        with ui.dialog().props("persistent") as self._dialog, ui.card().classes("dialog"):
            self._dialog.props["aria-label"] = title
            ui.label(title).classes("subtitle").props('role="heading" aria-level="2"')
            self.fields = ui.column().classes("fields")
            self._summary = ui.element("div").props('role="status"')
            self._progress = ui.linear_progress(0, show_value=False).props("instant-feedback")
            self._progress.set_visibility(False)
            with ui.row().classes("row-line"):
                self._leave = ui.button(view.gettext("Cancel"), on_click=self._close).props("flat no-caps")
                self._button = ui.button(on_click=self._do).props("unelevated no-caps")

    async def ask(self, change: Callable[[], Change | None], *watched: ValueElement[Any]) -> None:
        """Show the dialog until it is closed.

        Args:
            change: what is to be done, by the fields; None while they do not say it.
            watched: the fields.
        """

        def show() -> None:
            self._change = change()
            self._plan = plan_of(self._cases, self._change) if self._change else Plan()
            self._show_summary()

        for field in watched:
            field.on_value_change(show)
        show()
        await answer_of(self._dialog)

    def _show_summary(self) -> None:
        view, plan = self._view, self._plan
        self._summary.clear()
        with self._summary:
            if self._change is not None:
                for line in summary_lines(view, plan):
                    foreign(line, tag="p", most=1_000)
        count = len(plan.changing)
        line = view.ngettext("Change {count} case", "Change {count} cases", count)
        self._button.text = line.format(count=count)
        self._button.set_enabled(bool(count))

    async def _do(self) -> None:
        view, plan, change = self._view, self._plan, self._change
        assert change is not None  # noqa: S101 - for the type checker: the button is disabled before
        self._button.set_enabled(False)
        self.fields.set_visibility(False)
        self._progress.set_visibility(True)
        count = 0
        for number, case in enumerate(plan.changing, start=1):
            try:
                await _act(view, case, change)
                count += 1
            except SignedOut:
                raise
            except PindnaError as error:
                self._problems.append(f"{case.name}: {view.texts.error(error)}")
            self._progress.value = number / len(plan.changing)
        self._show_result(count)

    def _show_result(self, finished: int) -> None:
        view = self._view
        title = view.ngettext("{count} case was changed.", "{count} cases were changed.", finished)
        self._summary.clear()
        with self._summary:
            foreign(title.format(count=finished), tag="p")
            for problem in self._problems:
                foreign(problem, tag="p", most=1_000).classes("problem")
        self._button.set_visibility(False)
        self._leave.text = view.gettext("Close")

    def _close(self) -> None:
        self._dialog.submit(None)
        if not self._button.visible:  # hidden after a change: show the new state of the list
            ui.navigate.reload()


def summary_lines(view: View, plan: Plan) -> list[str]:
    """Return the effect of a plan in sentences."""
    count = len(plan.changing)
    about = view.ngettext(
        "{count} case changes, about {works} works on {sites} sites: {names}",
        "{count} cases change, about {works} works on {sites} sites: {names}",
        count,
    )
    lines = [about.format(count=count, works=plan.works, sites=plan.sites, names=_names(plan.changing))]
    if plan.same:
        line = view.ngettext(
            "{count} case already has this value: {names}",
            "{count} cases already have this value: {names}",
            len(plan.same),
        )
        lines.append(line.format(count=len(plan.same), names=_names(plan.same)))
    if plan.refused:
        line = view.ngettext(
            "{count} case stays unchanged, because its state does not allow the change: {names}",
            "{count} cases stay unchanged, because their states do not allow the change: {names}",
            len(plan.refused),
        )
        lines.append(line.format(count=len(plan.refused), names=_names(plan.refused)))
    return lines


def _names(cases: Sequence[Case]) -> str:
    names = ", ".join(case.name for case in cases[:_NAMED])
    return f"{names} …" if len(cases) > _NAMED else names or "–"


async def _act(view: View, case: Case, change: Change) -> None:
    match change:
        case BulkMove(to=state, reason=words):
            await view.act(acts.move, case.name, to=state, reason=words, expected_version=case.moves)
        case Assign(to=name):
            await view.act(acts.assign, case.name, to=name, expected_version=case.moves)
        case SetDeadline(deadline=moment):
            await view.act(acts.set_deadline, case.name, deadline=moment, expected_version=case.moves)
