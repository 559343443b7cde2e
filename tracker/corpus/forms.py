"""File formats of texts, and the reader of each."""

import re
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path

from fingerprint.text.han import has_han
from storage.records import CHINA
from system.errors import PindnaError
from system.local_files import MAX_FILE_BYTES, readable
from tracker.corpus.archives import TOTAL_FACTOR, UnpackingBudget
from tracker.corpus.content import MAX_FIELD_CHARS, Content, PageReader
from tracker.corpus.epub import read_epub
from tracker.corpus.markdown import read_markdown
from tracker.corpus.markup import read_visible
from tracker.corpus.texts import EmptyFile, NoHanText, clean_text
from tracker.corpus.word import read_word

MARKDOWN = (".md", ".markdown")
PAGES = (".html", ".htm", ".xhtml")
ROWS = (".jsonl",)
ARCHIVES = (".zip",)
_UNPACKED = {".docx": read_word, ".epub": read_epub}  # document formats that are zip archives
# Messages list the formats in this order.
SUFFIXES = (".txt", *MARKDOWN, *PAGES, *_UNPACKED, *ROWS, *ARCHIVES)
_WHOLE_WORKS = (".epub", *ROWS)
_ENDING = re.compile(r"\.[0-9]*[a-z][a-z0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules for reading files.

    Attributes:
        max_bytes: refuse longer files and members of archives.
        zone: of dates without a zone.
        read_page: how saved pages are read; by default all visible text.
    """

    max_bytes: int = MAX_FILE_BYTES
    zone: tzinfo = CHINA
    read_page: PageReader = read_visible

    def budget(self) -> UnpackingBudget:
        """Return the budget of bytes that one archive may unpack."""
        return UnpackingBudget(TOTAL_FACTOR * self.max_bytes)


DEFAULT_RULES = Rules()


def is_whole_work(name: str) -> bool:
    """Return whether a name has the ending of a format for whole works: a book, or rows of texts."""
    return name.lower().endswith(_WHOLE_WORKS)


def has_unread_form(path: Path) -> bool:
    """Return whether a name has the ending of an unsupported format; words after a dot are not an ending.

    >>> [has_unread_form(Path(name)) for name in ("a.py", "a.7z", "a.TXT", "a", "-", "1.2", "1.渡口")]
    [True, True, False, False, False, False, False]
    """
    suffix = path.suffix.lower()
    return suffix not in SUFFIXES and _ENDING.fullmatch(suffix) is not None


def read_content(
    data: bytes, path: Path, rules: Rules, *, budget: UnpackingBudget | None = None, needs_han: bool = True
) -> Content:
    """Return the content of a file, in the format that its name indicates.

    Args:
        data: the file's bytes.
        path: its name in messages.
        rules: how it is read.
        budget: limit on unpacking; None: that of one archive.
        needs_han: refuse a text without Han characters.

    Raises:
        EmptyFile, BinaryFile, NoHanText: it contains no text.
        PindnaError: another reason why it cannot be read.
    """
    suffix = path.suffix.lower()
    if not data.strip():
        raise EmptyFile(path=readable(path))
    if (read := _UNPACKED.get(suffix)) is not None:
        bounds = budget or rules.budget()
        content = read(data, path, max_bytes=rules.max_bytes, budget=bounds, zone=rules.zone)
    elif suffix in PAGES:
        content = rules.read_page(data, path)
    else:
        text = clean_text(data, readable(path), needs_han=needs_han)
        content = read_markdown(text, path, zone=rules.zone) if suffix in MARKDOWN else Content(text=text)
    if not content.text.strip():
        raise _first_error(content.remarks) or EmptyFile(path=readable(path))
    if needs_han and not has_han(content.text):
        raise NoHanText(path=readable(path))
    headings = {at: title[:MAX_FIELD_CHARS] for at, title in content.headings.items()}
    return replace(content, headings=headings)


def _first_error(remarks: tuple[PindnaError, ...]) -> PindnaError | None:
    """Return why nothing of a book could be read, if known."""
    return remarks[0] if remarks else None
