"""Recognise the form of an imported file by its content, and read its entries."""

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping

from analysis.discovery.book_sources import read_book_sources
from analysis.discovery.chats import is_message_head, read_chat_text, read_telegram
from analysis.discovery.files import ImportedFile, head_text
from analysis.discovery.indexes import address_of, read_index
from analysis.discovery.markup_lists import read_bookmarks, read_feed_file, read_outlines, read_sitemap_file
from analysis.discovery.rows import ImportRow
from analysis.discovery.tables import addresses_in, is_host, read_table, read_workbook
from storage.records import CandidateForm
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.texts import EmptyFile

# Forms whose entries count only if they name a work: they are not lists that somebody chose.
NEEDS_WORK: frozenset[CandidateForm] = frozenset({"index", "removals", "chat"})

_ROOT = re.compile(r"<(?:[\w.-]+:)?(opml|rss|rdf|feed|urlset|sitemapindex)[\s>]", re.IGNORECASE)
_ROOTS: Mapping[str, CandidateForm] = {
    "opml": "opml",
    "rss": "feed",
    "rdf": "feed",
    "feed": "feed",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
}
_BOOK_SOURCE = re.compile(r'"(?:bookSourceUrl|bookSourceName|ruleSearchUrl)"\s*:')
_TELEGRAM = re.compile(r'"messages"\s*:\s*\[')
_ARCHIVE_LINE = re.compile(r"\S+\)\S*\s+\d{8,17}\s|\{\"urlkey\"")
_REMOVALS = re.compile(
    r"lumen|request id|copyright owner|infringing|urls removed|reporting organi[sz]ation", re.IGNORECASE
)
_CHAT_HEADS = ("消息记录（此消息记录为文本格式", "消息分组:")
_MIN_HEADS = 2
_CAPTURES = (b"WARC/", b"From: <Saved by", b"MIME-Version:", b"Snapshot-Content-Location:")
_HAR = re.compile(r'"log"\s*:\s*\{')
_SAMPLE_LINES = 100


class UnknownImportForm(PindnaError):
    """The form of a file is unknown.

    Attributes:
        path: the file.
    """

    code = "unknown-import-form"
    template = (
        "{path} has no known form. Import 书源 (JSON), OPML, feeds, sitemaps, bookmarks (HTML), lists of "
        "addresses (text, CSV, XLSX), CDXJ, removal requests (CSV), or exported chats."
    )


class CapturedPages(PindnaError):
    """A file contains captured pages, not a list of sites.

    Attributes:
        path: the file.
    """

    code = "captured-pages"
    template = "{path} contains captured pages, not a list of sites. Import it with `pindna page import`."


def form_of(file: ImportedFile) -> CandidateForm:
    """Return the form of a file.

    Raises:
        EmptyFile, UnknownImportForm, CapturedPages: it cannot be imported as a list of sites.
    """
    name = readable(file.path.name)
    if file.head.startswith(b"PK\x03\x04"):
        return _form_of_zip(file, name)
    text = head_text(file)
    begin = text.lstrip()
    if file.is_empty:
        raise EmptyFile(path=name)
    if file.head.startswith(_CAPTURES) or (begin.startswith("{") and _HAR.search(begin[:2_000])):
        raise CapturedPages(path=name)
    form = _form_of_markup(begin) if begin.startswith("<") else _form_of_text(begin)
    if form is None or "\0" in begin:
        raise UnknownImportForm(path=name)
    return form


def read_rows(file: ImportedFile, form: CandidateForm) -> Iterator[ImportRow]:
    """Yield the entries of a file.

    Raises:
        BadWorkbook, UnreadableFile: the file cannot be read.
    """
    if form == "chat":
        is_json = head_text(file).lstrip().startswith("{")
        return read_telegram(file) if is_json else read_chat_text(file)
    return _READERS[form](file)


_READERS: Mapping[CandidateForm, Callable[[ImportedFile], Iterator[ImportRow]]] = {
    "book-sources": read_book_sources,
    "opml": read_outlines,
    "feed": read_feed_file,
    "sitemap": read_sitemap_file,
    "bookmarks": read_bookmarks,
    "addresses": read_table,
    "workbook": read_workbook,
    "index": read_index,
    "removals": read_table,
    "chat": read_chat_text,
}


def _form_of_zip(file: ImportedFile, name: str) -> CandidateForm:
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnknownImportForm(path=name) from error
    if "xl/workbook.xml" in members:
        return "workbook"
    if "datapackage.json" in members:
        raise CapturedPages(path=name)
    raise UnknownImportForm(path=name)


def _form_of_markup(begin: str) -> CandidateForm | None:
    if "netscape-bookmark-file" in begin[:1_000].casefold():
        return "bookmarks"
    root = _ROOT.search(begin)
    return None if root is None else _ROOTS[root[1].lower()]


def _form_of_text(begin: str) -> CandidateForm | None:
    lines = [line for line in begin.splitlines()[:_SAMPLE_LINES] if line.strip()]
    if not lines:
        return None
    if begin.startswith(("{", "[")):
        return _form_of_json(begin, lines)
    if lines[0].startswith((" CDX ", "CDX ")) or (
        _ARCHIVE_LINE.match(lines[0]) and any(map(address_of, lines))
    ):
        return "index"
    if begin.startswith(_CHAT_HEADS) or sum(map(is_message_head, lines)) >= _MIN_HEADS:
        return "chat"
    if "," in lines[0] and _REMOVALS.search(lines[0]):
        return "removals"
    return "addresses" if any(map(_has_address, lines)) else None


def _form_of_json(begin: str, lines: list[str]) -> CandidateForm | None:
    if _BOOK_SOURCE.search(begin):
        return "book-sources"
    if _TELEGRAM.search(begin):
        return "chat"
    return "index" if _ARCHIVE_LINE.match(lines[0]) else None


def _has_address(line: str) -> bool:
    return bool(addresses_in(line)) or any(is_host(cell.strip("\" '")) for cell in re.split(r"[,;\t]", line))
