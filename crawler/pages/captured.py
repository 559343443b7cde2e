"""Pages that others captured, in one shape for all forms of files. Pure.

A record is read alone and within bounds, so a damaged or malicious record costs only itself. Bodies keep
their content encoding, as in a crawl; a transfer encoding is removed.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from crawler.addresses import is_web
from crawler.download.header_blocks import fields_of

MAX_BODY_BYTES = 64 * 1024**2
_PAGES = frozenset({"text/html", "application/xhtml+xml", "text/plain", "application/json"})
OK = 200
_MAX_STATUS_DIGITS = 3
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
        return header_value(self.header_block, b"content-type").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """Encoding that the Content-Type declares; empty without one."""
        return (
            header_value(self.header_block, b"content-type").lower().partition("charset=")[2].strip("\"' ;")
        )


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
    elif page.status != OK:
        reason = "status"
    elif page.content_type not in _PAGES:
        reason = "not-page"
    elif len(page.payload) > MAX_BODY_BYTES:
        reason = "long"
    elif not _EARLIEST <= page.at <= now:
        reason = "no-date"
    return page if reason is None else SkippedRecord(number=page.number, url=page.url[:500], reason=reason)


def header_block_of(status: int, phrase: str, fields: list[tuple[str, str]]) -> bytes:
    """Return a header block made from the fields of a file."""
    lines = [f"HTTP/1.1 {status} {phrase}".strip(), *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join(" ".join(line.split()) for line in lines).encode("utf-8", "replace")


def header_value(block: bytes, name: bytes) -> str:
    """Return the first value of a field of a header block; empty without one."""
    for field, value in fields_of(block):
        if field.strip().lower() == name:
            return value[1:].strip().decode("latin-1")
    return ""


def status_of(block: bytes) -> int:
    """Return the status of a header block; 0 without one."""
    word = b"".join(block.split(b"\n", 1)[0].split(b" ", 2)[1:2]).strip()
    return int(word) if word.isdigit() and len(word) <= _MAX_STATUS_DIGITS else 0


def moment_of(text: str) -> datetime | None:
    """Return a date with time, aware UTC; None if it cannot be read."""
    try:
        return in_utc(datetime.fromisoformat(text.strip()))
    except ValueError:
        return None


def in_utc(moment: datetime) -> datetime | None:
    """Return a moment, aware UTC; without a zone it is UTC. None if its year is before 1 or after 9999."""
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return None
