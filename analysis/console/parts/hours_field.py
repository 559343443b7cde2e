"""Hours of a week in a form: rows of days and times, each a line of :mod:`storage.records.hours`."""

from collections.abc import Callable, Sequence

from nicegui import ui

from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.labels import DAYS
from storage.records import DAYS as CODES
from storage.records import Window, window_of

_DAY = 24 * 60
_CHOICES = (("Mo-Fr 18:00-09:00", "Sa,Su"), ("22:00-06:00",), ("Mo-Fr",))


class HoursField:
    """Rows of hours, a button that adds one, and hours that are often asked for.

    Args:
        view: the page.
        label: of the group.
        changed: is told the lines after each change by hand.
        can_write: whether they may be changed.
    """

    def __init__(
        self, view: View, label: str, changed: Callable[[list[str]], None], *, can_write: bool
    ) -> None:
        self._view, self._changed, self._can_write = view, changed, can_write
        self._windows: list[Window] = []
        with ui.element("fieldset").classes("hours") as group:
            group.props["aria-label"] = label
            plain(label, "legend").classes("small soft")
            self._rows = ui.element("div").classes("hours-rows")
            if can_write:
                with ui.element("div").classes("row-line"):
                    self._buttons()

    def show(self, lines: Sequence[object]) -> None:
        """Show lines; one that says no hours is left out, and what is wrong with it told elsewhere."""
        self._windows = []
        for line in lines:
            try:
                self._windows.append(window_of(str(line)))
            except ValueError:
                continue
        self._draw()

    def _buttons(self) -> None:
        _ = self._view.gettext
        ui.button(_("Add hours"), icon="add", on_click=self._add).props("flat dense")
        labels = (_("Outside office hours"), _("At night only"), _("Not on weekends"))
        for label, lines in zip(labels, _CHOICES, strict=True):
            ui.button(label, on_click=lambda lines=lines: self._choose(lines)).props("flat dense no-caps")

    def _add(self) -> None:
        self._windows.append(Window(tuple(range(len(CODES))), 22 * 60, 6 * 60))
        self._tell()

    def _choose(self, lines: Sequence[str]) -> None:
        self._windows = [window_of(line) for line in lines]
        self._tell()

    def _tell(self) -> None:
        self._draw()
        self._changed([str(window) for window in self._windows])

    def _draw(self) -> None:
        self._rows.clear()
        with self._rows:
            if not self._windows:
                plain(self._view.gettext("At any time")).classes("soft small")
            for number, window in enumerate(self._windows):
                with ui.element("div").classes("row-line"):
                    self._row(number, window)

    def _row(self, number: int, window: Window) -> None:
        view = self._view
        names = {day: view.word(DAYS, code) for day, code in enumerate(CODES)}
        days = ui.select(names, value=list(window.days), multiple=True, label=view.gettext("Days"))
        begin = ui.input(view.gettext("From"), value=_time(window.begin)).props('type="time"')
        end = ui.input(view.gettext("To"), value=_time(window.end)).props('type="time"')

        def change() -> None:
            chosen = _window(days.value, begin.value, end.value)
            if chosen is not None and chosen != self._windows[number]:
                self._windows[number] = chosen
                self._changed([str(own) for own in self._windows])

        def remove() -> None:
            del self._windows[number]
            self._tell()

        for field in (days, begin, end):
            field.props("outlined dense")
            field.enabled = self._can_write
            field.on_value_change(change)
        if self._can_write:
            label = view.gettext("Remove these hours")
            ui.button(icon="close", on_click=remove).props("flat dense round").props["aria-label"] = label


def _time(minutes: int) -> str:
    """Return a time as a field of times has it, to which the end of a day is the beginning of the next."""
    return f"{minutes % _DAY // 60:02}:{minutes % 60:02}"


def _window(days: Sequence[int], begin: str, end: str) -> Window | None:
    """Return the hours that a row says; None while it says none."""
    codes = ",".join(CODES[day] for day in sorted(days))
    until = "24:00" if end == "00:00" else end
    try:
        return window_of(f"{codes} {begin}-{until}") if codes and begin and end else None
    except ValueError:
        return None
