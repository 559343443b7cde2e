"""The filter form above a list; its values become part of the address."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, tzinfo

from nicegui import ui

from analysis.console.parts.lists import address
from analysis.console.view import View

_FOLD = (
    "(event) => { const row = event.currentTarget.parentElement;"
    " event.currentTarget.setAttribute('aria-expanded', String(!row.classList.toggle('folded'))); }"
)


class FilterForm:
    """Fields side by side, and a button that applies them. On a telephone the fields are collapsed.

    Args:
        view: the page.
        path: of the page.
        asked: by name: what the list shows now; fields that the form does not have stay as they are.
    """

    def __init__(self, view: View, path: str, values: Mapping[str, str]) -> None:
        self._view, self._path = view, path
        self._wanted = dict(values)
        self._row = ui.element("search").classes("row-line filters folded")
        view.installation.recent_filters.keep(view.identity.account.name, path, self._wanted)
        self._is_empty = not any(self._wanted.values())
        self._unfold(sum(bool(value) for value in self._wanted.values()))

    def text(self, name: str, label: str, *, hint: str = "") -> None:
        """Add a field for text."""
        with self._row:
            field = ui.input(label, value=self._wanted.get(name, ""), placeholder=hint)
            field.props("outlined dense clearable").classes("filter")
            field.on_value_change(lambda event: self._set(name, event.value))
            field.on("keydown.enter", self.show)

    def choice(self, name: str, label: str, options: Mapping[str, str]) -> None:
        """Add a drop-down field; ``options`` is code → words."""
        with self._row:
            value = self._wanted.get(name, "")
            field = ui.select(
                dict(options), label=label, value=value if value in options else None, clearable=True
            )
            field.props("outlined dense options-dense").classes("filter")
            field.on_value_change(lambda event: self._set(name, event.value))

    def day(self, name: str, label: str) -> None:
        """Add a field for a day."""
        with self._row:
            field = ui.input(label, value=_day_of(self._wanted.get(name, ""), self._view.installation.zone))
            field.props("type=date outlined dense stack-label").classes("filter")
            field.on_value_change(lambda event: self._set(name, event.value))
            field.on("keydown.enter", self.show)

    @contextmanager
    def more(self, label: str, *, is_open: bool) -> Iterator[None]:
        """Put the following fields into a section that the user can expand.

        Args:
            label: of the part.
            is_open: it is open from the beginning, for it asks for something.
        """
        row = self._row
        with row, ui.expansion(label, value=is_open).props("dense").classes("more"):
            self._row = ui.element("div").classes("row-line filters")
        try:
            yield
        finally:
            self._row = row

    def button(self) -> None:
        """Add the button that applies the filter."""
        with self._row:
            ui.button(self._view.gettext("Show"), icon="search", on_click=self.show)
            if self._is_empty:
                show_recent_filters(self._view, self._path)

    def show(self) -> None:
        """Open the filtered list."""
        ui.navigate.to(address(self._path, self._wanted))

    def _unfold(self, count: int) -> None:
        """Add the button that a telephone shows instead of the fields (console.css)."""
        words = self._view.gettext("Filters") + (f" · {count}" if count else "")
        with self._row:
            button = ui.button(words, icon="tune").props('outline aria-expanded="false"')
            button.classes("unfold").on("click", js_handler=_FOLD)

    def _set(self, name: str, value: object) -> None:
        self._wanted[name] = str(value or "").strip()


def show_recent_filters(view: View, path: str) -> None:
    """Show a link to the list with the filters that the user applied last; nothing if there were none."""
    if recent := view.installation.recent_filters.of(view.identity.account.name, path):
        ui.link(view.gettext("Last filters"), address(path, recent))


def _day_of(text: str, zone: tzinfo) -> str:
    """Return the day of a timestamp as the console's links contain it; return any other text unchanged."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment.astimezone(zone).date().isoformat() if moment.tzinfo else text
