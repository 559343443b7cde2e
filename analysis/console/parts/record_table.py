"""Tables of records. The description of a record defines the columns; cells may contain links and badges."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis.console.parts.badges import verdict_badge
from analysis.console.parts.sorting import Sorting
from analysis.console.parts.tables import Column, Kind, Row, Table
from analysis.console.view import View
from analysis.fields.cells import shown
from analysis.fields.field import Field, Format, Surface, visible

R = TypeVar("R")
Cell = Callable[[Row, R], object]  # function that adds the next cell of a row

_KINDS: Mapping[Format, Kind] = {
    "text": "",
    "number": "number",
    "share": "number",
    "moment": "word",
    "claimed": "word",
    "truth": "word",
    "code": "word",
    "codes": "",
    "review": "word",
    "reason": "",
    "texts": "",
    "records": "number",
}


@dataclass(frozen=True, slots=True)
class Extra(Generic[R]):
    """A column that is not a field of the record, such as a checkbox that selects it."""

    column: Column
    cell: Cell[R]


def record_table(
    view: View,
    title: str,
    records: Iterable[R],
    *,
    fields: Iterable[Field[R]],
    surface: Surface = "list",
    cells: Mapping[str, Cell[R]],
    kinds: Mapping[str, Kind],
    first: Extra[R] | None = None,
    last: Extra[R] | None = None,
    sorting: Sorting | None = None,
) -> None:
    """Show records as a table.

    Args:
        view: the page.
        title: what it lists, for screen readers.
        records: one a row.
        fields: of the surface; those that the user may not see are left out.
        surface: whose labels the columns have.
        cells: name of a field → what adds its cell, where it is more than a text.
        kinds: name of a field → how its column is set, where its format does not say.
        first: a column before those of the fields.
        last: a column after them.
        sorting: columns by which the user may sort; None: none.
    """
    shown_fields = visible(fields, view.identity)
    columns = [
        Column(view.gettext(field.label_on(surface)), kinds.get(field.name, _KINDS[field.format]))
        for field in shown_fields
    ]
    if sorting is not None:
        columns = [
            sorting.applied_to(field.name, column)
            for field, column in zip(shown_fields, columns, strict=True)
        ]
    before, after = ([extra] if extra else [] for extra in (first, last))
    table = Table(title, [*(x.column for x in before), *columns, *(x.column for x in after)])
    for record in records:
        with table.row() as row:
            for extra in before:
                extra.cell(row, record)
            for field in shown_fields:
                _cell(view, row, field, record, cells)
            for extra in after:
                extra.cell(row, record)


def _cell(view: View, row: Row, field: Field[R], record: R, cells: Mapping[str, Cell[R]]) -> None:
    if field.name in cells:
        cells[field.name](row, record)
    elif field.name == "verdict":
        with row.cell():
            verdict_badge(view, field.read(record))
    else:
        row.cell(shown(field, record, view.texts, view.installation.zone) or "–")
