"""The inputs of ``check`` and ``extract``: text files, saved pages, addresses, standard input."""

import atexit
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeVar

import typer

from analysis.reading.untrusted_pages import PageUnreadable, article_of
from analysis.words.i18n import translator
from crawler.extraction import NO_CONTEXT, ExtractedPage, PageContext
from crawler.pages.captured import MAX_BODY_BYTES, CapturedPage
from crawler.pages.warc_reading import decode_body
from crawler.readers.pool import CannotRead, Reader
from crawler.readers.questions import PageQuestion, Question
from crawler.sources.fetching import fetch
from deploy.cli.addresses import complete, looks_like_address
from deploy.cli.arguments import problem_of
from deploy.cli.console import print_error, print_json_line
from deploy.cli.outcomes import Tally
from fingerprint.text.han import has_han
from storage.records import utc_now
from storage.settings import load_settings
from system.errors import PindnaError
from system.local_files import FileTooLarge, UnreadableFile, read_file, readable
from tracker.corpus.forms import DEFAULT_RULES, PAGES, SUFFIXES, read_content
from tracker.corpus.texts import NoHanText

A = TypeVar("A")
_MARKS = (b"<!doctype", b"<html", b"<head", b"<body", b"<meta")
_ARCHIVE = b"PK\x03\x04"  # first bytes of .zip, .epub and .docx files
_HEAD_BYTES = 2048


class NotAPage(PindnaError):
    """A command that needs a page got another kind of file. Data: ``path``."""

    template = "{path}: this is not a page. `pindna check` and `pindna corpus add` read books and documents."


class NotRendered(PindnaError):
    """Only addresses can be rendered, but the input is a file. Data: ``name``."""

    code = "not-an-address"
    template = "{name}: only addresses are rendered. Leave out --render for a saved page."


@dataclass(frozen=True, slots=True)
class Raw:
    """The bytes of an input.

    Attributes:
        name: as the user wrote it.
        url: address, or empty.
        declared: the encoding that an HTTP header declared, if any.
        sheets: (address, rules) of the style sheets that it links to, where it was fetched.
        content_type: that an HTTP header declared, if any.
        is_rendered: a browser showed it.
    """

    name: str
    data: bytes
    url: str = ""
    declared: str | None = None
    sheets: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    is_rendered: bool = False

    @property
    def is_page(self) -> bool:
        """Return whether the input is HTML: by its address, its name, or its first bytes."""
        if self.url or self.name.lower().endswith(PAGES):
            return True
        return not self.has_other_form and any(mark in self.data[:_HEAD_BYTES].lower() for mark in _MARKS)

    @property
    def has_other_form(self) -> bool:
        """Return whether the input is a document, a book or an archive; its members may look like pages."""
        suffix = Path(self.name).suffix.lower()
        if self.url or suffix in PAGES:
            return False
        return (suffix in SUFFIXES and suffix != ".txt") or self.data.startswith(_ARCHIVE)


def read_input(name: str, *, max_bytes: int, render: bool = False) -> Raw:
    """Return the bytes of a file, an address or standard input (``-``).

    Args:
        name: as the user wrote it.
        max_bytes: refuse a longer file or input; ``tracker.max_file_bytes``.
        render: show it in a browser, and take what that shows.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        CannotFetch: the address does not answer.
        BrowserMissing: there is no browser.
        NotRendered: what is to be rendered is no address.
    """
    if render and not is_address(name):
        raise NotRendered(name=readable(name))
    if name == "-":
        data = sys.stdin.buffer.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise FileTooLarge(path=name, limit=max_bytes)
        return Raw(name, data)
    if is_address(name):
        fetched = fetch(complete(name), render=render)
        return Raw(
            name,
            fetched.body,
            fetched.url,
            fetched.declared,
            fetched.sheets,
            content_type=fetched.content_type,
            is_rendered=fetched.is_rendered,
        )
    return Raw(readable(name), read_file(Path(name), max_bytes=max_bytes))


def captured_raw(name: str, page: CapturedPage) -> Raw:
    """Return a captured page as an input.

    Raises:
        UnreadableFile: its body cannot be decoded.
    """
    try:
        body = decode_body(page.payload, page.header_block, max_bytes=MAX_BODY_BYTES)
    except (ValueError, OSError, EOFError) as error:
        raise UnreadableFile(path=name, problem="its body cannot be decoded") from error
    return Raw(name, body, page.url, page.charset or None, content_type=page.content_type)


def problem_of_input(name: str) -> PindnaError | None:
    """Return why an input cannot be read, as far as that is known before reading."""
    return None if name == "-" or is_address(name) else problem_of(Path(name))


def require_some(inputs: list[str], tally: Tally, *, as_json: bool) -> None:
    """Check that at least one input can be read before anything is opened; otherwise report each problem.

    Raises:
        typer.Exit: none may.
    """
    problems = [problem_of_input(name) for name in inputs]
    if None in problems:
        return
    for name, problem in zip(inputs, filter(None, problems), strict=True):
        tally.note(problem)
        print_error(problem)
        if as_json:
            print_json_line(error_object(name, problem))
    raise typer.Exit(tally.status)


def extract_page(raw: Raw, *, context: PageContext = NO_CONTEXT) -> ExtractedPage:
    """Extract text and fields of a page.

    Args:
        raw: a page.
        context: what is known of its site.

    Raises:
        PageUnreadable: it exceeded its reader's bounds.
    """
    context = replace(
        context,
        sheets=raw.sheets,
        fetched=utc_now() if raw.url else None,
        content_type=raw.content_type,
        is_rendered=raw.is_rendered,
    )
    return answer_to(PageQuestion(raw.data, raw.url, raw.declared, context), raw)


def answer_to(question: Question[A], raw: Raw) -> A:
    """Return a reader's answer to a question about an input, with the limits of a crawl.

    Raises:
        PageUnreadable: the input exceeded these bounds.
    """
    try:
        return _reader().ask(question)[0]
    except CannotRead as error:
        raise PageUnreadable(path=raw.name, reason=error.reason) from error


def prepare(names: Iterable[str]) -> None:
    """If an input is a page, start the reader process now, so that it is ready for the first page."""
    if any(is_address(name) or name.lower().endswith(PAGES) for name in names):
        _reader().prepare()


def is_address(name: str) -> bool:
    """Return whether an input is an address; if a file with this name exists, it is the file."""
    return looks_like_address(name) and not os.path.exists(name)  # noqa: PTH110 - never raises


@cache
def _reader() -> Reader:
    """Return the reader of this program: one process for all inputs, started for the first page."""
    reader = Reader(max_megabytes=load_settings().crawler.reader_megabytes)
    atexit.register(reader.close)
    return reader


def text_of(
    raw: Raw,
    page: ExtractedPage | None = None,
    *,
    needs_han: bool = True,
    report: Callable[[PindnaError], None] = print_error,
) -> str:
    """Return the text to compare.

    Args:
        raw: an input.
        page: what extraction found in it, if that is known.
        needs_han: refuse a text without Han characters.
        report: called for each item that cannot be used, such as a chapter of a book.

    Raises:
        EmptyFile, BinaryFile, NoHanText: what is wrong with a text.
        PindnaError: what is wrong with a document, a book or an archive.
        NotComparable: a page that is neither article nor chapter.
        PageUnreadable: it exceeded its reader's bounds.
    """
    if not raw.is_page:
        content = read_content(raw.data, Path(raw.name), DEFAULT_RULES, needs_han=needs_han)
        for remark in content.remarks:
            report(remark)
        return content.text
    page = extract_page(raw) if page is None else page
    text = article_of(page, raw.name)
    if needs_han and not has_han(text):
        raise NoHanText(path=raw.name)
    return text


def error_object(name: str, error: PindnaError) -> dict[str, object]:
    """Return the object that ``--json`` prints for an input that could not be used."""
    return {"input": readable(name), "error": translator().error(error), "reason": error.reason}
