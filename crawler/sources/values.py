"""Checks of the values that several sections of a source have."""

import re
from collections.abc import Iterable, Mapping

from crawler.addresses import is_web
from crawler.download.proxies import open_variables
from system.messages import N_, Message

_NOT_WEB = N_("{address} is not an http(s) address")
_NOT_FOR_SOURCES = N_("{name} is not allowed; the names of variables for sources begin with PINDNA_SECRET_")


def web_address(value: str) -> str:
    """Return an address.

    Raises:
        ValueError: it is not an http(s) address, or contains a password.
    """
    # the password would appear in every report
    if "@" in re.split(r"[/?#]", value.partition("//")[2], maxsplit=1)[0]:
        raise ValueError(
            N_("an address must not contain a user name or a password; use access.headers or access.login")
        )
    if not is_web(value) or any(map(str.isspace, value)):
        raise ValueError(Message(_NOT_WEB, {"address": value}))
    return value


def check_variables(values: Iterable[str]) -> None:
    """Refuse environment variables that are not meant for sources.

    Raises:
        ValueError: the values name one.
    """
    for name in (name for value in values for name in open_variables(value)):
        raise ValueError(Message(_NOT_FOR_SOURCES, {"name": name}))


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse headers that cannot be sent.

    Raises:
        ValueError: a name or a value has other characters, or a value names another variable.
    """
    if any(not re.fullmatch(r"[A-Za-z0-9-]+", name) for name in headers):
        raise ValueError(N_("the name of a header may contain only letters, digits and hyphens"))
    if any(not text.isprintable() for text in headers.values()):
        raise ValueError(N_("the value of a header must be a single line"))
    check_variables(headers.values())
