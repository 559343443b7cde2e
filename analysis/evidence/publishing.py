"""Give a finished package its final name, after the export was recorded in its cases."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis.evidence.bag import files_below
from analysis.evidence.stored_zip import StoredZip
from system.errors import PindnaError
from system.local_files import readable, sync_folder

ENDING = ".zip"


class PackageUnwritable(PindnaError):
    """A package cannot be written.

    Attributes:
        path: the file.
        problem: the message of the operating system.
    """

    template = "Cannot write the package {path}: {problem}. Free disk space, or choose another folder."


def target_path(path: Path | None, number: str) -> Path:
    """Return the path of a package: the given file, or its number in the given folder."""
    name = number + ENDING
    if path is None:
        return Path(name)
    return path / name if path.is_dir() else path


@contextmanager
def write_errors(target: Path) -> Iterator[None]:
    """Convert errors of the operating system.

    Raises:
        PackageUnwritable: the operating system refused.
    """
    try:
        yield
    except OSError as error:
        problem = error.strerror or str(error)
        raise PackageUnwritable(path=readable(target), problem=problem) from error


def publish(folder: Path, target: Path, *, note: Callable[[str], None]) -> tuple[str, int]:
    """Write the files of a folder as a zip and give it its name. Return its SHA-256 and its size in bytes.

    Args:
        folder: folder of the bag.
        target: path of the package.
        note: records the package in its cases by SHA-256, before the file gets its name. So no package exists
            that the history does not mention.

    Raises:
        PackageTooLarge: the contents do not fit into one zip.
        OSError: it cannot be written.
    """
    unfinished = target.with_name(f".{folder.name}.part")
    try:
        unfinished.touch(mode=0o600)  # it may contain whole works
        with unfinished.open("wb") as file:
            with StoredZip(file) as package:
                for path in files_below(folder):
                    package.add_file(f"{folder.name}/{path.relative_to(folder).as_posix()}", path)
            file.flush()
            os.fsync(file.fileno())
        with unfinished.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        size = unfinished.stat().st_size
        note(sha256)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return sha256, size
