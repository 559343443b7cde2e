"""Collection ``repeats``: what each site prints on many of its pages, learnt from the site itself.

One document a host: a bounded sample of its texts as hashes, and the sentences found to repeat, each with an
example and its count. Which of them stand in mother works, and up to which version of the corpus that was
looked up, are fields of their own: those are never taken out of a text. An analyst can have a sentence kept;
that wish is a field of its own, changed by an atomic update, so that no crawl that learns at the same time
can overwrite it.
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
        id: its hash in hexadecimal, for the command line.
        hash: its hash.
        text: as it stood on the page where it was learnt.
        texts: how many different texts of the site's sample hold it.
        kept: an analyst wants it left in the texts.
        is_protected: it stands in a mother work, so it is left in the texts.
        checked: the version of the mother corpus that it was looked up in; -1 when it never was.
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
    """What is known of a host.

    Attributes:
        sample: texts of the site: hash of each → hashes of its sentences.
        repeats: the sentences that it repeats, the most frequent first.
        books: hash of the book of each text of the sample that is a chapter.
    """

    sample: dict[int, frozenset[int]]
    repeats: tuple[Repeat, ...]
    books: Mapping[int, int] = field(default_factory=dict)

    @property
    def removed(self) -> frozenset[int]:
        """Return the hashes of the sentences to take out of later pages, as far as they were looked up."""
        return frozenset(
            repeat.hash for repeat in self.repeats if not repeat.kept and not repeat.is_protected
        )


class RepeatStore:
    """What sites repeat, by host. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._repeats = database["repeats"]

    def of_host(self, host: str) -> HostRepeats:
        """Return what is known of a host; nothing, when nothing was learnt yet."""
        row = self._repeats.find_one({"_id": host}) or {}
        sample = {int(key, 16): _unpack_hashes(hashes) for key, hashes in row.get("sample", {}).items()}
        repeats = (_repeat(key, repeat, row) for key, repeat in row.get("found", {}).items())
        ordered = tuple(sorted(repeats, key=lambda repeat: (-repeat.texts, repeat.id)))
        return HostRepeats(
            sample, ordered, {int(key, 16): book for key, book in row.get("books", {}).items()}
        )

    def hosts_among(self, hosts: Iterable[str], *, limit: int) -> list[str]:
        """Return those of some hosts of which anything is known, by name; ``limit`` at most."""
        return self._repeats.first_among(hosts, limit=limit)

    def learn(
        self,
        host: str,
        *,
        sample: Mapping[int, Iterable[int]],
        repeats: Iterable[Repeat],
        books: Mapping[int, int] | None = None,
    ) -> None:
        """Store a site's sample and what repeats in it.

        What an analyst wants kept, and what stands in mother works, stay untouched.
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
        """Note which sentences stand in mother works.

        Args:
            host: that repeats them.
            protected: ids of all that do.
            checked: ids of those that were looked up, with the version of the mother corpus.
        """
        fields = {"protected": sorted(set(protected)), "checked": dict(checked)}
        self._repeats.update_one({"_id": host}, {"$set": fields})

    def set_kept(self, host: str, repeat_id: str, *, kept: bool = True) -> Repeat:
        """Have a repeated sentence kept in the texts, or removed again; returns it.

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
    """Return the id of the sentence with that hash."""
    return f"{digest:016x}"


def _repeat(key: str, row: Document, of_host: Document) -> Repeat:
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
