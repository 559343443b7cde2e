"""The harder changes, ten works on one page, and pages that copy nothing: before, now, and the goal.

The mother corpus is all of the shared one. The questions are pages of the half of its works that no parameter
is chosen on: those whose name has an odd SHA-256, see :func:`is_unseen`. A third of them are news. Each of
``SEEDS`` draws pages of its own and changes them in its own way, so that the questions of a kind are as many
independent trials, and the share of those found has a Wilson interval.

Found means any verdict but ``clear`` and ``common`` from :func:`tracker.comparison.compare`; for ten works on
one page, ``copy`` or ``partial``. On pages that copy nothing it is a false alarm.

*Before* are the figures of another state of the code, from the results of such a run. Every kind of question
has a digest, so that figures of other questions are told from figures of the same ones.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from benchmarks.changes import Surroundings, changed_text, generator
from benchmarks.corpora import POOL_CHARS, SAMPLES, SHARED, first_texts, texts_of, with_ids
from benchmarks.hard_changes import HARD_KINDS, WHOLE_CHARS, WORKS, pieced
from benchmarks.intervals import wilson
from benchmarks.report import Table
from benchmarks.texts import Page, Passage, Text, cut_pages, stable
from benchmarks.windowed import Verdicts
from storage.records import Verdict
from tracker.comparison import ComparedText, Corpus, compare

SEEDS = (1, 2, 3)
BEFORE = SAMPLES.parent.parent / "docs" / "benchmarks" / "hard-before.json"
TEN_WORKS = "ten works on a page"
CLEAN = {"novel": "clean: other novels", "news": "clean: other news"}
ACCUSED = ", copy or partial"
# Clean pages for each page of a kind: a false alarm is rare, so many are needed to see one.
CLEAN_PAGES = {"novel": 4, "news": 2}
MIN_CLEAN = 300
GOALS: Mapping[str, float] = {
    "noise 40 %": 0.90,
    "noise 50 %": 0.50,
    "synonyms": 0.95,
    "components": 0.90,
    "inserted 8": 0.95,
    "inserted 6": 0.90,
    "inserted 5": 0.80,
    "dropped 8": 0.95,
    "doubled": 0.95,
    "reversed sentences": 0.95,
    "reversed": 0.95,
    "columns": 0.95,
    "pinyin spaced": 0.90,
    "pinyin glued": 0.90,
    "60 alone, noise 10 %": 0.95,
    "60 alone, noise 20 %": 0.70,
    "60 alone, noise 30 %": 0.40,
    "100 alone, noise 10 %": 0.99,
    "100 alone, noise 20 %": 0.90,
    "100 alone, noise 30 %": 0.65,
    "100 alone, fifth dropped": 0.95,
    "100 alone, half synonyms": 0.85,
    "200 alone, noise 20 %": 0.97,
    "200 alone, noise 30 %": 0.80,
    "200 alone, fifth dropped": 0.99,
    "400 alone, noise 30 %": 0.95,
    TEN_WORKS: 1.0,
    **dict.fromkeys(CLEAN.values(), 0.0),
    **{name + ACCUSED: 0.0 for name in CLEAN.values()},
}
_NOTHING: frozenset[Verdict] = frozenset({"clear", "common"})
_SERIOUS: frozenset[Verdict] = frozenset({"copy", "partial"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HardScore:
    """What became of one kind of question.

    Attributes:
        kind: of change.
        questions: digest of their texts.
        asked: how many pages.
        found: how many were found; on clean pages, false alarms.
        named: how many of those name a work that the page copies.
        by_seed: share found of each seed's pages.
        ms: processor time a page.
    """

    kind: str
    questions: str
    asked: int
    found: int
    named: int
    by_seed: tuple[float, ...]
    ms: float


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


def is_unseen(text: Text) -> bool:
    """Return whether no parameter may be chosen on a text: the SHA-256 of its work's name is odd."""
    name = text.title if text.kind == "news" else text.work
    return int(sha256(name.encode()).hexdigest(), 16) % 2 == 1


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
    chosen = first_texts(mother, chars) if chars else mother
    asked = [text for text in chosen if is_unseen(text) or not shared]
    return HardMaterial(
        is_shared=shared,
        passages=with_ids(chosen),
        pages=tuple(page for text in asked for page in cut_pages(text) if len(page.text) >= WHOLE_CHARS),
        clean=tuple(page for text in others for page in cut_pages(text) if len(page.text) >= MIN_CLEAN),
        around=Surroundings(pool="".join(text.text for text in first_texts(mother, POOL_CHARS)), hosts=()),
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


def measure(material: HardMaterial, asked: Iterable[HardQuestion]) -> Iterator[HardScore]:
    """Yield the scores of each kind of question when its last page is done.

    Args:
        material: its passages are the mother corpus.
        asked: questions, kind by kind.
    """
    checker = Verdicts()
    checker.add(material.passages)
    corpus = checker.corpus
    compare(ComparedText(material.passages[0].text[:WHOLE_CHARS]), corpus)  # what is made once
    for kind, own in groupby(asked, key=lambda question: question.kind):
        answers = [_answer(question, corpus) for question in own]
        yield _score(kind, answers)
        if kind in CLEAN.values():
            yield _score(kind + ACCUSED, answers)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the comparison said: ``works`` are the titles that it names, ``ms`` the processor's time."""

    question: HardQuestion
    verdict: Verdict
    works: frozenset[str]
    ms: float


def _answer(question: HardQuestion, corpus: Corpus) -> _Answer:
    started = time.process_time()
    result = compare(ComparedText(question.text), corpus)
    ms = 1000 * (time.process_time() - started)
    works = frozenset(match.work.title for match in result.matches if match.verdict not in _NOTHING)
    return _Answer(question, result.verdict, works, ms)


def _score(kind: str, answers: Sequence[_Answer]) -> HardScore:
    is_grave = kind == TEN_WORKS or kind.endswith(ACCUSED)
    found = [
        answer
        for answer in answers
        if (answer.verdict in _SERIOUS if is_grave else answer.verdict not in _NOTHING)
    ]
    seeds = Counter(answer.question.seed for answer in answers)
    found_by_seed = Counter(answer.question.seed for answer in found)
    texts = "\0".join(answer.question.text for answer in answers)
    return HardScore(
        kind=kind,
        questions=sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        asked=len(answers),
        found=len(found),
        named=sum(bool(answer.works & answer.question.works) for answer in found),
        by_seed=tuple(found_by_seed[seed] / seeds[seed] for seed in sorted(seeds)),
        ms=sum(answer.ms for answer in answers) / len(answers),
    )


def read_before(path: Path) -> dict[str, HardScore]:
    """Return the figures of an earlier run by kind, from its ``results.json``; none without the file.

    Raises:
        OSError: the file cannot be read.
        KeyError, TypeError, ValueError: it holds no figures of this section.
    """
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["hard"]["rows"]
    return {row["kind"]: HardScore(**{**row, "by_seed": tuple(row["by_seed"])}) for row in rows}


def hard_table(scores: Sequence[HardScore], before: Mapping[str, HardScore]) -> Table:
    """Return before, now and goal of each kind; an asterisk marks figures of other questions."""
    head = ("kind", "n", "before", "now", "goal", "reached", "names the work", "each seed", "ms a page")
    return Table("Harder changes", head, tuple(_row(score, before.get(score.kind)) for score in scores))


def _row(score: HardScore, before: HardScore | None) -> tuple[str, ...]:
    goal, is_clean = GOALS.get(score.kind), score.kind.startswith("clean")
    share = score.found / score.asked
    reached = goal is not None and (share <= goal if is_clean else round(share, 2) >= goal)
    return (
        score.kind,
        str(score.asked),
        "–" if before is None else _share(before) + "*" * (before.questions != score.questions),
        _share(score),
        "–" if goal is None else f"{goal:.2f}",
        "–" if goal is None else ("yes" if reached else "no"),
        "–" if is_clean else f"{score.named / score.asked:.2f}",
        " ".join(f"{own:.2f}" for own in score.by_seed),
        f"{score.ms:.1f}",
    )


def _share(score: HardScore) -> str:
    low, high = wilson(score.found, score.asked)
    return f"{score.found / score.asked:.3f} ({low:.2f}–{high:.2f})"
