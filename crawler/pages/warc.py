"""Writes exchanges as WARC records, the evidence of requests and responses.

A new body becomes a ``response`` record with its ``request``; a known body becomes a ``revisit`` record
without the body. Each record is a separate gzip member, so any sequence of them is a valid ``.warc.gz`` file
(ISO 28500:2017). Header blocks are stored as received. Header lines that would make a reader misjudge the end
of the block are rewritten, and confidential values are removed; the record counts both
(``X-Pindna-Rewritten-Lines``, ``X-Pindna-Left-Out``). Writing succeeds for any response.
"""

import hashlib
import io
import ssl
import uuid
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.download.header_blocks import redacted_names, rewrite_for_warc
from crawler.exchange import Exchange, RenderedAnswer
from crawler.pages.capture_digests import capture_digest, moment
from storage.collections.captures import capture_id
from storage.records import Capture, CaptureKind, Snapshot

if TYPE_CHECKING:
    from crawler.job import Job

_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_VERSION = "1.1"  # the first version with fractions of a second
PEM_CHAIN = "application/pem-certificate-chain"
CERTIFICATE = "X-Pindna-Certificate"  # SHA-256 of the server's certificate, also in records without it
IMPORTED = "X-Pindna-Imported-From"  # SHA-256 of the file that the records come from
_END = b"\r\n\r\n"
_LEVEL = 6  # compression level: takes half the time of level 9, for 1 % more bytes
_GZIP = 16  # makes zlib write a gzip header


def response_record(received: Exchange) -> bytes:
    """Return a ``response`` record with its ``request`` record, the server's certificate and the DOM.

    The extracted DOM is a ``conversion`` record that refers to the response.
    """
    output = io.BytesIO()
    writer = _open_writer(output)
    block = _response_block(received)
    response = writer.create_warc_record(
        received.url,
        "response",
        payload=io.BytesIO(received.payload),
        length=len(received.payload),
        http_headers=_RawHeaders(block[0]),
        warc_headers_dict=_warc_fields(received, block),
    )
    _write_pair(writer, received, response)
    if received.certificates:
        _write_certificates(writer, received)
    if received.rendered is not None:
        _write_conversion(writer, received, received.rendered)
    return output.getvalue()


def body_record(snapshot: Snapshot) -> bytes:
    """Return a ``response`` record of an old snapshot without an exchange.

    It has the stored headers and the decoded body, but no request. The field ``X-Pindna-Made-From`` marks it.
    """
    output = io.BytesIO()
    writer = _open_writer(output)
    block = f"HTTP/1.1 {snapshot.status} ".encode() + b"\r\n" + snapshot.headers.strip()
    headers, _ = rewrite_for_warc(block, start_line=f"HTTP/1.1 {snapshot.status} ".encode())
    record = writer.create_warc_record(
        snapshot.url,
        "response",
        payload=io.BytesIO(snapshot.body),
        length=len(snapshot.body),
        http_headers=_RawHeaders(headers),
        warc_headers_dict={"WARC-Date": moment(snapshot.fetched), "X-Pindna-Made-From": "snapshot"},
    )
    writer.write_record(record)
    return output.getvalue()


def revisit_record(received: Exchange, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return a ``revisit`` record, with its request, for a stored body or a 304.

    Args:
        received: the exchange.
        sha256: of the decoded body; the compressed bytes may differ between fetches.
        first_url: address of the stored snapshot.
        first_fetched: time of the stored snapshot.
    """
    output = io.BytesIO()
    writer = _open_writer(output)
    block = _response_block(received)
    record = writer.create_revisit_record(
        received.url,
        f"sha256:{sha256}",
        first_url,
        moment(first_fetched),
        http_headers=_RawHeaders(block[0]),
        warc_headers_dict=_warc_fields(received, block),
    )
    if received.status == HTTPStatus.NOT_MODIFIED:
        record.rec_headers.replace_header("WARC-Profile", _NOT_MODIFIED)
    _write_pair(writer, received, record)
    return output.getvalue()


def seen_again_record(received: Exchange, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return the records of a fetch with a known body; arguments as of ``revisit_record``.

    A rendered page with a known DOM may have a new document, so the document is stored in full, with a
    ``metadata`` record that refers to the DOM.
    """
    if received.rendered is None:
        return revisit_record(received, sha256=sha256, first_url=first_url, first_fetched=first_fetched)
    fields = {"rendered": f"sha256:{sha256}", "kept-with": first_url, "kept-since": moment(first_fetched)}
    content = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
    output = io.BytesIO()
    _write_record(
        _open_writer(output),
        received,
        "metadata",
        content,
        content_type="application/warc-fields",
        fields={"WARC-Refers-To": _record_id(received, "response")},
    )
    return response_record(replace(received, rendered=None)) + output.getvalue()


def screenshot_record(received: Exchange, image: bytes) -> bytes:
    """Return a ``resource`` record of the screenshot of a page."""
    output = io.BytesIO()
    _write_record(
        _open_writer(output),
        received,
        "resource",
        image,
        content_type="image/png",
        fields={"WARC-Concurrent-To": _record_id(received, "response")},
    )
    return output.getvalue()


def capture_of(
    job: "Job", received: Exchange, sha256: str, *, warc: bytes = b"", kind: CaptureKind = "response"
) -> Capture:
    """Return the capture of a stored exchange."""
    return Capture(
        id=capture_id(received.url, sha256, received.at),
        url=received.url,
        source=job.source.name,
        scan_id=job.scan_id,
        fetched=received.at,
        status=received.status,
        sha256=sha256,
        warc=warc,
        kind=kind,
        session=job.session_id,
        imported=received.imported,
        digest=_digest_of(received, sha256, is_revisit=bool(warc) and received.rendered is None, kind=kind),
    )


def _digest_of(received: Exchange, sha256: str, *, is_revisit: bool, kind: CaptureKind) -> str:
    """Return the digest over the records of an exchange, see :mod:`crawler.pages.capture_digests`."""
    is_whole = received.imported is None or bool(received.request)
    request = _request_block(received)[0] + _END if is_whole else b""
    headers = _response_block(received)[0] + _END
    certificate = received.certificate
    body = b"" if is_revisit else received.payload
    if kind == "screenshot":
        request, headers, body = b"", b"", received.rendered.screenshot if received.rendered else b""
        certificate = ""
    return capture_digest(
        date=moment(received.at),
        address=received.url,
        request=request,
        headers=headers,
        body=body,
        sha256=sha256,
        certificate=certificate,
    )


def _write_certificates(writer: WARCWriter, received: Exchange) -> None:
    """Write the server's certificate and its chain as a ``metadata`` record in PEM (RFC 8555, 9.1)."""
    chain = "".join(ssl.DER_cert_to_PEM_cert(certificate) for certificate in received.certificates)
    fields = {"WARC-Refers-To": _record_id(received, "response")}
    _write_record(writer, received, "metadata", chain.encode(), content_type=PEM_CHAIN, fields=fields)


def _write_conversion(writer: WARCWriter, received: Exchange, rendered: RenderedAnswer) -> None:
    fields = {
        "WARC-Refers-To": _record_id(received, "response"),
        "WARC-Conversion-Software": rendered.browser,
    }
    _write_record(
        writer, received, "conversion", rendered.dom, content_type="text/html; charset=utf-8", fields=fields
    )


def _write_record(
    writer: WARCWriter,
    received: Exchange,
    kind: str,
    content: bytes,
    *,
    content_type: str,
    fields: Mapping[str, str],
) -> None:
    """Write another record of an exchange."""
    record = writer.create_warc_record(
        received.url,
        kind,
        payload=io.BytesIO(content),
        length=len(content),
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Date": moment(received.at), **fields},
    )
    writer.write_record(record)


class _RawHeaders(StatusAndHeaders):  # type: ignore[misc]
    """A header block that is written as bytes; warcio would encode it again, or fail."""

    def __init__(self, block: bytes) -> None:
        super().__init__("", [])
        self._bytes = block + _END

    def __bool__(self) -> bool:
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002 - warcio's signature
        self.headers_buff = self._bytes


class _Member:
    """A gzip member in an output."""

    def __init__(self, output: io.BytesIO) -> None:
        self._output = output
        self._compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + _GZIP)

    def write(self, content: bytes) -> None:
        self._output.write(self._compressor.compress(content))

    def flush(self) -> None:
        self._output.write(self._compressor.flush())


class _MemberWriter(WARCWriter):  # type: ignore[misc]
    """Writes each record as a gzip member; warcio's fixed compression level takes twice as long."""

    def _write_warc_record(self, out: io.BytesIO, record: ArcWarcRecord) -> None:
        super()._write_warc_record(_Member(out), record)


def _open_writer(output: io.BytesIO) -> WARCWriter:
    return _MemberWriter(output, gzip=False, warc_version=_VERSION)


def _write_pair(writer: WARCWriter, received: Exchange, response: ArcWarcRecord) -> None:
    """Write the records of a response and its request; imported pages may have no request."""
    if received.imported is not None and not received.request:
        writer.write_record(response)
        return
    block = _request_block(received)
    fields = {"WARC-Date": moment(received.at), **_rewriting_fields(block)}
    request = writer.create_warc_record(
        received.url, "request", http_headers=_RawHeaders(block[0]), warc_headers_dict=fields
    )
    writer.write_request_response_pair(request, response)


def _response_block(received: Exchange) -> tuple[bytes, int]:
    return rewrite_for_warc(received.header_block, start_line=f"HTTP/1.1 {received.status} ".encode())


def _request_block(received: Exchange) -> tuple[bytes, int]:
    return rewrite_for_warc(received.request, start_line=b"GET / HTTP/1.1")


def _warc_fields(received: Exchange, block: tuple[bytes, int]) -> dict[str, str]:
    fields = {"WARC-Date": moment(received.at), "WARC-Record-ID": _record_id(received, "response")}
    address = {"WARC-IP-Address": received.address} if received.address else {}
    certificate = {CERTIFICATE: f"sha256:{received.certificate}"} if received.certificates else {}
    imported = {IMPORTED: f"sha256:{received.imported.sha256}"} if received.imported else {}
    return {**fields, **address, **certificate, **imported, **_rewriting_fields(block)}


def _rewriting_fields(block: tuple[bytes, int]) -> dict[str, str]:
    """Return the fields that describe the changes in a header block."""
    names, changed = redacted_names(block[0]), block[1]
    fields = {"X-Pindna-Left-Out": ", ".join(names)} if names else {}
    return {**fields, "X-Pindna-Rewritten-Lines": str(changed)} if changed else fields


def _record_id(received: Exchange, kind: str) -> str:
    """Return the reproducible id of an exchange's record."""
    digest = hashlib.sha256(received.payload).hexdigest()
    key = f"{kind} {received.at.isoformat()} {digest} {received.url}"
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, key)}>"


def archive(members: Iterable[bytes]) -> bytes:
    """Return a ``.warc.gz`` file with a ``warcinfo`` record and the given records."""
    output = io.BytesIO()
    writer = _open_writer(output)
    writer.write_record(
        writer.create_warcinfo_record(
            "pindna.warc.gz", {"software": "pindna", "format": "WARC File Format 1.1"}
        )
    )
    return output.getvalue() + b"".join(members)
