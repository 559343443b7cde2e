"""Secrets: environment variables with the prefix ``PINDNA_SECRET_`` that settings and sources refer to.

Many people may read settings and sources, and `pindna doctor --settings` prints them. So they contain only
the name of the variable, never its value. Secrets in error messages of other programs are masked.

The value may also be in a file, as containers, systemd and server images do it. Then the variable
``PINDNA_SECRET_NAME_FILE`` contains the path of the file. Other users must not be able to read the file.
An administrator may also store the value in the database, encrypted; variable and file win over it.
"""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

from pydantic import AfterValidator

from system.errors import BadSettings, PindnaError
from system.local_files import MissingFile, read_file
from system.messages import N_, Message
from system.private_files import is_accessible_to_others

PREFIX = "PINDNA_SECRET_"
VARIABLE = re.compile(r"\$\{(\w+)\}")
_REFERENCE = re.compile(rf"\$\{{({PREFIX}\w+)\}}")
_MASK = "•••"
_SEPARATORS = re.compile(r"[/:?&=@#,;\s]+")
_MAX_FILE_BYTES = 10_000
_MIN_PART = 4  # parts of a secret with fewer characters are ordinary words such as "to"

_NO_FILE = N_("there is no file {path}")
_NO_SECRET = N_("{path} is not a readable short text file")
_EMPTY_FILE = N_("{path} is empty")
_OPEN_FILE = N_("other users can read {path}, or its group can write to it; run chmod 600 {path}")


class MissingSecret(PindnaError):
    """A setting refers to an environment variable that is not set.

    Attributes:
        where: the setting.
        name: the variable.
    """

    template = "Setting {where} needs the secret {name}. Store it in the settings, or set this variable."


def _check_reference(text: str) -> str:
    """Return a valid reference to a secret, or an empty text; refuse any other text."""
    if text and not _REFERENCE.fullmatch(text):
        raise ValueError(
            N_("write ${PINDNA_SECRET_NAME}; the secret itself belongs in that environment variable")
        )
    return text


# A setting that refers to a secret: ``${PINDNA_SECRET_NAME}``, or empty.
REFERENCE_CHECK = AfterValidator(_check_reference)
SecretReference = Annotated[str, REFERENCE_CHECK]


def referred_secret(reference: object) -> str:
    """Return the name of the secret that a reference names; empty if the value is not a reference."""
    match = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    return match[1] if match else ""


def secret_of(reference: str, *, where: str) -> str:
    """Return the value of the secret that a setting refers to.

    Args:
        reference: a valid :data:`SecretReference`, not empty.
        where: the setting, for the error message.

    Raises:
        MissingSecret: the variable is not set, or empty.
        BadSettings: the file that contains the secret cannot be used.
        PindnaError: the stored value cannot be decrypted.
        ValueError: the text is not a reference.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError("not a reference to a secret")
    value = find_secret(match[1])
    if not value:
        raise MissingSecret(where=where, name=match[1])
    return value


class StoredSecrets:
    """The secrets in the database, for this process. A program sets ``find`` when it opens the database.

    Attributes:
        find: returns the value of a stored secret, or None.
    """

    find: Callable[[str], str | None] | None = None


def find_secret(name: str) -> str | None:
    """Return the value of a variable, of the file that ``NAME_FILE`` names, or the stored one; else None.

    Raises:
        BadSettings: the file cannot be used.
        PindnaError: the stored value cannot be decrypted.
    """
    if is_set_outside(name):
        if name in os.environ:
            return os.environ[name]
        return read_secret_file(Path(os.environ[f"{name}_FILE"]), where=f"{name}_FILE")
    return StoredSecrets.find(name) if StoredSecrets.find is not None else None


def is_set_outside(name: str) -> bool:
    """Return whether a variable or a file contains a secret, so that a stored value is not used."""
    return name in os.environ or bool(os.environ.get(f"{name}_FILE"))


def stored_environment(text: str) -> dict[str, str]:
    """Return the stored secrets that a text refers to, for the environment of a child process.

    Secrets that a variable or a file contains are left out, because the child finds them itself.

    Raises:
        PindnaError: a stored secret cannot be decrypted.
    """
    names = {name for name in VARIABLE.findall(text) if name.startswith(PREFIX) and not is_set_outside(name)}
    values = {name: find_secret(name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def read_secret_file(path: Path, *, where: str) -> str:
    """Return the secret in a file: its text in UTF-8, without surrounding white space.

    Args:
        path: the file, at most 10,000 bytes.
        where: the setting or variable that names the file, for the error message.

    Raises:
        BadSettings: the file does not exist, cannot be read, is empty, or is open to other users.
    """
    try:
        secret = read_file(path, max_bytes=_MAX_FILE_BYTES).decode().strip()
        problem = _OPEN_FILE if is_accessible_to_others(path) else "" if secret else _EMPTY_FILE
    except MissingFile:
        problem = _NO_FILE
    except (PindnaError, OSError, UnicodeError):
        problem = _NO_SECRET
    if problem:
        raise BadSettings(where=where, problem=Message(problem, {"path": str(path)}))
    return secret


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text in which secrets, and parts of secrets that are addresses, are replaced by dots.

    >>> mask_secrets("https://h/T0KEN: no such robot T0KEN", ["dingtalk://T0KEN/"])
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
