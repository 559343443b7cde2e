"""Files of works that somebody uploads, read in a process of its own, as ``pindna corpus add`` reads them.

A file is read within bounds of memory and time, so one that is built to do harm fails alone, and whoever else
uses the server does not wait for it.
"""

from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from analysis.reading.saved_pages import page_content
from crawler.extraction import ExtractedPage, extract
from storage.records import zone_of
from system.errors import PindnaError
from tracker.corpus.content import Content
from tracker.corpus.forms import Rules
from tracker.corpus.layout import LayoutOptions
from tracker.corpus.reading import RawWork, read_works

_NAME_BYTES = 200  # file systems take 255


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
    return page_content(data, path, _extract)


def _extract(data: bytes, _name: str) -> ExtractedPage:
    """Return what extraction finds in a page; this is a process of its own already."""
    return extract(data, url="")


def safe_name(name: str) -> str:
    """Return the name that an uploaded file gets here: the end of its own, without folders.

    >>> safe_name("../../etc/《雾港》.txt"), safe_name(".."), safe_name("a/.书.txt")
    ('《雾港》.txt', 'upload', '书.txt')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(letter for letter in last if letter.isprintable())
    return shown.encode()[-_NAME_BYTES:].decode(errors="ignore").lstrip(". ") or "upload"
