"""Tables of matches: their columns follow the description of a match, cells may hold links and badges."""

from collections.abc import Callable, Iterable, Mapping

from analysis.console.parts.badges import verdict_badge
from analysis.console.parts.tables import Column, Kind, Row, Table
from analysis.console.view import View
from analysis.fields.cells import shown
from analysis.fields.field import Field, Format, Surface, visible
from analysis.fields.match_row import MatchRow
from storage.records import Match

Cell = Callable[[Row, Match], object]  # adds the next cell of a row

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
_KINDS_OF: Mapping[str, Kind] = {"match": "word", "site": "word", "page_title": "wide"}


def match_table(
    view: View,
    title: str,
    matches: Iterable[Match],
    *,
    fields: Iterable[Field[MatchRow]],
    surface: Surface,
    cells: Mapping[str, Cell],
    kinds: Mapping[str, Kind] = _KINDS_OF,
) -> None:
    """Show matches as a table.

    Args:
        view: the page.
        title: what it lists, for screen readers.
        matches: one a row.
        fields: of the surface; those that the user may not see are left out.
        surface: whose labels the columns have.
        cells: name of a field → what adds its cell, where it is more than a text.
        kinds: name of a field → how its column is set, where its format does not say.
    """
    shown_fields = visible(fields, view.identity.permissions)
    names = {**_KINDS_OF, **kinds}
    columns = [
        Column(view.gettext(field.label_on(surface)), names.get(field.name, _KINDS[field.format]))
        for field in shown_fields
    ]
    table = Table(title, columns)
    for match in matches:
        with table.row() as row:
            for field in shown_fields:
                _cell(view, row, field, match, cells)


def _cell(view: View, row: Row, field: Field[MatchRow], match: Match, cells: Mapping[str, Cell]) -> None:
    if field.name in cells:
        cells[field.name](row, match)
    elif field.name == "verdict":
        with row.cell():
            verdict_badge(view, match.verdict)
    else:
        row.cell(shown(field, MatchRow(match=match), view.texts, view.installation.zone) or "–")
