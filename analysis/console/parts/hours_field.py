"""A form field for weekly hours: each row of days and times is a line of :mod:`storage.records.hours`."""

from collections.abc import Callable, Sequence

from nicegui import ui

from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.words.labels import DAYS
from storage.records import DAYS as CODES
from storage.records import Window, window_of

_NO_DAYS = "--"
_DAY = 24 * 60
_CHOICES = (("Mo-Fr 18:00-09:00", "Sa,Su"), ("22:00-06:00",), ("Mo-Fr",))


class HoursField:
    """Rows of hours, a button that adds a row, and buttons for common hours.

    Args:
        view: the page.
        label: of the group.
        changed: gets the lines after each change by hand.
        can_write: whether they may be changed.
    """

    def __init__(
        self, view: View, label: str, changed: Callable[[list[str]], None], *, can_write: bool
    ) -> None:
        self._view, self._changed, self._can_write = view, changed, can_write
        self._lines: list[str] = []
        with ui.element("fieldset").classes("hours") as group:
            group.props["aria-label"] = label
            plain(label, "legend").classes("small soft")
            self._rows = ui.element("div").classes("hours-rows")
            if can_write:
                with ui.element("div").classes("row-line"):
                    self._buttons()

    def show(self, lines: Sequence[object]) -> None:
        """Show the rows of these lines. An invalid line is omitted; its error is shown elsewhere."""
        self._lines = [str(line) for line in lines if _window(str(line)) is not None]
        self._draw()

    def _buttons(self) -> None:
        _ = self._view.gettext
        ui.button(_("Add hours"), icon="add", on_click=self._add).props("flat dense")
        labels = (_("Outside office hours"), _("At night only"), _("Not on weekends"))
        for label, lines in zip(labels, _CHOICES, strict=True):
            ui.button(label, on_click=lambda lines=lines: self._choose(lines)).props("flat dense no-caps")

    def _add(self) -> None:
        self._lines.append(str(Window(tuple(range(len(CODES))), 22 * 60, 6 * 60)))
        self._notify_change()

    def _choose(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self._notify_change()

    def _notify_change(self) -> None:
        self._draw()
        self._changed(list(self._lines))

    def _draw(self) -> None:
        self._rows.clear()
        with self._rows:
            if not self._lines:
                plain(self._view.gettext("At any time")).classes("soft small")
            for number, line in enumerate(self._lines):
                with ui.element("div").classes("row-line"):
                    self._row(number, _window(line) or Window((), 0, 0))

    def _row(self, number: int, window: Window) -> None:
        view = self._view
        names = {day: view.word(DAYS, code) for day, code in enumerate(CODES)}
        days = ui.select(names, value=list(window.days), multiple=True, label=view.gettext("Days"))
        begin = ui.input(view.gettext("From"), value=_time(window.begin)).props('type="time"')
        end = ui.input(view.gettext("To"), value=_time(window.end)).props('type="time"')

        def change() -> None:
            line = line_of(days.value, begin.value, end.value)
            if line != self._lines[number]:
                self._lines[number] = line
                self._changed(list(self._lines))

        def remove() -> None:
            del self._lines[number]
            self._notify_change()

        for field in (days, begin, end):
            field.props("outlined dense")
            field.enabled = self._can_write
            field.on_value_change(change)
        if self._can_write:
            label = view.gettext("Remove these hours")
            ui.button(icon="close", on_click=remove).props("flat dense round").props["aria-label"] = label


def _time(minutes: int) -> str:
    """Return a time in the form of a time field, in which the end of a day is 00:00."""
    return f"{minutes % _DAY // 60:02}:{minutes % 60:02}"


def _window(line: str) -> Window | None:
    """Parse the hours in a line; None if the line is invalid."""
    try:
        return window_of(line)
    except ValueError:
        return None


def line_of(days: Sequence[int], begin: str, end: str) -> str:
    """Return a row as a line. The line of an incomplete row is invalid, so it cannot be saved."""
    codes = ",".join(CODES[day] for day in sorted(days)) or _NO_DAYS
    line = f"{codes} {begin}-{'24:00' if end == '00:00' else end}"
    window = _window(line)
    return line if window is None else str(window)
