"""Append captures, events and statements to the evidence log, a Merkle tree.

Guarantees: each record is logged once, even after kills. The log only grows, and an altered log is not
continued. The steps of a batch, and the state that a kill after each leaves behind:

1. store the leaves after the head, in order: the next run adopts the leaves that follow the head;
2. write the tiles of the tree: the next run writes the same tiles again;
3. move the head, with the signed root: the next run clears the marks of records below the head;
4. save the root on this machine: an older root is still a prefix of the log;
5. clear the marks.

After a lease that ended too early, two runs cannot duplicate or mix leaves: each position and each record has
one leaf, and leaves are stored in order, so the slower run stops. Before each batch the head is checked: its
signature, its root against the tiles, and the tree against the last root that this machine saw. A batch needs
O(log n) reads in addition to its own records.
"""

import secrets
from collections.abc import Callable, Mapping
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

BATCH = 500  # maximum number of records of each kind in a batch
_LEASE_S = 120.0
_MAX_BATCHES = 40  # maximum number of batches in one run of the task
_ROOT_FILE = "evidence-root.txt"
_TIMES: Mapping[LoggedKind, str] = {"capture": "fetched", "event": "at", "statement": "at", "session": "at"}


class LogBroken(PindnaError):
    """The evidence log differs from its signed state; nothing is appended.

    Attributes:
        problem: the difference.
    """

    template = (
        "The evidence log was altered: {problem}. Run `pindna evidence log verify`, and do not "
        "change the database until the cause is found."
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
    """Log pending records and return the number of new leaves.

    Do nothing while another process appends.

    Args:
        stores: the database.
        settings: location of the key and of the last seen root.
        now: time of the leaves; None: the clock at each batch.

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
    """Log a batch of records. Return the number of new leaves; None if nothing was pending."""
    log = stores.evidence_log
    tree = checked_tree(stores, settings)
    leftover = _adopt_leaves(log, tree.head.size)
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
        log.mark_logged(
            kind, [document["_id"] for document_kind, document in documents if document_kind == kind]
        )
    return len(leaves)


def _adopt_leaves(log: EvidenceLogStore, size: int) -> list[Leaf]:
    """Return the leaves after the head. Delete those beyond a gap, which no tree contains."""
    leaves = list(log.leaves(size))
    following = [leaf for position, leaf in enumerate(leaves, size) if leaf.id == position]
    if len(following) < len(leaves):
        log.delete_leaves(size + len(following))
    return following


def _new_leaves(
    log: EvidenceLogStore, documents: list[tuple[LoggedKind, Document]], start: int, now: datetime
) -> list[Leaf]:
    """Return leaves for the records that have none, in the order of their times."""
    logged = {
        (kind, record)
        for kind in KINDS
        for record in log.leaves_of(
            kind, [document["_id"] for document_kind, document in documents if document_kind == kind]
        )
    }
    fresh = [(kind, document) for kind, document in documents if (kind, document["_id"]) not in logged]
    fresh.sort(key=lambda entry: (str(entry[1].get(_TIMES[entry[0]])), entry[0], str(entry[1]["_id"])))
    return [
        _make_leaf(position, kind, document, now) for position, (kind, document) in enumerate(fresh, start)
    ]


def _make_leaf(position: int, kind: LoggedKind, document: Document, now: datetime) -> Leaf:
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
    """Check the log in O(log n) and return it up to its head.

    Raises:
        LogBroken: the head is not signed by this installation's key, does not match the tree, or does not
            continue the last root that this machine saw.
        ServiceDown, StorageFailed: the database refused.
    """
    # read this before the head, because another process may move the head
    last_root = _last_seen_root(settings)
    head = stores.evidence_log.head()
    if head is None:
        raise LogBroken(problem=N_("its head is missing"))
    tile = cached_tiles(stores.evidence_log)
    publics = trusted_public_keys(stores, settings)
    if head.size or head.note:
        signed = read_checkpoint(head.note, publics)
        if signed is None or (signed.origin, signed.size, signed.root) != (head.origin, head.size, head.root):
            raise LogBroken(problem=N_("the signature of its head is invalid"))
        try:
            is_root = merkle.root(head.size, tile) == head.root
        except IndexError:
            is_root = False
        if not is_root:
            raise LogBroken(problem=N_("the root of the tree differs from the signed one"))
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
            problem=_log_problem(
                N_("the root in {place} is not signed with a key of this installation"), origin
            )
        )
    if earlier.origin != head.origin:
        raise LogBroken(problem=_log_problem(N_("the root in {place} belongs to another log"), origin))
    if earlier.size > head.size:
        raise LogBroken(
            problem=Message(
                N_("it has {size} entries, but the signed root in {place} has {before}"),
                {"size": head.size, "before": earlier.size, "place": origin},
            )
        )
    try:
        is_same = not earlier.size or merkle.root(earlier.size, tile) == earlier.root
    except IndexError:
        is_same = False
    if not is_same:
        raise LogBroken(
            problem=_log_problem(N_("its beginning does not match the signed root in {place}"), origin)
        )


def _log_problem(template: str, origin: str) -> Message:
    return Message(template, {"place": origin})


def trusted_public_keys(stores: Stores, settings: Settings) -> list[bytes]:
    """Return the public keys of the installation that the key on this machine vouches for.

    Raises:
        KeyElsewhere, KeyUnusable: this machine does not have the key.
        ServiceDown: the database does not answer.
    """
    key = signing_key(settings, stores.evidence_keys, now=utc_now())
    return [trusted.public for trusted in trusted_keys(stores.evidence_keys.all(), key.row.public)]


def cached_tiles(log: EvidenceLogStore) -> Callable[[int, int], bytes]:
    """Return a function that reads tiles, each once."""
    cache: dict[merkle.TileKey, bytes] = {}

    def tile(height: int, number: int) -> bytes:
        if (height, number) not in cache:
            if len(cache) > BATCH:  # limit of the cache; a tile has 8 KB
                cache.clear()
            cache[height, number] = log.tile(height, number)
        return cache[height, number]

    return tile


def root_path(settings: Settings) -> Path:
    """Return the file with the last root that this machine saw."""
    return settings.storage.data_dir / _ROOT_FILE


def save_root(settings: Settings, log: EvidenceLogStore) -> None:
    """Save the signed root of the head on this machine, where database access cannot change it.

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


def _last_seen_root(settings: Settings) -> str:
    with suppress(MissingFile):
        return read_file(root_path(settings), max_bytes=10_000).decode(errors="replace")
    return ""
