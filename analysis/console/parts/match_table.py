"""Tables of matches."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from analysis.console.parts.record_table import record_table
from analysis.console.parts.sorting import Sorting
from analysis.console.parts.tables import Kind, Row
from analysis.console.view import View
from analysis.fields.field import Field, Surface
from analysis.fields.match_row import MatchRow
from storage.records import Match

Cell = Callable[[Row, Match], object]  # function that adds the next cell of a row

_KINDS: Mapping[str, Kind] = {"match": "word", "site": "word", "page_title": "wide"}


def match_table(
    view: View,
    title: str,
    matches: Iterable[Match],
    *,
    fields: Iterable[Field[MatchRow]],
    surface: Surface,
    cells: Mapping[str, Cell],
    kinds: Mapping[str, Kind] = _KINDS,
    sorting: Sorting | None = None,
) -> None:
    """Show matches as a table; see :func:`analysis.console.parts.record_table.record_table` for arguments."""
    record_table(
        view,
        title,
        [MatchRow(match=match) for match in matches],
        fields=fields,
        surface=surface,
        cells={name: partial(_add, cell) for name, cell in cells.items()},
        kinds={**_KINDS, **kinds},
        sorting=sorting,
    )


def _add(cell: Cell, row: Row, record: MatchRow) -> None:
    cell(row, record.match)
