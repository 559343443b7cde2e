"""Write the files of a package into a folder before packing, so memory contains one file at a time."""

import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_LEFT_S = 86_400.0  # leftovers are deleted after this time; a running export is younger


class Staging:
    """Files below a folder, each written once.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return the path of a file, and create its folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, content: bytes) -> None:
        """Write a file. Writing equal content again changes nothing.

        Raises:
            ValueError: it exists with other content: two parts of a package use one name.
            OSError: it cannot be written.
        """
        path = self.path(name)
        if path.exists() and path.read_bytes() != content:
            raise ValueError(name)
        path.write_bytes(content)

    @contextmanager
    def lines(self, name: str) -> Iterator[Callable[[Any], None]]:
        """Open a file of JSON lines. Call the yielded function to write an object.

        Raises:
            OSError: it cannot be written.
        """
        with self.path(name).open("w", encoding="utf-8", newline="\n") as file:

            def write(value: Any) -> None:
                file.write(json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n")

            yield write


@contextmanager
def folder_beside(target: Path, number: str) -> Iterator[Path]:
    """Make a private folder on the disk of the target, and delete it at the end.

    Raises:
        OSError: it cannot be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target.parent)
    with tempfile.TemporaryDirectory(prefix=f".{number}.", suffix=".files", dir=target.parent) as folder:
        yield Path(folder)


def sweep(folder: Path) -> None:
    """Delete what killed exports left in a folder at least a day ago."""
    before = time.time() - _LEFT_S
    for leftover in folder.glob(".PD-*"):
        with suppress(OSError):
            status = leftover.lstat()
            if status.st_uid != os.getuid() or status.st_mtime > before:
                continue
            if stat.S_ISDIR(status.st_mode) and leftover.suffix == ".files":
                shutil.rmtree(leftover)
            elif stat.S_ISREG(status.st_mode) and leftover.suffix == ".part":
                leftover.unlink()
