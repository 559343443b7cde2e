"""Write the captures behind a report as files next to it, for readers without pindna.

A response is a WARC file with the request and all headers; replay programs and ``warcio`` read it. A
screenshot is a PNG file. Files are named by SHA-256, never by a name from a website.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from analysis.evidence.captures import read_exchange
from crawler.pages.warc import archive
from crawler.pages.warc_reading import SnapshotDamaged
from storage.collections.stores import Stores
from system.errors import UnknownRecord

FOLDER = "captures"
_SHA256 = re.compile("[0-9a-f]{64}")


class CapturedPage(Protocol):
    """The fields of a page that lead to its captures."""

    @property
    def id(self) -> str:
        """Id of the page."""

    @property
    def url(self) -> str:
        """Address of the page."""

    @property
    def snapshots(self) -> tuple[str, ...]:
        """SHA-256 of the responses that the text was read from."""

    @property
    def last_seen(self) -> datetime:
        """When pindna last saw the page."""


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """A file next to a report.

    Attributes:
        key: the SHA-256 of a response, or the address shown on a screenshot.
        name: path relative to the report's folder.
    """

    key: str
    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.data).hexdigest()


def is_sha256(text: str) -> bool:
    """Return whether a text is a SHA-256 in hexadecimal digits."""
    return _SHA256.fullmatch(text) is not None


def capture_files(matched: Iterable[CapturedPage], stores: Stores) -> Iterator[CaptureFile]:
    """Yield the capture files of pages, each once.

    Captures that are deleted or damaged are left out; the report mentions them at their matches.

    Raises:
        StorageFailed: MongoDB refused an operation.
    """
    pages = {page.id: page for page in matched}
    for sha256 in dict.fromkeys(sha for page in pages.values() for sha in page.snapshots if is_sha256(sha)):
        data = _response_warc(sha256, stores)
        if data:
            yield CaptureFile(sha256, f"{FOLDER}/{sha256}.warc.gz", data)
    for page in {page.url: page for page in pages.values()}.values():
        yield from _newest_screenshot(page, stores)


def _response_warc(sha256: str, stores: Stores) -> bytes:
    try:
        warc = stores.snapshots.get(sha256).warc
    except UnknownRecord:
        return b""
    return archive([warc]) if warc else b""


def _newest_screenshot(page: CapturedPage, stores: Stores) -> Iterator[CaptureFile]:
    """Yield the newest screenshot of a page taken no later than its last visit."""
    taken = (
        capture
        for capture in stores.captures.of_url(page.url)
        if capture.kind == "screenshot" and capture.sha256
    )
    newest = next((capture for capture in taken if capture.fetched <= page.last_seen), None)
    if newest is None or not is_sha256(newest.sha256):
        return
    try:
        picture = read_exchange(newest.sha256, stores).body
    except (UnknownRecord, SnapshotDamaged):
        return
    yield CaptureFile(page.url, f"{FOLDER}/{newest.sha256}.png", picture)
