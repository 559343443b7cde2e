"""The tables of metadata in a tree, applied to its files and folders."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.content import NO_METADATA, WorkMetadata
from tracker.corpus.forms import Rules
from tracker.corpus.names import same_name
from tracker.corpus.tables import ENDINGS, STEM, TextTable, UnknownNames, read_table
from tracker.corpus.texts import first_names
from tracker.corpus.tree import FileTree, TextFile, is_archive

Folder = tuple[str, ...]


class TreeTables:
    """The metadata of the files and folders of a tree.

    Args:
        tables: by the folder that they are about.
        used: the files of the tree that are tables.
    """

    def __init__(self, tables: Mapping[Folder, Sequence[TextTable]], used: Iterable[TextFile]) -> None:
        self._tables = tables
        self.used = frozenset(used)

    def of_folder(self, folder: Folder) -> WorkMetadata | None:
        """Return the metadata of a folder; None if there is none. A folder with metadata is one work."""
        if not self._tables:
            return None
        tables = [table.folder for table in self._tables.get(folder, ()) if table.folder is not None]
        above = [said for names in _listed_names(folder) for said in self._rows_for(names)]
        return _merge_metadata([*tables, *above]) if tables or above else None

    def of_file(self, file: TextFile) -> WorkMetadata:
        """Return the metadata of a file, by its name with or without its ending."""
        if not self._tables:
            return NO_METADATA
        bare = (*file.parts[:-1], file.stem)
        return _merge_metadata(
            [
                said
                for parts in (file.parts, bare)
                for names in _listed_names(parts)
                for said in self._rows_for(names)
            ]
        )

    def in_order(self, folder: Folder, files: Sequence[TextFile]) -> tuple[TextFile, ...]:
        """Return a folder's files in the order of a table.

        If the table lists chapters, their order is used, and unlisted files come last. Otherwise, the order
        of its rows is used if they list every file.
        """
        chapters = [name for table in self._tables.get(folder, ()) for name in table.chapters]
        if chapters:
            return _sorted_files(files, _list_positions(files, len(folder), chapters))
        for depth in range(len(folder), -1, -1):
            for table in self._tables.get(folder[:depth], ()):
                places = _list_positions(files, depth, list(table.files))
                if max(places) < len(table.files):
                    return _sorted_files(files, places)
        return tuple(files)

    def remarks(self, files: Iterable[TextFile]) -> Iterator[PindnaError]:
        """Yield the unusable parts of the tables, including names of files that do not exist."""
        files = list(files)
        for folder, tables in self._tables.items():
            below = [file.parts[len(folder) :] for file in files if file.parts[: len(folder)] == folder]
            names_of_files = {name for parts in below for name in _name_spellings(parts)}
            names_of_files |= {
                same_name("/".join(parts[:end])) for parts in below for end in range(1, len(parts))
            }
            for table in tables:
                yield from table.remarks
                unknown = [
                    name
                    for name in dict.fromkeys((*table.chapters, *table.files))
                    if name not in names_of_files
                ]
                if unknown:
                    yield UnknownNames(path=readable(table.path), names=first_names(unknown))

    def _rows_for(self, names: tuple[Folder, str]) -> list[WorkMetadata]:
        folder, name = names
        return [table.files[name] for table in self._tables.get(folder, ()) if name in table.files]


def find_tables(tree: FileTree, rules: Rules) -> TreeTables:
    """Return the tables in a tree, and the tables next to its root.

    Args:
        tree: the files below a folder or in an archive.
        rules: how files are read.
    """
    folders = {file.parts[:end] for file in tree.files for end in range(1, len(file.parts))}
    tables: dict[Folder, list[TextTable]] = {}
    used: list[TextFile] = []
    for file in _neighbouring_tables(tree.root):
        tables.setdefault((), []).append(_read_table(file, rules))
    for file in tree.unknown_forms:
        if file.suffix not in ENDINGS:
            continue
        folder = file.parts[:-1]
        about = folder if file.stem.lower() == STEM else (*folder, file.stem)
        if about == folder or about in folders:
            tables.setdefault(about, []).append(_read_table(file, rules))
            used.append(file)
    return TreeTables(tables, used)


def _neighbouring_tables(root: Path) -> list[TextFile]:
    """Return the tables next to a folder or an archive that have its name."""
    whole = root.resolve()
    name = whole.stem if is_archive(root) else whole.name
    paths = [whole.parent / f"{name}{ending}" for ending in ENDINGS] if name else []
    return [TextFile(path, (path.name,)) for path in paths if os.path.isfile(path)]  # noqa: PTH113 - never raises


def _read_table(file: TextFile, rules: Rules) -> TextTable:
    try:
        return read_table(file.data(rules.max_bytes), file.path, rules.zone)
    except PindnaError as error:
        return TextTable(path=file.path, remarks=(error,))


def _listed_names(parts: Folder) -> Iterator[tuple[Folder, str]]:
    """Yield the folders whose tables may list a path, with the path's name there; nearest folder first."""
    for depth in range(len(parts) - 1, -1, -1):
        yield parts[:depth], same_name("/".join(parts[depth:]))


def _name_spellings(parts: Folder) -> tuple[str, ...]:
    """Return the names that a table may use for a file: with and without its ending."""
    name = same_name("/".join(parts))
    bare, dot, _ = name.rpartition(".")
    return (name, bare) if dot and "/" not in name[len(bare) :] else (name,)


def _list_positions(files: Sequence[TextFile], depth: int, listed: Sequence[str]) -> list[int]:
    """Return each file's position in a list; unlisted files come after the list.

    Args:
        files: one or more.
        depth: of the folder below which they are listed.
        listed: the names in a table.
    """
    places = {name: position for position, name in reversed(list(enumerate(listed)))}
    return [
        min(places.get(name, len(listed)) for name in _name_spellings(file.parts[depth:])) for file in files
    ]


def _sorted_files(files: Sequence[TextFile], places: Sequence[int]) -> tuple[TextFile, ...]:
    """Return files sorted by their positions; files with equal positions keep their order."""
    pairs = sorted(zip(places, files, strict=True), key=lambda pair: pair[0])
    return tuple(file for _, file in pairs)


def _merge_metadata(said: Sequence[WorkMetadata]) -> WorkMetadata:
    """Merge metadata; the first entry has precedence."""
    metadata = NO_METADATA
    for fields in said:
        metadata = metadata.over(fields)
    return metadata
