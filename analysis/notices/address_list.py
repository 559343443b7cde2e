"""Write the addresses of a notice as a workbook, to attach instead of a list of many pages."""

import io
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import xlsxwriter

from analysis.notices.documents import letter_language
from analysis.notices.facts import NoticeFacts
from analysis.notices.spelling import ascii_address
from analysis.reports.sheets import WORKBOOK_OPTIONS, Row, Sheets
from analysis.words.i18n import N_, NC_, translator

_COLUMNS = (
    N_("No."),
    N_("Work"),
    N_("Author"),
    N_("Address"),
    N_("Title of the page"),
    N_("Copied passages"),
    N_("Copied characters"),
    N_("Characters outside the article"),
    N_("Share of the page"),
    N_("First seen"),
    N_("Evidence received"),
    N_("SHA-256 of the response"),
)
_PASSAGES = 5  # maximum number of listed passages


def address_file_name(facts: NoticeFacts) -> str:
    """Return the file name of the list."""
    name = translator(letter_language(facts.kind)).gettext(NC_("file", "Addresses"))
    return f"{name}-{facts.name}.xlsx"


def address_workbook(facts: NoticeFacts, *, timezone: str) -> bytes:
    """Return the addresses of a notice as a workbook in the language of the letter.

    Args:
        facts: the facts of the notice.
        timezone: IANA name of the zone of all times.
    """
    texts = translator(letter_language(facts.kind))
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, WORKBOOK_OPTIONS) as book:
        book.set_properties({"created": facts.made.replace(tzinfo=None), "author": facts.holder.name[:255]})
        sheets = Sheets(book, ZoneInfo(timezone))
        name = texts.gettext(NC_("file", "Addresses"))
        sheets.write(name, [texts.gettext(column) for column in _COLUMNS], _rows(facts))
    return out.getvalue()


def _rows(facts: NoticeFacts) -> Iterator[Row]:
    listed = ((subject.work, copy) for subject in facts.subjects for copy in subject.infringements)
    for number, (work, copy) in enumerate(listed, 1):
        more = len(copy.passages) - _PASSAGES
        passages = "; ".join(copy.passages[:_PASSAGES]) + (f" (+{more})" if more > 0 else "")
        share = None if copy.is_outside else round(copy.coverage, 4)
        dates: tuple[datetime | None, ...] = copy.first_seen, copy.fetched
        figures = copy.copied_chars, copy.outside_chars or None, share
        address = ascii_address(copy.url)
        yield (
            number, work.title, work.author, address, copy.title, passages, *figures, *dates, copy.sha256
        )  # fmt: skip
