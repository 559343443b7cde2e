"""The threshold simulator: evaluates other thresholds on reviewed matches.

Its figures are those of ``pindna profile evaluate``. The reviewed matches are read once; moving a slider only
judges them again from their stored extents.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from nicegui import ui

from analysis.console.parts.badges import verdict_badge
from analysis.console.parts.lists import nothing
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.parts.tiles import tile, tiles
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.statistics import Reviewed
from system.messages import N_
from tracker.judgement.profiles import Profile, chosen_profiles, thresholds
from tracker.review.evaluation import Evaluation, NothingReviewed, evaluate_matches

# Labels of the most important thresholds; other thresholds have the names of `pindna profile show`.
_MAIN: Mapping[str, str] = MappingProxyType(
    {
        "copy_passage_coverage": N_("Copy: share of the chapter found on the page"),
        "copy_coverage": N_("Copy: share of the page that is copied"),
        "partial_passage_coverage": N_("Partial copy: share of the chapter"),
        "partial_coverage": N_("Partial copy: share of the page"),
    }
)
_STEP = 0.01
_FEW = 20  # decisions of one kind below which the measures are uncertain
_SHOWN = 30  # maximum number of shown matches whose verdict would change


class Simulator:
    """Sliders for thresholds, and the verdicts that they would change.

    Args:
        view: the page.
        reviewed: what people decided about.
    """

    def __init__(self, view: View, reviewed: Reviewed) -> None:
        self._view, self._reviewed = view, reviewed
        self._present = chosen_profiles(view.installation.runtime.settings.tracker)
        self._tried: dict[str, float | int] = {}
        self._newest = 0
        self._fields: list[tuple[str, ui.slider | ui.number]] = []

    async def show(self) -> None:
        """Show the sliders, and the figures of the present thresholds."""
        view = self._view
        try:
            evaluation = self._evaluated()
        except NothingReviewed:
            line = view.gettext("No finds are confirmed or dismissed yet, so there is nothing to simulate.")
            nothing(view, line)
            ui.link(view.gettext("Review"), "/review")
            return
        line = view.gettext(
            "Each slider changes a threshold for novels and news. Confirmed matches should be "
            "judged as copies or partial copies; dismissed matches should not. Nothing is stored."
        )
        plain(line, "p").classes("soft small")
        if self._reviewed.is_cut:
            cut = view.gettext("Tried on the {count} most serious reviewed matches only.")
            plain(cut.format(count=f"{len(self._reviewed.matches):,}"), "p").classes("note small")
        with ui.element("div").classes("sliders"):
            for name, label in _MAIN.items():
                self._slider(name, view.gettext(label))
        with (
            ui.expansion(view.gettext("Further thresholds")).props("dense").classes("more"),
            ui.element("div").classes("sliders"),
        ):
            for name, kind in thresholds().items():
                if name in _MAIN:
                    continue
                if kind is float:
                    self._slider(name, name)
                else:
                    self._number(name)
        ui.button(view.gettext("Back to the current thresholds"), on_click=self._reset).props("flat")
        self._box = ui.element("div").classes("stack").props('aria-live="polite"')
        self._fill(evaluation)

    def _value(self, name: str) -> float | int:
        """Return the present value of a threshold in the profile for novels."""
        value: float | int = getattr(self._present["novel"], name)
        return value

    def _slider(self, name: str, label: str) -> None:
        with ui.element("div").classes("threshold"):
            line = ui.element("div").classes("row-line")
            slider = ui.slider(min=0, max=1, step=_STEP, value=self._value(name))
            with line:
                plain(label).classes("small")
                shown = ui.label(f"{self._value(name):.2f}").classes("strong")
        name_control(slider, label)

        async def move() -> None:
            shown.set_text(f"{slider.value:.2f}")
            await self._try(name, round(float(slider.value), 2))

        slider.on_value_change(move)
        self._fields.append((name, slider))

    def _number(self, name: str) -> None:
        field = ui.number(name, value=self._value(name), min=0, max=1_000_000, precision=0)
        field.props("outlined dense debounce=150").classes("filter")

        async def change() -> None:
            if field.value is not None:
                await self._try(name, int(field.value))

        field.on_value_change(change)
        self._fields.append((name, field))

    async def _try(self, name: str, value: float) -> None:
        """Evaluate another threshold; if a slider moves twice quickly, only the last result is shown."""
        if value == self._value(name):
            self._tried.pop(name, None)
        else:
            self._tried[name] = value
        self._newest += 1
        turn = self._newest
        evaluation = await asyncio.to_thread(self._evaluated)
        if turn == self._newest:
            self._fill(evaluation)

    def _reset(self) -> None:
        for name, field in self._fields:
            field.value = self._value(name)

    def _evaluated(self) -> Evaluation:
        """Return the evaluation of the selected thresholds.

        Raises:
            NothingReviewed: nothing was decided.
        """
        tried = {kind: self._with(profile) for kind, profile in self._present.items()}
        return evaluate_matches(self._reviewed.matches, self._reviewed.works, self._present, tried)

    def _with(self, profile: Profile) -> Profile:
        return profile.with_thresholds(dict(self._tried))

    def _fill(self, evaluation: Evaluation) -> None:
        self._box.clear()
        with self._box:
            self._figures(evaluation)
            self._changes(evaluation)

    def _figures(self, evaluation: Evaluation) -> None:
        view, before, after = self._view, evaluation.before, evaluation.after
        with tiles():
            tile(_share(after.precision), view.gettext("Precision"), "")
            tile(_share(after.recall), view.gettext("Recall"), "")
            tile(f"{len(evaluation.changed):,}", view.gettext("Verdicts that change"), "")
        if line := few_decisions(view, evaluation):
            plain(line, "p").classes("note")
        columns = (
            Column(view.gettext("Measure")),
            Column(view.gettext("Current thresholds"), "number"),
            Column(view.gettext("With these thresholds"), "number"),
        )
        table = Table(view.gettext("Measures with both sets of thresholds"), columns)
        rows = (
            (view.gettext("Precision"), _share(before.precision), _share(after.precision)),
            (view.gettext("Recall"), _share(before.recall), _share(after.recall)),
            (view.gettext("Correctly found"), str(before.found_rightly), str(after.found_rightly)),
            (view.gettext("False positives"), str(before.found_wrongly), str(after.found_wrongly)),
            (view.gettext("Missed"), str(before.missed), str(after.missed)),
            (view.gettext("Correctly ignored"), str(before.left_rightly), str(after.left_rightly)),
        )
        for cells in rows:
            with table.row() as row:
                for cell in cells:
                    row.cell(cell)
        if self._tried:
            plain(view.gettext("Thresholds that differ, for the operator to set:"), "p").classes("soft")
            changed = "\n".join(f"{name} = {value:g}" for name, value in sorted(self._tried.items()))
            plain(changed, "pre").classes("mono")

    def _changes(self, evaluation: Evaluation) -> None:
        view, changed = self._view, evaluation.changed
        if not changed:
            plain(view.gettext("No verdict would change."), "p").classes("soft")
            return
        columns = (
            Column(view.gettext("Match"), "word"),
            Column(view.gettext("Current thresholds"), "word"),
            Column(view.gettext("With these thresholds"), "word"),
            Column(view.gettext("Decision of the reviewer"), "word"),
        )
        table = Table(view.gettext("Verdicts that change"), columns)
        for item in changed[:_SHOWN]:
            with table.row() as row:
                row.link(item.name, f"/matches/{item.name}")
                with row.cell():
                    verdict_badge(view, item.before)
                with row.cell():
                    verdict_badge(view, item.after)
                row.cell(
                    view.gettext("should be found") if item.expected else view.gettext("should not be found")
                )
        if (more := len(changed) - _SHOWN) > 0:
            plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "p")


def few_decisions(view: View, evaluation: Evaluation) -> str:
    """Return why precision or recall mean little; empty if enough finds of both kinds were decided."""
    before = evaluation.before
    confirmed = before.found_rightly + before.missed
    dismissed = before.found_wrongly + before.left_rightly
    if not dismissed:
        return view.gettext(
            "Precision means nothing yet: no find was dismissed, so it is 1 with any thresholds. Dismiss "
            "the finds that are no copies."
        )
    if not confirmed:
        return view.gettext("Recall means nothing yet: no find was confirmed.")
    if min(confirmed, dismissed) >= _FEW:
        return ""
    line = view.gettext(
        "Only {confirmed} confirmed and {dismissed} dismissed finds: one decision more can change these "
        "figures a lot."
    )
    return line.format(confirmed=f"{confirmed:,}", dismissed=f"{dismissed:,}")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
