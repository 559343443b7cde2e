"""Find the bodies in WARC records by their SHA-256: what a page was read from. Pure.

Websites write the records, and packages may come from anybody. Only readers (:mod:`crawler.readers.pool`)
parse them, within limits of time and memory.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import IO

from w3lib.encoding import http_content_type_encoding
from warcio.archiveiterator import ArchiveIterator

from crawler.download.header_blocks import fields_of
from crawler.pages.capture_digests import capture_digest
from crawler.pages.warc import CERTIFICATE
from crawler.pages.warc_reading import decode_body

RENDERED = "utf-8"  # encoding of a stored DOM, which a browser built
_MAX_RECORD = 64 * 2**20  # maximum bytes of a record, and of a decompressed body
_MAX_BODIES = 256 * 2**20  # maximum bytes of all bodies of a package
_HTTP = frozenset({"response", "revisit"})
_READ = frozenset({*_HTTP, "request", "conversion", "metadata"})
_DIGEST = "sha256:"
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a body came from.

    Attributes:
        url: its address.
        declared: the declared charset.
        is_rendered: a browser built the body.
        content_type: the declared type without parameters; empty if none.
        digest: digest of the capture in these records, see
            :func:`crawler.pages.capture_digests.capture_digest`; empty if they are no capture.
    """

    url: str
    declared: str | None
    is_rendered: bool = False
    content_type: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ArchivedBody:
    """A decoded body and all its sightings; empty if only records without a body refer to it."""

    body: bytes
    sightings: tuple[Sighting, ...]


LoggedDigests = Mapping[str, AbstractSet[str]]
"""The digests of the logged captures of each body, by its SHA-256; an empty one if a capture has none."""


@dataclass(frozen=True, slots=True)
class ArchivedBodies:
    """What an archive contains.

    Attributes:
        by_sha256: the requested bodies that exist.
        unlogged: address of each capture that is not in the evidence log.
    """

    by_sha256: Mapping[str, ArchivedBody]
    unlogged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordsQuestion:
    """The bodies in WARC records, by SHA-256."""

    records: bytes
    hashes: frozenset[str]
    url: str = ""

    def answer(self) -> Mapping[str, ArchivedBody]:
        """Return the requested bodies that exist."""
        return bodies_in([io.BytesIO(self.records)], self.hashes, {}).by_sha256


@dataclass(frozen=True, slots=True)
class ArchiveQuestion:
    """The bodies in the WACZ of a package, by SHA-256.

    Attributes:
        path: the package.
        member: name of the WACZ in it.
        hashes: SHA-256 of the requested bodies.
        logged: digests of the logged captures.
    """

    path: str
    member: str
    hashes: frozenset[str]
    logged: LoggedDigests
    url: str = ""

    def answer(self) -> ArchivedBodies:
        """Return the requested bodies that exist."""
        with zipfile.ZipFile(self.path) as package, package.open(self.member) as wacz:
            return bodies_in(_open_warcs(wacz), self.hashes, self.logged)


def _open_warcs(wacz: IO[bytes]) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(wacz) as archive:
        for member in archive.infolist():
            if member.filename.startswith("archive/") and member.filename.endswith((".warc.gz", ".warc")):
                # WACZ stores members uncompressed, so this may be a zip bomb
                if member.compress_type != zipfile.ZIP_STORED:
                    raise ValueError("a web archive is compressed twice")
                with archive.open(member) as warc:
                    yield warc


def bodies_in(warcs: Iterable[IO[bytes]], hashes: AbstractSet[str], logged: LoggedDigests) -> ArchivedBodies:
    """Return the requested bodies with their sightings, and the captures that are not in the log.

    Raises:
        ValueError: a record is too long.
        MemoryError: the bodies together are too long.
        Exception: any error of warcio and zipfile on an invalid archive.
    """
    bodies = dict[str, bytes]()
    sightings = dict[str, dict[Sighting, None]]()
    unlogged = []
    for capture in (capture for warc in warcs for capture in _captures(warc)):
        in_capture = list(_sightings_of(capture))
        if in_capture and not any(is_logged(sha256, sighting, logged) for sha256, sighting, _ in in_capture):
            unlogged.append(capture[0].url)
        for sha256, sighting, body in in_capture:
            if sha256 not in hashes:
                continue
            sightings.setdefault(sha256, {})[sighting] = None
            if body is not None and sha256 not in bodies:
                bodies[sha256] = body
                if sum(map(len, bodies.values())) > _MAX_BODIES:
                    raise MemoryError("the bodies of a package")
    archived = {
        sha256: ArchivedBody(bodies.get(sha256, b""), tuple(of_body)) for sha256, of_body in sightings.items()
    }
    return ArchivedBodies(archived, tuple(unlogged))


def is_logged(sha256: str, sighting: Sighting, logged: LoggedDigests) -> bool:
    """Return whether a body was logged as it was captured: with this address, date and headers."""
    digests = logged.get(sha256, frozenset())
    return sighting.digest in digests or "" in digests  # captures of early versions have no digest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """A WARC record.

    Attributes:
        headers: the HTTP header block with the empty line that ends it; empty for other records.
        payload: the content after the headers.
        refers_to: WARC-Payload-Digest.
        certificate: SHA-256 of the server's certificate; empty if the record names none.
    """

    kind: str
    url: str
    at: str
    headers: bytes
    payload: bytes
    refers_to: str
    certificate: str


def _captures(warc: IO[bytes]) -> Iterator[list[_Record]]:
    """Yield the records of each capture. They follow each other, the response first."""
    capture: list[_Record] = []
    for record in _records(warc):
        if record.kind in _HTTP and capture:
            yield capture
            capture = []
        capture.append(record)
    if capture:
        yield capture


def _records(warc: IO[bytes]) -> Iterator[_Record]:
    """Yield the records that belong to captures of responses.

    Raises:
        ValueError: a record is too long.
    """
    for record in ArchiveIterator(warc, no_record_parse=True):
        kind, fields = record.rec_type, record.rec_headers
        if kind not in _READ:
            continue
        block = record.raw_stream.read(_MAX_RECORD + 1)
        if len(block) > _MAX_RECORD:
            raise ValueError("a record is too long")
        has_headers = kind in _HTTP or kind == "request"
        headers, end, payload = block.partition(_END) if has_headers else (b"", b"", block)
        yield _Record(
            kind=kind,
            url=fields.get_header("WARC-Target-URI") or "",
            at=fields.get_header("WARC-Date") or "",
            headers=headers + end,
            payload=payload,
            refers_to=fields.get_header("WARC-Payload-Digest") or "",
            certificate=(fields.get_header(CERTIFICATE) or "").removeprefix(_DIGEST),
        )


def _sightings_of(capture: list[_Record]) -> Iterator[tuple[str, Sighting, bytes | None]]:
    """Yield the bodies of a capture, each with the digest that the capture has if this is its body."""
    for record in capture:
        for sha256, sighting, body in _bodies_of(record):
            yield sha256, replace(sighting, digest=_digest_of(capture, sha256)), body


def _bodies_of(record: _Record) -> Iterator[tuple[str, Sighting, bytes | None]]:
    if record.kind == "conversion":
        sha256 = hashlib.sha256(record.payload).hexdigest()
        yield sha256, Sighting(record.url, RENDERED, is_rendered=True), record.payload
    elif record.kind == "metadata":
        for line in record.payload.decode("utf-8", "replace").splitlines():
            if line.startswith(f"rendered: {_DIGEST}"):
                digest = line.removeprefix(f"rendered: {_DIGEST}").strip()
                yield digest, Sighting(record.url, RENDERED, is_rendered=True), None
    elif record.kind in _HTTP:
        headers = record.headers
        sighting = Sighting(record.url, declared_charset(headers), content_type=declared_type(headers))
        if record.kind == "revisit":
            yield record.refers_to.removeprefix(_DIGEST), sighting, None
        elif (body := _decode_payload(record.payload, headers)) is not None:
            yield hashlib.sha256(body).hexdigest(), sighting, body


def _digest_of(capture: list[_Record], sha256: str) -> str:
    """Return the digest of a capture; empty if its records do not belong together."""
    response = capture[0]
    if response.kind not in _HTTP or any(
        (record.url, record.at) != (response.url, response.at) for record in capture
    ):
        return ""
    return capture_digest(
        date=response.at,
        address=response.url,
        request=next((record.headers for record in capture if record.kind == "request"), b""),
        headers=response.headers,
        body=response.payload,
        sha256=sha256,
        certificate=next((record.certificate for record in capture if record.certificate), ""),
    )


def _decode_payload(payload: bytes, headers: bytes) -> bytes | None:
    """Return a payload without content encodings; None if decoding fails or the result is too long."""
    try:
        return decode_body(payload, headers, max_bytes=_MAX_RECORD)
    except Exception:  # noqa: BLE001 - any error of a library; the page reports that the body is missing
        return None


def declared_charset(headers: bytes) -> str | None:
    """Return the charset of the last Content-Type field, as the crawler reads it."""
    value = _content_type(headers)
    return http_content_type_encoding(value) if value else None


def declared_type(headers: bytes) -> str:
    """Return the lower-case type of the last Content-Type field, without parameters."""
    return _content_type(headers).partition(";")[0].strip().lower()


def _content_type(headers: bytes) -> str:
    """Return the last Content-Type field; empty if there is none."""
    values = [value[1:].strip() for name, value in fields_of(headers) if name.lower() == b"content-type"]
    return values[-1].decode("latin-1") if values else ""
