"""Layout of files: decides which files are works, and which are chapters of a work.

``corpus add``, uploads and ``check --corpus`` use these rules. Each file at the top of the given folder or
archive is a work, unless names or first lines show that files are chapters. Numbered files that may be
stories are joined only if the user says so. In a subfolder, files are the passages of one work, which has the
folder's name; folders with names of volumes (第一卷, 上册) belong to the work around them. If most files of a
folder are books, each file is a work. Each .epub book and each .jsonl row is a work too. A table of metadata,
``--as-one``, ``--separate`` and ``--title`` override these rules.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.content import NO_METADATA, LongField, OddDate, WorkMetadata
from tracker.corpus.forms import ROWS, SUFFIXES, Rules, has_unread_form, is_whole_work
from tracker.corpus.names import is_chapter, is_number, is_volume
from tracker.corpus.openings import in_chapter_order, nature_of
from tracker.corpus.series import Series, find_series
from tracker.corpus.tables import BadTable, UnknownNames
from tracker.corpus.tables_of_tree import Folder, TreeTables, find_tables
from tracker.corpus.texts import UnreadForm
from tracker.corpus.tree import FileTree, TextFile, is_archive, is_tree, tree_below

Numbered = Literal["works", "chapters"]
# The user's answer about numbered files; None: nobody was asked.
Ask = Callable[[Path, Sequence[TextFile]], Numbered | Literal["skip"] | None]
# Why files are one work: the user said so, a table, their folder, their names, or the texts' first lines.
JoinedBy = Literal["choice", "table", "folder", "names", "openings"]
_SHOWN_NAMES = 3


# Remarks on tables; the texts are read nevertheless.
REMARKS = (BadTable, UnknownNames, OddDate, LongField)


class NumberedFiles(PindnaError):
    """The files of a folder are numbered, and the user did not say whether they are chapters.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
    """

    template = (
        "Skipped {count} files in {path}: they are numbered ({names}). Use --as-one if they are the "
        "chapters of one work, or --separate if each is a work."
    )


class NumberedWorks(PindnaError):
    """Numbered files became separate works, and nothing shows whether they are chapters.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
    """

    template = (
        "{path}: each of {count} numbered files ({names}) is now a work. If they are the chapters of "
        "one work, undo this with `pindna corpus undo`, and add them again with --as-one."
    )


def _keep_silent(_notice: NumberedWorks) -> None:
    """Drop a notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutOptions:
    """The user's choices for files that may be works or chapters.

    Attributes:
        as_one: all files of each path are one work.
        separate: each file is a work.
        title: all files of all paths are one work of that title.
        numbered: how to treat numbered files that may be chapters.
        ask: asks how to treat such files at the top of a given folder, if ``numbered`` does not say. Without
            an answer each is a work, but files that are named by numbers alone are skipped. Without ``ask``
            each is a work.
        notice: receives what the user should know about the works.
    """

    as_one: bool = False
    separate: bool = False
    title: str | None = None
    numbered: Numbered | None = None
    ask: Ask | None = None
    notice: Callable[[NumberedWorks], None] = _keep_silent


DEFAULT_LAYOUT = LayoutOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One file that contains works, or several files that are the passages of one work.

    Attributes:
        files: in reading order.
        path: of the file or folder.
        depth: how many of the files' folders belong to the work's path; lower folders name its passages.
        title: of the single work in the files; None: the file has it.
        metadata: of the unit, from a table.
        is_certain: the files are one work; else only if they are not books themselves.
        joined_by: why several files are one work.
        file_metadata: from tables, for each file: as a passage, or as a separate work.
    """

    files: tuple[TextFile, ...]
    path: Path
    depth: int | None = None
    title: str | None = None
    metadata: WorkMetadata = NO_METADATA
    is_certain: bool = True
    joined_by: JoinedBy = "choice"
    file_metadata: tuple[WorkMetadata, ...] = field(default=())

    def apart(self) -> "Iterator[Unit]":
        """Yield each of its files as a separate unit."""
        by_file = self.file_metadata or (NO_METADATA,) * len(self.files)
        for file, metadata in zip(self.files, by_file, strict=True):
            yield Unit(files=(file,), path=file.path, metadata=metadata)


def units_of(paths: Iterable[Path], rules: Rules, options: LayoutOptions) -> Iterator[Unit | PindnaError]:
    """Yield the units below some paths, and errors for files that are not read.

    Args:
        paths: files, also without an ending, archives and folders.
        rules: how files are read.
        options: the user's choices.
    """
    if options.title is None:
        for path in paths:
            yield from _units_below(path, rules, options)
        return
    files: list[TextFile] = []
    paths = list(paths)
    for path in paths:
        for unit in _units_below(path, rules, replace(options, as_one=True)):
            if isinstance(unit, PindnaError):
                yield unit
            else:
                files += unit.files
    if files:
        yield Unit(files=tuple(files), path=paths[0], title=options.title)


def _units_below(path: Path, rules: Rules, options: LayoutOptions) -> Iterator[Unit | PindnaError]:
    if not is_tree(path):
        if has_unread_form(path) and os.path.exists(path):  # noqa: PTH110 - never raises
            yield UnreadForm(path=readable(path), endings=SUFFIXES)
        else:
            yield Unit(files=(TextFile(path, (readable(path.name),)),), path=path)
        return
    tree = tree_below(path, rules)
    yield from tree.problems
    layout = _Layout(tree, find_tables(tree, rules), options, rules)
    yield from layout.units()
    yield from tree.not_read(layout.tables.used)


@dataclass(frozen=True, slots=True)
class _Group:
    """The key of files that are one work: their folder, or their series in it, and why they are one."""

    folder: Folder
    series: Series | None = None
    joined_by: JoinedBy = "folder"


class _Layout:
    """The files of one tree, grouped."""

    def __init__(self, tree: FileTree, tables: TreeTables, options: LayoutOptions, rules: Rules) -> None:
        self._tree = tree
        self._options = options
        self._rules = rules
        self.tables = tables
        self._by_folder: dict[Folder, list[TextFile]] = {}
        for file in tree.files:
            self._by_folder.setdefault(file.parts[:-1], []).append(file)

    def units(self) -> Iterator[Unit | PindnaError]:
        """Yield the works in the order of their first files, after the errors in tables."""
        yield from self.tables.remarks(self._tree.files)
        works = self._works()
        skipped = yield from self._join_series(works)
        groups: dict[_Group, list[TextFile]] = {}
        for file, work in works.items():
            if work is not None:
                groups.setdefault(work, []).append(file)
        for file, work in works.items():
            if work is None and file not in skipped:
                yield Unit(files=(file,), path=file.path, metadata=self.tables.of_file(file))
            elif work is not None and work in groups:
                yield from self._group_files(work, groups.pop(work))

    def _works(self) -> dict[TextFile, _Group | None]:
        """Return the work of each file by its folder; None if the file is a separate work."""
        folders = ((file, self._folder_of_work(file)) for file in self._tree.files)
        return {file: None if folder is None else _Group(folder) for file, folder in folders}

    def _folder_of_work(self, file: TextFile) -> Folder | None:
        """Return the folder of the work that contains a file; None if the file is a separate work."""
        if file.suffix in ROWS or self._options.separate:
            return None
        if self._options.as_one:
            return ()
        folder = file.parts[:-1]
        for depth in range(len(folder), -1, -1):
            if self.tables.of_folder(folder[:depth]) is not None:
                return folder[:depth]
        if is_whole_work(file.parts[-1]) or self.tables.of_file(file).title is not None:
            return None
        while folder and is_volume(folder[-1]) and (len(folder) > 1 or self._is_root_one_work):
            folder = folder[:-1]
        return folder if folder or self._is_root_one_work else None

    def _chapters_in(self, folder: Folder) -> list[TextFile]:
        """Return the files directly in a folder that may be chapters."""
        return [file for file in self._by_folder.get(folder, ()) if not is_whole_work(file.parts[-1])]

    @cached_property
    def _is_root_one_work(self) -> bool:
        """Whether the names show that the root is a work: its files are chapters, its folders volumes."""
        files = self._chapters_in(())
        volumes = {folder[0] for folder in self._by_folder if folder}
        if not all(map(is_volume, volumes)) or not _are_chapters(files):
            return False
        return len(volumes) > 1 or (len(files) > 1 and any(is_chapter(file.stem) for file in files))

    def _join_series(
        self, works: dict[TextFile, _Group | None]
    ) -> Generator[PindnaError, None, frozenset[TextFile]]:
        """Join the files of the root that are chapters. Yield errors; return the files that are skipped."""
        loose = [
            file
            for file in self._chapters_in(())
            if works[file] is None and file.suffix not in ROWS and self.tables.of_file(file).title is None
        ]
        if self._options.separate or len(loose) <= 1:
            return frozenset()
        joined, open_series = self._sorted_series(loose)
        answer = self._answer(open_series) if open_series else "works"
        if answer == "chapters":
            joined += [(series, "choice") for series in open_series]
        for series, joined_by in joined:
            works.update(dict.fromkeys(series.files, _Group((), series, joined_by)))
        if answer != "skip":
            return frozenset()
        skipped = [file for series in open_series for file in series.files]
        yield NumberedFiles(**self._facts_of(skipped))
        return frozenset(skipped)

    def _sorted_series(self, loose: Sequence[TextFile]) -> tuple[list[tuple[Series, JoinedBy]], list[Series]]:
        """Return the series that are works, and those about which the user decides."""
        joined: list[tuple[Series, JoinedBy]] = []
        open_series: list[Series] = []
        for series in find_series(loose):
            if series.has_chapter_names:
                joined.append((series, "names"))
            elif self._options.numbered is not None:
                open_series.append(series)
            elif (nature := nature_of(series.files, self._rules)) == "chapters":
                joined.append((series, "openings"))
            elif nature == "unknown" or series.is_bare:
                open_series.append(series)
        if not joined and not open_series and self._options.numbered is None:
            ordered = in_chapter_order(loose, self._rules)
            joined += [(Series("", ordered), "openings")] if ordered else []
        return joined, open_series

    def _answer(self, open_series: Sequence[Series]) -> Numbered | Literal["skip"]:
        """Return how to treat numbered files; without an answer of the user they are not joined."""
        files = [file for series in open_series for file in series.files]
        if self._options.numbered is not None:
            return self._options.numbered
        answer = self._options.ask and self._options.ask(self._tree.root, files)
        if answer is not None:
            return answer
        if self._options.ask is not None and all(series.is_bare for series in open_series):
            return "skip"
        self._options.notice(NumberedWorks(**self._facts_of(files)))
        return "works"

    def _facts_of(self, files: Sequence[TextFile]) -> dict[str, object]:
        """Return the facts of an error about files of the root."""
        names = tuple(file.parts[-1] for file in files[:_SHOWN_NAMES])
        shown = (*names, "…")[: len(files)]
        return {"path": readable(self._tree.root), "count": len(files), "names": shown}

    def _group_files(self, group: _Group, files: list[TextFile]) -> Iterator[Unit]:
        """Yield files that are, or may be, one work."""
        folder, series = group.folder, group.series
        said = self.tables.of_folder(folder)
        ordered = self.tables.in_order(folder, series.files if series else files)
        has_chapter_names = _are_chapters(files)
        unit = Unit(
            files=ordered,
            path=ordered[0].path.parents[len(ordered[0].parts) - len(folder) - 1],
            depth=len(folder),
            title=(said.title if said else None) or self._title_of(group),
            metadata=said or NO_METADATA,
            is_certain=self._options.as_one or said is not None or series is not None or has_chapter_names,
            joined_by=self._reason(group, is_in_table=said is not None, has_chapter_names=has_chapter_names),
            file_metadata=tuple(map(self.tables.of_file, ordered)),
        )
        is_chosen = self._options.as_one or said is not None or series is not None
        if not is_chosen and self._options.numbered == "works" and _are_numbered(files):
            yield from unit.apart()
        else:
            yield unit

    def _title_of(self, group: _Group) -> str:
        """Return the name of a work: that of its series, its folder, or the root."""
        if group.series is not None and group.series.name:
            return group.series.name
        return group.folder[-1] if group.folder else _name_of(self._tree.root)

    def _reason(self, group: _Group, *, is_in_table: bool, has_chapter_names: bool) -> JoinedBy:
        """Return why the files of a group are one work."""
        if self._options.as_one:
            return "choice"
        if is_in_table:
            return "table"
        is_named = has_chapter_names and not group.folder and group.series is None
        return "names" if is_named else group.joined_by


def _are_chapters(files: Iterable[TextFile]) -> bool:
    """Return whether all files are named like chapters or by numbers."""
    return all(is_chapter(file.stem) or is_number(file.stem) for file in files)


def _are_numbered(files: Sequence[TextFile]) -> bool:
    """Return whether there are two or more files, and all have only numbers as names."""
    return len(files) > 1 and all(is_number(file.stem) for file in files)


def _name_of(root: Path) -> str:
    """Return the name of a folder or an archive, also if its path is a dot."""
    whole = root.resolve()
    return readable(whole.stem if is_archive(root) else whole.name)
