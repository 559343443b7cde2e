"""Works that were added meet the pages that are stored: only the new passages are asked about.

A page remembers the corpus version that it was compared with. Where only works were added (or changed, or
licensed) since, nothing but their passages can change what is known of it. They are put into a small index in
memory, made of their stored fingerprints; a page that none of them may be in, and that holds no match of
these works yet and no background text that is one of them, is up to date as it is. Any other page is compared
anew as a whole, so that verdicts, common text and coverage weigh everything together.

What else changes the corpus (a removed work) raises :meth:`CorpusVersions.last_full_version`; pages older
than that are compared as a whole. Pages wait, are leased and sent in batches as all others are, so a worker
that is killed delays this and loses nothing.

Cost: a page's fingerprints and a look-up in memory, about two milliseconds for 3,000 characters, instead of a
comparison. The new works are found by an index and held from one batch to the next, ``MAX_CHARS`` characters
of them at most over all; more works than that are left to the real index. What is held stays true: a work
that is added or changed later comes with a later version of the corpus, for which it is made anew. A version
goes by its mark, which no other ever has: a database that was put back may reach the same number again.
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

MAX_CHARS = 5_000_000  # of new works, about 80 MB of postings
_BATCH = 200  # passages whose fingerprints are fetched at once


@dataclass(frozen=True, slots=True)
class _Added:
    """The works added since a version, and their books; ``corpus`` is None where it is too much to hold."""

    works: frozenset[int]
    characters: int
    corpus: Corpus | None


@dataclass(slots=True)
class Screening:
    """Decides which pages need no comparison; a worker process keeps one for all its batches.

    Attributes:
        stores: the database.
        params: the fingerprints that passages have.
    """

    stores: Stores
    params: IndexParams = DEFAULT_PARAMS
    _known: dict[tuple[int, str], _Added] = field(default_factory=dict)

    def is_unaffected(
        self, page: Page, text: ComparedText, rest: RestText | None = None, *, mark: str
    ) -> bool:
        """Return whether what is known of a page holds for a version of the corpus too.

        Args:
            page: as it is stored.
            text: of its article.
            rest: its other text; None: it has none.
            mark: of that version of the corpus, read before this call.
        """
        if page.verdict is None or page.corpus_version < max(0, self.stores.versions.last_full_version()):
            return False
        added = self._added(page.corpus_version, mark)
        if added.corpus is None or self._holds_some_of(page, added.works):
            return False
        if read_page(text, added.corpus).candidates.ranked:
            return False
        return rest is None or not read_rest(rest, added.corpus).candidates.ranked

    def _added(self, since: int, mark: str) -> _Added:
        """Return the works that were added between two versions, made once while there is room for them."""
        key = since, mark
        if (added := self._known.pop(key, None)) is None:
            added = self._works_since(since)
            room = MAX_CHARS - added.characters
            while self._known and sum(other.characters for other in self._known.values()) > room:
                del self._known[next(iter(self._known))]  # what was not used for the longest time
        self._known[key] = added
        return added

    def _holds_some_of(self, page: Page, works: frozenset[int]) -> bool:
        """Return whether a page is known to match some works, or to hold some of them as background."""
        if any(background_match.work_id in works for background_match in page.background):
            return True
        return any(match.work_id in works for match in self.stores.matches.of_page(page.id))

    def _works_since(self, version: int) -> _Added:
        """Return the works that were indexed or changed after a version.

        One that is being indexed now counts too: its passages may be in the index before it is marked.
        """
        works = self.stores.works.changed_since(version)
        ids = frozenset(key for work in works for key in (work.id, work.book_id))
        characters = sum(work.characters for work in works)
        if characters > MAX_CHARS:
            log.info(
                "%d works of %d characters are new: pages are compared as a whole", len(works), characters
            )
            return _Added(ids, 0, None)
        index = MemoryIndex()
        for work in works:
            for start in range(0, len(work.passage_ids), _BATCH):
                batch = work.passage_ids[start : start + _BATCH]
                index.add(known_fingerprints(batch, self.stores, self.params))
        reader = PassageReader(self.stores.works, self.stores.passages)
        return _Added(ids, characters, Corpus(reader, index, self.params))
