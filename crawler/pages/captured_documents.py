"""Captured pages in other files than web archives: HAR, MHTML, and pages saved by a browser."""

import base64
import email
import email.policy
import gzip
import html
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawler.pages.captured import (
    MAX_BODY_BYTES,
    OK,
    CapturedPage,
    Record,
    SkippedRecord,
    header_block_of,
    in_utc,
    moment_of,
)
from crawler.pages.captured_archives import read_wacz, read_warc
from storage.records import CapturedForm
from system.errors import PindnaError
from system.json_objects import iter_objects
from system.local_files import RegularFile, read_file

_HEAD_BYTES = 64 * 1024
_CHUNK_BYTES = 1024**2
_HAR = re.compile(r'"log"\s*:\s*\{')
_ENTRIES = re.compile(r'"entries"\s*:\s*\[')
_CREATOR = re.compile(r'"creator"\s*:\s*\{[^{}]{0,500}?"name"\s*:\s*"([^"]{1,100})"')
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S{1,2000}?)\s*-->")
_SINGLE_FILE = re.compile(
    r"<!--\s*Page saved with SingleFile\s+url:\s*(\S{1,2000})\s+saved date:\s*([^<>]{1,100}?)\s*-->"
)
_NO_LONGER = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_MARKUP = frozenset({"text/html", "application/xhtml+xml"})
_MAX_FRAMES = 50


def captured_form(head: bytes, members: frozenset[str] = frozenset()) -> CapturedForm | None:
    """Return the form of a file with captured pages; None for other files.

    Args:
        head: its first bytes, unpacked if it is gzip.
        members: names in it, if it is a ZIP archive.
    """
    if members:
        is_archive = any(name.endswith((".warc", ".warc.gz", ".wacz")) for name in members)
        return "wacz" if is_archive and "datapackage.json" in members else None
    if head.startswith(b"WARC/"):
        return "warc"
    text = head[:_HEAD_BYTES].decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if text.startswith("{") and _HAR.search(text[:2_000]):
        return "har"
    lowered = text[:8_000].casefold()
    if "multipart/related" in lowered and "mime-version:" in lowered and not text.startswith("<"):
        return "mhtml"
    if text.startswith("<") and (_SAVED_FROM.search(text) or _SINGLE_FILE.search(text)):
        return "saved-page"
    return None


def captured_form_of(path: Path) -> CapturedForm | None:
    """Return the form of a file with captured pages, by its content; None for other files.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
    """
    with RegularFile(path) as file:
        head = file.read(_HEAD_BYTES) or b""
    members: frozenset[str] = frozenset()
    try:
        if head.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(path) as archive:
                members = frozenset(archive.namelist())
        elif head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as stream:
                head = stream.read(_HEAD_BYTES)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, zlib.error):
        return None
    return captured_form(head, members)


def read_captured(path: Path, form: CapturedForm, *, url: str = "") -> Iterator[Record]:
    """Yield the responses of a file.

    Args:
        path: the file.
        form: its form.
        url: address of a saved page that does not contain it.

    Raises:
        UnreadableFile, FileTooLarge: the file cannot be read.
    """
    match form:
        case "warc":
            with path.open("rb") as stream:
                yield from read_warc(stream)
        case "wacz":
            yield from read_wacz(path)
        case "har":
            yield from _read_har(path)
        case "mhtml":
            yield from _read_mhtml(path)
        case "saved-page":
            yield from _read_saved(path, url)


def _read_har(path: Path) -> Iterator[Record]:
    with path.open("rb") as stream:
        creator = _CREATOR.search(stream.read(_HEAD_BYTES).decode("utf-8", "replace"))
    by = creator[1] if creator else ""
    entries = iter_objects(_texts_of(path), start=_ENTRIES, max_chars=2 * MAX_BODY_BYTES)
    for number, entry in enumerate(entries, start=1):
        try:
            yield _har_page(number, entry or {}, by)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            yield SkippedRecord(number=number, url="", reason="damaged")


def _texts_of(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        while text := stream.read(_CHUNK_BYTES):
            yield text


def _har_page(number: int, entry: Mapping[str, Any], by: str) -> Record:
    """Return the response of a HAR entry, whose body is decoded already."""
    response, request = entry["response"], entry["request"]
    content, url = response["content"], str(request["url"])
    at = moment_of(str(entry["startedDateTime"]))
    if at is None:
        return SkippedRecord(number=number, url=url[:500], reason="no-date")
    text = content.get("text") or ""
    media = str(content.get("mimeType") or "")
    is_packed = content.get("encoding") == "base64"
    body = base64.b64decode("".join(text.split()), validate=True) if is_packed else _encoded(text, media)
    named = [(str(field["name"]), str(field["value"])) for field in response.get("headers") or ()]
    fields = [field for field in named if field[0].lower() not in {*_NO_LONGER, "content-type"}]
    return CapturedPage(
        number=number,
        url=url,
        at=at,
        status=int(response["status"]),
        header_block=header_block_of(
            int(response["status"]), str(response.get("statusText") or ""), [*fields, ("Content-Type", media)]
        ),
        payload=body,
        captured_by=by,
        address=str(entry.get("serverIPAddress") or ""),
    )


def _encoded(text: str, media: str) -> bytes:
    """Return a text in the encoding that its media type declares, or else in UTF-8."""
    charset = media.lower().partition("charset=")[2].strip("\"' ;") or "utf-8"
    try:
        return text.encode(charset)
    except (LookupError, UnicodeError):
        return text.encode("utf-8", "replace")


def _read_mhtml(path: Path) -> Iterator[Record]:
    data = read_file(path, max_bytes=2 * MAX_BODY_BYTES)
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        pages = [
            message_part for message_part in message.walk() if message_part.get_content_type() in _MARKUP
        ]
        root = str(message.get("Snapshot-Content-Location") or message.get("Content-Location") or "")
        at, by = _mail_date(message), str(message.get("From") or "")
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError):
        yield SkippedRecord(number=0, url="", reason="damaged")
        return
    by = by.strip('<>" ').removeprefix("Saved by ")[:200]
    for number, message_part in enumerate(pages[:_MAX_FRAMES], start=1):
        yield _mhtml_page(number, message_part, root, at, by)
        if message_part.defects:  # for instance a body that is not base64
            yield SkippedRecord(number=number, url="", reason="damaged")
    if message.defects or len(pages) > _MAX_FRAMES:  # for instance without an end
        yield SkippedRecord(number=0, url="", reason="cut")


def _mhtml_page(
    number: int, message_part: EmailMessage | Any, root: str, at: datetime | None, by: str
) -> Record:
    """Return a page or a frame of an MHTML file; a frame may have an address of its own."""
    try:
        body, url = message_part.get_payload(decode=True), str(message_part.get("Content-Location") or root)
        charset = str(message_part.get_content_charset() or "")
    except (ValueError, LookupError, AttributeError, TypeError):
        return SkippedRecord(number=number, url="", reason="damaged")
    if number == 1 and root:
        url = root
    if at is None:
        return SkippedRecord(number=number, url=url[:500], reason="no-date")
    media = f"text/html; charset={charset}" if charset else "text/html"
    block = header_block_of(OK, "OK", [("Content-Type", media)])
    return CapturedPage(
        number=number,
        url=url,
        at=at,
        status=OK,
        header_block=block,
        payload=body if isinstance(body, bytes) else b"",
        captured_by=by,
    )


def _mail_date(message: EmailMessage | Any) -> datetime | None:
    try:
        return in_utc(parsedate_to_datetime(str(message.get("Date") or "")))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _read_saved(path: Path, url: str) -> Iterator[Record]:
    """Yield a saved page, and the frames in its folder that say where they come from."""
    yield _saved_page(1, path, url)
    folders = [path.with_name(path.stem + end) for end in ("_files", ".files", "_file")]
    frames = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.htm*"))]
    for number, frame in enumerate(frames[:_MAX_FRAMES], start=2):
        try:
            page = _saved_page(number, frame, "")
        except PindnaError:  # for instance too large
            yield SkippedRecord(number=number, url="", reason="damaged")
            continue
        if urlsplit(page.url).scheme in {"http", "https"}:
            yield page
    if len(frames) > _MAX_FRAMES:
        yield SkippedRecord(number=0, url="", reason="cut")


def _saved_page(number: int, path: Path, url: str) -> CapturedPage:
    """Return a saved page; without a date in it, the date of the file counts."""
    data = read_file(path, max_bytes=MAX_BODY_BYTES)
    head = data[:_HEAD_BYTES].decode("utf-8", "replace")
    at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    by = ""
    if single := _SINGLE_FILE.search(head):
        address, at, by = html.unescape(single[1]), _script_date(single[2]) or at, "SingleFile"
    else:
        saved = _SAVED_FROM.search(head)
        address = html.unescape(saved[1]) if saved else ""
    block = header_block_of(OK, "OK", [("Content-Type", "text/html")])
    return CapturedPage(
        number=number,
        url=url or address,
        at=at,
        status=OK,
        header_block=block,
        payload=data,
        captured_by=by,
    )


def _script_date(text: str) -> datetime | None:
    """Return a date as JavaScript prints it: ``Sat Mar 01 2025 10:00:00 GMT+0800 (China Standard Time)``."""
    try:
        return in_utc(datetime.strptime(text.partition("(")[0].strip(), "%a %b %d %Y %H:%M:%S GMT%z"))
    except ValueError:
        return None
