"""Reads WARC records: what was sent and received, checked against the digests that it was stored with."""

import hashlib
import io
from base64 import b32encode
from dataclasses import dataclass

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from crawler.download.header_blocks import fields_of
from storage.errors import PindnaError

_LIMIT = 512 * 1024 * 1024  # of a body when read back; the crawl's own limit is far below
_HTTP = frozenset({"response", "revisit", "request"})
_END = b"\r\n\r\n"


class SnapshotDamaged(PindnaError):
    """A stored snapshot was changed. Data: ``sha256``, ``problem``, ``part`` (body or records)."""

    template = "Snapshot {sha256} is damaged ({problem}). Restore it from a backup of MongoDB."


@dataclass(frozen=True, slots=True)
class ArchivedExchange:
    """An exchange as it is archived; see ``crawler.exchange.Received`` for one as it comes.

    Attributes:
        at: date and time, as in WARC-Date.
        request: request line and headers as sent, with the empty line that ends them; empty without.
        headers: status line and headers as received, in the same way.
        payload: the body as received, still compressed if it was.
        body: what was read; its SHA-256 is the snapshot's. The payload decoded, the DOM of a page that
            a browser rendered, or its screenshot.
        document: the payload decoded.
    """

    url: str
    at: str
    request: bytes
    headers: bytes
    payload: bytes
    body: bytes
    document: bytes = b""


def read_back(warc: bytes, *, sha256: str) -> ArchivedExchange:
    """Return what the records of a snapshot hold, checked against its SHA-256.

    Raises:
        SnapshotDamaged: they cannot be read, or hold another body.
    """
    exchange = exchange_of(warc, sha256=sha256)
    if hashlib.sha256(exchange.body).hexdigest() != sha256:
        raise SnapshotDamaged(sha256=sha256, problem="its SHA-256 is another", part="body")
    return exchange


def exchange_of(warc: bytes, *, sha256: str) -> ArchivedExchange:
    """Return what the records of one exchange hold; of a ``revisit`` the body is empty.

    Raises:
        SnapshotDamaged: they cannot be read; ``sha256`` names them.
    """
    try:
        records = _records(warc)
        url, at, headers, payload = next(
            records[kind] for kind in ("response", "revisit", "resource") if kind in records
        )
        document = _decode_body(payload, headers)
        body = records["conversion"][3] if "conversion" in records else document
    except (StopIteration, ValueError, OSError, EOFError, ArchiveLoadFailed) as error:
        raise SnapshotDamaged(sha256=sha256, problem=type(error).__name__, part="records") from error
    request = records["request"][2] if "request" in records else b""
    return ArchivedExchange(url, at, request, headers, payload, body, document)


def _records(warc: bytes) -> dict[str, tuple[str, str, bytes, bytes]]:
    """Return address, date, header block and payload of each record by its type, as they are stored.

    Raises:
        ValueError: one does not agree with its own digests.
    """
    records = {}
    for record in ArchiveIterator(io.BytesIO(warc), no_record_parse=True):
        block, fields = record.raw_stream.read(), record.rec_headers
        headers, end, payload = block.partition(_END) if record.rec_type in _HTTP else (b"", b"", block)
        _check_digest(fields.get_header("WARC-Block-Digest"), block)
        if record.rec_type != "revisit":  # which names the digest of another body
            _check_digest(fields.get_header("WARC-Payload-Digest"), payload)
        url, at = fields.get_header("WARC-Target-URI") or "", fields.get_header("WARC-Date") or ""
        records[record.rec_type] = (url, at, headers + end, payload)
    return records


def _check_digest(expected: str | None, content: bytes) -> None:
    digest = b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()
    if expected is not None and expected != f"sha1:{digest}":
        raise ValueError("digest")


def _decode_body(payload: bytes, headers: bytes) -> bytes:
    """Return a payload without its content encodings, which the crawl removed in the same way."""
    fields = fields_of(headers) if payload else ()
    values = [value[1:].strip() for name, value in fields if name.lower() == b"content-encoding"]
    for encoding in HttpCompressionMiddleware._split_encodings(values)[0]:  # noqa: SLF001 - the very code that decoded it
        payload = HttpCompressionMiddleware._decode(payload, encoding, _LIMIT)  # noqa: SLF001 - the same
    return payload
