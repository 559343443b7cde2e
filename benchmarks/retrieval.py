"""Which passages become candidates of hard pages, and what that costs: the shingles of the index tried out.

*Retrieved* is a page one of whose passages is a candidate; *found* is one whose comparison says copy, partial
or quote. What is retrieved and not found was lost by the alignment or by the verdict.

Questions are pages of the works of one half of the corpus, told by a hash of their titles, changed as
:mod:`benchmarks.hard_changes` does; the whole corpus is in the index. Parameters are chosen on the even half
and reported on the odd one. ``python -m benchmarks --section retrieval --million 24``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from benchmarks.changes import changed_text
from benchmarks.corpora import Material
from benchmarks.finders import Finder
from benchmarks.hard_changes import HARD_KINDS, WHOLE_CHARS
from benchmarks.report import Table
from benchmarks.texts import PAGE_CHARS, Page, cut_pages, draw
from benchmarks.windowed import Verdicts, Windowed
from fingerprint.shingle import ShingleParams
from fingerprint.text.letters import to_letters
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

Half = Literal["even", "odd"]

SEEDS = (1, 2, 3)
ODD_ORDERS = ("doubled", "reversed sentences", "reversed", "columns", "pinyin spaced", "pinyin glued")
KINDS = tuple(kind for kind in HARD_KINDS if kind not in ODD_ORDERS)  # the others have views of their own
CURVES = ("noise 50 %", "synonyms", "components", "inserted 6", "dropped 8", *(k for k in KINDS if "30" in k))

TRIED = (
    IndexParams(shingle=ShingleParams(size=9, selection=16), share=0),
    IndexParams(shingle=ShingleParams(size=9, selection=16)),
    IndexParams(shingle=ShingleParams(size=9, selection=10)),
    IndexParams(shingle=ShingleParams(size=8, selection=16)),
    IndexParams(shingle=ShingleParams(size=8, selection=10)),
    IndexParams(shingle=ShingleParams(size=7, selection=16)),
    IndexParams(shingle=ShingleParams(size=7, selection=12)),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=0),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=0.1),
    IndexParams(shingle=ShingleParams(size=7, selection=10)),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=0.3),
    IndexParams(shingle=ShingleParams(size=7, selection=10), share=1),
    IndexParams(shingle=ShingleParams(size=7, selection=8)),
    IndexParams(shingle=ShingleParams(size=6, selection=10)),
)


@dataclass(frozen=True, slots=True)
class Count:
    """Pages asked and pages found."""

    asked: int
    found: int

    @property
    def share(self) -> float:
        """What was found of what was asked."""
        return self.found / self.asked

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        z, n, p = 1.96, self.asked, self.share
        middle, reach = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
        return (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One set of parameters.

    Attributes:
        params_id: of its shingles, with the share of a page's shingles that is asked for.
        postings_char: its shingles a character of the corpus.
        queries: shingles looked up for a page of 3,000 characters.
        candidates: of such a page that copies nothing, on average.
        retrieved: by kind of change.
    """

    params_id: str
    postings_char: float
    queries: float
    candidates: float
    retrieved: Mapping[str, Count]


def half_of(work: str) -> Half:
    """Return the half that a work is in."""
    return "odd" if int(sha256(work.encode()).hexdigest(), 16) % 2 else "even"


def draw_pages(material: Material, half: Half, count: int) -> tuple[Page, ...]:
    """Return about ``count`` pages of one half, two novel pages for each news article; long ones only."""
    pages = (
        page
        for passage in material.passages
        if half_of(passage.source.work) == half
        for page in cut_pages(passage.source, (passage.id,))
        if len(page.text) >= WHOLE_CHARS
    )
    return draw(pages, (2 * count + 2) // 3, salt="retrieval")


def count_found(
    finder: Finder, pages: Sequence[Page], material: Material, kinds: Sequence[str], seeds: Sequence[int]
) -> dict[str, Count]:
    """Return how many pages a method finds, by kind of change.

    Args:
        finder: with its index built.
        pages: what is changed.
        material: what the changes draw from.
        kinds: of ``HARD_KINDS``.
        seeds: each asks every page in another way.
    """
    found: dict[str, int] = defaultdict(int)
    for kind in kinds:
        for seed in seeds:
            for page in pages:
                text = changed_text(
                    page.text, kind, document=page.id, seed=seed, around=material.around, kinds=HARD_KINDS
                )
                found[kind] += not page.answers.isdisjoint(finder.find(text))
    return {kind: Count(len(pages) * len(seeds), found[kind]) for kind in kinds}


def measure(
    material: Material, tried: Sequence[IndexParams], *, half: Half, pages: int, seeds: Sequence[int]
) -> Iterator[Trial]:
    """Yield a trial for each set of parameters.

    Args:
        material: the texts.
        tried: the parameters.
        half: of the works, whose pages are asked.
        pages: how many.
        seeds: of the changes.
    """
    asked = draw_pages(material, half, pages)
    clean = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
    clean = clean or [page.text for page in material.distractors]  # samples have no full page
    for params in tried:
        finder = Windowed(methods=params)
        finder.add(material.passages)
        shingles = Windowed(use=frozenset({"shingle"}), methods=params)
        postings = sum(len(shingles.fingerprint(passage.text)) for passage in material.passages)
        queries = [len(params.of_page(to_letters(text))[params.shingle.params_id]) for text in clean]
        yield Trial(
            params_id=f"{params.shingle.params_id} asked {params.share:g}",
            postings_char=postings / material.chars,
            queries=sum(queries) / len(clean),
            candidates=sum(len(finder.find(text)) for text in clean) / len(clean),
            retrieved=count_found(finder, asked, material, CURVES, seeds),
        )


def table(trials: Sequence[Trial]) -> Table:
    """Return the curves: what each set of parameters costs and retrieves."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What pindna as it is does with one kind of hard page."""

    change: str
    retrieved: Count
    found: Count


def outcomes(material: Material, *, half: Half, pages: int, seeds: Sequence[int]) -> list[Outcome]:
    """Return what is retrieved and what is found with the parameters in use, by kind of change."""
    search = Windowed(methods=DEFAULT_PARAMS)
    verdicts = Verdicts(search=search)
    verdicts.add(material.passages)
    asked = draw_pages(material, half, pages)
    retrieved = count_found(search, asked, material, KINDS, seeds)
    found = count_found(verdicts, asked, material, KINDS, seeds)
    return [Outcome(change=kind, retrieved=retrieved[kind], found=found[kind]) for kind in KINDS]


def outcomes_table(rows: Sequence[Outcome]) -> Table:
    """Return the shares with their intervals."""
    return Table(
        "Hard pages: retrieved and found",
        ("change", "pages", "retrieved", "95 %", "found", "95 %"),
        tuple((row.change, str(row.found.asked), *_cells(row.retrieved), *_cells(row.found)) for row in rows),
    )


def _cells(count: Count) -> tuple[str, str]:
    low, high = count.interval
    return f"{count.share:.3f}", f"{low:.3f}–{high:.3f}"
