"""Find the bodies in WARC records by their SHA-256: what a page was read from. Pure.

Websites write the records, and packages may come from anybody. Only readers (:mod:`crawler.readers.pool`)
parse them, within limits of time and memory.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from w3lib.encoding import http_content_type_encoding
from warcio.archiveiterator import ArchiveIterator

from crawler.download.header_blocks import fields_of
from crawler.pages.warc_reading import decode_body

RENDERED = "utf-8"  # encoding of a stored DOM, which a browser built
_MAX_RECORD = 64 * 2**20  # maximum bytes of a record, and of a decompressed body
_MAX_BODIES = 256 * 2**20  # maximum bytes of all bodies of a package
_HTTP = frozenset({"response", "revisit"})
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
    """

    url: str
    declared: str | None
    is_rendered: bool = False
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class ArchivedBody:
    """A decoded body and all its sightings; empty if only records without a body refer to it."""

    body: bytes
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True)
class RecordsQuestion:
    """The bodies in WARC records, by SHA-256."""

    records: bytes
    hashes: frozenset[str]
    url: str = ""

    def answer(self) -> dict[str, ArchivedBody]:
        """Return the requested bodies that exist."""
        return bodies_in([io.BytesIO(self.records)], self.hashes)


@dataclass(frozen=True, slots=True)
class ArchiveQuestion:
    """The bodies in the WACZ of a package, by SHA-256.

    Attributes:
        path: the package.
        member: name of the WACZ in it.
        hashes: SHA-256 of the requested bodies.
    """

    path: str
    member: str
    hashes: frozenset[str]
    url: str = ""

    def answer(self) -> dict[str, ArchivedBody]:
        """Return the requested bodies that exist."""
        with zipfile.ZipFile(self.path) as package, package.open(self.member) as wacz:
            return bodies_in(_open_warcs(wacz), self.hashes)


def _open_warcs(wacz: IO[bytes]) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(wacz) as archive:
        for member in archive.infolist():
            if member.filename.startswith("archive/") and member.filename.endswith((".warc.gz", ".warc")):
                # WACZ stores members uncompressed, so this may be a zip bomb
                if member.compress_type != zipfile.ZIP_STORED:
                    raise ValueError("a web archive is compressed twice")
                with archive.open(member) as warc:
                    yield warc


def bodies_in(warcs: Iterable[IO[bytes]], hashes: frozenset[str]) -> dict[str, ArchivedBody]:
    """Return the requested bodies with their sightings, by SHA-256.

    Raises:
        ValueError: a record is too long.
        MemoryError: the bodies together are too long.
        Exception: any error of warcio and zipfile on an invalid archive.
    """
    bodies = dict[str, bytes]()
    sightings = dict[str, dict[Sighting, None]]()
    for warc in warcs:
        for sha256, sighting, body in _sightings(warc):
            if sha256 not in hashes:
                continue
            sightings.setdefault(sha256, {})[sighting] = None
            if body is not None and sha256 not in bodies:
                bodies[sha256] = body
                if sum(map(len, bodies.values())) > _MAX_BODIES:
                    raise MemoryError("the bodies of a package")
    return {
        sha256: ArchivedBody(bodies.get(sha256, b""), tuple(captures))
        for sha256, captures in sightings.items()
    }


def _sightings(warc: IO[bytes]) -> Iterator[tuple[str, Sighting, bytes | None]]:
    """Yield the digest and sighting of each record, with the body if the record contains it."""
    for record in ArchiveIterator(warc, no_record_parse=True):
        kind, fields = record.rec_type, record.rec_headers
        if kind not in (*_HTTP, "conversion", "metadata"):
            continue
        block = record.raw_stream.read(_MAX_RECORD + 1)
        if len(block) > _MAX_RECORD:
            raise ValueError("a record is too long")
        url = fields.get_header("WARC-Target-URI") or ""
        if kind == "conversion":
            yield hashlib.sha256(block).hexdigest(), Sighting(url, RENDERED, is_rendered=True), block
        elif kind == "metadata":
            for line in block.decode("utf-8", "replace").splitlines():
                if line.startswith(f"rendered: {_DIGEST}"):
                    digest = line.removeprefix(f"rendered: {_DIGEST}").strip()
                    yield digest, Sighting(url, RENDERED, is_rendered=True), None
        else:
            headers, _, payload = block.partition(_END)
            sighting = Sighting(url, declared_charset(headers), content_type=declared_type(headers))
            if kind == "revisit":
                digest = fields.get_header("WARC-Payload-Digest") or ""
                yield digest.removeprefix(_DIGEST), sighting, None
            else:
                body = _decode_payload(payload, headers)
                if body is not None:
                    yield hashlib.sha256(body).hexdigest(), sighting, body


def _decode_payload(payload: bytes, headers: bytes) -> bytes | None:
    """Return a payload without content encodings; None if decoding fails or the result is too long."""
    try:
        return decode_body(payload, headers + _END, max_bytes=_MAX_RECORD)
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
    values = [
        value[1:].strip() for name, value in fields_of(headers + _END) if name.lower() == b"content-type"
    ]
    return values[-1].decode("latin-1") if values else ""
