"""What a source sends to its own sites only: the values that are left out of the evidence.

Left out are, by their names, the values of headers that carry a session or a password and of those that the
source configures; and these values themselves, wherever a header repeats them. Bodies are kept as they came.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crawler.download.header_blocks import redact
from crawler.download.proxies import expand_variables, secrets_of
from storage.records import Source

_REQUEST = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_RESPONSE = frozenset({b"set-cookie", b"set-cookie2"})
_MIN_VALUE = 6  # bytes; shorter ones stand in headers by chance


@dataclass(frozen=True, slots=True)
class ConfidentialValues:
    """What is left out.

    Attributes:
        names: of the headers that the source configures, in lower case.
        values: that are left out wherever they stand, the longest first.
    """

    names: frozenset[bytes] = frozenset()
    values: tuple[bytes, ...] = ()

    def __repr__(self) -> str:
        return f"Confidential({len(self.names)} names)"

    def request(self, block: bytes) -> bytes:
        """Return the header block of a request without what is confidential."""
        return redact(block, names=_REQUEST | self.names, values=self.values)

    def response(self, block: bytes) -> bytes:
        """Return the header block of a response without what is confidential."""
        return redact(block, names=_RESPONSE, values=self.values)


def confidential_of(source: Source) -> ConfidentialValues:
    """Return what is confidential about a source.

    Raises:
        MissingVariable, OpenVariable: a value stands in an environment variable that cannot be read.
    """
    sets: Iterable[Mapping[str, str]] = source.header_sets
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
