"""Read saved pages in a corpus: books unchanged, articles through extraction."""

from collections.abc import Callable
from pathlib import Path

from analysis.reading.untrusted_pages import article_of
from crawler.extraction import ExtractedPage
from storage.records import zone_of
from storage.settings import TrackerSettings
from system.local_files import readable
from tracker.corpus.content import Content, WorkMetadata
from tracker.corpus.forms import Rules
from tracker.corpus.markup import read_visible
from tracker.corpus.names import is_chapter

# Extracts a page from its bytes and its name.
Extract = Callable[[bytes, str], ExtractedPage]


def reading_rules(settings: TrackerSettings, extract: Extract) -> Rules:
    """Return the rules for reading the files of a corpus.

    Args:
        settings: their limits, and the time zone of their dates.
        extract: reads a page in a separate process.
    """

    def read_page(data: bytes, path: Path) -> Content:
        return page_content(data, path, extract)

    return Rules(max_bytes=settings.max_file_bytes, zone=zone_of(settings.timezone), read_page=read_page)


def page_content(data: bytes, path: Path, extract: Extract) -> Content:
    """Return the article or chapter in a saved page. A page with headings of several chapters is a book.

    Args:
        data: the page.
        path: its name in messages.
        extract: reads a page in a separate process.

    Raises:
        NotComparable: it is neither an article nor a chapter.
        PageUnreadable: it exceeded the limits of its reader.
        TooMuchMarkup: it has too many tags.
        EmptyFile, BinaryFile, NoHanText: its text cannot be used.
    """
    shown = read_visible(data, path)
    if sum(map(is_chapter, shown.headings.values())) > 1:
        return shown
    name = readable(path)
    page = extract(data, name)
    metadata = WorkMetadata(title=page.title or None, author=page.author or None, published=page.published)
    return Content(text=article_of(page, name, needs_han=True), metadata=metadata)
