"""The pictures of pages, kept beside their exchanges: a snapshot and a capture of its own each."""

import hashlib
from typing import TYPE_CHECKING

from crawler.exchange import Received
from crawler.pages.warc import capture_of, screenshot_record
from storage.records import Capture, Snapshot

if TYPE_CHECKING:
    from crawler.job import Job


def keep_screenshot(job: "Job", received: Received) -> list[Capture]:
    """Store an exchange's picture and return the capture that names it; a known picture is not doubled.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    image = received.rendered.screenshot if received.rendered is not None else b""
    if not image:
        return []
    sha256 = hashlib.sha256(image).hexdigest()
    kept = Snapshot(
        sha256=sha256,
        url=received.url,
        status=received.status,
        headers=b"Content-Type: image/png\r\n",
        body=b"",
        fetched=received.at,
        warc=screenshot_record(received, image),
    )
    job.stores.snapshots.save(kept)
    return [capture_of(job, received, sha256, kind="screenshot")]
