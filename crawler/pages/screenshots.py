"""Stores screenshots of pages, each as a separate snapshot and capture."""

import hashlib
from typing import TYPE_CHECKING

from crawler.exchange import Exchange
from crawler.pages.warc import capture_of, screenshot_record
from storage.records import Capture, Snapshot

if TYPE_CHECKING:
    from crawler.job import Job


def keep_screenshot(job: "Job", received: Exchange) -> list[Capture]:
    """Store the screenshot of an exchange and return its capture; equal images are stored once.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    image = received.rendered.screenshot if received.rendered is not None else b""
    if not image:
        return []
    sha256 = hashlib.sha256(image).hexdigest()
    snapshot = Snapshot(
        sha256=sha256,
        url=received.url,
        status=received.status,
        headers=b"Content-Type: image/png\r\n",
        body=b"",
        fetched=received.at,
        warc=screenshot_record(received, image),
    )
    job.stores.snapshots.save(snapshot)
    return [capture_of(job, received, sha256, kind="screenshot")]
