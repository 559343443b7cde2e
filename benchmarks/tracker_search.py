"""The tracker's search with the benchmark's interface: DNA, letter shingles, both, or the whole comparison.

This module uses the tracker's code: fingerprints from :mod:`tracker.indexing.params`, hits from the index in
memory, candidates from :mod:`tracker.comparison.matching`, and verdicts from :mod:`tracker.comparison`. If
only one method is used, the other one is neither computed nor stored nor looked up.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from support.changed.texts import Passage

from benchmarks.finders import Finder, Group
from fingerprint.dna import DnaParams, dna_fingerprints
from fingerprint.exact import content_hash
from fingerprint.fingerprints import Fingerprints, no_fingerprints
from fingerprint.shingle import shingle_fingerprints
from fingerprint.text.letters import to_letters
from storage import records
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.records import Verdict, Work
from tracker.comparison import ComparedText, Corpus, compare
from tracker.comparison.matching import find_candidates
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

COUNTED: frozenset[Verdict] = frozenset({"copy", "partial", "quote"})
BOTH = frozenset({"dna", "shingle"})
# DNA with winnowing, as in the first design, which keeps the same share of windows as the default.
WINNOWED = DnaParams(size=20, sampling="winnow", step=10)


@dataclass(slots=True)
class WindowFinder:
    """The search for candidates with DNA, letter shingles or both.

    Attributes:
        name: name for tables.
        use: short names of the methods in use.
        methods: parameters of the methods.
        index: index of the passages.
    """

    name: str = "default"
    use: frozenset[str] = BOTH
    methods: IndexParams = DEFAULT_PARAMS
    group: Group = "pindna"
    index: MemoryIndex = field(default_factory=MemoryIndex)

    def fingerprint(self, text: str) -> dict[str, Fingerprints]:
        """Return hashes and positions by parameter id."""
        letters, methods = to_letters(text), self.methods
        if self.use == BOTH:
            return methods.of_passage(letters)
        if "dna" in self.use:
            return {methods.dna.params_id: dna_fingerprints(letters, methods.dna)}
        return {methods.shingle.params_id: shingle_fingerprints(letters, methods.shingle)}

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index."""
        self.index.add(
            [PassageFingerprints(passage.id, self.fingerprint(passage.text)) for passage in passages]
        )
        self.index.statistics()  # sorts the postings, as the first query would

    def find(self, text: str) -> set[int]:
        """Return the ids of the candidate passages."""
        letters = to_letters(text)
        sets = clear_unused_sets(self.methods.of_page(letters), self.use, self.methods)
        candidates = find_candidates(sets, self.index, self.methods, letters=len(letters)).ranked
        return {candidate.passage_id for candidate in candidates}

    def index_bytes(self) -> int:
        """Return the size of the postings in memory in bytes."""
        return self.index.statistics().memory_bytes


def clear_unused_sets(
    sets: Mapping[str, Fingerprints], use: Collection[str], params: IndexParams
) -> dict[str, Fingerprints]:
    """Return fingerprints by parameter id; the fingerprints of unused methods are empty."""
    return {
        params_id: fingerprints if params.names[params_id] in use else no_fingerprints()
        for params_id, fingerprints in sets.items()
    }


@dataclass(slots=True)
class FullComparison:
    """The whole comparison: candidates, alignment and verdict."""

    name: str = "check"
    group: Group = "pindna"
    search: WindowFinder = field(default_factory=WindowFinder)
    works: MemoryWorks = field(default_factory=MemoryWorks)
    passages: MemoryPassages = field(default_factory=MemoryPassages)

    def fingerprint(self, text: str) -> dict[str, Fingerprints]:
        """Return hashes and positions by parameter id."""
        return self.search.fingerprint(text)

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index, and store their texts, grouped into works."""
        added = list(passages)
        self.search.add(added)
        works: dict[str, list[Passage]] = {}
        for passage in added:
            works.setdefault(passage.source.work, []).append(passage)
        for title, work_passages in works.items():
            work_id = work_passages[0].id
            self.works.save(
                Work(
                    id=work_id,
                    key=title,
                    title=title,
                    kind=work_passages[0].source.kind,
                    origin="benchmark",
                    passage_ids=tuple(passage.id for passage in work_passages),
                    characters=sum(len(passage.text) for passage in work_passages),
                )
            )
            self.passages.save_many(_record(passage, work_id) for passage in work_passages)

    @property
    def corpus(self) -> Corpus:
        """The added passages, as a corpus that pages are compared with."""
        return Corpus(PassageReader(self.works, self.passages), self.search.index, self.search.methods)

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that have a match with the verdict copy, partial or quote."""
        matches = compare(ComparedText(text), self.corpus).matches
        return {match.passage.id for match in matches if match.verdict in COUNTED}

    def index_bytes(self) -> int:
        """Return the size of the postings in memory in bytes, without the texts."""
        return self.search.index_bytes()


def _record(passage: Passage, work_id: int) -> records.Passage:
    return records.Passage(
        id=passage.id,
        work_id=work_id,
        ordinal=passage.source.ordinal,
        title=passage.source.title,
        text=passage.text,
        sha256=content_hash(passage.text),
    )


def all_searches() -> tuple[Finder, ...]:
    """Return the default search, searches with a single method, and the whole comparison."""
    return (
        WindowFinder(),
        WindowFinder("DNA", frozenset({"dna"})),
        WindowFinder("DNA, winnowed", frozenset({"dna"}), IndexParams(dna=WINNOWED)),
        WindowFinder("letter shingles", frozenset({"shingle"})),
        FullComparison(),
    )
