"""Stored captures with their snapshots, whose digests are right."""

from dataclasses import replace
from datetime import timedelta

from support.crawl_parts import memory_job
from support.exchanges import NOW, received_with, sha256_of

from crawler.pages.warc import capture_of, response_record
from storage.records import Snapshot


def keep_captures(stores, count, *, first=0):
    """Store some captures, each of an address and a body of its own, and return them."""
    captures = []
    for number in range(first, first + count):
        body = f"<p>{number}</p>".encode()
        received = replace(
            received_with(body, url=f"http://x.example/{number}"), at=NOW + timedelta(seconds=number)
        )
        sha256 = sha256_of(body)
        warc = response_record(received)
        snapshot = Snapshot(
            sha256=sha256, url=received.url, status=200, headers=b"", body=b"", fetched=received.at, warc=warc
        )
        stores.snapshots.save(snapshot)
        captures.append(capture_of(memory_job(stores=stores), received, sha256))
    stores.captures.add_many(captures)
    return captures
