"""Folders that only this user can change.

A folder that passes ``refuse_foreign`` belongs to this user; no other user can write to it or replace it, and
it contains no link; and if the user is root, no other user can enter it. After a folder has passed, no other
user can change this. :mod:`system.private_files` writes the files in it.
"""

import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deploy.stack.errors import FolderOfOthers, FolderOpen, LinkInFolder

_SHARED_WRITE = stat.S_IWGRP | stat.S_IWOTH
_SHARED = stat.S_IRWXG | stat.S_IRWXO


def refuse_foreign(folder: Path, *, within: Iterable[Path], may_close: bool) -> None:
    """Check that a folder belongs to this user and that no other user can change it.

    Args:
        folder: an existing one, without links in its path.
        within: folders in it that we write to; those that do not exist yet are left out.
        may_close: it will be closed to others, so that it does not matter if they could read it until now.

    Raises:
        FolderOfOthers: it, or a file in it, belongs to another user.
        FolderOpen: others may write to it or, if it is root's and stays as it is, reach it.
        LinkInFolder: something in it is a link.
        OSError: it cannot be read.
    """
    refuse_foreign_parents(folder.parent)
    _refuse_foreign_entries(folder)
    must_be_closed = os.geteuid() == 0 and not may_close
    if folder.stat().st_mode & (_SHARED if must_be_closed else _SHARED_WRITE):
        raise FolderOpen(path=folder, change="go-rwx" if os.geteuid() == 0 else "go-w")
    for name in within:
        if name.is_dir():
            _refuse_foreign_entries(name)


def refuse_foreign_parents(path: Path) -> None:
    """Check that no other user can replace a folder or one of its parent folders.

    Raises:
        FolderOfOthers: one of them belongs to a user who is neither we nor root.
        FolderOpen: everybody may write to one, without the sticky bit of ``/tmp``.
    """
    for folder in (path, *path.parents):
        with suppress(FileNotFoundError):
            status = folder.lstat()
            if status.st_uid not in {0, os.geteuid()}:
                raise FolderOfOthers(path=folder, owner=_name_of(status.st_uid))
            is_open = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_IWOTH
            if is_open and not status.st_mode & stat.S_ISVTX:
                raise FolderOpen(path=folder, change="o-w")


def _refuse_foreign_entries(folder: Path) -> None:
    """Check that a folder and its entries belong to this user and are not links."""
    for entry in (folder, *folder.iterdir()):
        with suppress(FileNotFoundError):  # another command has just removed its temporary file
            status = entry.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise LinkInFolder(path=entry)
            if status.st_uid != os.geteuid():
                raise FolderOfOthers(path=entry, owner=_name_of(status.st_uid))


def _name_of(uid: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)


def make_private(folder: Path) -> None:
    """Create a folder that only this user can read, or close it to other users.

    Raises:
        OSError: it cannot be created, or is no folder.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)


@contextmanager
def private_umask() -> Iterator[None]:
    """Make all files that the block and its child processes create private to this user.

    The mask applies to the whole process, so files that another thread creates during the block are private
    too.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
