"""How commands read files of texts: by the settings, and saved pages by extraction in its own process."""

from pathlib import Path

from deploy.cli.inputs import Raw, extract_page, text_of
from storage.local_files import readable
from storage.records import zone_of
from storage.settings import TrackerSettings
from tracker.corpus.content import Content, Metadata
from tracker.corpus.forms import Rules
from tracker.corpus.markup import read_visible
from tracker.corpus.names import is_chapter


def reading_rules(settings: TrackerSettings) -> Rules:
    """Return how files are read."""
    return Rules(max_bytes=settings.max_file_bytes, zone=zone_of(settings.timezone), read_page=read_page)


def read_page(data: bytes, path: Path) -> Content:
    """Return the article or chapter in a saved page; a page with headings of several chapters is a book.

    Args:
        data: the page.
        path: what to call it in messages.

    Raises:
        NotComparable: it is neither article nor chapter.
        PageUnreadable: it exceeded its reader's bounds.
        TooMuchMarkup: it has too many tags to be read.
        EmptyFile, BinaryFile, NoHanText: what is wrong with its text.
    """
    shown = read_visible(data, path)
    if sum(map(is_chapter, shown.headings.values())) > 1:
        return shown
    raw = Raw(readable(path), data)
    page = extract_page(raw)
    metadata = Metadata(title=page.title or None, author=page.author or None, published=page.published)
    return Content(text=text_of(raw, page), metadata=metadata)
