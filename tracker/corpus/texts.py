"""Texts as files hold them: found below folders, read whole, in any encoding that Chinese text comes in.

Each file that cannot be used raises its own one-line error, so that a caller reports it and goes on.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from fingerprint.text.decoding import decode, looks_binary
from fingerprint.text.han import has_han
from storage.errors import PindnaError
from storage.local_files import MAX_FILE_BYTES, UnreadableFile, read_file, readable

SUFFIXES = (".txt", ".jsonl")
_CLUTTER = frozenset({"Thumbs.db", "desktop.ini"})
_MAX_NAMES = 10


class NotFolder(PindnaError):
    """A file was given where a folder is needed. Data: ``path``."""

    template = "{path}: is not a folder. Name the folder that holds the works."


class EmptyFile(PindnaError):
    """A file has no text. Data: ``path``."""

    template = "{path}: the file is empty; skipped."


class BinaryFile(PindnaError):
    """A file is not text. Data: ``path``."""

    template = "{path}: this is not a text file; skipped. Convert it to .txt first."


class NoHanText(PindnaError):
    """A text has no Han characters, so it has no pinyin. Data: ``path``."""

    template = "{path}: holds no Chinese characters, so it cannot be fingerprinted; skipped."


class UnreadFiles(PindnaError):
    """Files of a folder are in no form that is read. Data: ``path``, ``count``, ``names``, ``endings``."""

    template = (
        "{path}: {count} files are not read, for only {endings} are: {names}. Save what they hold as .txt."
    )


class NoTexts(PindnaError):
    """A folder holds no file that can be loaded. Data: ``path``, ``endings``."""

    template = "{path}: holds no file that can be read ({endings}). Name a folder that does."


def text_files(paths: Iterable[Path], suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Path | PindnaError]:
    """Yield the files below some paths, in order, or an error in the place of a path that has none.

    Args:
        paths: files, which are taken whatever their names are, and folders.
        suffixes: endings of the names that are taken from folders, in lower case.
    """
    for path in paths:
        if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder may not be searched
            yield from _files_below(path, suffixes)
        else:
            yield path


def _files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path | PindnaError]:
    """Yield a folder's texts in order, and errors for folders and for files that cannot be read.

    Links to folders are not followed: they may lead back.
    """
    closed: list[OSError] = []
    every = [
        Path(root, name) for root, _folders, names in os.walk(folder, onerror=closed.append) for name in names
    ]
    files = [path for path in every if path.suffix.lower() in suffixes]
    for error in closed:
        yield UnreadableFile(path=readable(error.filename), problem=error.strerror)
    yield from sorted(files)
    if (unread := unread_files(folder, every, suffixes)) is not None:
        yield unread
    if not files and not closed:
        yield NoTexts(path=readable(folder), endings=", ".join(suffixes))


def unread_files(
    folder: Path, files: Iterable[Path], suffixes: tuple[str, ...] = SUFFIXES
) -> UnreadFiles | None:
    """Return the error that names the files of a folder whose form is not read, or None if there are none.

    Args:
        folder: where they are.
        files: all that is below it; what a file manager leaves there does not count.
        suffixes: endings of the names that are read, in lower case.
    """
    unread = sorted(
        readable(path.relative_to(folder))
        for path in files
        if path.suffix.lower() not in suffixes and not path.name.startswith(".") and path.name not in _CLUTTER
    )
    if not unread:
        return None
    names = (*unread[:_MAX_NAMES], *(["…"] if len(unread) > _MAX_NAMES else []))
    return UnreadFiles(path=readable(folder), count=len(unread), names=names, endings=suffixes)


def is_text(path: Path) -> bool:
    """Return whether a name has one of the endings that works come in, in whatever case."""
    return path.suffix.lower() in SUFFIXES


def read_text(path: Path, *, needs_han: bool = True, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Return a file's text with line ends as LF.

    Args:
        path: the file.
        needs_han: refuse a text without Han characters.
        max_bytes: refuse a longer file.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        EmptyFile, BinaryFile, NoHanText: what is wrong with what it holds.
    """
    return clean_text(read_file(path, max_bytes=max_bytes), readable(path), needs_han=needs_han)


def clean_text(data: bytes, path: str, *, needs_han: bool = True) -> str:
    """Return the text of some bytes with line ends as LF, without NULs.

    Args:
        data: the bytes.
        path: what to call them in messages.
        needs_han: refuse a text without Han characters.

    Raises:
        EmptyFile, BinaryFile, NoHanText: what is wrong with them.
    """
    if not data.strip():
        raise EmptyFile(path=path)
    if looks_binary(data):
        raise BinaryFile(path=path)
    text = storable(decode(data).text).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise EmptyFile(path=path)
    if needs_han and not has_han(text):
        raise NoHanText(path=path)
    return text


def storable(text: str) -> str:
    """Return a text without NULs, and with question marks for lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
