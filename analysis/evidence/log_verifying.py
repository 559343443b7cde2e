"""Verifies the whole evidence log: every leaf, every signed root, and every record that they are about.

Told are: leaves that are missing, were changed, exchanged or added; records that were changed, deleted, or
stored without being logged; captures whose bodies are not what they were; roots that the log does not lead
to; wrong signatures and timestamps. A change that a statement accounts for is counted, not told.

Everything is read once, as it comes; memory is that of some hundred records and of one root a day. The roots
that tell of a log that was cut off, or written anew, are those in the database, the one that this machine
saw last, and those that the user kept elsewhere: in the packages, on paper.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from cachetools import LRUCache

from analysis.evidence import merkle
from analysis.evidence.checkpoints import read_checkpoint
from analysis.evidence.leaves import content_of, digest_of, leaf_bytes
from analysis.evidence.log import LogBroken, cached_tiles, checked_tree, require_same_log, trusted_public_keys
from analysis.evidence.statements import is_valid
from analysis.evidence.timestamps import BadTimestamp, check_timestamp
from crawler.pages.verifying import Verifier
from storage.collections.documents import Document
from storage.collections.evidence_log import KINDS, DamagedRow, read_row
from storage.collections.stores import Stores
from storage.records import Capture
from storage.records.evidence_log import Leaf, LoggedKind, Statement, StatementKind
from storage.settings import Settings
from system.batches import batched

_BATCH = 200
_STATEMENTS = 50  # kept at once, of up to a thousand records each


class LogProblem(NamedTuple):
    """Something that is not as it was.

    Attributes:
        code: what, see :data:`analysis.words.labels.LOG_PROBLEMS`.
        location: which entry, root or record.
        detail: what is known of it.
    """

    code: str
    location: str
    detail: str = ""


class _Root(NamedTuple):
    """A signed root and where it is."""

    size: int
    root: bytes
    location: str


@dataclass(slots=True)
class LogCounts:
    """What was verified.

    Attributes:
        leaves: entries, by kind.
        accounted: records that are gone or changed as a statement says, by its kind.
        unlogged: records that are still to be logged.
        roots: signed roots that the log leads to.
        timestamps: of these roots, by the certificate that they lead to.
    """

    leaves: Counter[LoggedKind] = field(default_factory=Counter)
    accounted: Counter[StatementKind] = field(default_factory=Counter)
    unlogged: int = 0
    roots: int = 0
    timestamps: Counter[str] = field(default_factory=Counter)


class LogVerifier:
    """Verifies the log of one database.

    Args:
        stores: the database.
        settings: where this machine's key and its last root are.
        kept: signed roots that were kept elsewhere, each with its place.

    Raises:
        KeyElsewhere, KeyUnusable: there is no key to check signatures against.
        ServiceDown, StorageFailed: the database refused.
    """

    def __init__(self, stores: Stores, settings: Settings, kept: Sequence[tuple[str, str]] = ()) -> None:
        self._stores, self._settings, self._kept = stores, settings, kept
        self._log = stores.evidence_log
        self._publics = trusted_public_keys(stores, settings)
        self._bodies = Verifier(stores)
        self._statements: LRUCache[str, Statement | None] = LRUCache(_STATEMENTS)
        self.counts = LogCounts()

    def problems(self) -> Iterator[LogProblem]:
        """Yield what is wrong, as it is met; ``counts`` is complete at the end."""
        head = None
        try:
            head = self._log.head()
            checked_tree(self._stores, self._settings)
        except LogBroken as error:
            yield LogProblem("head", "", str(error.data["problem"]))
        except DamagedRow as error:
            yield LogProblem("unreadable", str(error.data["row"]))
        tile = cached_tiles(self._log)
        size = head.size if head else 0
        for origin, note in self._kept:
            with suppress(LogBroken):
                if head is not None:
                    require_same_log(head, tile, note, self._publics, origin=origin)
                    continue
            yield LogProblem("kept-root", origin)
        roots: list[_Root] = [_Root(size, head.root, "head")] if head and size else []
        for check in (self._stored_roots(roots), self._leaves(roots, size, tile), self._unlogged()):
            try:
                yield from check
            except DamagedRow as error:
                yield LogProblem("unreadable", str(error.data["row"]))

    def _stored_roots(self, roots: list[_Root]) -> Iterator[LogProblem]:
        """Check the signatures and timestamps of the stored roots, and collect those that hold."""
        for stored in self._log.roots():
            checkpoint = read_checkpoint(stored.note, self._publics)
            if checkpoint is None or checkpoint.size != stored.id:
                yield LogProblem("root-signature", str(stored.id))
                continue
            roots.append(_Root(checkpoint.size, checkpoint.root, checkpoint.at.isoformat()))
            for token in stored.tokens:
                try:
                    shown = check_timestamp(token.token, stored.note.encode(), token.root)
                    self.counts.timestamps[f"{shown.root} ({shown.fingerprint})"] += 1
                except BadTimestamp as error:
                    yield LogProblem("root-timestamp", str(stored.id), str(error.data["problem"]))

    def _leaves(self, roots: list[_Root], size: int, tile: merkle.ReadTile) -> Iterator[LogProblem]:
        """Check the leaves against the tree, the tree against the roots, and the records."""
        accumulator = merkle.Accumulator()
        waiting = sorted(roots, reverse=True)
        broken = False
        for batch in batched(self._log.leaves(), _BATCH):
            for leaf in batch:
                hashed = merkle.leaf_hash(leaf_bytes(leaf))
                expected = accumulator.size
                if leaf.id != expected and not broken:
                    broken = True  # from here on no root can be right
                    yield LogProblem("leaf-missing", str(expected), f"{leaf.id} follows")
                if leaf.id < size and hashed != _stored_hash(leaf.id, tile):
                    yield LogProblem("leaf-changed", str(leaf.id), f"{leaf.kind} {leaf.record}")
                accumulator.add(hashed)
                while waiting and waiting[-1].size == accumulator.size:
                    reached = waiting.pop()
                    if accumulator.root() == reached.root:
                        self.counts.roots += 1
                    else:
                        yield LogProblem("root", str(reached.size), reached.location)
                self.counts.leaves[leaf.kind] += 1
            yield from self._records(batch)
        if accumulator.size < size:
            yield LogProblem("leaves-cut-off", str(accumulator.size), f"{size} were signed")
        for unreached in reversed(waiting):
            yield LogProblem("root", str(unreached.size), unreached.location)

    def _records(self, leaves: Sequence[Leaf]) -> Iterator[LogProblem]:
        for kind in KINDS:
            of_kind = [leaf for leaf in leaves if leaf.kind == kind]
            documents = self._log.records(kind, [leaf.record for leaf in of_kind])
            for leaf in of_kind:
                yield from self._record(leaf, documents.get(leaf.record))

    def _record(self, leaf: Leaf, document: Document | None) -> Iterator[LogProblem]:
        content = None if document is None else content_of(document)
        is_same = content is not None and digest_of(content, leaf.salt) == leaf.digest
        if not is_same and not self._is_accounted(leaf, content) and not self._is_accounted_by_now(leaf):
            code = "record-deleted" if content is None else "record-changed"
            yield LogProblem(code, f"{leaf.kind} {leaf.record}", f"entry {leaf.id}")
            return
        if document is not None and leaf.kind == "capture":
            checked = self._bodies.check(read_row(Capture, document))
            if checked.problem:
                yield LogProblem("capture", leaf.record, checked.problem)
        if document is not None and leaf.kind == "statement":
            statement = read_row(Statement, document)
            if not is_valid(statement, self._publics):
                yield LogProblem("statement", leaf.record, statement.kind)

    def _is_accounted_by_now(self, leaf: Leaf) -> bool:
        """Return whether a record was deleted or erased since its leaf was read, as a statement says."""
        fresh = self._log.leaves_of(leaf.kind, [leaf.record]).get(leaf.record)
        if fresh is None or (fresh.id, fresh.digest) != (leaf.id, leaf.digest):
            return False
        document = self._log.records(leaf.kind, [leaf.record]).get(leaf.record)
        return self._is_accounted(fresh, None if document is None else content_of(document))

    def _is_accounted(self, leaf: Leaf, content: bytes | None) -> bool:
        """Return whether a valid statement says that a record is gone, or is now what it is."""
        if not leaf.accounts:
            return False
        if leaf.accounts not in self._statements:
            self._statements[leaf.accounts] = self._log.statement(leaf.accounts)
        statement = self._statements[leaf.accounts]
        if statement is None or not is_valid(statement, self._publics):
            return False
        digest = "" if content is None else digest_of(content, statement.salt)
        if (leaf.kind, leaf.record, digest) not in statement.records:
            return False
        self.counts.accounted[statement.kind] += 1
        return True

    def _unlogged(self) -> Iterator[LogProblem]:
        """Tell of records that were stored past the log."""
        for kind in KINDS:
            for batch in batched(self._log.all_ids(kind), _BATCH):
                unmarked = [record for record, is_marked in batch if not is_marked]
                self.counts.unlogged += len(batch) - len(unmarked)
                yield from self._without_leaf(kind, unmarked)

    def _without_leaf(self, kind: LoggedKind, records: Sequence[str]) -> Iterator[LogProblem]:
        logged = self._log.leaves_of(kind, records)
        for record in records:
            if record not in logged:
                yield LogProblem("record-added", f"{kind} {record}")


def _stored_hash(index: int, tile: merkle.ReadTile) -> bytes:
    number, offset = divmod(index, 256)
    return tile(0, number)[merkle.HASH_BYTES * offset : merkle.HASH_BYTES * (offset + 1)]
