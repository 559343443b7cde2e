"""Reading of files as works, in every supported format.

If a file cannot be used, an error is yielded, so the caller can report it and continue. Each file becomes a
work, a part of a work, or an error.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from storage.records import ClaimedDate, WorkKind
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.chapters import MAX_CHARS, ChapterSection, split_passages
from tracker.corpus.content import NO_METADATA, Content, WorkMetadata
from tracker.corpus.forms import DEFAULT_RULES, ROWS, Rules
from tracker.corpus.layout import DEFAULT_LAYOUT, JoinedBy, LayoutOptions, Unit, units_of
from tracker.corpus.openings import are_books, content_of
from tracker.corpus.rows import WorkRow, read_rows
from tracker.corpus.tree import TextFile

_NOVEL_CHARS = 5_000  # a single passage that is longer is literature, not an article


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWork:
    """A work that was read from files and is not stored yet.

    Attributes:
        language, rights, holder: from the file or a table.
        remarks: metadata of the files that could not be used.
        files: number of files that it was read from.
        joined_by: why several files are this work; None for one file.
    """

    title: str
    kind: WorkKind
    origin: str
    sections: tuple[ChapterSection, ...]
    author: str | None = None
    url: str | None = None
    published: ClaimedDate | None = None
    language: str | None = None
    rights: str | None = None
    holder: str | None = None
    remarks: tuple[PindnaError, ...] = ()
    files: int = 1
    joined_by: JoinedBy | None = None

    @property
    def key(self) -> str:
        """Natural key: the URL if there is one, else the title."""
        return self.url or self.title


def read_works(
    paths: Iterable[Path] | Path, *, rules: Rules = DEFAULT_RULES, options: LayoutOptions = DEFAULT_LAYOUT
) -> Iterator[RawWork | PindnaError]:
    """Yield the works of files, archives and folders, or an error for each file that cannot be used.

    Args:
        paths: one or several.
        rules: how files are read.
        options: the user's choices.
    """
    for unit in units_of([paths] if isinstance(paths, Path) else paths, rules, options):
        yield from read_unit(unit, rules)


def read_unit(unit: Unit | PindnaError, rules: Rules) -> Iterator[RawWork | PindnaError]:
    """Yield the works of files that belong together; an error is yielded unchanged.

    Args:
        unit: from :func:`tracker.corpus.layout.units_of`.
        rules: how files are read.
    """
    if isinstance(unit, PindnaError):
        yield unit
    elif unit.title is not None:
        if not unit.is_certain and are_books(unit.files, rules):
            for alone in unit.apart():
                yield from read_unit(alone, rules)
        else:
            yield from _joined_work(unit, unit.title, rules)
    elif unit.files[0].suffix in ROWS:
        path = unit.files[0].path
        for row in rows_of(unit.files[0], rules):
            yield row if isinstance(row, PindnaError) else _work_of(path, row)
    else:
        yield _single_work(unit, rules)


def _single_work(unit: Unit, rules: Rules) -> RawWork | PindnaError:
    """Return a file as a separate work."""
    (file,) = unit.files
    try:
        content = content_of(file, rules)
    except PindnaError as error:
        return error
    sections = tuple(split_passages(content.text, content.headings))
    return _work_of_unit(unit, unit.metadata.over(content.metadata), file.stem, sections, content.remarks)


def _joined_work(unit: Unit, title: str, rules: Rules) -> Iterator[RawWork | PindnaError]:
    """Yield one work whose passages are the files, after the errors of unusable files."""
    sections: list[ChapterSection] = []
    remarks: list[PindnaError] = []
    by_file = unit.file_metadata or (NO_METADATA,) * len(unit.files)
    for file, metadata in zip(unit.files, by_file, strict=True):
        try:
            content = content_of(file, rules)
        except PindnaError as error:
            yield error
            continue
        folders = () if unit.depth is None else file.parts[unit.depth : -1]
        sections += _file_sections(file, content, metadata.title, folders)
        remarks += content.remarks
    if sections:
        yield _work_of_unit(unit, unit.metadata, title, tuple(sections), tuple(remarks))


def _file_sections(
    file: TextFile, content: Content, title: str | None, folders: tuple[str, ...]
) -> list[ChapterSection]:
    """Return a file of a work as one passage, or as several if it is long or has headings.

    Args:
        file: the file.
        content: its content.
        title: its title in a table.
        folders: its volumes.
    """
    first = next(iter(content.headings.values()), None)
    name = title or (file.stem if file.suffix == ".txt" else first or content.metadata.title or file.stem)
    volume = " ".join(folders)
    name = name.strip()
    if len(content.text) <= MAX_CHARS and len(content.headings) <= 1:
        return [ChapterSection(f"{volume} {name}".strip(), content.text)]
    pieces = split_passages(content.text, content.headings)
    if len(content.headings) > 1:
        return [ChapterSection(f"{volume} {piece.title or name}".strip(), piece.text) for piece in pieces]
    return [ChapterSection(f"{volume} {name} {piece.title}".strip(), piece.text) for piece in pieces]


def _work_of_unit(
    unit: Unit,
    metadata: WorkMetadata,
    title: str,
    sections: tuple[ChapterSection, ...],
    remarks: tuple[PindnaError, ...],
) -> RawWork:
    is_novel = len(sections) > 1 or (
        len(unit.files) == 1 and sum(len(s.text) for s in sections) > _NOVEL_CHARS
    )
    return RawWork(
        title=(metadata.title or "").strip() or title.strip() or title,
        kind="novel" if is_novel else "news",
        origin=readable(unit.path),
        sections=sections,
        author=metadata.author,
        url=metadata.url,
        published=metadata.published,
        language=metadata.language,
        rights=metadata.rights,
        holder=metadata.holder,
        remarks=remarks,
        files=len(unit.files),
        joined_by=unit.joined_by if len(unit.files) > 1 else None,
    )


def rows_of(file: TextFile, rules: Rules, *, needs_title: bool = True) -> Iterator[WorkRow | PindnaError]:
    """Yield the rows of a .jsonl file, or an error for each row that cannot be used.

    Args:
        file: on disk or in an archive.
        rules: how it is read.
        needs_title: refuse rows without a title.
    """
    data: BytesIO | None = None
    if file.archive is not None:
        try:
            data = BytesIO(file.data(rules.max_bytes))
        except PindnaError as error:
            yield error
            return
    limit, zone = rules.max_bytes, rules.zone
    yield from read_rows(file.path, data=data, needs_title=needs_title, max_bytes=limit, zone=zone)


def _work_of(path: Path, row: WorkRow) -> RawWork:
    """Return a line's text as a work."""
    return RawWork(
        title=row.title,
        kind="news",
        origin=f"{readable(path)}:{row.number}",
        sections=tuple(split_passages(row.text))
        if len(row.text) > _NOVEL_CHARS
        else (ChapterSection("", row.text),),
        author=row.author,
        url=row.url,
        published=row.published,
        remarks=row.remarks,
    )
