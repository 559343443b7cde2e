"""Files to works: .txt, .jsonl and folders of them.

What cannot be used is an error in its place, so that a caller reports it and goes on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from storage.errors import PindnaError
from storage.local_files import MAX_FILE_BYTES, readable
from storage.records import CHINA, ClaimedDate, WorkKind
from tracker.corpus.chapters import Section, split_passages
from tracker.corpus.rows import Row, is_rows, read_rows
from tracker.corpus.texts import read_text

_NOVEL_CHARS = 5_000  # a single passage longer than this is literature rather than an article


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWork:
    """A work as read from a file, not stored yet.

    Attributes:
        remarks: what the file says of it and could not be used.
    """

    title: str
    kind: WorkKind
    origin: str
    sections: tuple[Section, ...]
    author: str | None = None
    url: str | None = None
    published: ClaimedDate | None = None
    remarks: tuple[PindnaError, ...] = ()

    @property
    def key(self) -> str:
        """Natural key: the URL where there is one, else the title."""
        return self.url or self.title


def read_works(
    path: Path, *, max_bytes: int = MAX_FILE_BYTES, zone: tzinfo = CHINA
) -> Iterator[RawWork | PindnaError]:
    """Yield the works of one file, or an error in the place of one that cannot be used.

    Args:
        path: the file.
        max_bytes: refuse a longer text.
        zone: of dates that name none.
    """
    if is_rows(path):
        for row in read_rows(path, max_bytes=max_bytes, zone=zone):
            yield row if isinstance(row, PindnaError) else _work_of(path, row)
        return
    try:
        text = read_text(path, max_bytes=max_bytes)
    except PindnaError as error:
        yield error
        return
    sections = tuple(split_passages(text))
    kind: WorkKind = "novel" if len(sections) > 1 or len(text) > _NOVEL_CHARS else "news"
    yield RawWork(title=readable(path.stem), kind=kind, origin=readable(path), sections=sections)


def _work_of(path: Path, row: Row) -> RawWork:
    """Return a line's text as a work."""
    return RawWork(
        title=row.title,
        kind="news",
        origin=f"{readable(path)}:{row.number}",
        sections=tuple(split_passages(row.text))
        if len(row.text) > _NOVEL_CHARS
        else (Section("", row.text),),
        author=row.author,
        url=row.url,
        published=row.published,
        remarks=row.remarks,
    )
