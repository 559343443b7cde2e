"""Files of works that somebody uploads, read in a process of its own, as ``pindna corpus add`` reads them.

A file is read within bounds of memory and time, so one that is built to do harm fails alone, and whoever else
uses the server does not wait for it.
"""

from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from crawler.extraction import extract
from storage.errors import PindnaError
from storage.local_files import readable
from storage.records import zone_of
from tracker.corpus.content import Content, Metadata
from tracker.corpus.forms import Rules
from tracker.corpus.layout import LayoutOptions
from tracker.corpus.markup import read_visible
from tracker.corpus.names import is_chapter
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.texts import clean_text

_COMPARED = ("article", "chapter")


class NoTextInPage(PindnaError):
    """A saved page holds no text that could be a work. Data: ``path``, ``page_kind``."""

    template = "{path}: holds no article and no chapter ({page_kind})."


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksQuestion:
    """The works in a file, or in an archive of files.

    Attributes:
        folder: where it is.
        name: of the file in it, which its works are said to come from.
        max_bytes: refuse longer files and members of archives.
        timezone: of dates that name none.
        as_one: all files of an archive are one work.
    """

    folder: str
    name: str
    max_bytes: int
    timezone: str
    as_one: bool = False

    @property
    def url(self) -> str:
        """No address: it is a file."""
        return ""

    def answer(self) -> list[RawWork | PindnaError]:
        """Return the works, and an error in the place of what cannot be used."""
        rules = Rules(max_bytes=self.max_bytes, zone=zone_of(self.timezone), read_page=_read_page)
        with chdir(self.folder):  # so that origins and messages name the file alone
            return list(read_works(Path(self.name), rules=rules, options=LayoutOptions(as_one=self.as_one)))


def _read_page(data: bytes, path: Path) -> Content:
    """Return the article or chapter in a saved page; a page with headings of several chapters is a book.

    Raises:
        NoTextInPage: it is neither.
        PindnaError: what is wrong with it.
    """
    shown = read_visible(data, path)
    if sum(map(is_chapter, shown.headings.values())) > 1:
        return shown
    page = extract(data, url="")
    if page.kind not in _COMPARED:
        raise NoTextInPage(path=readable(path), page_kind=page.kind)
    metadata = Metadata(title=page.title or None, author=page.author or None, published=page.published)
    return Content(text=clean_text(page.text.encode("utf-8", "replace"), readable(path)), metadata=metadata)
