"""Reads WARC records and checks them against their digests."""

import hashlib
import io
import ssl
from base64 import b32encode
from dataclasses import dataclass

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from crawler.download.header_blocks import fields_of
from crawler.pages.warc import CERTIFICATE, PEM_CHAIN
from system.errors import PindnaError

_LIMIT = 512 * 1024 * 1024  # maximum bytes of a body; the limit of crawls is far lower
_HTTP = frozenset({"response", "revisit", "request"})
_END = b"\r\n\r\n"
_PEM_END = "-----END CERTIFICATE-----"


class SnapshotDamaged(PindnaError):
    """A stored snapshot was changed.

    Attributes:
        sha256, problem, part: the snapshot, what differs, and where (``body`` or ``records``).
    """

    template = "Snapshot {sha256} is damaged ({problem}). Restore it from a backup of MongoDB."


@dataclass(frozen=True, slots=True)
class ArchivedExchange:
    """An archived exchange; see ``crawler.exchange.Exchange`` for one during a crawl.

    Attributes:
        at: date and time, as in WARC-Date.
        request: request line and headers as sent, with the empty line that ends them; empty without.
        headers: status line and headers as received, in the same form.
        payload: the body as received, possibly compressed.
        body: the extracted body with the snapshot's SHA-256: the decoded payload, the DOM of a rendered
            page, or a screenshot.
        document: the decoded payload.
        certificate: SHA-256 of the server's certificate, in hexadecimal; empty if none was stored.
    """

    url: str
    at: str
    request: bytes
    headers: bytes
    payload: bytes
    body: bytes
    document: bytes = b""
    certificate: str = ""


def read_back(warc: bytes, *, sha256: str) -> ArchivedExchange:
    """Return the exchange in the records of a snapshot, checked against its SHA-256.

    Raises:
        SnapshotDamaged: the records cannot be read, or contain another body.
    """
    exchange = exchange_of(warc, sha256=sha256)
    if hashlib.sha256(exchange.body).hexdigest() != sha256:
        raise SnapshotDamaged(sha256=sha256, problem="its SHA-256 differs", part="body")
    return exchange


def exchange_of(warc: bytes, *, sha256: str) -> ArchivedExchange:
    """Return the exchange in its records; the body of a ``revisit`` is empty.

    Raises:
        SnapshotDamaged: the records cannot be read.
    """
    try:
        records = _records_by_type(warc)
        url, at, headers, payload = next(
            records[kind] for kind in ("response", "revisit", "resource") if kind in records
        )
        document = decode_body(payload, headers)
        body = records["conversion"][3] if "conversion" in records else document
    except (StopIteration, KeyError, ValueError, OSError, EOFError, ArchiveLoadFailed) as error:
        raise SnapshotDamaged(sha256=sha256, problem=type(error).__name__, part="records") from error
    request = records["request"][2] if "request" in records else b""
    certificate = records["certificate"][0] if "certificate" in records else ""
    return ArchivedExchange(url, at, request, headers, payload, body, document, certificate)


def _records_by_type(warc: bytes) -> dict[str, tuple[str, str, bytes, bytes]]:
    """Return address, date, header block and payload of each record, by type.

    The entry ``certificate`` has the SHA-256 of the server's certificate instead of an address.

    Raises:
        ValueError: a record does not match its digests, or a certificate does not match its hash.
    """
    records, chain = {}, b""
    for record in ArchiveIterator(io.BytesIO(warc), no_record_parse=True):
        block, fields = record.raw_stream.read(), record.rec_headers
        headers, end, payload = block.partition(_END) if record.rec_type in _HTTP else (b"", b"", block)
        _check_digest(fields.get_header("WARC-Block-Digest"), block)
        if record.rec_type != "revisit":  # the digest of a revisit belongs to another body
            _check_digest(fields.get_header("WARC-Payload-Digest"), payload)
        url, at = fields.get_header("WARC-Target-URI") or "", fields.get_header("WARC-Date") or ""
        records[record.rec_type] = (url, at, headers + end, payload)
        if named := fields.get_header(CERTIFICATE):
            records["certificate"] = (named.removeprefix("sha256:"), at, b"", b"")
        if fields.get_header("Content-Type") == PEM_CHAIN:
            chain = payload
    if chain and _certificate_sha256(chain) != records["certificate"][0]:
        raise ValueError("certificate")
    return records


def _certificate_sha256(chain: bytes) -> str:
    """Return the SHA-256 of the first certificate of a PEM chain, in hexadecimal.

    Raises:
        ValueError: the chain is empty.
    """
    first = chain.decode("ascii").partition(_PEM_END)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert("".join(first[:2]))).hexdigest()


def _check_digest(expected: str | None, content: bytes) -> None:
    digest = b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()
    if expected is not None and expected != f"sha1:{digest}":
        raise ValueError("digest")


def decode_body(payload: bytes, headers: bytes, *, max_bytes: int = _LIMIT) -> bytes:
    """Return a payload without its content encodings, decoded as in a crawl.

    Args:
        payload: as archived.
        headers: its header block.
        max_bytes: limit of the result.

    Raises:
        ValueError, OSError, EOFError: the payload cannot be decoded, or is too long.
    """
    fields = fields_of(headers) if payload else ()
    values = [value[1:].strip() for name, value in fields if name.lower() == b"content-encoding"]
    for encoding in HttpCompressionMiddleware._split_encodings(values)[0]:  # noqa: SLF001 - the same code as in a crawl
        payload = HttpCompressionMiddleware._decode(payload, encoding, max_bytes)  # noqa: SLF001 - the same
    return payload
