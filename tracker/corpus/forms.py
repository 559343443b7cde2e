"""The forms that texts come in, and how each is read."""

from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path

from fingerprint.text.han import has_han
from storage.errors import PindnaError
from storage.local_files import MAX_FILE_BYTES, readable
from storage.records import CHINA
from tracker.corpus.archives import TOTAL_FACTOR, Budget
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
# In the order in which messages list them; a file of another name that is named itself is read as .txt.
SUFFIXES = (".txt", ".md", ".markdown", *PAGES, ".docx", ".epub", *ROWS, *ARCHIVES)
_WHOLE_WORKS = (".epub", *ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How files are read.

    Attributes:
        max_bytes: refuse longer files and members of archives.
        zone: of dates that name none.
        read_page: how saved pages are read; by default all that they show.
    """

    max_bytes: int = MAX_FILE_BYTES
    zone: tzinfo = CHINA
    read_page: PageReader = read_visible

    def budget(self) -> Budget:
        """Return how much one archive may unpack."""
        return Budget(TOTAL_FACTOR * self.max_bytes)


DEFAULT_RULES = Rules()


def is_whole_work(name: str) -> bool:
    """Return whether a name is that of a form that holds whole works: a book, or rows of texts."""
    return name.lower().endswith(_WHOLE_WORKS)


def read_content(
    data: bytes, path: Path, rules: Rules, *, budget: Budget | None = None, needs_han: bool = True
) -> Content:
    """Return what a file holds, in whatever form its name says.

    Args:
        data: the file's bytes.
        path: what to call it in messages.
        rules: how it is read.
        budget: what may be unpacked; None: as much as one archive may.
        needs_han: refuse a text without Han characters.

    Raises:
        EmptyFile, BinaryFile, NoHanText: there is no text in it.
        PindnaError: what is wrong with it otherwise, by its form.
    """
    suffix = path.suffix.lower()
    if not data.strip():
        raise EmptyFile(path=readable(path))
    if suffix in {".epub", ".docx"}:
        read = read_epub if suffix == ".epub" else read_word
        bounds = budget or rules.budget()
        content = read(data, path, max_bytes=rules.max_bytes, budget=bounds, zone=rules.zone)
    elif suffix in PAGES:
        content = rules.read_page(data, path)
    else:
        text = clean_text(data, readable(path), needs_han=needs_han)
        content = read_markdown(text, path, zone=rules.zone) if suffix in MARKDOWN else Content(text=text)
    if not content.text.strip():
        raise _first(content.remarks) or EmptyFile(path=readable(path))
    if needs_han and not has_han(content.text):
        raise NoHanText(path=readable(path))
    headings = {at: title[:MAX_FIELD_CHARS] for at, title in content.headings.items()}
    return replace(content, headings=headings)


def _first(remarks: tuple[PindnaError, ...]) -> PindnaError | None:
    """Return why nothing of a book could be read, where that is known."""
    return remarks[0] if remarks else None
