"""Storage of the evidence log: leaves, tiles of the tree, head, signed roots, statements.

Theory of operation. The write that stores a record for the log also sets the mark ``unlogged``. So no record
is forgotten, even if machines write late, out of order or with wrong clocks. One task, under a lease, creates
leaves from marked records. :mod:`analysis.evidence.log` describes its steps and the effects of a crash
between them. The mark is removed when the log's head includes the leaf. There are few marked records, and a
sparse index finds and counts them.

Records older than the log are marked when the head is created, so the log dates them to that day.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TypeVar, get_args

from pydantic import ValidationError

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records.evidence_log import (
    Leaf,
    LoggedKind,
    LogHead,
    SignedRoot,
    Statement,
    StatementKind,
    StoredReceipt,
    StoredToken,
)
from system.errors import PindnaError
from system.exit_status import ExitStatus

R = TypeVar("R")
UNLOGGED = "unlogged"
_HEAD, _LEASE = "head", "lease"
_SHOWN = 100
_COLLECTIONS: Mapping[LoggedKind, str] = {
    "capture": "captures",
    "event": "events",
    "statement": "evidence_statements",
    "session": "capture_sessions",
}
KINDS: tuple[LoggedKind, ...] = get_args(LoggedKind)


def with_mark(document: Document) -> Document:
    """Return the document of a new record with the mark for logging."""
    return {**document, UNLOGGED: True}


class DamagedRow(PindnaError):
    """A stored row has an invalid form. Data: ``row``."""

    template = (
        "Stored evidence was changed: {row} cannot be read. Run `pindna evidence log verify`, and leave "
        "the database unchanged until the cause is known."
    )
    exit_status = ExitStatus.FOUND


def read_row(kind: type[R], row: Document) -> R:
    """Return the record of a stored row.

    Raises:
        DamagedRow: the row has another form.
    """
    try:
        return from_document(kind, row)
    except ValidationError as error:
        raise DamagedRow(row=f"{kind.__name__} {row['_id']}") from error


class EvidenceLogStore:
    """The stored evidence log. Every method raises ``ServiceDown``, ``StorageFailed`` or ``DamagedRow``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._database = database
        self._head = database["evidence_log"]
        self._leaves = database["evidence_leaves"]
        self._tiles = database["evidence_tiles"]
        self._roots = database["evidence_roots"]
        self._statements = database["evidence_statements"]

    def ensure_schema(self, now: datetime) -> None:
        """Create the indexes, and the head if there is none, after marking earlier records.

        After a crash in between, the next call repeats the marking. A record that is logged already loses the
        mark without a new leaf.
        """
        for name in _COLLECTIONS.values():
            self._database[name].create_index(UNLOGGED, sparse=True)
        self._leaves.create_index([("kind", 1), ("record", 1)], unique=True)
        self._roots.create_index("at")
        self._statements.create_index("kind")
        if self._head.find_one({"_id": _HEAD}) is None:
            for name in _COLLECTIONS.values():
                self._database[name].update_many({}, {"$set": {UNLOGGED: True}})
            origin = f"pindna/{uuid.uuid4().hex}"
            head = LogHead(id=_HEAD, origin=origin, size=0, root=b"", note="", at=now)
            self._head.insert_new([to_document(head)])

    def head(self) -> LogHead | None:
        """Return the head of the log; None if it was deleted."""
        row = self._head.find_one({"_id": _HEAD})
        return None if row is None else read_row(LogHead, row)

    def move_head(self, before: int, head: LogHead) -> bool:
        """Move the head of the log; returns False if another process has moved it."""
        fields = to_document(head)
        changed = self._head.update_one({"_id": fields.pop("_id"), "size": before}, {"$set": fields})
        return changed.matched_count == 1

    def claim_lease(self, now: datetime, lease_s: float) -> str | None:
        """Return a token that allows appending for some time; None while another process has one."""
        token = uuid.uuid4().hex
        self._head.insert_new([{"_id": _LEASE, "token": "", "until": now}])
        fields = {"$set": {"token": token, "until": now + timedelta(seconds=lease_s)}}
        taken = self._head.update_one({"_id": _LEASE, "until": {"$lte": now}}, fields)
        return token if taken.matched_count else None

    def free_lease(self, token: str, now: datetime) -> None:
        """Release the lease."""
        self._head.update_one({"_id": _LEASE, "token": token}, {"$set": {"until": now}})

    def unlogged(self, kind: LoggedKind, limit: int) -> list[Document]:
        """Return unlogged records in their stored form."""
        return list(self._database[_COLLECTIONS[kind]].find({UNLOGGED: True}, limit=limit))

    def count_unlogged(self) -> int:
        """Return the number of unlogged records, counted by the server."""
        return sum(self._database[name].count({UNLOGGED: True}) for name in _COLLECTIONS.values())

    def mark_logged(self, kind: LoggedKind, records: Sequence[str]) -> None:
        """Remove the mark of records with leaves."""
        self._database[_COLLECTIONS[kind]].update_among(records, {"$unset": {UNLOGGED: ""}})

    def add_leaves(self, leaves: Sequence[Leaf]) -> bool:
        """Add leaves in order; returns False if a position or a record has a leaf already.

        In that case the leaves before that position are added.
        """
        return self._leaves.insert_in_order([to_document(leaf) for leaf in leaves])

    def leaves(self, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
        """Yield leaves in order, from one position up to another (exclusive)."""
        bounds: Document = {"$gte": start} if end is None else {"$gte": start, "$lt": end}
        for row in self._leaves.find({"_id": bounds}, sort=[("_id", 1)]):
            yield read_row(Leaf, row)

    def newest(self, limit: int) -> Iterator[Leaf]:
        """Yield the last leaves up to the head, the newest first."""
        head = self.head()
        size = head.size if head else 0
        for first in range(size - 1, max(-1, size - 1 - limit), -_SHOWN):
            last = max(-1, first - _SHOWN, size - 1 - limit)
            yield from reversed(list(self.leaves(last + 1, first + 1)))

    def leaves_of(self, kind: LoggedKind, records: Sequence[str]) -> dict[str, Leaf]:
        """Return the leaves of records."""
        rows = self._leaves.find_among("record", records, None, {"kind": kind})
        return {row["record"]: read_row(Leaf, row) for row in rows}

    def delete_leaves(self, start: int) -> None:
        """Delete the leaves that the head does not include."""
        self._leaves.delete_many({"_id": {"$gte": start}})

    def link_statement(self, kind: LoggedKind, records: Sequence[str], *, statement: str) -> None:
        """Link records to the statement that explains their change."""
        leaves = [leaf.id for leaf in self.leaves_of(kind, records).values()]
        self._leaves.update_among(leaves, {"$set": {"accounts": statement}})

    def delete_salts(self, kind: LoggedKind, records: Sequence[str]) -> None:
        """Delete the salts of leaves, so that the digests reveal nothing by guessing."""
        leaves = [leaf.id for leaf in self.leaves_of(kind, records).values() if leaf.salt]
        self._leaves.update_among(leaves, {"$set": {"salt": b""}})

    def tile(self, height: int, number: int) -> bytes:
        """Return the hashes of a tile of the tree; empty if the tile does not exist."""
        row = self._tiles.find_one({"_id": f"{height}:{number}"})
        return b"" if row is None else bytes(row["hashes"])

    def save_tiles(self, tiles: Mapping[tuple[int, int], bytes]) -> None:
        """Store tiles."""
        self._tiles.insert_or_replace(
            [
                {"_id": f"{height}:{number}", "hashes": hashes}
                for (height, number), hashes in sorted(tiles.items())
            ]
        )

    def add_root(self, root: SignedRoot) -> bool:
        """Store a signed root; returns False if a root for a tree of that size exists."""
        return self._roots.insert_new([to_document(root)])[0]

    def roots(self) -> Iterator[SignedRoot]:
        """Yield the signed roots, those of the smallest trees first."""
        for row in self._roots.find({}, sort=[("_id", 1)]):
            yield read_row(SignedRoot, row)

    def last_root(self) -> SignedRoot | None:
        """Return the newest signed root."""
        row = next(self._roots.find({}, sort=[("at", -1)], limit=1), None)
        return None if row is None else read_row(SignedRoot, row)

    def waiting_roots(self, limit: int) -> list[SignedRoot]:
        """Return the signed roots that still lack a timestamp, the newest first."""
        rows = self._roots.find({"waiting": {"$gt": ""}}, sort=[("at", -1)], limit=limit)
        return [read_row(SignedRoot, row) for row in rows]

    def record_tokens(self, size: int, tokens: Sequence[StoredToken]) -> None:
        """Store the timestamps of a signed root; the authorities that issued them are not queried again."""
        for token in tokens:
            change = {
                "$push": {"tokens": asdict(token)},
                "$pull": {"waiting": token.authority},
            }
            self._roots.update_one({"_id": size, "waiting": token.authority}, change)

    def undeposited_roots(self, limit: int) -> list[SignedRoot]:
        """Return the signed roots that still lack a receipt, the newest first."""
        rows = self._roots.find({"undeposited": {"$gt": ""}}, sort=[("at", -1)], limit=limit)
        return [read_row(SignedRoot, row) for row in rows]

    def record_receipt(self, size: int, receipt: StoredReceipt) -> None:
        """Store the receipt of a witness for a signed root; the witness is not asked for this root again."""
        change = {"$push": {"receipts": asdict(receipt)}, "$pull": {"undeposited": receipt.witness}}
        self._roots.update_one({"_id": size, "undeposited": receipt.witness}, change)

    def add_statement(self, statement: Statement) -> None:
        """Store a statement, which will be logged. Idempotent."""
        self._statements.insert_new([with_mark(to_document(statement))])

    def statement(self, statement_id: str) -> Statement | None:
        """Return a statement."""
        row = self._statements.find_one({"_id": statement_id})
        return None if row is None else read_row(Statement, row)

    def statements(self, kind: StatementKind) -> Iterator[Statement]:
        """Yield the statements of a kind."""
        for row in self._statements.find({"kind": kind}):
            yield read_row(Statement, row)

    def records(self, kind: LoggedKind, ids: Sequence[str]) -> dict[str, Document]:
        """Return the records that exist, in their stored form."""
        return {row["_id"]: row for row in self._database[_COLLECTIONS[kind]].find_among("_id", ids)}

    def all_ids(self, kind: LoggedKind) -> Iterator[tuple[str, bool]]:
        """Yield the id of every record, and whether it is unlogged."""
        for row in self._database[_COLLECTIONS[kind]].find({}, {UNLOGGED: 1}):
            yield row["_id"], bool(row.get(UNLOGGED))
