"""Secrets: environment variables whose names begin with ``PINDNA_SECRET_``, named in settings and sources.

Settings and sources may be read by many and are printed by `pindna doctor --settings`; they hold the name of
the variable, never its value. What is shown of an error of another program is masked.

The value may stand in a file, which the variable ``PINDNA_SECRET_NAME_FILE`` names: so containers and systemd
hand secrets on, and images of servers read theirs. Nobody else may read it.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

from pydantic import AfterValidator

from system.errors import BadSettings, PindnaError
from system.local_files import MissingFile, read_file
from system.messages import N_, Message
from system.private_files import is_open_to_others

PREFIX = "PINDNA_SECRET_"
VARIABLE = re.compile(r"\$\{(\w+)\}")
_REFERENCE = re.compile(rf"\$\{{({PREFIX}\w+)\}}")
_MASK = "•••"
_SEPARATORS = re.compile(r"[/:?&=@#,;\s]+")
_MAX_FILE_BYTES = 10_000
_MIN_PART = 4  # shorter parts of a secret are words such as "to", not what makes it one


_NO_FILE = N_("there is no file {path}")
_NO_SECRET = N_("{path} cannot be read as a short text")
_EMPTY_FILE = N_("{path} is empty")
_OPEN_FILE = N_("others may read {path}, or a group write to it; chmod 600 {path}")


class MissingSecret(PindnaError):
    """A setting names an environment variable that is not set. Data: ``where``, ``name``."""

    template = "Setting {where} needs the environment variable {name}. Set it where pindna runs."


def _reference(text: str) -> str:
    if text and not _REFERENCE.fullmatch(text):
        raise ValueError(
            N_("write ${PINDNA_SECRET_NAME}; the value itself belongs in that environment variable")
        )
    return text


# A setting that names a secret: ``${PINDNA_SECRET_NAME}``, or empty.
SecretReference = Annotated[str, AfterValidator(_reference)]


def secret_of(reference: str, *, where: str) -> str:
    """Return the value of the secret that a setting names.

    Args:
        reference: as :data:`SecretReference` lets it be.
        where: the setting, for the message.

    Raises:
        MissingSecret: it is not set, or empty.
        BadSettings: its file cannot be used.
        ValueError: the reference is none.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError("not a reference to a secret")
    value = secret_named(match[1])
    if not value:
        raise MissingSecret(where=where, name=match[1])
    return value


def secret_named(name: str) -> str | None:
    """Return the value of a variable, or what the file holds that ``NAME_FILE`` names; None without either.

    Raises:
        BadSettings: the file cannot be used.
    """
    path = os.environ.get(f"{name}_FILE")
    if name in os.environ or not path:
        return os.environ.get(name)
    return secret_in(Path(path), where=f"{name}_FILE")


def secret_in(path: Path, *, where: str) -> str:
    """Return the secret that a file holds, in UTF-8, without the space around it.

    Args:
        path: of the file, 10,000 bytes at most.
        where: the setting or variable that names it, for the message.

    Raises:
        BadSettings: it is not there, cannot be read, is empty, or others can read it.
    """
    try:
        secret = read_file(path, max_bytes=_MAX_FILE_BYTES).decode().strip()
        problem = _OPEN_FILE if is_open_to_others(path) else "" if secret else _EMPTY_FILE
    except MissingFile:
        problem = _NO_FILE
    except (PindnaError, OSError, UnicodeError):
        problem = _NO_SECRET
    if problem:
        raise BadSettings(where=where, problem=Message(problem, {"path": str(path)}))
    return secret


def masked(text: str, secrets: Iterable[str]) -> str:
    """Return a text without the values of some secrets, and without the parts of those that are addresses.

    >>> masked("https://h/T0KEN: no such robot T0KEN", ["dingtalk://T0KEN/"])
    'https://h/•••: no such robot •••'
    """
    parts = {
        piece
        for secret in secrets
        for form in (secret, unquote(secret))
        for piece in (form, *_SEPARATORS.split(form))
        if len(piece) >= _MIN_PART
    }
    if not parts:
        return text
    longest_first = sorted(parts, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), _MASK, text)
