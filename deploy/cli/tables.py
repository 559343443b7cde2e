"""Lists of records that commands print, as a table or as one JSON object in each line."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from analysis.fields.cells import shown
from analysis.fields.field import Field
from analysis.words.i18n import translator
from deploy.cli.clock import own_zone
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.objects import object_of

R = TypeVar("R")
Cell = str | tuple[str, ...]  # one text, or several texts below each other


def print_list(
    records: Iterable[R],
    as_object: str | Callable[[R], Mapping[str, object]],
    headers: Iterable[str],
    cells: Callable[[R], Iterable[Cell]],
    *,
    as_json: bool,
    none: str = "",
) -> None:
    """Print a list of records.

    Args:
        records: they may be read while they are printed as JSON.
        as_object: returns the object of a record; or its fields, see :func:`deploy.cli.objects.object_of`.
        headers: of the table.
        cells: returns the row of a record.
        as_json: one object a line instead of a table.
        none: printed instead of a table without rows; empty: standard error says that there is nothing.
    """
    if as_json:
        for record in records:
            print_json_line(object_of(record, as_object) if isinstance(as_object, str) else as_object(record))
        return
    rows = [tuple(cells(record)) for record in records]
    if rows or not none:
        print_table(headers, rows)
    else:
        print_result(none)


def print_outcome(as_object: Mapping[str, object], line: str, *, as_json: bool) -> None:
    """Print the result of a command: one line, or the changed record as JSON."""
    if as_json:
        print_json_line(as_object)
    else:
        print_result(line)


def headers_of(fields: Iterable[Field[R]]) -> tuple[str, ...]:
    """Return the headers of :func:`cells_of`."""
    return tuple(translator().gettext(field.label_on("terminal")) for field in fields)


def cells_of(fields: Iterable[Field[R]], record: R, cells: Mapping[str, Cell]) -> tuple[Cell, ...]:
    """Return a record as a row of a table.

    Args:
        fields: of the surface ``terminal``.
        record: what they describe.
        cells: name of a field → its cell, where it is not what the description says.
    """
    texts, zone = translator(), own_zone()
    return tuple(cells.get(field.name) or shown(field, record, texts, zone) for field in fields)
