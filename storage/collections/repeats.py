"""Collection ``repeats``: what each site prints on many of its pages, learnt from the site itself.

One document a site: a bounded sample of its texts as hashes, and the sentences found to repeat, each with an
example and its count. An analyst can have a sentence kept; that wish is a field of its own, changed by an
atomic update, so that no crawl that learns at the same time can overwrite it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.errors import UnknownRecord
from storage.records import utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A sentence that a site repeats.

    Attributes:
        id: its hash in hexadecimal, for the command line.
        hash: its hash.
        text: as it stood on the page where it was learnt.
        texts: how many different texts of the site's sample hold it.
        kept: an analyst wants it left in the texts.
    """

    id: str
    hash: int
    text: str
    texts: int
    first_seen: datetime = field(default_factory=utc_now)
    kept: bool = False


@dataclass(frozen=True, slots=True)
class SiteRepeats:
    """What is known of a site.

    Attributes:
        sample: texts of the site: hash of each → hashes of its sentences.
        repeats: the sentences that it repeats, the most frequent first.
    """

    sample: dict[int, frozenset[int]]
    repeats: tuple[Repeat, ...]

    @property
    def removed(self) -> frozenset[int]:
        """Return the hashes of the sentences to take out of later pages."""
        return frozenset(repeat.hash for repeat in self.repeats if not repeat.kept)


class RepeatStore:
    """What sites repeat, by site. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._repeats = database["repeats"]

    def of_site(self, site: str) -> SiteRepeats:
        """Return what is known of a site; nothing, when nothing was learnt yet."""
        row = self._repeats.find_one({"_id": site}) or {}
        sample = {int(key, 16): _unpack_hashes(hashes) for key, hashes in row.get("sample", {}).items()}
        kept = set(row.get("kept", ()))
        repeats = (_repeat(key, repeat, kept) for key, repeat in row.get("found", {}).items())
        return SiteRepeats(sample, tuple(sorted(repeats, key=lambda repeat: (-repeat.texts, repeat.id))))

    def learn(self, site: str, *, sample: Mapping[int, Iterable[int]], repeats: Iterable[Repeat]) -> None:
        """Store a site's sample and what repeats in it; what an analyst wants kept stays untouched."""
        document = {
            "sample": {f"{key:016x}": _pack_hashes(hashes) for key, hashes in sample.items()},
            "found": {
                repeat.id: {"text": repeat.text, "texts": repeat.texts, "first_seen": repeat.first_seen}
                for repeat in repeats
            },
            "updated": utc_now(),
        }
        self._repeats.update_one({"_id": site}, {"$set": document}, upsert=True)

    def keep(self, site: str, repeat_id: str, *, kept: bool = True) -> Repeat:
        """Have a repeated sentence kept in the texts, or removed again; returns it.

        Raises:
            UnknownRecord: the site repeats no sentence of that id.
        """
        known = next((repeat for repeat in self.of_site(site).repeats if repeat.id == repeat_id), None)
        if known is None:
            raise UnknownRecord(kind="repeated text", name=repeat_id)
        change = {"$addToSet" if kept else "$pull": {"kept": repeat_id}}
        self._repeats.update_one({"_id": site}, change)
        return known


def repeat_id(digest: int) -> str:
    """Return the id of the sentence with that hash."""
    return f"{digest:016x}"


def _repeat(key: str, row: Document, kept: set[str]) -> Repeat:
    return Repeat(
        id=key,
        hash=int(key, 16),
        text=row["text"],
        texts=row["texts"],
        first_seen=row["first_seen"],
        kept=key in kept,
    )


def _pack_hashes(hashes: Iterable[int]) -> bytes:
    return np.array(sorted(hashes), dtype="<u8").tobytes()


def _unpack_hashes(packed: bytes) -> frozenset[int]:
    return frozenset(np.frombuffer(packed, dtype="<u8").tolist())
