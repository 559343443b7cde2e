"""Screening of stored pages against added works: only new passages are looked up.

A page has the corpus version that it was compared with. If works were only added, changed or licensed since,
only their passages can change its result. They are put into a small index in memory, made of their stored
fingerprints. A page is up to date if none of these passages may be in it, and it has no match and no
background text of these works. Any other page is compared again as a whole, so verdicts, common text and
coverage consider everything together.

Other changes of the corpus (a removed work) increase :meth:`CorpusVersions.last_full_version`; pages older
than that are compared as a whole. Pages wait, are leased and sent in batches like all others, so a killed
worker delays this and loses nothing.

Cost: a page's fingerprints and a look-up in memory, about two milliseconds for 3,000 characters, instead of a
comparison. New works are found by a database index and kept from batch to batch, up to ``MAX_CHARS``
characters; if there are more, the real index is used. Cached works stay valid: a work added or changed later
has a later version of the corpus, for which a new cache is made. A version is identified by its mark, which
is unique: a restored database may reach the same number again.
"""

import logging
from dataclasses import dataclass, field

from storage.collections.stores import Stores
from storage.index.memory import MemoryIndex
from storage.records import Page
from tracker.comparison import ComparedText, Corpus, RestText
from tracker.comparison.passages import PassageReader
from tracker.comparison.reading import read_page, read_rest
from tracker.indexing.fingerprints import known_fingerprints
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

log = logging.getLogger(__name__)

MAX_CHARS = 5_000_000  # maximum characters of new works in memory, about 80 MB of postings
_BATCH = 200  # passages whose fingerprints are fetched at once


@dataclass(frozen=True, slots=True)
class _Added:
    """The works added since a version, and their books; ``corpus`` is None if it exceeds the limit."""

    works: frozenset[int]
    characters: int
    corpus: Corpus | None


@dataclass(slots=True)
class Screening:
    """Decides which pages need no comparison; a worker process keeps one for all its batches.

    Attributes:
        stores: the database.
        params: of the fingerprints of passages.
    """

    stores: Stores
    params: IndexParams = DEFAULT_PARAMS
    _known: dict[tuple[int, str], _Added] = field(default_factory=dict)

    def is_unaffected(
        self, page: Page, text: ComparedText, rest: RestText | None = None, *, mark: str
    ) -> bool:
        """Return whether the stored result of a page is valid for a version of the corpus too.

        Args:
            page: as stored.
            text: of its article.
            rest: its other text; None: it has none.
            mark: of that version of the corpus, read before this call.
        """
        if page.verdict is None or page.corpus_version < max(0, self.stores.versions.last_full_version()):
            return False
        added = self._works_added(page.corpus_version, mark)
        if added.corpus is None or self._holds_some_of(page, added.works):
            return False
        if read_page(text, added.corpus).candidates.ranked:
            return False
        return rest is None or not read_rest(rest, added.corpus).candidates.ranked

    def _works_added(self, since: int, mark: str) -> _Added:
        """Return the works that were added between two versions, cached while there is room."""
        key = since, mark
        if (added := self._known.pop(key, None)) is None:
            added = self._works_since(since)
            room = MAX_CHARS - added.characters
            while self._known and sum(other.characters for other in self._known.values()) > room:
                del self._known[next(iter(self._known))]  # drop the least recently used entry
        self._known[key] = added
        return added

    def _holds_some_of(self, page: Page, works: frozenset[int]) -> bool:
        """Return whether a page has a match or background text of some works."""
        if any(background_match.work_id in works for background_match in page.background):
            return True
        return any(match.work_id in works for match in self.stores.matches.of_page(page.id))

    def _works_since(self, version: int) -> _Added:
        """Return the works that were indexed or changed after a version.

        A work that is being indexed counts too: its passages may be in the index before it is marked.
        """
        works = self.stores.works.changed_since(version)
        ids = frozenset(key for work in works for key in (work.id, work.book_id))
        characters = sum(work.characters for work in works)
        if characters > MAX_CHARS:
            log.info(
                "%d new works with %d characters are too many for screening: pages are compared completely",
                len(works),
                characters,
            )
            return _Added(ids, 0, None)
        index = MemoryIndex()
        for work in works:
            for start in range(0, len(work.passage_ids), _BATCH):
                batch = work.passage_ids[start : start + _BATCH]
                index.add(known_fingerprints(batch, self.stores, self.params))
        reader = PassageReader(self.stores.works, self.stores.passages)
        return _Added(ids, characters, Corpus(reader, index, self.params))
