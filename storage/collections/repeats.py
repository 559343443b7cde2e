"""Collection ``repeats``: sentences that a site prints on many pages, learnt from its pages.

There is one document for each host: a limited sample of the hashes of its texts, and the repeated sentences,
each with an example and a count. A sentence that is also in a work is never removed from a text; such
sentences, and the corpus version of that check, have separate fields. An analyst can decide to keep a
sentence. This decision is a separate field with an atomic update, so a crawl that learns at the same time
cannot overwrite it.
"""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import utc_now
from system.errors import UnknownId


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A sentence that a site repeats.

    Attributes:
        id: its hash in hexadecimal, for commands.
        hash: its hash.
        text: the sentence on the page where it was learnt.
        texts: number of different texts of the sample with it.
        kept: an analyst keeps it in the texts.
        is_protected: a work contains it, so it stays in the texts.
        checked: the corpus version of its last look-up; -1: never.
    """

    id: str
    hash: int
    text: str
    texts: int
    first_seen: datetime = field(default_factory=utc_now)
    kept: bool = False
    is_protected: bool = False
    checked: int = -1


@dataclass(frozen=True, slots=True)
class HostRepeats:
    """The learnt sentences of a host.

    Attributes:
        sample: hash of each text of the sample → hashes of its sentences.
        repeats: the repeated sentences, the most frequent first.
        books: hash of the book for each chapter in the sample.
    """

    sample: dict[int, frozenset[int]]
    repeats: tuple[Repeat, ...]
    books: Mapping[int, int] = field(default_factory=dict)

    @property
    def removed(self) -> frozenset[int]:
        """Return the hashes of the sentences to remove from later pages; works were checked for these."""
        return frozenset(
            repeat.hash for repeat in self.repeats if not repeat.kept and not repeat.is_protected
        )


class RepeatStore:
    """Repeated sentences by host. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._repeats = database["repeats"]

    def of_host(self, host: str) -> HostRepeats:
        """Return the learnt sentences of a host; empty before the first learning."""
        row = self._repeats.find_one({"_id": host}) or {}
        sample = {int(key, 16): _unpack_hashes(hashes) for key, hashes in row.get("sample", {}).items()}
        repeats = (_repeat_of(key, repeat, row) for key, repeat in row.get("found", {}).items())
        ordered = tuple(sorted(repeats, key=lambda repeat: (-repeat.texts, repeat.id)))
        return HostRepeats(
            sample, ordered, {int(key, 16): book for key, book in row.get("books", {}).items()}
        )

    def hosts_among(self, hosts: Iterable[str], *, limit: int) -> list[str]:
        """Return those of the hosts that have learnt sentences, sorted by name, at most ``limit``."""
        return self._repeats.first_among(hosts, limit=limit)

    def learn(
        self,
        host: str,
        *,
        sample: Mapping[int, Iterable[int]],
        repeats: Iterable[Repeat],
        books: Mapping[int, int] | None = None,
    ) -> None:
        """Store a site's sample and its repeated sentences.

        Kept and protected sentences stay unchanged.
        """
        document = {
            "sample": {f"{key:016x}": _pack_hashes(hashes) for key, hashes in sample.items()},
            "books": {f"{key:016x}": book for key, book in (books or {}).items()},
            "found": {
                repeat.id: {"text": repeat.text, "texts": repeat.texts, "first_seen": repeat.first_seen}
                for repeat in repeats
            },
            "updated": utc_now(),
        }
        self._repeats.update_one({"_id": host}, {"$set": document}, upsert=True)

    def record_check(self, host: str, *, protected: Iterable[str], checked: Mapping[str, int]) -> None:
        """Record which of the sentences occur in works.

        Args:
            host: the host.
            protected: ids of all sentences in works.
            checked: ids of the checked sentences, with the corpus version.
        """
        fields = {"protected": sorted(set(protected)), "checked": dict(checked)}
        self._repeats.update_one({"_id": host}, {"$set": fields})

    def set_kept(self, host: str, repeat_id: str, *, kept: bool = True) -> Repeat:
        """Set whether a repeated sentence stays in texts or is removed; returns the sentence.

        Raises:
            UnknownRecord: the site repeats no sentence of that id.
        """
        stored = next((repeat for repeat in self.of_host(host).repeats if repeat.id == repeat_id), None)
        if stored is None:
            raise UnknownId(kind="repeated text", name=repeat_id)
        change = {"$addToSet" if kept else "$pull": {"kept": repeat_id}}
        self._repeats.update_one({"_id": host}, change)
        return stored


def repeat_id(digest: int) -> str:
    """Return the id of the sentence with this hash."""
    return f"{digest:016x}"


def _repeat_of(key: str, row: Document, of_host: Document) -> Repeat:
    return Repeat(
        id=key,
        hash=int(key, 16),
        text=row["text"],
        texts=row["texts"],
        first_seen=row["first_seen"],
        kept=key in of_host.get("kept", ()),
        is_protected=key in of_host.get("protected", ()),
        checked=of_host.get("checked", {}).get(key, -1),
    )


def _pack_hashes(hashes: Iterable[int]) -> bytes:
    ordered = sorted(hashes)
    return struct.pack(f"<{len(ordered)}Q", *ordered)


def _unpack_hashes(packed: bytes) -> frozenset[int]:
    return frozenset(struct.unpack(f"<{len(packed) // 8}Q", packed))
