"""Exchanges as WARC records, and back: what was sent and received, for whom it may concern in court.

A new body makes a ``response`` record with its ``request``; a body that is known makes a ``revisit`` record
that names it, without the body. Each is a member of gzip of its own, so any of them written one after the
other are a valid ``.warc.gz`` file (ISO 28500). Header names are in the spelling that Twisted gives them.
"""

import hashlib
import io
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.outcomes import Received, Rendered
from storage.captures import capture_id
from storage.crawl_records import Capture, CaptureKind
from storage.errors import PindnaError
from storage.exit_status import ExitStatus

if TYPE_CHECKING:
    from crawler.job import Job

_LIMIT: Final = 512 * 1024 * 1024  # of a body when read back; the crawl's own limit is far below
_NOT_MODIFIED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class SnapshotDamaged(PindnaError):
    """A stored snapshot is not what it was. Data: ``sha256``, ``problem``."""

    template = "Snapshot {sha256} is damaged ({problem}). Restore it from a backup of MongoDB."
    exit_status = ExitStatus.FOUND


@dataclass(frozen=True, slots=True)
class Exchange:
    """A snapshot read back.

    Attributes:
        request: request line and headers as sent.
        headers: status line and headers as received.
        payload: the body as received, still compressed if it was.
        body: what was read; its SHA-256 is the snapshot's. The payload decoded, the DOM of a page that
            a browser showed, or a picture of it.
        document: the payload decoded.
    """

    url: str
    at: str
    request: bytes
    headers: bytes
    payload: bytes
    body: bytes
    document: bytes = b""


def response_record(received: Received) -> bytes:
    """Return a ``response`` record and its ``request`` record; of a page that a browser showed, with its DOM.

    The DOM, which is what was read, is a ``conversion`` record that refers to the response.
    """
    output = io.BytesIO()
    writer = WARCWriter(output, gzip=True)
    answer = writer.create_warc_record(
        received.url,
        "response",
        payload=io.BytesIO(received.payload),
        http_headers=_http_headers(received),
        warc_headers_dict=_named(received),
    )
    line, *fields = received.request.decode("latin-1").split("\r\n")
    sent = StatusAndHeaders(line, [_split(each) for each in fields if each], is_http_request=True)
    asked = writer.create_warc_record(
        received.url, "request", http_headers=sent, warc_headers_dict={"WARC-Date": _date(received.at)}
    )
    writer.write_request_response_pair(asked, answer)
    for each in (asked, answer):  # warcio counts their digests in temporary files and leaves them open
        each.raw_stream.close()
    if received.rendered is not None:
        _write_conversion(writer, received, received.rendered)
    return output.getvalue()


def revisit_record(received: Received, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return a ``revisit`` record for a body, or a 304, that stands for a snapshot which is stored.

    Args:
        received: the exchange.
        sha256: of the decoded body; the compressed bytes of the same page may differ from fetch to fetch.
        first_url: where the stored snapshot was taken …
        first_fetched: … and when.
    """
    output = io.BytesIO()
    writer = WARCWriter(output, gzip=True)
    record = writer.create_revisit_record(
        received.url,
        f"sha256:{sha256}",
        first_url,
        _date(first_fetched),
        http_headers=_http_headers(received),
        warc_headers_dict=_named(received),
    )
    if received.status == HTTPStatus.NOT_MODIFIED:
        record.rec_headers.replace_header("WARC-Profile", _NOT_MODIFIED)
    writer.write_record(record)
    record.raw_stream.close()
    return output.getvalue()


def read_back(warc: bytes, *, sha256: str) -> Exchange:
    """Return what the records of a snapshot hold, checked against its SHA-256.

    Raises:
        SnapshotDamaged: they cannot be read, or hold another body.
    """
    try:
        found = dict(_records(warc))
        url, at, headers, payload = found["response" if "response" in found else "resource"]
        document = _decoded(payload, headers)
        body = found["conversion"][3] if "conversion" in found else document
    except (KeyError, ValueError, OSError, EOFError, ArchiveLoadFailed) as error:
        raise SnapshotDamaged(sha256=sha256, problem=type(error).__name__) from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise SnapshotDamaged(sha256=sha256, problem="its SHA-256 is another")
    request = found["request"][2] if "request" in found else b""
    return Exchange(url, at, request, headers, payload, body, document)


def seen_again_record(received: Received, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return what is kept of a fetch whose body is known; the arguments are those of ``revisit_record``.

    A page that a browser showed as before need not have come as before, so its document is kept in full, with
    a ``metadata`` record that names the DOM.
    """
    if received.rendered is None:
        return revisit_record(received, sha256=sha256, first_url=first_url, first_fetched=first_fetched)
    named = {"rendered": f"sha256:{sha256}", "kept-with": first_url, "kept-since": _date(first_fetched)}
    told = "".join(f"{name}: {value}\r\n" for name, value in named.items()).encode()
    output = io.BytesIO()
    _write(
        WARCWriter(output, gzip=True),
        received,
        "metadata",
        told,
        content_type="application/warc-fields",
        about={"WARC-Refers-To": _record_id(received, "response")},
    )
    return response_record(replace(received, rendered=None)) + output.getvalue()


def screenshot_record(received: Received, image: bytes) -> bytes:
    """Return a ``resource`` record of the picture that a browser made of a page."""
    output = io.BytesIO()
    _write(
        WARCWriter(output, gzip=True),
        received,
        "resource",
        image,
        content_type="image/png",
        about={"WARC-Concurrent-To": _record_id(received, "response")},
    )
    return output.getvalue()


def capture_of(
    job: "Job", received: Received, sha256: str, *, warc: bytes = b"", kind: CaptureKind = "response"
) -> Capture:
    """Return the row that names what is kept of an exchange; the fields are those of ``Capture``."""
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
    )


def _write_conversion(writer: WARCWriter, received: Received, rendered: Rendered) -> None:
    about = {
        "WARC-Refers-To": _record_id(received, "response"),
        "WARC-Conversion-Software": rendered.browser,
    }
    _write(writer, received, "conversion", rendered.dom, content_type="text/html; charset=utf-8", about=about)


def _write(
    writer: WARCWriter,
    received: Received,
    kind: str,
    content: bytes,
    *,
    content_type: str,
    about: Mapping[str, str],
) -> None:
    """Write a record that stands beside an exchange's own."""
    record = writer.create_warc_record(
        received.url,
        kind,
        payload=io.BytesIO(content),
        length=len(content),
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Date": _date(received.at), **about},
    )
    writer.write_record(record)
    record.raw_stream.close()


def _records(warc: bytes) -> Iterator[tuple[str, tuple[str, str, bytes, bytes]]]:
    for record in ArchiveIterator(io.BytesIO(warc), check_digests="raise"):
        payload = record.raw_stream.read()
        headers = record.rec_headers
        yield (
            record.rec_type,
            (
                headers.get_header("WARC-Target-URI") or "",
                headers.get_header("WARC-Date") or "",
                _headers_of(record),
                payload,
            ),
        )


def _headers_of(record: ArcWarcRecord) -> bytes:
    return bytes(record.http_headers.to_bytes()) if record.http_headers is not None else b""


def _decoded(payload: bytes, headers: bytes) -> bytes:
    """Take the content encodings off, as the crawl did."""
    lines = (line.partition(b":") for line in headers.split(b"\r\n"))
    values = [value.strip() for name, _, value in lines if name.lower() == b"content-encoding"]
    for encoding in HttpCompressionMiddleware._split_encodings(values)[0] if payload else ():  # noqa: SLF001 - the very code that decoded it
        payload = HttpCompressionMiddleware._decode(payload, encoding, _LIMIT)  # noqa: SLF001 - the same
    return payload


def _http_headers(received: Received) -> StatusAndHeaders:
    try:
        phrase = HTTPStatus(received.status).phrase
    except ValueError:
        phrase = ""
    fields = [(_one_line(name), _one_line(value)) for name, value in received.headers]
    return StatusAndHeaders(f"{received.status} {phrase}".strip(), fields, protocol="HTTP/1.1")


def _named(received: Received) -> dict[str, str]:
    found = {"WARC-Date": _date(received.at), "WARC-Record-ID": _record_id(received, "response")}
    return {**found, "WARC-IP-Address": received.address} if received.address else found


def _record_id(received: Received, kind: str) -> str:
    """Return the id of an exchange's record, the same whenever it is written."""
    digest = hashlib.sha256(received.payload).hexdigest()
    key = f"{kind} {received.at.isoformat()} {digest} {received.url}"
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, key)}>"


def _one_line(value: bytes) -> str:
    """Return a header's name or value without anything that could begin another line."""
    return value.decode("latin-1").replace("\r", " ").replace("\n", " ").replace("\0", "")


def _split(field: str) -> tuple[str, str]:
    name, _, value = field.partition(":")
    return name, value.strip()


def _date(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def archive(members: Iterable[bytes]) -> bytes:
    """Return a ``.warc.gz`` of records, with the ``warcinfo`` record that such a file begins with."""
    output = io.BytesIO()
    writer = WARCWriter(output, gzip=True)
    writer.write_record(
        writer.create_warcinfo_record("pindna.warc.gz", {"software": "pindna", "format": "WARC/1.0"})
    )
    return output.getvalue() + b"".join(members)
