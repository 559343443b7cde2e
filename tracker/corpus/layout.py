"""Which files are works, and which are chapters of one: the same for ``corpus add`` and ``check --corpus``.

Right in the folder or archive that is named, each file is a work, unless all are called like chapters. In a
folder below it, files are the passages of one work, which is called as the folder; folders called like
volumes (第一卷, 上册) belong to the work that they are in. But where most files are books themselves, each is
a work, and so are .epub books and .jsonl rows. A table of metadata, and ``--as-one`` or ``--title``, have the
last word.
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
from tracker.corpus.tables_of_tree import Folder, TablesOfTree, find_tables
from tracker.corpus.texts import UnreadForm
from tracker.corpus.tree import FileTree, TextFile, is_archive, is_tree, tree_below

Numbered = Literal["works", "chapters"]
Ask = Callable[[Path, Sequence[TextFile]], Numbered | None]
_SHOWN_NAMES = 3


# What is said of tables, whose texts are read all the same.
REMARKS = (BadTable, UnknownNames, OddDate, LongField)


class NumberedFiles(PindnaError):
    """The files of a folder are named by numbers. Data: ``path``, ``count``, ``names``."""

    template = (
        "{path}: {count} files are named by numbers alone ({names}); skipped. Say with --numbered chapters "
        "that they are one work, or with --numbered works that each is one."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutOptions:
    """What the user says of files that may be works, or chapters of one.

    Attributes:
        as_one: all files of each path are one work.
        title: all files of all paths are one work of that title.
        numbered: what files are that are named by numbers alone.
        ask: who is asked what such files right in a named folder are, if ``numbered`` does not say it; the
            answer None leaves them out. Without this each is a work.
    """

    as_one: bool = False
    title: str | None = None
    numbered: Numbered | None = None
    ask: Ask | None = None


DEFAULT_LAYOUT = LayoutOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A file that holds works, or files that are the passages of one.

    Attributes:
        files: in reading order.
        path: of the file or folder.
        depth: how many of the files' folders lead to the work's; its passages are called after those below.
        title: of the one work that the files are; None: the file says it.
        metadata: what a table says of it.
        is_certain: they are one work; else only if they are no books themselves.
        file_metadata: what tables say of each file: as a passage, or as a work if they are none together.
    """

    files: tuple[TextFile, ...]
    path: Path
    depth: int | None = None
    title: str | None = None
    metadata: WorkMetadata = NO_METADATA
    is_certain: bool = True
    file_metadata: tuple[WorkMetadata, ...] = field(default=())

    def apart(self) -> "Iterator[Unit]":
        """Yield each of its files as a unit of its own."""
        by_file = self.file_metadata or (NO_METADATA,) * len(self.files)
        for file, metadata in zip(self.files, by_file, strict=True):
            yield Unit(files=(file,), path=file.path, metadata=metadata)


def units_of(paths: Iterable[Path], rules: Rules, options: LayoutOptions) -> Iterator[Unit | PindnaError]:
    """Yield what is below some paths as units, with errors for what is not read.

    Args:
        paths: files, also without an ending, archives and folders.
        rules: how files are read.
        options: what the user says of them.
    """
    if options.title is None:
        for path in paths:
            yield from _below(path, rules, options)
        return
    files: list[TextFile] = []
    paths = list(paths)
    for path in paths:
        for unit in _below(path, rules, replace(options, as_one=True)):
            if isinstance(unit, PindnaError):
                yield unit
            else:
                files += unit.files
    if files:
        yield Unit(files=tuple(files), path=paths[0], title=options.title)


def _below(path: Path, rules: Rules, options: LayoutOptions) -> Iterator[Unit | PindnaError]:
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

    def __init__(self, tree: FileTree, tables: TablesOfTree, options: LayoutOptions) -> None:
        self._tree = tree
        self._options = options
        self.tables = tables
        self._by_folder: dict[Folder, list[TextFile]] = {}
        for file in tree.files:
            self._by_folder.setdefault(file.parts[:-1], []).append(file)

    def units(self) -> Iterator[Unit | PindnaError]:
        """Yield the works in the order of their first files, and before them what tables get wrong."""
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
                yield from self._group(work, groups.pop(work))

    def _work_of(self, file: TextFile) -> Folder | None:
        """Return the folder that is the work which a file belongs to; None: it is a work by itself."""
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
        """Return the files right in a folder that may be chapters."""
        return [file for file in self._by_folder.get(folder, ()) if not is_whole_work(file.parts[-1])]

    @cached_property
    def _is_root_one_work(self) -> bool:
        """Whether names say that the root is a work: its files are chapters, its folders volumes."""
        files = self._chapters_in(())
        volumes = {folder[0] for folder in self._by_folder if folder}
        if not all(map(is_volume, volumes)) or not _are_chapters(files):
            return False
        return len(volumes) > 1 or (len(files) > 1 and any(is_chapter(file.stem) for file in files))

    @cached_property
    def _is_root_numbered(self) -> bool:
        """Whether the files right in the root are named by numbers alone."""
        return _are_numbered(self._chapters_in(()))

    def _group(self, folder: Folder, files: list[TextFile]) -> Iterator[Unit | PindnaError]:
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
    """Return whether all of some files are called like chapters or by numbers."""
    return all(is_chapter(file.stem) or is_number(file.stem) for file in files)


def _are_numbered(files: Sequence[TextFile]) -> bool:
    """Return whether some files, two or more, are all named by numbers alone."""
    return len(files) > 1 and all(is_number(file.stem) for file in files)


def _name_of(root: Path) -> str:
    """Return what a folder or an archive is called, also one that is named as a dot."""
    whole = root.resolve()
    return readable(whole.stem if is_archive(root) else whole.name)
