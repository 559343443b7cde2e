"""The random passwords of one data folder's servers, in a file that only its owner can read.

No arguments of processes and no log contain the passwords. Our other processes get them through the
environment, which only their user can read. The file of the key-value server contains only a hash.
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
    """The password of each server's only user."""

    redis: _Password
    mongo: _Password


_FORMAT = TypeAdapter(Passwords)


def load(folder: DataFolder) -> Passwords | None:
    """Return the passwords; None if they do not exist yet or the file is damaged.

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
    """Return the passwords. If there are none, generate them and write them durably to disk first.

    Call this function only inside ``folder.starting``.

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
