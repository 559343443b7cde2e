"""Cells of workbooks, as a spreadsheet reads them."""

import xml.etree.ElementTree as ET
import zipfile

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cells(path, sheet=1):
    """Type and text of each cell of a sheet, by row."""
    with zipfile.ZipFile(path) as book:
        root = ET.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))  # noqa: S314 - of our own
    rows = root.iter(f"{SPACE}row")
    return [[(cell.get("t", "n"), "".join(cell.itertext())) for cell in row] for row in rows]
