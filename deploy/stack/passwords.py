"""The passwords of one data folder's servers: random, in a file that only its owner reads.

No process's arguments and no log hold them. Our other processes get them through the environment, which only
their user can read; the key-value server's own file holds only a hash.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from deploy.stack.folder import DataFolder, unusable
from system.private_files import write_private

USER = "pindna"
_BYTES = 32
_Password = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]


@dataclass(frozen=True, slots=True, repr=False)
class Passwords:
    """What each server asks its one user for."""

    redis: _Password
    mongo: _Password


_FORMAT = TypeAdapter(Passwords)


def load(folder: DataFolder) -> Passwords | None:
    """Return the passwords; None when there are none yet, or the file is damaged.

    Raises:
        DataFolderUnusable: the file cannot be opened, or is a link.
    """
    try:
        return _FORMAT.validate_json(_read_file(folder.passwords))
    except (FileNotFoundError, ValidationError):
        return None
    except OSError as error:
        raise unusable(folder.passwords, error) from error


def _read_file(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
        return stream.read()


def ensure(folder: DataFolder) -> Passwords:
    """Return the passwords, made now if there are none, and on the disk for good.

    Call it inside ``folder.starting`` only.

    Raises:
        DataFolderUnusable: the file cannot be opened or written.
        DiskFull: there is no room for it.
    """
    if passwords := load(folder):
        return passwords
    new = Passwords(redis=secrets.token_urlsafe(_BYTES), mongo=secrets.token_urlsafe(_BYTES))
    try:
        write_private(folder.passwords, _FORMAT.dump_json(new))
    except OSError as error:
        raise unusable(folder.passwords, error) from error
    return new
