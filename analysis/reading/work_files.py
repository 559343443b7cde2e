"""Read uploaded files of works in a separate process, as ``pindna corpus add`` does.

Memory and time are limited, so a malicious file fails alone and does not delay other users of the server.
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
from tracker.corpus.layout import LayoutOptions, NumberedWorks
from tracker.corpus.reading import RawWork, read_works

_NAME_BYTES = 200  # maximum length of a file name; file systems allow 255


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksQuestion:
    """The works in a file, or in an archive of files.

    Attributes:
        folder: folder of the file.
        name: name of the file, stored as the origin of its works.
        max_bytes: refuse longer files and members of archives.
        timezone: zone of dates without one.
        as_one: all files of an archive are one work.
        separate: each file of an archive is a work.
    """

    folder: str
    name: str
    max_bytes: int
    timezone: str
    as_one: bool = False
    separate: bool = False

    @property
    def url(self) -> str:
        """Empty: a file has no address."""
        return ""

    def answer(self) -> list[RawWork | PindnaError]:
        """Return the works, an error for each unusable file, and what the user should know."""
        rules = Rules(max_bytes=self.max_bytes, zone=zone_of(self.timezone), read_page=_read_page)
        with chdir(self.folder):  # so that origins and messages contain only the file name
            notices: list[NumberedWorks] = []
            options = LayoutOptions(as_one=self.as_one, separate=self.separate, notice=notices.append)
            return [*read_works(Path(self.name), rules=rules, options=options), *notices]


def _read_page(data: bytes, path: Path) -> Content:
    return page_content(data, path, _extract)


def _extract(data: bytes, _name: str) -> ExtractedPage:
    """Extract a page; this process is already separate."""
    return extract(data, url="")


def safe_name(name: str) -> str:
    """Return a safe name for an uploaded file: the end of its name, without folders.

    >>> safe_name("../../etc/《雾港》.txt"), safe_name(".."), safe_name("a/.书.txt")
    ('《雾港》.txt', 'upload', '书.txt')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(letter for letter in last if letter.isprintable())
    return shown.encode()[-_NAME_BYTES:].decode(errors="ignore").lstrip(". ") or "upload"
