"""Captured pages in web archives: WARC, WACZ and multi-WACZ.

What cannot be read is reported, and everything else is yielded: a damaged record, gzip member or member of a
WACZ costs only itself.
"""

import io
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from warcio.bufferedreaders import ChunkedDataReader

from crawler.addresses import is_web
from crawler.pages.captured import (
    MAX_BODY_BYTES,
    OK,
    CapturedPage,
    Record,
    SkippedRecord,
    SkipReason,
    header_block_of,
    header_value,
    moment_of,
    status_of,
)
from crawler.pages.captured_records import WarcRecord, warc_records

MAX_NESTED_BYTES = 8 * 1024**3  # of a WACZ in a WACZ
_CHUNK_BYTES = 1024**2
_MAX_SHOWN_CHARS = 500
_MAX_REQUEST_BYTES = 64 * 1024
_END = re.compile(rb"\r?\n\r?\n")
_PLAIN = (".warc", ".warc.gz")
_NESTED = ".wacz"
_ARCHIVE = "archive/"  # folder of a WACZ with its WARC files
_BROKEN = (
    zipfile.BadZipFile,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
)


def read_warc(stream: IO[bytes], *, first: int = 1) -> Iterator[Record]:
    """Yield the responses and resources of a WARC file, compressed or not.

    A record that ends early is yielded as far as it was read, followed by its problem.

    Args:
        stream: of the file.
        first: number of the first record.
    """
    reader = _PageReader(first)
    for record in warc_records(stream, max_block=MAX_BODY_BYTES + _CHUNK_BYTES):
        yield from reader.take(record)
    yield from reader.rest()


class _PageReader:
    """Makes pages of WARC records; a response waits for its request, which may be before or behind it."""

    def __init__(self, first: int) -> None:
        self.number = first - 1
        self._software = ""
        self._waiting: CapturedPage | None = None
        self._request: tuple[str, bytes] = ("", b"")

    def take(self, record: WarcRecord) -> Iterator[Record]:
        """Yield what a record completes, and its problem."""
        self.number += 1
        kind, url = record.fields.get("warc-type", ""), _address_in(record.fields)
        problem: SkipReason | None = record.problem
        match kind:
            case "warcinfo":
                self._software = _software_in(record.block[:_MAX_REQUEST_BYTES])
            case "request":
                yield from self._take_request(
                    url, _END.split(record.block[:_MAX_REQUEST_BYTES], maxsplit=1)[0]
                )
            case "revisit":
                problem = "revisit"
            case "response" | "resource":
                yield from self.rest()
                problem = self._take_response(kind, url, record) or problem
            case "continuation":
                problem = "cut"
            case "metadata" | "conversion":
                pass
            case _:
                problem = problem or "damaged"
        if problem is not None:
            yield from self.rest()
            yield SkippedRecord(number=self.number, url=url[:_MAX_SHOWN_CHARS], reason=problem)

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

    def _take_response(self, kind: str, url: str, record: WarcRecord) -> SkipReason | None:
        """Keep a page until its request is known; return why there is none, or why it is not whole."""
        at = moment_of(record.fields.get("warc-date", ""))
        if at is None:
            return "no-date"
        headers, payload = _http_parts(kind, record.block, record.fields.get("content-type", ""))
        status = status_of(headers)
        if payload is None and is_web(url) and status in {0, OK}:
            return "damaged"
        request = self._request[1] if self._request[0] == url else b""
        self._request = ("", b"")
        self._waiting = CapturedPage(
            number=self.number,
            url=url,
            at=at,
            status=status,
            header_block=headers,
            payload=payload or b"",
            request=request,
            captured_by=self._software,
            address=record.fields.get("warc-ip-address", ""),
        )
        return "cut" if record.fields.get("warc-truncated") else None


def read_wacz(path: Path, *, depth: int = 0) -> Iterator[Record]:
    """Yield the pages of a WACZ file, or of the WACZ files in a multi-WACZ."""
    number = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.infolist(), key=lambda member: member.filename):
                for record in _member_records(archive, member, number + 1, depth):
                    number = max(number, record.number)
                    yield record
    except _BROKEN:
        yield SkippedRecord(number=0, url="", reason="damaged")


def _member_records(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, first: int, depth: int
) -> Iterator[Record]:
    """Yield the pages of a member, and its problem if it cannot be read."""
    name = member.filename
    unread = SkippedRecord(number=0, url=name[:_MAX_SHOWN_CHARS], reason="damaged")
    try:
        if name.endswith(_PLAIN):
            with archive.open(member) as stream:
                yield from read_warc(stream, first=first)
        elif name.endswith(_NESTED) and depth == 0:
            if member.file_size > MAX_NESTED_BYTES:
                yield replace(unread, reason="long")
            else:
                yield from _nested_records(archive, member, first)
        elif name.endswith(_NESTED) or (name.startswith(_ARCHIVE) and not member.is_dir()):
            yield unread
    except _BROKEN:
        yield unread


def _nested_records(archive: zipfile.ZipFile, member: zipfile.ZipInfo, first: int) -> Iterator[Record]:
    with tempfile.NamedTemporaryFile(prefix="pindna-", suffix=_NESTED) as copy:
        with archive.open(member) as stream:
            while data := stream.read(_CHUNK_BYTES):
                copy.write(data)
        copy.flush()
        for record in read_wacz(Path(copy.name), depth=1):
            yield replace(record, number=record.number + first - 1 if record.number else 0)


def _http_parts(kind: str, block: bytes, content_type: str) -> tuple[bytes, bytes | None]:
    """Return header block and body of a record; None: no empty line ends the header block.

    A resource has no header block.
    """
    if kind == "resource":
        return header_block_of(OK, "OK", [("Content-Type", content_type)]), block
    end = _END.search(block)
    if end is None:
        return block, None
    headers, payload = block[: end.start()], block[end.end() :]
    if "chunked" in header_value(headers, b"transfer-encoding").lower():
        payload = ChunkedDataReader(io.BytesIO(payload), decomp_type=None).read()
    return headers, payload


def _address_in(fields: Mapping[str, str]) -> str:
    return fields.get("warc-target-uri", "").strip("<>").replace(" ", "%20")


def _software_in(data: bytes) -> str:
    """Return the program that wrote a WARC file, from its first record."""
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "software":
            return value.strip()[:200]
    return ""
