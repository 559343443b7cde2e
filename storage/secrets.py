"""Secrets: environment variables whose names begin with ``PINDNA_SECRET_``, named in settings and sources.

Settings and sources may be read by many and are printed by `pindna doctor --settings`; they hold the name of
the variable, never its value. What is shown of an error of another program is masked.
"""

import os
import re
from collections.abc import Iterable
from typing import Annotated
from urllib.parse import unquote

from pydantic import AfterValidator

from storage.errors import PindnaError

PREFIX = "PINDNA_SECRET_"
VARIABLE = re.compile(r"\$\{(\w+)\}")
_REFERENCE = re.compile(rf"\$\{{({PREFIX}\w+)\}}")
_MASK = "•••"
_SEPARATORS = re.compile(r"[/:?&=@#,;\s]+")
_MIN_PART = 4  # shorter parts of a secret are words such as "to", not what makes it one


class MissingSecret(PindnaError):
    """A setting names an environment variable that is not set. Data: ``where``, ``name``."""

    template = "Setting {where} needs the environment variable {name}. Set it where pindna runs."


def _reference(text: str) -> str:
    if text and not _REFERENCE.fullmatch(text):
        raise ValueError("write ${PINDNA_SECRET_NAME}; the value itself belongs in that environment variable")
    return text


# A setting that names a secret: ``${PINDNA_SECRET_NAME}``, or empty.
SecretReference = Annotated[str, AfterValidator(_reference)]


def secret_of(reference: str, *, where: str) -> str:
    """Return the value of the environment variable that a setting names.

    Args:
        reference: as :data:`SecretReference` lets it be.
        where: the setting, for the message.

    Raises:
        MissingSecret: the variable is not set, or empty.
        ValueError: the reference is none.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError("not a reference to a secret")
    value = os.environ.get(match[1], "")
    if not value:
        raise MissingSecret(where=where, name=match[1])
    return value


def masked(text: str, secrets: Iterable[str]) -> str:
    """Return a text without the values of some secrets, and without the parts of those that are addresses.

    >>> masked("https://h/T0KEN: no such robot T0KEN", ["dingtalk://T0KEN/"])
    'https://h/•••: no such robot •••'
    """
    parts = {
        part
        for secret in secrets
        for form in (secret, unquote(secret))
        for part in (form, *_SEPARATORS.split(form))
        if len(part) >= _MIN_PART
    }
    if not parts:
        return text
    longest_first = sorted(parts, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), _MASK, text)
