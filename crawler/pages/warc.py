"""Exchanges as WARC records, and back: what was sent and received, for whom it may concern in court.

A new body makes a ``response`` record with its ``request``; a body that is known makes a ``revisit`` record
that names it, without the body. Each is a member of gzip of its own, so any of them written one after the
other are a valid ``.warc.gz`` file (ISO 28500:2017). Headers are the bytes that came, in their order; a
line that would make a reader miss the end of the headers is rewritten, and confidential values are left
out: the record says so (``X-Pindna-Rewritten-Lines``, ``X-Pindna-Left-Out``). Nothing that a server sends
makes writing fail.
"""

import hashlib
import io
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.download.heads import left_out, recordable
from crawler.exchange import Received, Rendered
from crawler.pages.capture_digests import capture_digest, moment
from storage.collections.captures import capture_id
from storage.records import Capture, CaptureKind

if TYPE_CHECKING:
    from crawler.job import Job

_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_VERSION = "1.1"  # the first whose dates have fractions of a second
_END = b"\r\n\r\n"


def response_record(received: Received) -> bytes:
    """Return a ``response`` record and its ``request`` record; of a page that a browser showed, with its DOM.

    The DOM, which is what was read, is a ``conversion`` record that refers to the response.
    """
    output = io.BytesIO()
    writer = _writer(output)
    head = _response_head(received)
    answer = writer.create_warc_record(
        received.url,
        "response",
        payload=io.BytesIO(received.payload),
        length=len(received.payload),
        http_headers=_Head(head[0]),
        warc_headers_dict=_named(received, head),
    )
    _write_pair(writer, received, answer)
    if received.rendered is not None:
        _write_conversion(writer, received, received.rendered)
    return output.getvalue()


def revisit_record(received: Received, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return a ``revisit`` record for a body, or a 304, that stands for a snapshot, with its request.

    Args:
        received: the exchange.
        sha256: of the decoded body; the compressed bytes of the same page may differ from fetch to fetch.
        first_url: where the stored snapshot was taken …
        first_fetched: … and when.
    """
    output = io.BytesIO()
    writer = _writer(output)
    head = _response_head(received)
    record = writer.create_revisit_record(
        received.url,
        f"sha256:{sha256}",
        first_url,
        moment(first_fetched),
        http_headers=_Head(head[0]),
        warc_headers_dict=_named(received, head),
    )
    if received.status == HTTPStatus.NOT_MODIFIED:
        record.rec_headers.replace_header("WARC-Profile", _NOT_MODIFIED)
    _write_pair(writer, received, record)
    return output.getvalue()


def seen_again_record(received: Received, *, sha256: str, first_url: str, first_fetched: datetime) -> bytes:
    """Return what is kept of a fetch whose body is known; the arguments are those of ``revisit_record``.

    A page that a browser showed as before need not have come as before, so its document is kept in full, with
    a ``metadata`` record that names the DOM.
    """
    if received.rendered is None:
        return revisit_record(received, sha256=sha256, first_url=first_url, first_fetched=first_fetched)
    named = {"rendered": f"sha256:{sha256}", "kept-with": first_url, "kept-since": moment(first_fetched)}
    told = "".join(f"{name}: {value}\r\n" for name, value in named.items()).encode()
    output = io.BytesIO()
    _write(
        _writer(output),
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
        _writer(output),
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
        digest=_digest_of(received, sha256, is_revisit=bool(warc) and received.rendered is None, kind=kind),
    )


def _digest_of(received: Received, sha256: str, *, is_revisit: bool, kind: CaptureKind) -> str:
    """Return the digest over the records of an exchange, see :mod:`crawler.pages.capture_digests`."""
    request, headers = _request_head(received)[0] + _END, _response_head(received)[0] + _END
    body = b"" if is_revisit else received.payload
    if kind == "screenshot":
        request, headers, body = b"", b"", received.rendered.screenshot if received.rendered else b""
    return capture_digest(
        date=moment(received.at),
        address=received.url,
        request=request,
        headers=headers,
        body=body,
        sha256=sha256,
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
        warc_headers_dict={"WARC-Date": moment(received.at), **about},
    )
    writer.write_record(record)


class _Head(StatusAndHeaders):  # type: ignore[misc]
    """A head that is written as its bytes, which warcio would encode anew, or fail to."""

    def __init__(self, head: bytes) -> None:
        super().__init__("", [])
        self._bytes = head + _END

    def __bool__(self) -> bool:
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002 - warcio's signature
        self.headers_buff = self._bytes


def _writer(output: io.BytesIO) -> WARCWriter:
    return WARCWriter(output, gzip=True, warc_version=_VERSION)


def _write_pair(writer: WARCWriter, received: Received, answer: ArcWarcRecord) -> None:
    """Write a record of an answer and the one of its request."""
    head = _request_head(received)
    about = {"WARC-Date": moment(received.at), **_told_of(head)}
    asked = writer.create_warc_record(
        received.url, "request", http_headers=_Head(head[0]), warc_headers_dict=about
    )
    writer.write_request_response_pair(asked, answer)


def _response_head(received: Received) -> tuple[bytes, int]:
    return recordable(received.head, first=f"HTTP/1.1 {received.status} ".encode())


def _request_head(received: Received) -> tuple[bytes, int]:
    return recordable(received.request, first=b"GET / HTTP/1.1")


def _named(received: Received, head: tuple[bytes, int]) -> dict[str, str]:
    found = {"WARC-Date": moment(received.at), "WARC-Record-ID": _record_id(received, "response")}
    address = {"WARC-IP-Address": received.address} if received.address else {}
    return {**found, **address, **_told_of(head)}


def _told_of(head: tuple[bytes, int]) -> dict[str, str]:
    """Return what a record says of how its head differs from the one that came or was sent."""
    names, changed = left_out(head[0]), head[1]
    told = {"X-Pindna-Left-Out": ", ".join(names)} if names else {}
    return {**told, "X-Pindna-Rewritten-Lines": str(changed)} if changed else told


def _record_id(received: Received, kind: str) -> str:
    """Return the id of an exchange's record, the same whenever it is written."""
    digest = hashlib.sha256(received.payload).hexdigest()
    key = f"{kind} {received.at.isoformat()} {digest} {received.url}"
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, key)}>"


def archive(members: Iterable[bytes]) -> bytes:
    """Return a ``.warc.gz`` of records, with the ``warcinfo`` record that such a file begins with."""
    output = io.BytesIO()
    writer = _writer(output)
    writer.write_record(
        writer.create_warcinfo_record(
            "pindna.warc.gz", {"software": "pindna", "format": "WARC File Format 1.1"}
        )
    )
    return output.getvalue() + b"".join(members)
