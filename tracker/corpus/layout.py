"""Layout of files: decides which files are works, and which are chapters of a work.

``corpus add`` and ``check --corpus`` use these rules. Each file at the top of the given folder or archive is
a work, unless all names look like chapters. In a subfolder, files are the passages of one work, which has the
folder's name; folders with names of volumes (第一卷, 上册) belong to the work around them. If most files of a
folder are books, each file is a work. Each .epub book and each .jsonl row is a work too. A table of metadata,
``--as-one`` and ``--title`` override these rules.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.content import NO_METADATA, LongField, OddDate, WorkMetadata
from tracker.corpus.forms import ROWS, SUFFIXES, Rules, has_unread_form, is_whole_work
from tracker.corpus.names import is_chapter, is_number, is_volume
from tracker.corpus.tables import BadTable, UnknownNames
from tracker.corpus.tables_of_tree import Folder, TreeTables, find_tables
from tracker.corpus.texts import UnreadForm
from tracker.corpus.tree import FileTree, TextFile, is_archive, is_tree, tree_below

Numbered = Literal["works", "chapters"]
Ask = Callable[[Path, Sequence[TextFile]], Numbered | None]
_SHOWN_NAMES = 3


# Remarks on tables; the texts are read nevertheless.
REMARKS = (BadTable, UnknownNames, OddDate, LongField)


class NumberedFiles(PindnaError):
    """The files of a folder are named by numbers.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
    """

    template = (
        "Skipped {count} files in {path}: their names are only numbers ({names}). Use --numbered "
        "chapters if they are one work, or --numbered works if each is a work."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutOptions:
    """The user's choices for files that may be works or chapters.

    Attributes:
        as_one: all files of each path are one work.
        title: all files of all paths are one work of that title.
        numbered: how to treat files that are named by numbers alone.
        ask: asks how to treat such files at the top of a given folder, if ``numbered`` does not say; the
            answer
            None skips them. Without it each is a work.
    """

    as_one: bool = False
    title: str | None = None
    numbered: Numbered | None = None
    ask: Ask | None = None


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
        file_metadata: from tables, for each file: as a passage, or as a separate work.
    """

    files: tuple[TextFile, ...]
    path: Path
    depth: int | None = None
    title: str | None = None
    metadata: WorkMetadata = NO_METADATA
    is_certain: bool = True
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
    layout = _Layout(tree, find_tables(tree, rules), options)
    yield from layout.units()
    yield from tree.not_read(layout.tables.used)


class _Layout:
    """The files of one tree, grouped."""

    def __init__(self, tree: FileTree, tables: TreeTables, options: LayoutOptions) -> None:
        self._tree = tree
        self._options = options
        self.tables = tables
        self._by_folder: dict[Folder, list[TextFile]] = {}
        for file in tree.files:
            self._by_folder.setdefault(file.parts[:-1], []).append(file)

    def units(self) -> Iterator[Unit | PindnaError]:
        """Yield the works in the order of their first files, after the errors in tables."""
        yield from self.tables.remarks(self._tree.files)
        works = [self._work_of(file) for file in self._tree.files]
        groups: dict[Folder, list[TextFile]] = {}
        for file, work in zip(self._tree.files, works, strict=True):
            if work is not None:
                groups.setdefault(work, []).append(file)
        for file, work in zip(self._tree.files, works, strict=True):
            if work is None:
                yield Unit(files=(file,), path=file.path, metadata=self.tables.of_file(file))
            elif work in groups:
                yield from self._group_files(work, groups.pop(work))

    def _work_of(self, file: TextFile) -> Folder | None:
        """Return the folder of the work that contains a file; None if the file is a separate work."""
        if file.suffix in ROWS:
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
        return folder if folder or self._is_root_one_work or self._is_root_numbered else None

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

    @cached_property
    def _is_root_numbered(self) -> bool:
        """Whether the files directly in the root have only numbers as names."""
        return _are_numbered(self._chapters_in(()))

    def _group_files(self, folder: Folder, files: list[TextFile]) -> Iterator[Unit | PindnaError]:
        """Yield files that are, or may be, one work."""
        said = self.tables.of_folder(folder)
        ordered = self.tables.in_order(folder, files)
        path = ordered[0].path.parents[len(ordered[0].parts) - len(folder) - 1]
        unit = Unit(
            files=ordered,
            path=path,
            depth=len(folder),
            title=(said.title if said else None) or (folder[-1] if folder else _name_of(self._tree.root)),
            metadata=said or NO_METADATA,
            is_certain=self._options.as_one or said is not None or _are_chapters(files),
            file_metadata=tuple(map(self.tables.of_file, ordered)),
        )
        if self._options.as_one or said is not None or not _are_numbered(files):
            yield unit
            return
        is_named = bool(folder) or self._is_root_one_work
        answer = self._options.numbered or ("chapters" if is_named else self._ask_about(unit))
        if answer is None:
            names = tuple(file.parts[-1] for file in ordered[:_SHOWN_NAMES])
            shown = (*names, "…")[: len(files)]
            yield NumberedFiles(path=readable(path), count=len(files), names=shown)
        elif answer == "works":
            yield from unit.apart()
        else:
            yield unit

    def _ask_about(self, unit: Unit) -> Numbered | None:
        return "works" if self._options.ask is None else self._options.ask(unit.path, unit.files)


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
