"""Saved pages among the files of a corpus: a book is read as it stands, an article by extraction."""

from collections.abc import Callable
from pathlib import Path

from analysis.reading.untrusted_pages import article_of
from crawler.extraction import Extracted
from storage.records import zone_of
from storage.settings import TrackerSettings
from system.local_files import readable
from tracker.corpus.content import Content, WorkMetadata
from tracker.corpus.forms import Rules
from tracker.corpus.markup import read_visible
from tracker.corpus.names import is_chapter

# What extraction finds in the bytes of a page of some name.
Extract = Callable[[bytes, str], Extracted]


def reading_rules(settings: TrackerSettings, extract: Extract) -> Rules:
    """Return how the files of a corpus are read.

    Args:
        settings: their bounds, and the zone of their dates.
        extract: reads a page, in a process of its own.
    """

    def read_page(data: bytes, path: Path) -> Content:
        return page_content(data, path, extract)

    return Rules(max_bytes=settings.max_file_bytes, zone=zone_of(settings.timezone), read_page=read_page)


def page_content(data: bytes, path: Path, extract: Extract) -> Content:
    """Return the article or chapter in a saved page; a page with headings of several chapters is a book.

    Args:
        data: the page.
        path: what to call it in messages.
        extract: reads a page, in a process of its own.

    Raises:
        NotComparable: it is neither article nor chapter.
        PageUnreadable: it exceeded its reader's bounds.
        TooMuchMarkup: it has too many tags to be read.
        EmptyFile, BinaryFile, NoHanText: what is wrong with its text.
    """
    shown = read_visible(data, path)
    if sum(map(is_chapter, shown.headings.values())) > 1:
        return shown
    name = readable(path)
    page = extract(data, name)
    metadata = WorkMetadata(title=page.title or None, author=page.author or None, published=page.published)
    return Content(text=article_of(page, name, needs_han=True), metadata=metadata)
