"""Share of hard pages for which the index returns a correct candidate, for different shingle parameters.

A page is *retrieved* if one of the passages that it copies is a candidate. If a page is retrieved but not
found (section ``hard``), the alignment or the verdict failed.

The works are divided into two halves (:func:`support.changed.hard_questions.is_unseen`). Parameters are
chosen with pages of one half, and results are reported for pages of the other half. The index contains the
whole corpus. Run it on demand: ``python -m benchmarks --section retrieval --million 24``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from support.changed.changes import changed_text
from support.changed.corpora import Material
from support.changed.hard_changes import HARD_KINDS, WHOLE_CHARS
from support.changed.hard_questions import is_unseen
from support.changed.texts import PAGE_CHARS, Page, cut_pages, draw

from benchmarks.finders import Finder
from benchmarks.report import Table, wilson
from benchmarks.tracker_search import WindowFinder
from fingerprint.shingle import ShingleParams
from fingerprint.text.letters import to_letters
from tracker.indexing.params import IndexParams

ODD_ORDERS = ("doubled", "reversed sentences", "reversed", "columns", "pinyin spaced", "pinyin glued")
KINDS = tuple(kind for kind in HARD_KINDS if kind not in ODD_ORDERS)  # odd orders are folded before look-up
CURVES = ("noise 50 %", "synonyms", "components", "inserted 6", "dropped 8", *(k for k in KINDS if "30" in k))

TRIED = (
    IndexParams(shingle=ShingleParams(size=9, selection=16)),
    IndexParams(shingle=ShingleParams(size=9, selection=10)),
    IndexParams(shingle=ShingleParams(size=8, selection=16)),
    IndexParams(shingle=ShingleParams(size=8, selection=10)),
    IndexParams(shingle=ShingleParams(size=7, selection=16)),
    IndexParams(shingle=ShingleParams(size=7, selection=12)),
    IndexParams(shingle=ShingleParams(size=7, selection=10)),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=0.3),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=1),
    IndexParams(shingle=ShingleParams(size=7, selection=8)),
    IndexParams(shingle=ShingleParams(size=6, selection=10)),
)


@dataclass(frozen=True, slots=True)
class RetrievalCount:
    """Numbers of queried and of retrieved pages for one kind of change."""

    kind: str
    pages: int
    retrieved: int

    @property
    def share(self) -> float:
        """Share of the queried pages that are retrieved."""
        return self.retrieved / self.pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Result of one set of parameters.

    Attributes:
        params_id: id of the shingle parameters, with the share of a page's shingles that is queried.
        postings_char: postings of both methods per character of the corpus.
        queries: mean number of hashes of both methods that are looked up for a page of 3,000 characters.
        candidates: mean number of candidates for a page of that length that copies nothing.
        retrieved: kind of change → numbers of queried and retrieved pages.
    """

    params_id: str
    postings_char: float
    queries: float
    candidates: float
    retrieved: Mapping[str, RetrievalCount]


def draw_pages(material: Material, count: int, *, unseen: bool) -> tuple[Page, ...]:
    """Return about ``count`` long pages of one half of the works: two thirds novels, one third news."""
    pages = (
        page
        for passage in material.passages
        if is_unseen(passage.source) == unseen
        for page in cut_pages(passage.source, (passage.id,))
        if len(page.text) >= WHOLE_CHARS
    )
    return draw(pages, (2 * count + 2) // 3, salt="retrieval")


def count_retrieved(
    finder: Finder, pages: Sequence[Page], material: Material, kinds: Sequence[str], seeds: Sequence[int]
) -> dict[str, RetrievalCount]:
    """Return for each kind of change how many of the changed pages are retrieved.

    Args:
        finder: a finder with a complete index.
        pages: pages to change.
        material: material with the texts from which insertions are taken.
        kinds: kinds of change, from ``HARD_KINDS``.
        seeds: seeds of the random changes; every page is changed once per seed.
    """
    right = dict.fromkeys(kinds, 0)
    for kind, seed, page in product(kinds, seeds, pages):
        text = changed_text(
            page.text, kind, document=page.id, seed=seed, around=material.around, kinds=HARD_KINDS
        )
        right[kind] += not page.answers.isdisjoint(finder.find(text))
    return {kind: RetrievalCount(kind, len(pages) * len(seeds), right[kind]) for kind in kinds}


def measure(
    material: Material, tried: Sequence[IndexParams], *, pages: int, seeds: Sequence[int]
) -> Iterator[Trial]:
    """Yield a trial for each set of parameters, with pages of the half of the works for choosing parameters.

    Args:
        material: the texts.
        tried: the sets of parameters.
        pages: number of pages.
        seeds: seeds of the random changes.
    """
    questions = draw_pages(material, pages, unseen=False)
    clean = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
    clean = clean or [page.text for page in material.distractors]  # the samples have no full page
    for params in tried:
        finder = WindowFinder(methods=params)
        finder.add(material.passages)
        queries = [sum(map(len, params.of_page(to_letters(text)).values())) for text in clean]
        yield Trial(
            params_id=f"{params.shingle.params_id} asked {params.share:g}",
            postings_char=finder.index.statistics().postings / material.chars,
            queries=sum(queries) / len(clean),
            candidates=sum(len(finder.find(text)) for text in clean) / len(clean),
            retrieved=count_retrieved(finder, questions, material, CURVES, seeds),
        )


def table(trials: Sequence[Trial]) -> Table:
    """Return a table of the cost and the retrieved shares of each set of parameters."""
    return Table(
        "Shingles of the index: cost, and share of hard pages retrieved",
        ("parameters", "postings/character", "look-ups", "candidates a clean page", *CURVES),
        tuple(
            (
                trial.params_id,
                f"{trial.postings_char:.3f}",
                f"{trial.queries:.0f}",
                f"{trial.candidates:.2f}",
                *(f"{trial.retrieved[kind].share:.2f}" for kind in CURVES),
            )
            for trial in trials
        ),
    )


def measure_unseen_half(material: Material, *, pages: int, seeds: Sequence[int]) -> list[RetrievalCount]:
    """Return the results of the default parameters for pages of the unseen half, by kind of change."""
    finder = WindowFinder()
    finder.add(material.passages)
    questions = draw_pages(material, pages, unseen=True)
    return list(count_retrieved(finder, questions, material, KINDS, seeds).values())


def unseen_half_table(retrieved: Sequence[RetrievalCount]) -> Table:
    """Return a table of the retrieved shares with their 95 % intervals."""
    rows = []
    for count in retrieved:
        low, high = wilson(count.retrieved, count.pages)
        rows.append((count.kind, str(count.pages), f"{count.share:.3f}", f"{low:.3f}–{high:.3f}"))
    return Table("Hard pages retrieved", ("change", "pages", "retrieved", "95 %"), tuple(rows))
