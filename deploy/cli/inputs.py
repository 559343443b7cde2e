"""What ``check`` and ``extract`` take: text files, saved pages, addresses, standard input."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.i18n import translator
from crawler.extraction import NOTHING, Extracted, Known, extract
from crawler.fetching import fetch
from storage.decoding import readable
from storage.errors import PindnaError
from storage.local_files import FileTooLarge, read_file
from storage.records import PageKind
from tracker.corpus.texts import clean_text

_COMPARED: tuple[PageKind, ...] = ("article", "chapter")
_MARKS = (b"<!doctype", b"<html", b"<head", b"<body", b"<meta")
_HEAD_BYTES = 2048


class NotComparable(PindnaError):
    """A page holds no text that could be compared. Data: ``path``, ``page_kind``."""

    template = "{path}: not compared, the page is of kind “{page_kind}”, not an article or a chapter."


@dataclass(frozen=True, slots=True)
class Raw:
    """The bytes of an input.

    Attributes:
        name: as the user wrote it.
        url: address, or empty.
        declared: the encoding that an HTTP header declared, if any.
        sheets: (address, rules) of the style sheets that it links to, where it was fetched.
    """

    name: str
    data: bytes
    url: str = ""
    declared: str | None = None
    sheets: tuple[tuple[str, str], ...] = ()

    @property
    def is_page(self) -> bool:
        """Tell whether it is HTML: by address, by name, or by what it begins with."""
        if self.url or self.name.lower().endswith((".html", ".htm", ".xhtml")):
            return True
        return any(mark in self.data[:_HEAD_BYTES].lower() for mark in _MARKS)


def read_input(name: str, *, max_bytes: int) -> Raw:
    """Return the bytes of a file, an address or standard input (``-``).

    Args:
        name: as the user wrote it.
        max_bytes: refuse a longer file or input; ``tracker.max_file_bytes``.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        CannotFetch: the address does not answer.
    """
    if name == "-":
        data = sys.stdin.buffer.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise FileTooLarge(path=name, limit=max_bytes)
        return Raw(name, data)
    if name.startswith(("http://", "https://")):
        fetched = fetch(name)
        return Raw(name, fetched.body, fetched.url, fetched.declared, fetched.sheets)
    return Raw(readable(name), read_file(Path(name), max_bytes=max_bytes))


def extracted(raw: Raw, *, known: Known = NOTHING) -> Extracted:
    """Return what extraction sees.

    Args:
        raw: a page.
        known: what is known of its site.
    """
    known = replace(known, sheets=raw.sheets)
    return extract(raw.data, url=raw.url, declared=raw.declared, known=known)


def text_of(raw: Raw) -> str:
    """Return the text to compare.

    Raises:
        EmptyFile, BinaryFile, NoHanText: what is wrong with a text.
        NotComparable: a page that is neither article nor chapter.
    """
    if not raw.is_page:
        return clean_text(raw.data, raw.name)
    page = extracted(raw)
    if page.kind not in _COMPARED:
        raise NotComparable(path=raw.name, page_kind=page.kind)
    return clean_text(page.text.encode("utf-8", "replace"), raw.name)


def error_object(name: str, error: PindnaError) -> dict[str, object]:
    """Return the object that ``--json`` prints for an input that could not be used."""
    return {"input": readable(name), "error": translator().error(error), "reason": error.reason}
