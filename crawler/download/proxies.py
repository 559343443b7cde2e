"""Chooses the proxy and the header set of the next request. Pure; the time is an argument.

Every proxy has a fixed header set, so a site sees one visitor at one address. A proxy that fails is suspended
for a growing time; success resets this. A proxy that rejects our login is not used again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from system.errors import PindnaError
from system.secrets import PREFIX, VARIABLE, find_secret

_ASIDE_S = 30.0
_MAX_S = 1800.0


class MissingVariable(PindnaError):
    """A source names an environment variable that is not set.

    Attributes:
        source, name: the source and the variable.
    """

    template = "Source {source} needs the environment variable {name}. Set it where the crawler runs."


class OpenVariable(PindnaError):
    """A source names an environment variable that is not meant for sources.

    Attributes:
        source, name: the source and the variable.
    """

    template = (
        "Source {source} uses the environment variable {name}, but sources read only variables that begin "
        "with PINDNA_SECRET_. Rename it in the source and where the crawler runs."
    )


@dataclass(slots=True)
class ProxyIdentity:
    """A proxy with its header set; ``proxy`` is None for a direct connection."""

    number: int
    proxy: str | None
    headers: Mapping[str, str]
    failures: int = 0
    aside_until: float = 0.0


class Identities:
    """The identities of a source, used one after another.

    Args:
        proxies: addresses; none means a direct connection.
        header_sets: assigned to the proxies cyclically; none means the crawler's default headers.
    """

    def __init__(self, proxies: Sequence[str], header_sets: Sequence[Mapping[str, str]]) -> None:
        count = len(proxies) or len(header_sets) or 1
        self._all = [
            ProxyIdentity(
                number,
                proxies[number % len(proxies)] if proxies else None,
                header_sets[number % len(header_sets)] if header_sets else {},
            )
            for number in range(count)
        ]
        self._turn = 0

    def next(self, now: float) -> ProxyIdentity | None:
        """Return the next identity that is not suspended; None if all are."""
        for step in range(len(self._all)):
            identity = self._all[(self._turn + step) % len(self._all)]
            if identity.aside_until <= now:
                self._turn = (self._turn + step + 1) % len(self._all)
                return identity
        return None

    @property
    def first(self) -> ProxyIdentity:
        """The first identity, for requests that use no proxy."""
        return self._all[0]

    def record_failure(self, number: int, now: float) -> None:
        """Suspend a proxy that did not answer or that the site refused."""
        identity = self._all[number]
        identity.failures += 1
        if identity.proxy is not None and not self.is_barred(number):
            identity.aside_until = now + min(_MAX_S, _ASIDE_S * 2 ** (identity.failures - 1))

    def bar(self, number: int) -> None:
        """Stop using a proxy permanently."""
        self._all[number].aside_until = math.inf

    def is_barred(self, number: int) -> bool:
        """Return whether a proxy is not used any more."""
        return self._all[number].aside_until == math.inf

    def record_success(self, number: int) -> None:
        """Reset the failures of a proxy."""
        self._all[number].failures = 0

    @property
    def are_barred(self) -> bool:
        """Whether no proxy may be used any more."""
        return all(self.is_barred(identity.number) for identity in self._all)


def expand_variables(text: str, *, source: str) -> str:
    """Return a text with each ``${PINDNA_SECRET_NAME}`` replaced by that environment variable.

    Raises:
        OpenVariable: the name of a variable has another prefix.
        MissingVariable: a variable is not set.
        BadSettings: the file of a secret cannot be read.
    """
    return VARIABLE.sub(lambda match: _secret_value(match[1], source), text)


def secrets_of(text: str, *, source: str) -> list[str]:
    """Return the values of the environment variables that a text names.

    Raises:
        OpenVariable, MissingVariable, BadSettings: as :func:`expand_variables` does.
    """
    return [_secret_value(name, source) for name in VARIABLE.findall(text)]


def open_variables(text: str) -> list[str]:
    """Return the environment variables in a text that sources may not read."""
    return [name for name in VARIABLE.findall(text) if not name.startswith(PREFIX)]


def _secret_value(name: str, source: str) -> str:
    if not name.startswith(PREFIX):
        raise OpenVariable(source=source, name=name)
    value = find_secret(name)
    if value is None:
        raise MissingVariable(source=source, name=name)
    return value
