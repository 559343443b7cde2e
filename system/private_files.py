"""Files that only the user of pindna can read: created with mode 0600, written atomically, never links."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from system.errors import PindnaError
from system.local_files import read_file, sync_folder
from system.messages import N_

_MAX_KEY_FILE_BYTES = 10_000
_OPEN_TO_OTHERS = N_("other users can read the file, or its group can write to it; run chmod 600 on the file")
# Members of the file's group may read it, because containers mount secrets in this way.
_FORBIDDEN_MODES = stat.S_IRWXO | stat.S_IWGRP


def is_accessible_to_others(path: Path) -> bool:
    """Return whether other users can access a file, or its group can write to it.

    Raises:
        OSError: the file does not exist.
    """
    return bool(path.stat().st_mode & _FORBIDDEN_MODES)


def open_private(path: Path, flags: int) -> int:
    """Open a file that only the current user can read, and return its descriptor.

    Raises:
        OSError: the file cannot be opened, or is a link.
    """
    return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def write_private(path: Path, data: bytes) -> None:
    """Write a file atomically, so that after a power cut it has either the old or the new content.

    Several processes may write the same file at the same time.

    Raises:
        OSError: the folder cannot be written to.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_new_private(path: Path, data: bytes) -> None:
    """Create a file atomically; an existing file stays unchanged.

    Raises:
        OSError: the folder cannot be written to.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft.unlink(missing_ok=True)
    with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file with a key, which no other user may read.

    Attributes:
        path: the file.
        unusable: class of the error to raise if the file cannot be used. Its template has the placeholders
            ``path`` and ``problem``.
    """

    path: Path
    unusable: type[PindnaError]

    def read(self) -> bytes:
        """Return the content, at most 10,000 bytes.

        Raises:
            MissingFile: the file does not exist.
            UnreadableFile: the file cannot be read.
            PindnaError: other users can read the file. The class of the error is ``unusable``.
        """
        data = read_file(self.path, max_bytes=_MAX_KEY_FILE_BYTES)
        if is_accessible_to_others(self.path):
            raise self.unusable(path=self.path, problem=_OPEN_TO_OTHERS)
        return data

    @contextmanager
    def reporting_errors(self) -> Iterator[None]:
        """Replace an ``OSError`` that the block raises by an error of the class ``unusable``."""
        try:
            yield
        except OSError as error:
            raise self.unusable(path=self.path, problem=error.strerror) from error
