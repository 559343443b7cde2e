"""Deduplication: how well pindna and a popular library group copies with their originals.

The texts are the pages of the mother corpus, and one altered copy of each page among the questions. The kinds
of change take turns. A copy is grouped correctly if it is in the group of its original. A group is mixed if
it contains texts of different origins.

All methods read the same texts in one process. For datasketch, each text joins the texts that the LSH index
returns, without a further check, as its documentation shows it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from support.changed.changes import changed_text
from support.changed.corpora import Material
from support.changed.texts import cut_pages

from fingerprint.disjoint import DisjointSets
from fingerprint.registry import methods
from system.segmentation import segmenter
from tracker.similarity.deduplication import Deduplication
from tracker.similarity.work_file import TextRecord

CHANGES = ("none", "edits 5 %", "homophones 30 %", "traditional", "words swapped", "shuffled", "adverts")

# Number of a document → smallest number in its group, for all documents that are not alone in their group.
Grouper = Callable[[Sequence[str]], Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text and its origin. Texts of the same origin belong in one group."""

    text: str
    origin: str
    change: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """Result of one method.

    Attributes:
        method: name of the method.
        documents: number of texts.
        seconds: time to group the texts.
        recall: kind of change → share of copies that are in the group of their original.
        mixed: share of texts whose group contains a text of another origin.
    """

    method: str
    documents: int
    seconds: float
    recall: dict[str, float]
    mixed: float


def labelled_texts(material: Material, *, seed: int) -> list[LabelledText]:
    """Return every page of the corpus, and one altered copy of each page among the questions."""
    pages = [page for passage in material.passages for page in cut_pages(passage.source)]
    changes = cycle(CHANGES)
    copies = [
        LabelledText(
            changed_text(page.text, change, document=page.id, seed=seed, around=material.around),
            page.id,
            change,
        )
        for page, change in zip(material.questions, changes, strict=False)
    ]
    return [LabelledText(page.text, page.id, None) for page in pages] + copies


def pindna_grouper(name: str, threshold: float | None) -> Grouper:
    """Return a grouper that works like ``pindna dedupe`` with the given method."""
    words = segmenter()

    def group(texts: Sequence[str]) -> dict[int, int]:
        method = next(method for method in methods(words_id=words.words_id) if method.name == name)
        with Deduplication(method, cut=words.cut, threshold=threshold) as search:
            for number, text in enumerate(texts):
                search.add(TextRecord(name=str(number)), text)
            groups = [[int(member.text.name) for member in group.members] for group in search.groups()]
        return {number: min(group) for group in groups for number in group}

    return group


def group_with_datasketch(texts: Sequence[str]) -> dict[int, int]:
    """Group texts with datasketch's MinHashLSH: each text joins the texts that the index returns."""
    from datasketch import MinHashLSH  # noqa: PLC0415 - an optional dependency

    from benchmarks.peers import PERMUTATIONS, THRESHOLD, Datasketch  # noqa: PLC0415 - the same

    sets, peer = DisjointSets(), Datasketch()
    index = MinHashLSH(THRESHOLD, PERMUTATIONS)
    for number, text in enumerate(texts):
        signature = peer.fingerprint(text)
        for other in index.query(signature):
            sets.join(number, int(other))
        index.insert(number, signature, check_duplication=False)
    joined = sets.non_roots()
    return {number: sets.root(number) for number in {*joined, *map(sets.root, joined)}}


def measure(texts: Sequence[LabelledText], groupers: Mapping[str, Grouper]) -> Iterator[Grouping]:
    """Yield the result of each method."""
    plain = [text.text for text in texts]
    originals = {text.origin: number for number, text in enumerate(texts) if text.change is None}
    for name, group in groupers.items():
        start = time.perf_counter()
        roots = group(plain)
        seconds = time.perf_counter() - start
        together = [
            _root_of(roots, n) == _root_of(roots, originals[text.origin]) for n, text in enumerate(texts)
        ]
        yield Grouping(
            method=name,
            documents=len(texts),
            seconds=seconds,
            recall={change: _recall_of_change(together, texts, change) for change in CHANGES},
            mixed=_mixed_share(texts, roots),
        )


def _root_of(roots: Mapping[int, int], number: int) -> int:
    return roots.get(number, number)


def _recall_of_change(together: Iterable[bool], texts: Sequence[LabelledText], change: str) -> float:
    answers = [
        is_together for is_together, text in zip(together, texts, strict=True) if text.change == change
    ]
    return sum(answers) / max(1, len(answers))


def _mixed_share(texts: Sequence[LabelledText], roots: Mapping[int, int]) -> float:
    origins: dict[int, set[str]] = {}
    for number, root in roots.items():
        origins.setdefault(root, set()).add(texts[number].origin)
    return sum(len(origins[root]) > 1 for root in roots.values()) / len(texts)
