"""Verifies that stored captures are unchanged.

A capture is unchanged if its records can be read, agree with its row in address, date, status and body, and
have the stored digest. This detects any change, except by a person who can write to the database and computes
a new digest.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from cachetools import LRUCache

from crawler.pages.capture_digests import capture_digest, moment
from crawler.pages.warc_reading import ArchivedExchange, SnapshotDamaged, exchange_of, read_back
from storage.collections.stores import Stores
from storage.records import Capture, Snapshot
from system.errors import UnknownRecord

CaptureState = Literal["unchanged", "altered", "missing", "undigested"]

_SCREENSHOT = "screenshot"
_INTACT = 100_000  # maximum number of remembered bodies that were already verified


@dataclass(frozen=True, slots=True)
class CheckedCapture:
    """The state of a capture.

    Attributes:
        state: ``missing``: its snapshot is gone; ``undigested``: older than the digests, and all other checks
            succeeded.
        problem: the failed check: ``address``, ``date``, ``status``, ``body``, ``digest``, or unreadable
            ``records``; empty if none failed.
    """

    capture: Capture
    state: CaptureState
    problem: str = ""


class Verifier:
    """Checks captures of one database; a body of several captures is read once.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """

    def __init__(self, stores: Stores) -> None:
        self._snapshots = stores.snapshots
        self._since = stores.captures.digests_since()
        self._intact: LRUCache[str, bool] = LRUCache(_INTACT)

    def check(self, capture: Capture) -> CheckedCapture:
        """Return the state of a capture.

        Raises:
            ServiceDown, StorageFailed: the database refused.
        """
        try:
            exchange = self._exchange_of(capture)
        except UnknownRecord:
            return CheckedCapture(capture, "missing", "body")
        except SnapshotDamaged as error:
            return CheckedCapture(capture, "altered", str(error.data["part"]))
        problem = self._failed_check(capture, exchange)
        if problem:
            return CheckedCapture(capture, "altered", problem)
        return CheckedCapture(capture, "unchanged" if capture.digest else "undigested")

    def _exchange_of(self, capture: Capture) -> ArchivedExchange:
        if not capture.warc:
            return _exchange_in(self._snapshots.get(capture.sha256))
        if capture.sha256 not in self._intact:
            _exchange_in(self._snapshots.get(capture.sha256))
            self._intact[capture.sha256] = True
        return exchange_of(capture.warc, sha256=capture.sha256)

    def _failed_check(self, capture: Capture, exchange: ArchivedExchange) -> str:
        """Return the failed check; a screenshot may share the records of an earlier, equal one."""
        date = moment(capture.fetched)
        is_screenshot = capture.kind == _SCREENSHOT
        if not is_screenshot and exchange.url != capture.url:
            return "address"
        if not capture.digest:
            return "" if capture.fetched < self._since else "digest"
        if not is_screenshot and exchange.at != date:
            return "date"
        if not is_screenshot and exchange.headers.split(b" ", 2)[1:2] != [str(capture.status).encode()]:
            return "status"
        digest = capture_digest(
            date=date,
            address=capture.url,
            request=exchange.request,
            headers=exchange.headers,
            body=exchange.payload,
            sha256=capture.sha256,
            certificate="" if is_screenshot else exchange.certificate,
        )
        return "" if digest == capture.digest else "digest"


def _exchange_in(snapshot: Snapshot) -> ArchivedExchange:
    """Return the exchange in a snapshot.

    Raises:
        SnapshotDamaged: the snapshot was changed.
    """
    if snapshot.warc:
        return read_back(snapshot.warc, sha256=snapshot.sha256)
    # this snapshot was stored before pindna used WARC records
    if hashlib.sha256(snapshot.body).hexdigest() != snapshot.sha256:
        raise SnapshotDamaged(sha256=snapshot.sha256, problem="its SHA-256 differs", part="body")
    return ArchivedExchange(snapshot.url, "", b"", b"", snapshot.body, snapshot.body)
