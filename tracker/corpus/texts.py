"""Text files, read whole, in any encoding of Chinese text.

Each unusable file raises a specific one-line error, so the caller can report it and continue.
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
    """A file was given where a folder is needed.

    Attributes:
        path: the file or folder.
    """

    template = "{path} is neither a folder nor a .zip archive. Choose one that contains the works."


class EmptyFile(PindnaError):
    """A file has no text.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: the file is empty."


class BinaryFile(PindnaError):
    """A file is not text.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: it is not a text file. Unpack archives; convert other files to .txt."


class NoHanText(PindnaError):
    """A text has no Han characters; a text for a comparison has no pinyin either.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: it contains no Chinese characters, so it cannot be fingerprinted."


class UnreadForm(PindnaError):
    """A given file has an unsupported format.

    Attributes:
        path: the file or folder.
        endings: the supported endings.
    """

    template = (
        "Skipped {path}: only {endings} and files without an ending are supported. Save its "
        "content as .txt; a text file may simply be renamed."
    )


class UnreadFiles(PindnaError):
    """Files of a folder have unsupported formats.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
        endings: the supported endings.
    """

    template = (
        "Skipped {count} files in {path}: {names}. Only {endings} are supported. Save their content as .txt."
    )


class NoTexts(PindnaError):
    """A folder contains no file that can be loaded.

    Attributes:
        path: the file or folder.
        endings: the supported endings.
    """

    template = "{path} contains no file in a supported format ({endings}). Choose another folder."


def first_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names of a list, as many as a message may show, and … for the others.

    >>> first_names(["a"] * 11)[9:]
    ('a', '…')
    """
    return tuple(names) if len(names) <= _MAX_NAMES else (*names[:_MAX_NAMES], "…")


def is_clutter(name: str) -> bool:
    """Return whether a file is a by-product of a file manager."""
    return name.startswith(".") or name in _CLUTTER


def read_text(path: Path, *, needs_han: bool = True, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Return a file's text with line ends as LF.

    Args:
        path: the file.
        needs_han: refuse a text without Han characters.
        max_bytes: refuse a longer file.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        EmptyFile, BinaryFile, NoHanText: its content cannot be used.
    """
    return clean_text(read_file(path, max_bytes=max_bytes), readable(path), needs_han=needs_han)


def clean_text(data: bytes, path: str, *, needs_han: bool = True) -> str:
    """Decode bytes to text with line ends as LF, without NULs.

    Args:
        data: the bytes.
        path: their name in messages.
        needs_han: refuse a text without Han characters.

    Raises:
        EmptyFile, BinaryFile, NoHanText: the content cannot be used.
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
    """Return a text in the form that comparison uses.

    Args:
        text: Chinese, also if all of it is written in Latin pinyin.
        path: its name in messages.

    Raises:
        NoHanText: it has neither Han characters nor pinyin.
    """
    compared = ComparedText(text)
    if not has_han(text) and not compared.has_latin:
        raise NoHanText(path=path)
    return compared


def storable(text: str) -> str:
    """Return a text without NULs, and with question marks for lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
