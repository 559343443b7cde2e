"""Removes confidential values of a source from the evidence.

Removed are the values of headers that contain a session or a password, and of headers that the source
configures, wherever a header repeats them. Bodies are stored unchanged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crawler.download.header_blocks import redact
from crawler.download.proxies import expand_variables, secrets_of
from storage.records import Source

_REQUEST = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_RESPONSE = frozenset({b"set-cookie", b"set-cookie2"})
_MIN_VALUE = 6  # minimum bytes of a value; shorter values occur in headers by chance


@dataclass(frozen=True, slots=True)
class ConfidentialValues:
    """The values to remove from header blocks.

    Attributes:
        names: of the headers that the source configures, in lower case.
        values: removed wherever they occur, the longest first.
    """

    names: frozenset[bytes] = frozenset()
    values: tuple[bytes, ...] = ()

    def __repr__(self) -> str:
        return f"Confidential({len(self.names)} names)"

    def request(self, block: bytes) -> bytes:
        """Return the header block of a request without confidential values."""
        return redact(block, names=_REQUEST | self.names, values=self.values)

    def response(self, block: bytes) -> bytes:
        """Return the header block of a response without confidential values."""
        return redact(block, names=_RESPONSE, values=self.values)


def confidential_of(source: Source) -> ConfidentialValues:
    """Return the confidential values of a source.

    Raises:
        MissingVariable, OpenVariable: a value is in an environment variable that cannot be read.
    """
    search = [source.discovery.headers] if source.discovery is not None else []
    sets: Iterable[Mapping[str, str]] = [*source.header_sets, *search]
    fields = source.login.fields if source.login is not None else {}
    texts = [text for headers in sets for text in headers.values()]
    texts += [*fields.values(), *(source.cookies or {}).values()]
    values = {expand_variables(text, source=source.name) for text in texts}
    values |= {secret for text in texts for secret in secrets_of(text, source=source.name)}
    long = {value.encode() for value in values if len(value.encode()) >= _MIN_VALUE}
    return ConfidentialValues(
        frozenset(name.lower().encode() for headers in sets for name in headers),
        tuple(sorted(long, key=lambda value: (-len(value), value))),
    )
