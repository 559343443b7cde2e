"""Sheets of a workbook for spreadsheets (Office Open XML).

Texts are written as texts. XlsxWriter does not search them for formulas and links, so the title of a page
cannot run a formula and needs no apostrophe before it. Dates and times are spreadsheet values in the reader's
time zone, so they can be sorted and filtered. Dates that spreadsheets cannot represent are texts: years
before 1900, and dates on works or pages in other zones. Sheets are written row by row, so memory does not
grow with the number of rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from itertools import islice
from typing import Any

from analysis.words.visible import visible
from storage.records import ClaimedDate, Precision

MAX_ROWS = 1_048_576
_FIRST_YEAR = 1900  # first year of the spreadsheet calendar
_FORMATS: Mapping[Precision, str] = {
    "day": "yyyy-mm-dd",
    "minute": "yyyy-mm-dd hh:mm",
    "second": "yyyy-mm-dd hh:mm:ss",
}
_MAX_WIDTH = 48
_TIME_WIDTH = 20  # a date in a narrower column is shown as ####

Row = Sequence[object]
WORKBOOK_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": False,
}


class Sheets:
    """Writes sheets of one workbook."""

    def __init__(self, book: Any, zone: tzinfo) -> None:
        self._book, self._zone = book, zone
        self._bold = book.add_format({"bold": True, "bottom": 1})
        self._dates = {
            precision: book.add_format({"num_format": form, "align": "left"})
            for precision, form in _FORMATS.items()
        }

    def write(self, name: str, headings: Sequence[str], rows: Iterable[Row]) -> None:
        """Write a sheet; rows beyond the maximum of a sheet are left out."""
        sheet = self._book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, heading in enumerate(headings):
            sheet.set_column(column, column, max(_TIME_WIDTH, min(_MAX_WIDTH, 6 + 2 * len(heading))))
        for column, heading in enumerate(headings):
            sheet.write_string(0, column, heading, self._bold)
        for number, row in enumerate(islice(rows, MAX_ROWS - 1), 1):
            for column, value in enumerate(row):
                self._write_cell(sheet, number, column, value)

    def _write_cell(self, sheet: Any, row: int, column: int, value: object) -> None:
        """Write a number as a number, a date as a date and everything else as a text."""
        if value is None or value == "":
            return
        if isinstance(value, int | float) and not isinstance(value, bool):
            sheet.write_number(row, column, value)
        elif (moment := _calendar_date(value, self._zone)) is not None:
            local, precision = moment
            sheet.write_datetime(row, column, local, self._dates[precision])
        else:
            sheet.write_string(row, column, visible(str(value)))  # XlsxWriter truncates long texts


def _calendar_date(value: object, zone: tzinfo) -> tuple[datetime, Precision] | None:
    """Return a date or time in a zone, without the zone, and its precision; None: the value is a text."""
    if isinstance(value, ClaimedDate):
        local, precision = value.local, value.precision
        if local.utcoffset() != local.astimezone(zone).utcoffset():
            return None
    elif isinstance(value, datetime):
        local, precision = value.astimezone(zone), "second"
    elif isinstance(value, date):
        local, precision = datetime(value.year, value.month, value.day, tzinfo=zone), "day"
    else:
        return None
    return (local.replace(tzinfo=None, microsecond=0), precision) if local.year >= _FIRST_YEAR else None
