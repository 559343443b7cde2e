"""Make table cells that no spreadsheet runs as formulas, because page titles must stay texts."""

from datetime import datetime

from analysis.words.visible import visible

# A byte order mark: without it, Excel does not recognise UTF-8.
BYTE_ORDER_MARK = "\ufeff"

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def cell(value: object) -> str | int | float:
    """Return a value for a cell, with an apostrophe before a formula and with hidden characters made visible.

    >>> cell("=1+1"), cell(3), cell(None)
    ("'=1+1", 3, '')
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value)
    guard = "'" if text.startswith(_FORMULA_STARTS) or text.lstrip().startswith(_FORMULA_STARTS) else ""
    return guard + visible(text)
