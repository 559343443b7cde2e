"""What a source tells nobody but its own sites: the values that are left out of the evidence.

Left out are, by their names, the values of headers that carry a session or a password and of those that the
source configures; and, wherever a header repeats them, those values themselves. Bodies are kept as they
came.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crawler.download.heads import without
from crawler.download.proxies import filled, secrets_of
from storage.records import Source

_REQUEST = frozenset({b"authorization", b"cookie"})
_RESPONSE = frozenset({b"set-cookie", b"set-cookie2"})
_HOP = b"proxy-authorization"  # between us and a proxy, and no part of the exchange with the site
_MIN_WORD = 6  # bytes; shorter ones stand in headers by chance


@dataclass(frozen=True, slots=True)
class Confidential:
    """What is left out.

    Attributes:
        names: of the headers that the source configures, in lower case.
        words: values, the longest first.
    """

    names: frozenset[bytes] = frozenset()
    words: tuple[bytes, ...] = ()

    def __repr__(self) -> str:
        return f"Confidential({len(self.names)} names)"

    def request(self, head: bytes) -> bytes:
        """Return the head of a request without what is confidential."""
        lines = (line for line in head.split(b"\r\n") if not line.lower().startswith(_HOP))
        return without(b"\r\n".join(lines), names=_REQUEST | self.names, words=self.words)

    def response(self, head: bytes) -> bytes:
        """Return the head of a response without what is confidential."""
        return without(head, names=_RESPONSE, words=self.words)


def confidential_of(source: Source) -> Confidential:
    """Return what is confidential about a source.

    Raises:
        MissingVariable, OpenVariable: a value stands in an environment variable that cannot be read.
    """
    sets: Iterable[Mapping[str, str]] = source.header_sets
    fields = source.login.fields if source.login is not None else {}
    values = [each for headers in sets for each in headers.values()]
    values += [*fields.values(), *(source.cookies or {}).values()]
    words = {filled(each, source=source.name) for each in values}
    words |= {secret for each in values for secret in secrets_of(each, source=source.name)}
    long = {word.encode() for word in words if len(word.encode()) >= _MIN_WORD}
    return Confidential(
        frozenset(name.lower().encode() for headers in sets for name in headers),
        tuple(sorted(long, key=lambda word: (-len(word), word))),
    )
