"""Passages of the mother corpus with their works, and the caches of a worker.

A cache never returns a passage that was changed, removed, licensed or given another role:

* *Texts* stay from batch to batch while there is room. Their key is the present record of the passage,
  including the digest of the text (:class:`storage.records.PassageHead`), so a changed text has another key.
* *Heads and works* serve one batch of pages, as long as the version of the mother corpus stays the same. The
  version is read before anything else, so they are at least as new as the answers of the index. If a change
  is stored before the version increases, every page compared with the old version becomes stale.
  After :meth:`PassageReader.begin_batch` the version is read once a second, so a change can be missed for one
  second. Pages compared in that second carry the earlier version, so they are stale.

Memory: ``MAX_BYTES`` of texts with their derived arrays, ``_HEADS`` heads, and works of ``_PASSAGE_IDS``
passages together. Caches evict the least recently used entry.
"""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from cachetools import LRUCache

from storage.records import Passage, PassageHead, Work
from tracker.alignment.text import ComparedText

MAX_BYTES = 64 * 2**20  # of cached texts: about 1.4 million characters
_BYTES_A_CHAR = 48  # upper limit for a text with its derived arrays; 34 were measured
_HEADS = 20_000
_ASKED_S = 1.0  # seconds between two queries for the version
_PASSAGE_IDS = 500_000  # maximum number of cached passage ids; one work may have 200,000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Texts = MutableMapping[PassageHead, ComparedText]


class WorkSource(Protocol):
    """A source of works."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Work]:
        """Return the works that exist among ``ids``."""


class PassageSource(Protocol):
    """A source of passages."""

    def get_many(self, ids: Iterable[int]) -> Mapping[int, Passage]:
        """Return the passages that exist among ``ids``."""

    def heads(self, ids: Iterable[int]) -> Mapping[int, PassageHead]:
        """Return the passages that exist among ``ids``, without their texts."""


@dataclass(frozen=True, slots=True)
class MotherPassage:
    """A passage with its work and its text in the form that comparison uses."""

    work: Work
    passage: Passage
    text: ComparedText


def new_texts(max_bytes: int = MAX_BYTES) -> Texts:
    """Return an empty cache of texts by their passages' heads.

    Args:
        max_bytes: limit on the memory of the texts and their derived arrays.
    """
    return LRUCache(max_bytes, getsizeof=_size)


def _size(text: ComparedText) -> int:
    return _BYTES_A_CHAR * max(1, len(text.text))


class PassageReader:
    """A reader of passages and works for one batch of pages.

    Args:
        works: source of the works.
        passages: source of the passages.
        version: returns a value that differs after each change of the mother corpus.
        clock: in seconds.
        texts: the cache of the process, from :func:`new_texts`; None: a new one.
    """

    def __init__(
        self,
        works: WorkSource,
        passages: PassageSource,
        *,
        version: Callable[[], object] = lambda: None,
        texts: Texts | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._works_store, self._passages, self._version = works, passages, version
        self._clock, self._asked_at, self._every_s = clock, -math.inf, 0.0
        self._texts = new_texts() if texts is None else texts
        self._heads: LRUCache[int, PassageHead] = LRUCache(_HEADS)
        self._works: LRUCache[int, Work] = LRUCache(_PASSAGE_IDS, getsizeof=_passages_of)
        self._seen: object = None

    def read(self, ids: Iterable[int]) -> dict[int, MotherPassage]:
        """Return the passages that exist among ``ids`` and belong to a work, by id, in the order of ``ids``.

        A passage that was removed or replaced after the index returned it is left out.
        """
        unique_ids = list(dict.fromkeys(int(passage_id) for passage_id in ids))
        self._forget_changed()
        texts = self._read_texts(_through(self._heads, unique_ids, self._passages.heads).values())
        works = _through(self._works, {passage.work_id for passage, _ in texts}, self._works_store.get_many)
        held = {
            passage.id: MotherPassage(works[passage.work_id], passage, text)
            for passage, text in texts
            if passage.work_id in works and passage.id in works[passage.work_id].passage_ids
        }
        return {passage_id: held[passage_id] for passage_id in unique_ids if passage_id in held}

    def works_of(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works of passages, by passage id, without reading texts."""
        self._forget_changed()
        heads = _through(self._heads, list(dict.fromkeys(ids)), self._passages.heads)
        works = _through(self._works, {head.work_id for head in heads.values()}, self._works_store.get_many)
        return {number: works[head.work_id] for number, head in heads.items() if head.work_id in works}

    def begin_batch(self) -> None:
        """Read the version with the next passages, and then once a second.

        Call this after reading the version that the pages of the batch will carry: cached records then have
        that version or a later one.
        """
        self._asked_at, self._every_s = -math.inf, _ASKED_S

    def _forget_changed(self) -> None:
        """Clear heads and works if the version of the mother corpus changed."""
        now = self._clock()
        if now - self._asked_at < self._every_s:
            return
        if (version := self._version()) != self._seen:
            self._heads.clear()
            self._works.clear()
            self._seen = version
        self._asked_at = now

    def _read_texts(self, heads: Iterable[PassageHead]) -> list[tuple[Passage, ComparedText]]:
        """Return passages with their texts; a text that is not cached is read with the present record."""
        kept = {head: self._texts[head] for head in heads if head in self._texts}
        missing = [head.id for head in heads if head not in kept]
        fetched = self._passages.get_many(missing) if missing else {}
        fresh = [(passage, ComparedText(passage.text)) for passage in fetched.values()]
        for passage, text in fresh:
            _keep(self._texts, passage.head, text)
        return [(_whole(head, text), text) for head, text in kept.items()] + fresh


def _passages_of(work: Work) -> int:
    return max(1, len(work.passage_ids))


def _whole(head: PassageHead, text: ComparedText) -> Passage:
    return Passage(
        id=head.id,
        work_id=head.work_id,
        ordinal=head.ordinal,
        title=head.title,
        sha256=head.sha256,
        text=text.text,
    )


def _through(
    cache: MutableMapping[K, V], keys: Iterable[K], fetch: Callable[[Iterable[K]], Mapping[K, V]]
) -> dict[K, V]:
    """Return the values of some keys from a cache, and fetch the missing ones."""
    kept = {key: cache[key] for key in keys if key in cache}
    missing = [key for key in keys if key not in kept]
    fetched = fetch(missing) if missing else {}
    for key, value in fetched.items():
        _keep(cache, key, value)
    return {**kept, **fetched}


def _keep(cache: MutableMapping[K, V], key: K, value: V) -> None:
    """Put a value into a cache, unless the value alone exceeds the limit."""
    with suppress(ValueError):
        cache[key] = value
