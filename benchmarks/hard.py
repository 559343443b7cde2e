"""Harder changes: the share of pages that are found for each kind of change, before and now, and the goal.

A page is found if :func:`tracker.comparison.compare` returns any verdict except ``clear``, ``common`` and
``reworded``. A page with ten works is found only if the verdict is ``copy`` or ``partial``. If a page that
copies nothing is found, this is a false alarm.

The figures *before* come from the results of an earlier version of the code. A digest of the texts of each
kind shows whether both figures come from the same questions.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from support.changed.corpora import ROOT
from support.changed.hard_changes import INSIDE, WHOLE_CHARS
from support.changed.hard_questions import CLEAN, TEN_WORKS, HardMaterial, HardQuestion

from benchmarks.report import Table, wilson
from benchmarks.tracker_search import FullComparison
from storage.records import Verdict
from tracker.comparison import ComparedText, Corpus, compare

BEFORE = ROOT / "docs" / "benchmarks" / "hard-before.json"
ACCUSED = ", copy or partial"
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
    "noise 50 %, Han": 0.85,
    **dict.fromkeys(("turned 2", "turned 3", "turned 4", "words reversed"), 0.9),
    **dict.fromkeys(("common after 1", "common after 2", "common after 3"), 0.9),
    INSIDE: 0.75,
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
_NOTHING: frozenset[Verdict] = frozenset({"clear", "common", "reworded"})
_SERIOUS: frozenset[Verdict] = frozenset({"copy", "partial"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HardScore:
    """Result for one kind of question.

    Attributes:
        kind: kind of change.
        questions: digest of the texts.
        asked: number of pages.
        found: number of found pages; for clean pages, number of false alarms.
        named: number of found pages with a match for a work that the page really copies.
        by_seed: share of found pages for each seed.
        ms: processor time per page.
    """

    kind: str
    questions: str
    asked: int
    found: int
    named: int
    by_seed: tuple[float, ...]
    ms: float


def measure(material: HardMaterial, questions: Iterable[HardQuestion]) -> Iterator[HardScore]:
    """Yield the scores of each kind of question, as soon as its last page is compared.

    Args:
        material: material with the passages of the mother corpus.
        questions: pages, sorted by kind.
    """
    checker = FullComparison()
    checker.add(material.passages)
    corpus = checker.corpus
    compare(ComparedText(material.passages[0].text[:WHOLE_CHARS]), corpus)  # warm-up
    for kind, same_kind in groupby(questions, key=lambda question: question.kind):
        answers = [_compare_page(question, corpus) for question in same_kind]
        yield _score_kind(kind, answers)
        if kind in CLEAN.values():
            yield _score_kind(kind + ACCUSED, answers)


@dataclass(frozen=True, slots=True)
class _Answer:
    """Result of a comparison, with the titles of its works and the processor time."""

    question: HardQuestion
    verdict: Verdict
    works: frozenset[str]
    ms: float


def _compare_page(question: HardQuestion, corpus: Corpus) -> _Answer:
    started = time.process_time()
    result = compare(ComparedText(question.text), corpus)
    ms = 1000 * (time.process_time() - started)
    works = frozenset(match.work.title for match in result.matches if match.verdict not in _NOTHING)
    return _Answer(question, result.verdict, works, ms)


def _score_kind(kind: str, answers: Sequence[_Answer]) -> HardScore:
    is_grave = kind == TEN_WORKS or kind.endswith(ACCUSED)
    accused = [
        answer
        for answer in answers
        if (answer.verdict in _SERIOUS if is_grave else answer.verdict not in _NOTHING)
    ]
    seeds = Counter(answer.question.seed for answer in answers)
    accused_by_seed = Counter(answer.question.seed for answer in accused)
    texts = "\0".join(answer.question.text for answer in answers)
    return HardScore(
        kind=kind,
        questions=sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        asked=len(answers),
        found=len(accused),
        named=sum(bool(answer.works & answer.question.works) for answer in accused),
        by_seed=tuple(accused_by_seed[seed] / seeds[seed] for seed in sorted(seeds)),
        ms=sum(answer.ms for answer in answers) / len(answers),
    )


def read_earlier_scores(path: Path) -> dict[str, HardScore]:
    """Return kind → score of an earlier run, from its ``results.json``; empty if the file does not exist.

    Raises:
        OSError: the file cannot be read.
        KeyError, TypeError, ValueError: the file has no figures of this section.
    """
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["hard"]["rows"]
    return {row["kind"]: HardScore(**{**row, "by_seed": tuple(row["by_seed"])}) for row in rows}


def hard_table(scores: Sequence[HardScore], before: Mapping[str, HardScore]) -> Table:
    """Return a table of the shares before and now and the goals; an asterisk marks different questions."""
    head = ("kind", "n", "before", "now", "goal", "reached", "names the work", "each seed", "ms a page")
    return Table("Harder changes", head, tuple(_table_row(score, before.get(score.kind)) for score in scores))


def _table_row(score: HardScore, before: HardScore | None) -> tuple[str, ...]:
    goal, is_clean = GOALS.get(score.kind), score.kind.startswith("clean")
    share = score.found / score.asked
    reached = goal is not None and (share <= goal if is_clean else round(share, 2) >= goal)
    return (
        score.kind,
        str(score.asked),
        "–" if before is None else _format_share(before) + "*" * (before.questions != score.questions),
        _format_share(score),
        "–" if goal is None else f"{goal:.2f}",
        "–" if goal is None else ("yes" if reached else "no"),
        "–" if is_clean else f"{score.named / score.asked:.2f}",
        " ".join(f"{share_of_seed:.2f}" for share_of_seed in score.by_seed),
        f"{score.ms:.1f}",
    )


def _format_share(score: HardScore) -> str:
    low, high = wilson(score.found, score.asked)
    return f"{score.found / score.asked:.3f} ({low:.2f}–{high:.2f})"
