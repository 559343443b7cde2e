"""The files below a folder or in a zip archive, as one tree: an archive is read like a folder."""

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from system.errors import PindnaError
from system.local_files import UnreadableFile, read_file, readable
from tracker.corpus.archives import Archive, ArchiveMember, NestedArchive, UnpackingBudget
from tracker.corpus.forms import ARCHIVES, SUFFIXES, Rules
from tracker.corpus.names import Place, natural_key
from tracker.corpus.texts import NoTexts, UnreadFiles, first_names, is_clutter

_MAC_FORKS = "__MACOSX"


class LinkLoop(PindnaError):
    """A link leads back to a folder that contains it.

    Attributes:
        path: the file or folder.
        target: the folder that the link leads to.
    """

    template = "Skipped the link {path}: it leads back to {target}. Remove the link."


class ArchiveReader:
    """A reader of archive members; the last archive stays open, because members are read in sequence."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._last: tuple[Path, Archive] | None = None

    def open(self, path: Path) -> Archive:
        """Return an archive on disk.

        Raises:
            MissingFile, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
            BadArchive, TooManyMembers: the archive cannot be read.
        """
        if self._last is None or self._last[0] != path:
            self._last = None  # free the last archive before the next one is read
            limit = self.rules.max_bytes
            self._last = path, Archive(read_file(path, max_bytes=limit), path, max_bytes=limit)
        return self._last[1]


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file on disk or in an archive.

    Attributes:
        path: its path, also in messages.
        parts: its folders below the root, and its name, as text.
        archive, member, reader, budget: its source, if it is in an archive.
    """

    path: Path
    parts: tuple[str, ...]
    archive: Path | None = None
    member: ArchiveMember | None = None
    reader: ArchiveReader | None = field(default=None, compare=False, repr=False)
    budget: UnpackingBudget | None = field(default=None, compare=False, repr=False)

    @property
    def stem(self) -> str:
        """Return its name without the ending."""
        return readable(self.path.stem)

    @property
    def suffix(self) -> str:
        """Return the ending of its name, in lower case."""
        return self.path.suffix.lower()

    def data(self, max_bytes: int) -> bytes:
        """Return its bytes.

        Raises:
            PindnaError: why it cannot be read.
        """
        if self.reader is None or self.archive is None or self.member is None:
            return read_file(self.path, max_bytes=max_bytes)
        return self.reader.open(self.archive).read(self.member)


@dataclass(frozen=True, slots=True)
class FileTree:
    """The files below a root.

    Attributes:
        root: the folder or archive.
        files: of supported formats, in reading order.
        unknown_forms: files of unsupported formats.
        problems: folders and archives that cannot be read.
    """

    root: Path
    files: tuple[TextFile, ...]
    unknown_forms: tuple[TextFile, ...]
    problems: tuple[PindnaError, ...]

    def not_read(self, used: Collection[TextFile] = ()) -> Iterator[UnreadFiles | NoTexts]:
        """Yield errors for files of unsupported formats, and for a tree without any supported file.

        Args:
            used: files that were used nevertheless.
        """
        names = ["/".join(file.parts) for file in self.unknown_forms if file not in used]
        if names:
            yield UnreadFiles(
                path=readable(self.root), count=len(names), names=first_names(names), endings=SUFFIXES
            )
        if not self.files and not self.problems:
            yield NoTexts(path=readable(self.root), endings=", ".join(SUFFIXES))


def is_tree(path: Path) -> bool:
    """Return whether a path is a folder, or an archive, which is read like one."""
    return os.path.isdir(path) or is_archive(path)  # noqa: PTH112 - Path.is_dir raises where it may not look


def is_archive(path: Path) -> bool:
    """Return whether a name is that of an archive."""
    return path.suffix.lower() in ARCHIVES


def tree_below(root: Path, rules: Rules) -> FileTree:
    """Return the files below a folder, or in an archive.

    Links to folders are followed. A folder is read once, however many links lead to it; a link that leads
    back to a folder that contains it is a problem.

    Args:
        root: the folder or archive.
        rules: how files are read.
    """
    reader = ArchiveReader(rules)
    closed: list[OSError] = []
    problems: list[PindnaError] = []
    files: list[TextFile] = []
    if is_archive(root) and not os.path.isdir(root):  # noqa: PTH112 - Path.is_dir raises where it may not look
        files += _files_in_archive(root, (), reader, problems)
    else:
        for folder, names in _folders_below(root, closed, problems):
            for name in names:
                path = Path(folder, name)
                parts = tuple(map(readable, path.relative_to(root).parts))
                if is_archive(path):
                    path_parts = (*parts[:-1], readable(path.stem))
                    files += _files_in_archive(path, path_parts, reader, problems)
                else:
                    files.append(TextFile(path, parts))
    problems += [UnreadableFile(path=readable(error.filename), problem=error.strerror) for error in closed]
    files = [file for file in files if not is_clutter(file.parts[-1]) and file.parts[0] != _MAC_FORKS]
    files.sort(key=_sort_key)
    is_read = [file.suffix in SUFFIXES for file in files]
    return FileTree(
        root,
        tuple(file for file, good in zip(files, is_read, strict=True) if good),
        tuple(file for file, good in zip(files, is_read, strict=True) if not good),
        tuple(problems),
    )


def _folders_below(
    root: Path, closed: list[OSError], problems: list[PindnaError]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder below a root once, with the names of its files. Linked folders come last.

    Args:
        root: the folder.
        closed: receives the errors of folders that cannot be read.
        problems: receives the links that lead back.
    """
    read: set[str] = set()
    waiting = deque([str(root)])
    while waiting:
        for folder, folders, names in os.walk(waiting.popleft(), onerror=closed.append):
            real = os.path.realpath(folder)
            if real in read:
                folders.clear()
                continue
            read.add(real)
            waiting += _folder_links(folder, folders, problems)
            yield folder, names


def _folder_links(folder: str, names: Iterable[str], problems: list[PindnaError]) -> Iterator[str]:
    """Yield the links to folders in a folder; links that lead back become problems."""
    for path in (os.path.join(folder, name) for name in sorted(names)):  # noqa: PTH118 - of os.walk
        if not os.path.islink(path):  # noqa: PTH114
            continue
        target = os.path.realpath(path)
        if os.path.commonpath((target, os.path.realpath(folder))) == target:
            problems.append(LinkLoop(path=readable(path), target=readable(target)))
        else:
            yield path


def files_below(paths: Iterable[Path], rules: Rules) -> Iterator[TextFile | PindnaError]:
    """Yield the readable files below some paths, in order, or an error for each unreadable path.

    Args:
        paths: files of any name, archives and folders.
        rules: how files are read.
    """
    for path in paths:
        if not is_tree(path):
            yield TextFile(path, (readable(path.name),))
            continue
        tree = tree_below(path, rules)
        yield from tree.files
        yield from tree.problems
        yield from tree.not_read()


def _sort_key(file: TextFile) -> tuple[Place, ...]:
    """Return the sort key of a file: its folders and name, in reading order."""
    return tuple(map(natural_key, file.parts))


def _files_in_archive(
    path: Path,
    path_parts: tuple[str, ...],
    reader: ArchiveReader,
    problems: list[PindnaError],
) -> Iterator[TextFile]:
    """Yield the files in an archive; add its errors to the problems."""
    try:
        archive = reader.open(path)
        budget = reader.rules.budget()
        texts = [member for member in archive.members if member.name.lower().endswith(SUFFIXES)]
        budget.spend(sum(member.entry.file_size for member in texts), path)
    except PindnaError as error:
        problems.append(error)
        return
    if archive.unsafe is not None:
        problems.append(archive.unsafe)
    for member in archive.members:
        inner = path / member.name
        if is_archive(inner):
            problems.append(NestedArchive(path=readable(inner)))
        else:
            yield TextFile(inner, (*path_parts, *member.parts), path, member, reader, budget)
