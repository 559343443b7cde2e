"""Recall of each method by kind of change, and false alarms.

Recall is the share of changed pages for which a method finds a passage that the page copies (see
:mod:`benchmarks.finders`). A false alarm is a passage that a method finds for a page that copies nothing.

A round of questions has one novel page and one news article with every kind of change, one page of each real
pair, and one distractor of each kind. A slow method stops when its time is over, but not before
``MIN_ROUNDS`` rounds. So every kind of change is measured on the same pages. The tables show the number of
pages of each method.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from multiprocessing import get_context

from support.changed.changes import KINDS, changed_text
from support.changed.corpora import Material
from support.changed.texts import Page, Passage

from benchmarks.finders import Finder, Group

MIN_ROUNDS = 20
FALSE_ALARMS = "false alarms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A page to look up.

    Attributes:
        change: kind of change, kind of real pair, or ``false alarms``.
        kind: ``novel`` or ``news``.
        text: text of the changed page.
        answers: ids of the passages that the page copies; empty for a distractor.
    """

    change: str
    kind: str
    text: str
    answers: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Result of a method for one kind of change of one kind of text.

    Attributes:
        method, group: name and group of the method.
        change, kind: kind of change and kind of text of the questions.
        pages: number of pages.
        hits: number of pages with a correct passage; for distractors, with any passage.
        passages: number of all passages found, correct or not.
    """

    method: str
    group: Group
    change: str
    kind: str
    pages: int
    hits: int
    passages: int

    @property
    def share(self) -> float:
        """The recall, or for distractors the share of false alarms."""
        return self.hits / self.pages


Round = Sequence[Question]


def make_rounds(material: Material, *, seed: int) -> list[Round]:
    """Return the rounds of questions; a round contains every kind of change once for each kind of text.

    Args:
        material: the texts.
        seed: seed of the random changes.
    """
    columns = [
        [
            [_changed_question(page, change, material, seed) for change in KINDS]
            for page in _pages_of_kind(material.questions, kind)
        ]
        for kind in ("novel", "news")
    ]
    columns += [
        [[_unchanged_question(page, name)] for page in pages] for name, pages in material.pairs.items()
    ]
    columns += [
        [[_unchanged_question(page, FALSE_ALARMS)] for page in _pages_of_kind(material.distractors, kind)]
        for kind in ("novel", "news")
    ]
    return [
        [question for questions in row for question in questions]
        for row in zip_longest(*columns, fillvalue=[])
    ]


def _pages_of_kind(pages: Iterable[Page], kind: str) -> Iterator[Page]:
    return (page for page in pages if page.kind == kind)


def _changed_question(page: Page, change: str, material: Material, seed: int) -> Question:
    text = changed_text(page.text, change, document=page.id, seed=seed, around=material.around)
    return Question(change=change, kind=page.kind, text=text, answers=page.answers)


def _unchanged_question(page: Page, change: str) -> Question:
    return Question(change=change, kind=page.kind, text=page.text, answers=page.answers)


def score_finder(finder: Finder, question_rounds: Iterable[Round], *, budget_s: float) -> list[Score]:
    """Return the scores of a method for each kind of change and of text.

    Args:
        finder: a method with a complete index.
        question_rounds: rounds from :func:`make_rounds`.
        budget_s: seconds after which no further round starts, if ``MIN_ROUNDS`` rounds are complete.
    """
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    end = time.perf_counter() + budget_s
    for number, questions in enumerate(question_rounds):
        if number >= MIN_ROUNDS and time.perf_counter() > end:
            break
        for question in questions:
            passage_ids = finder.find(question.text)
            right = passage_ids & question.answers if question.change != FALSE_ALARMS else passage_ids
            row = counts[question.change, question.kind]
            row[0] += 1
            row[1] += bool(right)
            row[2] += len(passage_ids)
    return [
        Score(
            method=finder.name,
            group=finder.group,
            change=change,
            kind=kind,
            pages=row[0],
            hits=row[1],
            passages=row[2],
        )
        for (change, kind), row in counts.items()
    ]


@dataclass(frozen=True, slots=True)
class _Task:
    """Everything that a process needs to measure a method, except the method's index."""

    passages: Sequence[Passage]
    question_rounds: Sequence[Round]
    finders: Sequence[Finder]
    budget_s: float

    def __call__(self, number: int) -> list[Score]:
        finder = self.finders[number]
        finder.add(self.passages)
        return score_finder(finder, self.question_rounds, budget_s=self.budget_s)


_tasks: list[_Task] = []  # filled before the processes fork, so that no corpus is sent through a pipe


def _run_task(number: int) -> list[Score]:
    return _tasks[-1](number)


def measure(
    material: Material, finders: Sequence[Finder], *, seed: int, budget_s: float, processes: int
) -> Iterator[list[Score]]:
    """Yield the scores of each method as they become available.

    Args:
        material: the texts.
        finders: the methods, with empty indexes.
        seed: seed of the random changes.
        budget_s: seconds of questions per method.
        processes: number of methods that are measured at the same time, each in a separate process.
    """
    task = _Task(material.passages, make_rounds(material, seed=seed), finders, budget_s)
    if processes == 1:
        yield from map(task, range(len(finders)))
        return
    _tasks.append(task)
    try:
        with get_context("fork").Pool(processes, maxtasksperchild=1) as pool:
            yield from pool.imap_unordered(_run_task, range(len(finders)), chunksize=1)
            pool.close()
            pool.join()  # otherwise the pool sends a signal, which a handler of the embedded servers catches
    finally:
        _tasks.pop()
