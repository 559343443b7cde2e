"""Files that commands write: each is complete, or is not written at all.

Each function raises :class:`CannotWrite` when a path cannot be written or the disk is full.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR, ENOTDIR
from pathlib import Path

from deploy.cli.console import write_document
from system.errors import PindnaError
from system.local_files import readable, sync_folder
from system.messages import N_


class CannotWrite(PindnaError):
    """A file cannot be written. Data: ``path``, ``problem``."""

    template = "{path}: cannot be written ({problem}). Choose another place."


class Output:
    """The file or stream to which a command writes; a full disk becomes an error that says what to do."""

    def __init__(self, into: Callable[[str], int], path: Path) -> None:
        self._into = into
        self._path = path

    def write(self, text: str) -> int:
        """Write a text to it."""
        with _write_errors(self._path):
            return self._into(text)


@contextmanager
def open_output(path: Path) -> Iterator[Output]:
    """Open a UTF-8 file, which replaces the old file when the block ends without an error.

    ``-`` means standard output; pipes and devices are written directly. Line ends are not translated.
    """
    if str(path) == "-":
        yield Output(write_document, path)
        return
    with _in_place(path) as unfinished:
        with _write_errors(path):
            file = unfinished.open("w", encoding="utf-8", newline="")
        with file:
            yield Output(file.write, path)
            with _write_errors(path):
                file.flush()


def refuse_place(path: Path | None) -> None:
    """Check, as far as possible before writing, that a file can be written; ``-`` and None always can."""
    if path is None or str(path) == "-":
        return
    folder = next((parent for parent in path.absolute().parents if parent.exists()), Path("/"))
    problem = EISDIR if path.is_dir() else 0 if folder.is_dir() else ENOTDIR
    if not problem and not os.access(path if path.exists() else folder, os.W_OK):
        problem = EACCES
    if problem:
        raise CannotWrite(path=readable(path), problem=os.strerror(problem))


def refuse_no_file(path: Path) -> None:
    """Check that a file can be written, and that it is a regular file: no stream, pipe or device."""
    if str(path) == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
        raise CannotWrite(path=readable(path), problem=N_("a file cannot be written here"))
    refuse_place(path)


def write(path: Path, text: str) -> None:
    """Write a text as a file."""
    with open_output(path) as file:
        file.write(text)


def write_data(path: Path, data: bytes) -> None:
    """Write bytes as a file."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(data)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which replaces the file when the block ends well; a device yields itself."""
    with _in_place(path) as unfinished, _write_errors(path):
        yield unfinished


@contextmanager
def _in_place(path: Path) -> Iterator[Path]:
    """Yield a temporary file, which gets its final name when the block ends well and the data is on disk.

    A pipe or a device is yielded itself.
    """
    with _write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.resolve()
        is_special = whole.exists() and not whole.is_file()
    if is_special:
        yield whole
        return
    unfinished = whole.with_name(f".pindna-{os.getpid()}.part")  # short: ``path`` may have the maximum length
    try:
        yield unfinished
        with _write_errors(path):
            with unfinished.open("rb") as written:
                os.fsync(written.fileno())
            unfinished.replace(whole)
            sync_folder(whole.parent)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Convert errors of the operating system to pindna's error."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(path=readable(path), problem=error.strerror or str(error)) from error
