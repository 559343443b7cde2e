"""Pages that others captured: WARC, WACZ, HAR, MHTML, and saved pages. Reads files; no network.

A record is read alone and within bounds, so a damaged or malicious record costs only itself. Bodies keep
their content encoding, as in a crawl; a transfer encoding is removed.
"""

import io
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, get_args

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed

from crawler.addresses import is_web
from crawler.download.header_blocks import fields_of

MAX_BODY_BYTES = 64 * 1024**2
MAX_RECORD_BYTES = 1024**3  # a longer record ends the reading of its file
MAX_NESTED_BYTES = 8 * 1024**3  # of a WACZ in a WACZ
_END = b"\r\n\r\n"
_PAGES = frozenset({"text/html", "application/xhtml+xml", "text/plain", "application/json"})
_OK = 200
_EARLIEST = datetime(1991, 8, 6, tzinfo=UTC)  # the first page of the web

# Why a record of a file is no page. Labels: ``analysis.words.labels.SKIPPED_RECORDS``.
SkipReason = Literal[
    "not-page", "status", "no-address", "no-date", "revisit", "long", "damaged", "cut", "no-text", "unread"
]
SKIP_REASONS: tuple[SkipReason, ...] = get_args(SkipReason)


# Reasons that mean that a page may be missing.
UNREADABLE: frozenset[SkipReason] = frozenset({"damaged", "cut", "long", "no-date", "revisit", "unread"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPage:
    """A response in a file.

    Attributes:
        number: of the record in the file, from 1.
        url: its address.
        at: when it was captured, aware UTC.
        status: of HTTP.
        header_block: status line and field lines; made from the file's fields where it has no such block.
        payload: the body without transfer encoding, possibly compressed.
        request: request line and field lines; empty: the file has none.
        captured_by: program that captured it; empty: the file does not say.
        address: IP address of the server; empty: the file does not say.
    """

    number: int
    url: str
    at: datetime
    status: int
    header_block: bytes
    payload: bytes
    request: bytes = b""
    captured_by: str = ""
    address: str = ""

    @property
    def content_type(self) -> str:
        """Media type in lower case, without parameters."""
        return _header(self.header_block, b"content-type").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """Encoding that the Content-Type declares; empty without one."""
        return _header(self.header_block, b"content-type").lower().partition("charset=")[2].strip("\"' ;")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRecord:
    """A record that is no page, or cannot be read.

    Attributes:
        number: of the record in the file, from 1; 0: the file as a whole.
        url: its address, as far as it is known.
        reason: why.
    """

    number: int
    url: str
    reason: SkipReason


Record = CapturedPage | SkippedRecord


def checked(page: CapturedPage, now: datetime) -> Record:
    """Return a page, or why it is none: its address, status, type, size or date.

    Args:
        page: as in the file.
        now: the present; a capture in the future has no usable date.
    """
    reason: SkipReason | None = None
    if not is_web(page.url):
        reason = "no-address"
    elif page.status != _OK:
        reason = "status"
    elif page.content_type not in _PAGES:
        reason = "not-page"
    elif len(page.payload) > MAX_BODY_BYTES:
        reason = "long"
    elif not _EARLIEST <= page.at <= now:
        reason = "no-date"
    return page if reason is None else SkippedRecord(number=page.number, url=page.url[:500], reason=reason)


def read_warc(stream: IO[bytes], *, first: int = 1) -> Iterator[Record]:
    """Yield the responses and resources of a WARC file, compressed or not.

    Args:
        stream: of the file.
        first: number of the first record.
    """
    reader = _WarcReader(first)
    try:
        for record in ArchiveIterator(stream, no_record_parse=True):
            yield from reader.take(record)
            if reader.is_cut:
                break
    except (ArchiveLoadFailed, EOFError, OSError, ValueError, KeyError, AttributeError):
        yield from reader.rest()
        yield SkippedRecord(number=reader.number, url="", reason="damaged")
        return
    yield from reader.rest()


class _WarcReader:
    """Reads WARC records; a response waits for its request, which may be before or behind it."""

    def __init__(self, first: int) -> None:
        self.number = first - 1
        self.is_cut = False
        self._software = ""
        self._waiting: CapturedPage | None = None
        self._request: tuple[str, bytes] = ("", b"")

    def take(self, record: object) -> Iterator[Record]:
        """Yield what a record completes."""
        self.number += 1
        kind = record.rec_type  # type: ignore[attr-defined]
        fields = record.rec_headers  # type: ignore[attr-defined]
        url = (fields.get_header("WARC-Target-URI") or "").strip("<>")
        length = int(fields.get_header("Content-Length") or 0)
        if length > MAX_RECORD_BYTES:
            yield from self.rest()
            self.is_cut = True
            yield SkippedRecord(number=self.number, url=url[:500], reason="cut")
            return
        stream = record.raw_stream  # type: ignore[attr-defined]
        if kind == "warcinfo":
            self._software = _warcinfo_software(stream.read(64 * 1024))
        elif kind == "request":
            yield from self._take_request(url, stream.read(64 * 1024).partition(_END)[0])
        elif kind == "revisit":
            yield from self.rest()
            yield SkippedRecord(number=self.number, url=url[:500], reason="revisit")
        elif kind in {"response", "resource"}:
            yield from self.rest()
            yield from self._take_response(kind, url, fields, stream.read(MAX_BODY_BYTES + 1024**2))

    def rest(self) -> Iterator[Record]:
        """Yield the response that waits for its request."""
        if self._waiting is not None:
            yield self._waiting
        self._waiting = None

    def _take_request(self, url: str, block: bytes) -> Iterator[Record]:
        if self._waiting is not None and self._waiting.url == url and not self._waiting.request:
            yield replace(self._waiting, request=block)
            self._waiting = None
        else:
            self._request = (url, block)

    def _take_response(self, kind: str, url: str, fields: object, block: bytes) -> Iterator[Record]:
        at = moment_of(fields.get_header("WARC-Date") or "")  # type: ignore[attr-defined]
        if at is None:
            yield SkippedRecord(number=self.number, url=url[:500], reason="no-date")
            return
        headers, payload = _http_parts(kind, block, fields.get_header("Content-Type") or "")  # type: ignore[attr-defined]
        request = self._request[1] if self._request[0] == url else b""
        self._request = ("", b"")
        self._waiting = CapturedPage(
            number=self.number,
            url=url,
            at=at,
            status=_status_of(headers),
            header_block=headers,
            payload=payload,
            request=request,
            captured_by=self._software,
            address=fields.get_header("WARC-IP-Address") or "",  # type: ignore[attr-defined]
        )


def read_wacz(path: Path, *, depth: int = 0) -> Iterator[Record]:
    """Yield the pages of a WACZ file, or of the WACZ files in a multi-WACZ."""
    number = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                for record in _member_records(archive, name, number + 1, depth):
                    number = max(number, record.number)
                    yield record
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        yield SkippedRecord(number=0, url="", reason="damaged")


def _member_records(archive: zipfile.ZipFile, name: str, first: int, depth: int) -> Iterator[Record]:
    if name.endswith((".warc", ".warc.gz")):
        with archive.open(name) as stream:
            yield from read_warc(stream, first=first)
    elif name.endswith(".wacz") and depth == 0:
        if archive.getinfo(name).file_size > MAX_NESTED_BYTES:
            yield SkippedRecord(number=0, url=name, reason="long")
            return
        with tempfile.NamedTemporaryFile(prefix="pindna-", suffix=".wacz") as copy:
            with archive.open(name) as stream:
                while data := stream.read(1024**2):
                    copy.write(data)
            copy.flush()
            for record in read_wacz(Path(copy.name), depth=1):
                yield replace(record, number=record.number + first - 1 if record.number else 0)


def _http_parts(kind: str, block: bytes, content_type: str) -> tuple[bytes, bytes]:
    """Return header block and body of a record; a resource has no header block."""
    if kind == "resource":
        return header_block_of(_OK, "OK", [("Content-Type", content_type)]), block
    headers, _, payload = block.partition(_END)
    if "chunked" in _header(headers, b"transfer-encoding").lower():
        payload = ChunkedDataReader(io.BytesIO(payload), decomp_type=None).read()
    return headers, payload


def header_block_of(status: int, phrase: str, fields: list[tuple[str, str]]) -> bytes:
    """Return a header block made from the fields of a file."""
    lines = [f"HTTP/1.1 {status} {phrase}".strip(), *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join(" ".join(line.split()) for line in lines).encode("utf-8", "replace")


def _header(block: bytes, name: bytes) -> str:
    for field, value in fields_of(block):
        if field.strip().lower() == name:
            return value[1:].strip().decode("latin-1")
    return ""


def _status_of(block: bytes) -> int:
    word = block.split(b"\n", 1)[0].split(b" ", 2)[1:2]
    return int(word[0]) if word and word[0].strip().isdigit() else 0


def moment_of(text: str) -> datetime | None:
    """Return a date with time, aware UTC; None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _warcinfo_software(data: bytes) -> str:
    """Return the program that wrote a WARC file, from its first record."""
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "software":
            return value.strip()[:200]
    return ""
