"""The questions of the section ``hard``: harder changes, ten works on one page, and pages that copy nothing.

The mother corpus is all of the shared one. The questions are pages of the half of its works that no parameter
is chosen on: those whose name has an odd SHA-256, see :func:`is_unseen`. A third of them are news. Each of
``SEEDS`` draws pages of its own and changes them in its own way, so that the questions of a kind are as many
independent trials.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.changed.changes import Surroundings, changed_text, generator
from support.changed.corpora import POOL_CHARS, SAMPLES, SHARED, first_texts, texts_of, with_ids
from support.changed.hard_changes import HARD_KINDS, WHOLE_CHARS, WORKS, pieced
from support.changed.texts import Page, Passage, Text, cut_pages, is_in_second_half, stable

SEEDS = (1, 2, 3)
TEN_WORKS = "ten works on a page"
CLEAN = {"novel": "clean: other novels", "news": "clean: other news"}
# Clean pages for each page of a kind: a false alarm is rare, so many are needed to see one.
CLEAN_PAGES = {"novel": 4, "news": 2}
MIN_CLEAN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class HardQuestion:
    """A page to compare.

    Attributes:
        kind: of change.
        seed: that drew and changed it.
        text: the page.
        works: titles of the works that it copies; none for a clean page.
    """

    kind: str
    seed: int
    text: str
    works: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class HardMaterial:
    """Texts of a run.

    Attributes:
        is_shared: from the shared data; else from the few samples, where no work is unseen.
        passages: the mother corpus.
        pages: of the unseen works, at least ``WHOLE_CHARS`` long.
        clean: excerpts that copy nothing.
        around: what changes draw from.
    """

    is_shared: bool
    passages: tuple[Passage, ...]
    pages: tuple[Page, ...]
    clean: tuple[Page, ...]
    around: Surroundings

    @property
    def about(self) -> dict[str, object]:
        """What a run on it is about."""
        return {
            "texts": "shared data" if self.is_shared else "samples",
            "characters": sum(len(passage.text) for passage in self.passages),
            "passages": len(self.passages),
            "seed": " ".join(map(str, SEEDS)),
            "works asked about": len({work_of(page) for page in self.pages}),
        }


def is_unseen(text: Text) -> bool:
    """Return whether no parameter may be chosen on a text, by its work's name; of an article by its title."""
    return is_in_second_half(text.title if text.kind == "news" else text.work)


def load_hard(folder: Path | None = None, *, chars: int | None = None) -> HardMaterial:
    """Return the texts of a run, from the shared data or else from the samples.

    Args:
        folder: shared data or samples; found by itself when None.
        chars: of the mother corpus and of the works asked about; None for all.

    Raises:
        OSError: a file cannot be read.
        KeyError: a line of a .jsonl file lacks a title or a text.
    """
    folder = folder or (SHARED if SHARED.is_dir() else SAMPLES)
    shared = (folder / "mother").is_dir()
    mother = texts_of(folder / "mother" if shared else folder)
    others = texts_of(folder / "distractors" if shared else folder / "others")
    chosen = tuple(first_texts(mother, chars)) if chars else mother
    clean = tuple(page for text in others for page in cut_pages(text) if len(page.text) >= MIN_CLEAN)
    asked = [text for text in chosen if is_unseen(text) or not shared]
    return HardMaterial(
        is_shared=shared,
        passages=with_ids(chosen),
        pages=tuple(page for text in asked for page in cut_pages(text) if len(page.text) >= WHOLE_CHARS),
        clean=clean,
        around=Surroundings(
            pool="".join(text.text for text in first_texts(mother, POOL_CHARS)),
            hosts=tuple(page.text for page in clean if page.kind == "novel"),
        ),
    )


def questions(material: HardMaterial, *, pages: int) -> Iterator[HardQuestion]:
    """Yield the questions, kind by kind.

    Args:
        material: the texts.
        pages: of each kind, all seeds together; rounded up to whole seeds.
    """
    share = -(-pages // len(SEEDS))
    drawn = {seed: _draw(material.pages, share, salt=f"hard {seed} ") for seed in SEEDS}
    for kind in HARD_KINDS:
        for seed, own in drawn.items():
            for page in own:
                text = changed_text(
                    page.text, kind, document=page.id, seed=seed, around=material.around, kinds=HARD_KINDS
                )
                yield HardQuestion(kind=kind, seed=seed, text=text, works=frozenset({work_of(page)}))
    works = _pages_by_work(material.pages)
    for seed, own in drawn.items():
        yield from (_ten_works(page, works[page.kind], seed) for page in own)
    yield from _clean_questions(material.clean, pages)


def _draw(pages: Sequence[Page], count: int, *, salt: str) -> list[Page]:
    """Return ``count`` pages by their ids' hash, a third of them news where there are as many."""
    ordered = sorted(pages, key=lambda page: stable(salt + page.id))
    news = [page for page in ordered if page.kind == "news"][: count // 3]
    return [page for page in ordered if page.kind == "novel"][: count - len(news)] + news


def work_of(page: Page) -> str:
    """Return the title of a page's work."""
    return page.id.rsplit("/", 2)[0]


def _pages_by_work(pages: Iterable[Page]) -> dict[str, dict[str, list[Page]]]:
    works: dict[str, dict[str, list[Page]]] = {"novel": {}, "news": {}}
    for page in pages:
        works[page.kind].setdefault(work_of(page), []).append(page)
    return works


def _ten_works(page: Page, works: Mapping[str, Sequence[Page]], seed: int) -> HardQuestion:
    """Return a page made of stretches of a page and of pages of nine other works, or as many as there are."""
    rng = generator(TEN_WORKS, document=page.id, seed=seed)
    others = sorted(works.keys() - {work_of(page)})
    chosen = [page, *(rng.choice(works[name]) for name in rng.sample(others, min(WORKS - 1, len(others))))]
    text = pieced([own.text for own in chosen], rng)
    return HardQuestion(kind=TEN_WORKS, seed=seed, text=text, works=frozenset(map(work_of, chosen)))


def _clean_questions(clean: Iterable[Page], pages: int) -> Iterator[HardQuestion]:
    ordered = sorted(clean, key=lambda page: stable("clean " + page.id))
    for kind, name in CLEAN.items():
        own = [page.text[:WHOLE_CHARS] for page in ordered if page.kind == kind]
        count = CLEAN_PAGES[kind] * pages
        yield from (
            HardQuestion(kind=name, seed=SEEDS[number % len(SEEDS)], text=text)
            for number, text in enumerate(own[:count])
        )
