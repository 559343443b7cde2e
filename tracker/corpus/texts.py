"""Texts as files hold them: read whole, in any encoding that Chinese text comes in.

Each file that cannot be used raises its own one-line error, so that a caller reports it and goes on.
"""

from collections.abc import Sequence
from pathlib import Path

from fingerprint.text.decoding import decode, looks_binary
from fingerprint.text.han import has_han
from system.errors import PindnaError
from system.local_files import MAX_FILE_BYTES, read_file, readable
from tracker.alignment.text import ComparedText

_MAX_NAMES = 10
_CLUTTER = frozenset({"Thumbs.db", "desktop.ini"})


class NotFolder(PindnaError):
    """A file was given where a folder is needed. Data: ``path``."""

    template = "{path}: is neither a folder nor a .zip archive. Name one that holds the works."


class EmptyFile(PindnaError):
    """A file has no text. Data: ``path``."""

    template = "{path}: the file is empty; skipped."


class BinaryFile(PindnaError):
    """A file is not text. Data: ``path``."""

    template = "{path}: this is not a text file; skipped. Unpack an archive; convert other files to .txt."


class NoHanText(PindnaError):
    """A text has no Han characters, or, if it is to be compared, no pinyin either. Data: ``path``."""

    template = "{path}: holds no Chinese characters, so it cannot be fingerprinted; skipped."


class UnreadForm(PindnaError):
    """A file that is named itself is in no form that is read. Data: ``path``, ``endings``."""

    template = (
        "{path}: not read, for only {endings} are, and files without an ending. "
        "Save what it holds as .txt; a text may be renamed."
    )


class UnreadFiles(PindnaError):
    """Files of a folder are in no form that is read. Data: ``path``, ``count``, ``names``, ``endings``."""

    template = (
        "{path}: {count} files are not read, for only {endings} are: {names}. Save what they hold as .txt."
    )


class NoTexts(PindnaError):
    """A folder holds no file that can be loaded. Data: ``path``, ``endings``."""

    template = "{path}: holds no file that can be read ({endings}). Name a folder that does."


def first_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names of a list, as many as a message may show, and … for the others.

    >>> first_names(["a"] * 11)[9:]
    ('a', '…')
    """
    return tuple(names) if len(names) <= _MAX_NAMES else (*names[:_MAX_NAMES], "…")


def is_clutter(name: str) -> bool:
    """Return whether a file is one that file managers leave behind."""
    return name.startswith(".") or name in _CLUTTER


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


def compared_text(text: str, path: str) -> ComparedText:
    """Return a text as comparison sees it.

    Args:
        text: Chinese, also if all of it is written in Latin pinyin.
        path: what to call it in messages.

    Raises:
        NoHanText: it has neither Han characters nor pinyin.
    """
    compared = ComparedText(text)
    if not has_han(text) and not compared.has_latin:
        raise NoHanText(path=path)
    return compared


def storable(text: str) -> str:
    """Return a text without NULs, and with question marks for lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
