"""Tables of rows; on a narrow screen each row becomes a card of labelled lines (console.css)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from nicegui import ui
from nicegui.element import Element

from analysis.console.parts.texts import capitalised, foreign, inner_link, plain

# ``number``: aligned to the right. ``word``: never wrapped. ``name``: medium width. ``wide``: large width.
Kind = Literal["", "number", "word", "name", "wide"]


Sorted = Literal["", "ascending", "descending"]
_ARROWS: Mapping[Sorted, str] = {"": "", "ascending": "↑", "descending": "↓"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: above it, and before each value on a narrow screen.
        kind: how its values are set.
        target: address of the page with the rows sorted by it; empty: it cannot be sorted.
        sorted: how the rows are sorted by it now.
    """

    title: str
    kind: Kind = ""
    target: str = ""
    sorted: Sorted = ""


class Table:
    """A table, filled row by row.

    Args:
        label: what it lists, for screen readers.
        columns: of every row.
    """

    def __init__(self, label: str, columns: Sequence[Column]) -> None:
        self._columns = columns
        with ui.element("div").classes("table-box"):
            table = ui.element("table").classes("list")
        table.props["aria-label"] = label
        with table:
            with ui.element("thead"), ui.element("tr"):
                for column in columns:
                    _heading(column)
            self.body = ui.element("tbody")

    @contextmanager
    def row(self) -> Iterator["Row"]:
        """Add a row; the caller adds one cell for each column."""
        with self.body, ui.element("tr") as element:
            yield Row(element, iter(self._columns))


def _heading(column: Column) -> None:
    """Show the title of a column; if the table can be sorted by it, as a link."""
    title = capitalised(column.title)
    if not column.target:
        plain(title, "th").props('scope="col"').classes(column.kind)
        return
    with ui.element("th").props('scope="col"').classes(column.kind) as heading:
        inner_link(f"{title} {_ARROWS[column.sorted]}".strip(), column.target)
    if column.sorted:
        heading.props["aria-sort"] = column.sorted


class Row:
    """A row of a table.

    Args:
        element: of the row.
        columns: that are not filled yet.
    """

    def __init__(self, element: Element, columns: Iterator[Column]) -> None:
        self.element = element
        self._columns = columns

    def cell(self, text: str | None = None) -> Element:
        """Add the next cell. Use a ``with`` block to fill it with elements.

        Args:
            text: shown as text.
        """
        column = next(self._columns)
        element = ui.element("td") if text is None else foreign(text, tag="td")
        element.classes(column.kind).props["data-label"] = capitalised(column.title)
        return element

    def link(self, text: str, target: str) -> Element:
        """Add the next cell as a link to another page of the console."""
        with self.cell() as cell:
            inner_link(text, target)
        return cell
