"""The files of a package while it is put together: in a folder, so that memory holds one at a time."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Staging:
    """Files below a folder, each written once.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return the path of a file, whose folder is there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, content: bytes) -> None:
        """Write a file; writing the same again changes nothing.

        Raises:
            ValueError: it is there, and another one: two parts of a package claim the same name.
            OSError: it cannot be written.
        """
        path = self.path(name)
        if path.exists() and path.read_bytes() != content:
            raise ValueError(name)
        path.write_bytes(content)

    @contextmanager
    def lines(self, name: str) -> Iterator[Callable[[Any], None]]:
        """Open a file of JSON objects, one a line; calling what is yielded writes one.

        Raises:
            OSError: it cannot be written.
        """
        with self.path(name).open("w", encoding="utf-8", newline="\n") as file:

            def write(value: Any) -> None:
                file.write(json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n")

            yield write
