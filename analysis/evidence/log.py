"""Appends to the evidence log: every capture, event and statement becomes a leaf of one Merkle tree.

Guarantees: a record is logged once, whatever is killed; the log only grows, and is not gone on with once it
has been altered. The steps of a batch, and what a kill after each leaves:

1. leaves are stored behind the head, in order: the next run takes those that follow the head for its own;
2. tiles of the tree are written: the next run writes the same ones again;
3. the head is moved, with the signed root: marked records whose leaves are below it lose their marks;
4. the root is noted on this machine; one that lags behind is a beginning of the log all the same;
5. the marks go.

Two runs at once, after a lease has ended too early, cannot double or mix leaves: each place, and each record,
has one leaf, and leaves are stored in order, so the slower one stops. Before each batch the head is checked:
its signature, the root that the tiles give, and that the tree begins with the one that this machine saw last.
A batch costs O(log n) reads beside its own records.
"""

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from analysis.evidence import merkle
from analysis.evidence.checkpoints import Checkpoint, read_checkpoint, sign_checkpoint
from analysis.evidence.keys import SigningKey, signing_key
from analysis.evidence.leaves import content_of, digest_of, leaf_bytes
from analysis.evidence.public_keys import trusted_keys
from storage.collections.documents import Document
from storage.collections.evidence_log import KINDS, EvidenceLogStore
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.records.evidence_log import Leaf, LoggedKind, LogHead
from storage.settings import Settings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import MissingFile, read_file
from system.messages import N_, Message
from system.private_files import write_private

BATCH = 500  # records of each kind
_LEASE_S = 120.0
_MAX_BATCHES = 40  # in one run of the task
_ROOT_FILE = "evidence-root.txt"
_TIMES = {"capture": "fetched", "event": "at", "statement": "at"}


class LogBroken(PindnaError):
    """The evidence log is not what was signed; nothing is appended to it. Data: ``problem``."""

    template = (
        "The evidence log was altered: {problem}. Run `pindna evidence log verify`, and keep the database as "
        "it is until it is known what happened."
    )
    exit_status = ExitStatus.FOUND


@dataclass(frozen=True, slots=True)
class LogTree:
    """The log up to its head.

    Attributes:
        tile: reads the tiles of its tree.
    """

    head: LogHead
    tile: merkle.ReadTile


def append_pending(stores: Stores, settings: Settings, *, now: datetime | None = None) -> int:
    """Log records that are to be logged; returns how many new leaves there are.

    Nothing happens while another process is at it.

    Args:
        stores: the database.
        settings: where the key is, and the root that this machine saw last.
        now: the time that the leaves bear; None: the clock's at each batch.

    Raises:
        LogBroken, DamagedRow: the log was altered.
        KeyElsewhere, KeyUnusable: this machine cannot sign.
        ServiceDown, StorageFailed: the database refused; the call may be repeated.
    """
    log = stores.evidence_log
    key = signing_key(settings, stores.evidence_keys, now=now or utc_now())
    count = 0
    for _ in range(_MAX_BATCHES):
        token = log.claim_lease(stores.clock.now(), _LEASE_S)
        if token is None:
            return count
        try:
            added = _append_batch(stores, settings, key, now or utc_now())
        finally:
            log.free_lease(token, stores.clock.now())
        if added is None:
            return count
        count += added
    return count


def _append_batch(stores: Stores, settings: Settings, key: SigningKey, now: datetime) -> int | None:
    """Log a batch of records; returns the number of new leaves, None when nothing was left to do."""
    log = stores.evidence_log
    tree = checked_tree(stores, settings)
    leftover = _left_behind(log, tree.head.size)
    documents = [(kind, document) for kind in KINDS for document in log.unlogged(kind, BATCH)]
    if not documents and not leftover:
        return None
    new = _new_leaves(log, documents, tree.head.size + len(leftover), now)
    if not log.add_leaves(new):
        return None  # another process appends
    leaves = [*leftover, *new]
    if leaves:
        _move_head(log, tree, leaves, key, now)
        save_root(settings, log)
    for kind in KINDS:
        log.mark_logged(kind, [document["_id"] for of_kind, document in documents if of_kind == kind])
    return len(leaves)


def _left_behind(log: EvidenceLogStore, size: int) -> list[Leaf]:
    """Return the leaves that follow the head; those beyond a gap, which no tree has, are deleted."""
    leaves = list(log.leaves(size))
    following = [leaf for position, leaf in enumerate(leaves, size) if leaf.id == position]
    if len(following) < len(leaves):
        log.delete_leaves(size + len(following))
    return following


def _new_leaves(
    log: EvidenceLogStore, documents: list[tuple[LoggedKind, Document]], start: int, now: datetime
) -> list[Leaf]:
    """Return the leaves of those records that have none, in the order of their times."""
    logged = {
        (kind, record)
        for kind in KINDS
        for record in log.leaves_of(
            kind, [document["_id"] for of_kind, document in documents if of_kind == kind]
        )
    }
    fresh = [(kind, document) for kind, document in documents if (kind, document["_id"]) not in logged]
    fresh.sort(key=lambda entry: (str(entry[1].get(_TIMES[entry[0]])), entry[0], str(entry[1]["_id"])))
    return [_leaf(position, kind, document, now) for position, (kind, document) in enumerate(fresh, start)]


def _leaf(position: int, kind: LoggedKind, document: Document, now: datetime) -> Leaf:
    salt = secrets.token_bytes(16)
    digest = digest_of(content_of(document), salt)
    return Leaf(id=position, kind=kind, record=document["_id"], digest=digest, salt=salt, at=now)


def _move_head(
    log: EvidenceLogStore, tree: LogTree, leaves: list[Leaf], key: SigningKey, now: datetime
) -> None:
    hashes = [merkle.leaf_hash(leaf_bytes(leaf)) for leaf in leaves]
    tiles = merkle.changed_tiles(tree.head.size, hashes, tree.tile)
    log.save_tiles(tiles)
    size = tree.head.size + len(leaves)

    def tile(height: int, number: int) -> bytes:
        return tiles.get((height, number)) or tree.tile(height, number)

    root = merkle.root(size, tile)
    note = sign_checkpoint(Checkpoint(tree.head.origin, size, root, now), key)
    log.move_head(tree.head.size, replace(tree.head, size=size, root=root, note=note, at=now))


def checked_tree(stores: Stores, settings: Settings) -> LogTree:
    """Return the log up to its head, after checking what can be checked in O(log n).

    Raises:
        LogBroken: the head is not signed by our key, is not the root of the tree, or is not a continuation of
            what this machine saw last.
        ServiceDown, StorageFailed: the database refused.
    """
    last_root = _root_seen(settings)  # before the head, which another process may move meanwhile
    head = stores.evidence_log.head()
    if head is None:
        raise LogBroken(problem=N_("its head is gone"))
    tile = cached_tiles(stores.evidence_log)
    publics = trusted_public_keys(stores, settings)
    if head.size or head.note:
        signed = read_checkpoint(head.note, publics)
        if signed is None or (signed.origin, signed.size, signed.root) != (head.origin, head.size, head.root):
            raise LogBroken(problem=N_("the signature of its head is wrong"))
        try:
            is_root = merkle.root(head.size, tile) == head.root
        except IndexError:
            is_root = False
        if not is_root:
            raise LogBroken(problem=N_("the tree has another root than was signed"))
    if last_root:
        require_same_log(head, tile, last_root, publics, origin=str(root_path(settings)))
    return LogTree(head, tile)


def require_same_log(
    head: LogHead, tile: merkle.ReadTile, note: str, publics: list[bytes], *, origin: str
) -> None:
    """Check that a log begins with the tree of an earlier signed root.

    Raises:
        LogBroken: it does not, or the root is not signed by one of the keys.
    """
    earlier = read_checkpoint(note, publics)
    if earlier is None:
        raise LogBroken(
            problem=_problem(N_("the root in {place} is not signed with a key of this installation"), origin)
        )
    if earlier.origin != head.origin:
        raise LogBroken(problem=_problem(N_("the root in {place} is that of another log"), origin))
    if earlier.size > head.size:
        raise LogBroken(
            problem=Message(
                N_("it has {size} entries, and had {before} by the signed root in {place}"),
                {"size": head.size, "before": earlier.size, "place": origin},
            )
        )
    try:
        is_same = not earlier.size or merkle.root(earlier.size, tile) == earlier.root
    except IndexError:
        is_same = False
    if not is_same:
        raise LogBroken(problem=_problem(N_("it does not begin as the signed root in {place} says"), origin))


def _problem(template: str, origin: str) -> Message:
    return Message(template, {"place": origin})


def trusted_public_keys(stores: Stores, settings: Settings) -> list[bytes]:
    """Return the public keys of the installation, those that the key on this machine vouches for.

    Raises:
        KeyElsewhere, KeyUnusable: this machine has not the key.
        ServiceDown: the database does not answer.
    """
    key = signing_key(settings, stores.evidence_keys, now=utc_now())
    return [trusted.public for trusted in trusted_keys(stores.evidence_keys.all(), key.row.public)]


def cached_tiles(log: EvidenceLogStore) -> Callable[[int, int], bytes]:
    """Return what reads tiles, each once."""
    cache: dict[merkle.TileKey, bytes] = {}

    def tile(height: int, number: int) -> bytes:
        if (height, number) not in cache:
            if len(cache) > BATCH:  # of 8 KB each
                cache.clear()
            cache[height, number] = log.tile(height, number)
        return cache[height, number]

    return tile


def root_path(settings: Settings) -> Path:
    """Return where this machine notes the root that it saw last."""
    return settings.storage.data_dir / _ROOT_FILE


def save_root(settings: Settings, log: EvidenceLogStore) -> None:
    """Note the head's signed root on this machine, out of reach of whoever can only write to the database.

    Raises:
        ServiceDown: the database does not answer.
        OSError: the file cannot be written.
    """
    head = log.head()
    if head is None or not head.note:
        return
    path = root_path(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, head.note.encode())


def _root_seen(settings: Settings) -> str:
    with suppress(MissingFile):
        return read_file(root_path(settings), max_bytes=10_000).decode(errors="replace")
    return ""
