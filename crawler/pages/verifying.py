"""Captures looked at again: does each still hold what it held when it was made?

A capture agrees when its records can be read, name the same address, date and status as its row, hold the
body that the row names, and have the digest that the row has. That shows any change that does not also
compute the digest anew; whoever can write to the database can do that.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from crawler.pages.capture_digests import capture_digest, moment
from crawler.pages.warc_reading import Exchange, SnapshotDamaged, exchange_of, read_back
from storage.collections.stores import Stores
from storage.errors import UnknownRecord
from storage.records import Capture, Snapshot

CaptureState = Literal["unchanged", "altered", "missing", "undigested"]

_PICTURE = "screenshot"


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a capture.

    Attributes:
        state: ``missing``: its snapshot is gone; ``undigested``: it was made before digests were kept, and
            what can be checked without one agrees.
        problem: what does not agree: ``address``, ``date``, ``status``, ``body``, ``digest``, or ``records``
            that cannot be read; empty if nothing.
    """

    capture: Capture
    state: CaptureState
    problem: str = ""


class Verifier:
    """Checks captures of one database; a body that many captures name is read once.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """

    def __init__(self, stores: Stores) -> None:
        self._snapshots = stores.snapshots
        self._since = stores.captures.digests_since()
        self._whole: set[str] = set()

    def check(self, capture: Capture) -> Checked:
        """Return what became of a capture.

        Raises:
            ServiceDown, StorageFailed: the database refused.
        """
        try:
            exchange = self._exchange(capture)
        except UnknownRecord:
            return Checked(capture, "missing", "body")
        except SnapshotDamaged as error:
            return Checked(capture, "altered", str(error.data["part"]))
        problem = self._difference(capture, exchange)
        if problem:
            return Checked(capture, "altered", problem)
        return Checked(capture, "unchanged" if capture.digest else "undigested")

    def _exchange(self, capture: Capture) -> Exchange:
        if not capture.warc:
            return _of_snapshot(self._snapshots.get(capture.sha256))
        if capture.sha256 not in self._whole:
            _of_snapshot(self._snapshots.get(capture.sha256))
            self._whole.add(capture.sha256)
        return exchange_of(capture.warc, sha256=capture.sha256)

    def _difference(self, capture: Capture, exchange: Exchange) -> str:
        """Return what does not agree; the records of a picture may be an earlier one's."""
        date = moment(capture.fetched)
        is_picture = capture.kind == _PICTURE
        if not is_picture and exchange.url != capture.url:
            return "address"
        if not capture.digest:
            return "" if capture.fetched < self._since else "digest"
        if not is_picture and exchange.at != date:
            return "date"
        if not is_picture and exchange.headers.split(b" ", 2)[1:2] != [str(capture.status).encode()]:
            return "status"
        digest = capture_digest(
            date=date,
            address=capture.url,
            request=exchange.request,
            headers=exchange.headers,
            body=exchange.payload,
            sha256=capture.sha256,
        )
        return "" if digest == capture.digest else "digest"


def _of_snapshot(snapshot: Snapshot) -> Exchange:
    """Return what a snapshot holds.

    Raises:
        SnapshotDamaged: it is not what it was.
    """
    if snapshot.warc:
        return read_back(snapshot.warc, sha256=snapshot.sha256)
    if hashlib.sha256(snapshot.body).hexdigest() != snapshot.sha256:  # one from before there were records
        raise SnapshotDamaged(sha256=snapshot.sha256, problem="its SHA-256 is another", part="body")
    return Exchange(snapshot.url, "", b"", b"", snapshot.body, snapshot.body)
