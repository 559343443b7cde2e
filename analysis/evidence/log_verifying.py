"""Verify the whole evidence log: every leaf, every signed root, and every record behind them.

Reported are: missing, changed, exchanged or added leaves; records that were changed, deleted, or stored
without being logged; captures with changed bodies; roots that do not match the log; wrong signatures and
timestamps. Changes that a statement explains are counted, not reported.

Everything is read once, in order; memory holds some hundred records and one root per day. Roots show whether
the log was truncated or rewritten: those in the database, the last one that this machine saw, and those that
the user stored elsewhere, in packages or on paper.
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
_STATEMENTS = 50  # maximum number of statements in memory, with up to a thousand records each


class LogProblem(NamedTuple):
    """A difference between the log and its signed state.

    Attributes:
        code: kind of the problem, see :data:`analysis.words.labels.LOG_PROBLEMS`.
        location: the entry, root or record.
        detail: further information.
    """

    code: str
    location: str
    detail: str = ""


class _Root(NamedTuple):
    """A signed root and its location."""

    size: int
    root: bytes
    location: str


@dataclass(slots=True)
class LogCounts:
    """Numbers of verified items.

    Attributes:
        leaves: entries, by kind.
        accounted: records whose change or deletion a statement explains, by its kind.
        unlogged: records that are not logged yet.
        roots: signed roots that match the log.
        timestamps: timestamps of these roots, by root certificate.
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
        settings: location of this machine's key and last root.
        kept: signed roots that were stored elsewhere, each with its location.

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
        """Yield the problems in the order of checking; ``counts`` is complete at the end."""
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
        for check in (
            self._check_stored_roots(roots),
            self._check_leaves(roots, size, tile),
            self._find_unlogged(),
        ):
            try:
                yield from check
            except DamagedRow as error:
                yield LogProblem("unreadable", str(error.data["row"]))

    def _check_stored_roots(self, roots: list[_Root]) -> Iterator[LogProblem]:
        """Check the signatures and timestamps of the stored roots, and collect the valid ones."""
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

    def _check_leaves(self, roots: list[_Root], size: int, tile: merkle.ReadTile) -> Iterator[LogProblem]:
        """Check the leaves against the tree, the tree against the roots, and the records."""
        accumulator = merkle.Accumulator()
        waiting = sorted(roots, reverse=True)
        broken = False
        for batch in batched(self._log.leaves(), _BATCH):
            for leaf in batch:
                hashed = merkle.leaf_hash(leaf_bytes(leaf))
                expected = accumulator.size
                if leaf.id != expected and not broken:
                    broken = True  # from here on, no root can match
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
            yield from self._check_records(batch)
        if accumulator.size < size:
            yield LogProblem("leaves-cut-off", str(accumulator.size), f"{size} were signed")
        for unreached in reversed(waiting):
            yield LogProblem("root", str(unreached.size), unreached.location)

    def _check_records(self, leaves: Sequence[Leaf]) -> Iterator[LogProblem]:
        for kind in KINDS:
            of_kind = [leaf for leaf in leaves if leaf.kind == kind]
            documents = self._log.records(kind, [leaf.record for leaf in of_kind])
            for leaf in of_kind:
                yield from self._check_record(leaf, documents.get(leaf.record))

    def _check_record(self, leaf: Leaf, document: Document | None) -> Iterator[LogProblem]:
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
        """Return whether a statement explains that a record changed since its leaf was read."""
        fresh = self._log.leaves_of(leaf.kind, [leaf.record]).get(leaf.record)
        if fresh is None or (fresh.id, fresh.digest) != (leaf.id, leaf.digest):
            return False
        document = self._log.records(leaf.kind, [leaf.record]).get(leaf.record)
        return self._is_accounted(fresh, None if document is None else content_of(document))

    def _is_accounted(self, leaf: Leaf, content: bytes | None) -> bool:
        """Return whether a valid statement explains a deleted or changed record."""
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

    def _find_unlogged(self) -> Iterator[LogProblem]:
        """Report records that were stored without being logged."""
        for kind in KINDS:
            for batch in batched(self._log.all_ids(kind), _BATCH):
                unmarked = [record for record, is_marked in batch if not is_marked]
                self.counts.unlogged += len(batch) - len(unmarked)
                yield from self._problems_without_leaf(kind, unmarked)

    def _problems_without_leaf(self, kind: LoggedKind, records: Sequence[str]) -> Iterator[LogProblem]:
        logged = self._log.leaves_of(kind, records)
        for record in records:
            if record not in logged:
                yield LogProblem("record-added", f"{kind} {record}")


def _stored_hash(index: int, tile: merkle.ReadTile) -> bytes:
    number, offset = divmod(index, 256)
    return tile(0, number)[merkle.HASH_BYTES * offset : merkle.HASH_BYTES * (offset + 1)]
