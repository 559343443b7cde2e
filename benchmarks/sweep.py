"""Recall, postings and chance candidates of DNA alone with different parameters.

Run it on demand: ``python -m benchmarks --section sweep --million 24``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from support.changed.corpora import Material

from benchmarks.recall import FALSE_ALARMS, Round, Score, score_finder
from benchmarks.tracker_search import WindowFinder
from fingerprint.dna import DnaParams
from tracker.indexing.params import IndexParams

CHANGES = ("edits 10 %", "edits 20 %", "edits 30 %", "copied 60", "copied 60, edited", "copied 100, edited")

TRIED = (
    DnaParams(),
    DnaParams(size=16, levels=8, sampling="syncmer", step=8),
    DnaParams(size=18, levels=8, sampling="syncmer", step=10),
    DnaParams(size=20, levels=8, sampling="syncmer", step=10),
    DnaParams(size=20, levels=8, sampling="stride", step=10),
    DnaParams(size=16, levels=4, step=8, sampling="winnow"),
    DnaParams(size=16, levels=8, step=8, sampling="winnow"),
    DnaParams(size=16, levels=10, step=8, sampling="winnow"),
    DnaParams(size=18, levels=8, step=8, sampling="winnow"),
    DnaParams(size=18, levels=8, step=10, sampling="winnow"),
    DnaParams(size=20, levels=2, step=10, sampling="winnow"),
    DnaParams(size=20, levels=4, step=10, sampling="winnow"),
    DnaParams(size=20, levels=8, step=8, sampling="winnow"),
    DnaParams(size=20, levels=8, step=10, sampling="winnow"),
    DnaParams(size=20, levels=10, step=10, sampling="winnow"),
    DnaParams(size=24, levels=8, step=10, sampling="winnow"),
    DnaParams(size=32, levels=4, step=16, sampling="winnow"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Figures of DNA alone with one set of parameters.

    Attributes:
        params_id: id of the parameters.
        postings_char: postings per character of the corpus.
        chance: mean number of candidates for a page that copies nothing, over novels and news.
        recall: kind of change → kind of text → recall.
    """

    params_id: str
    postings_char: float
    chance: float
    recall: dict[str, dict[str, float]]


def measure(
    material: Material, question_rounds: Sequence[Round], tried: Sequence[DnaParams]
) -> Iterator[Trial]:
    """Yield a trial for each set of parameters.

    Args:
        material: the texts.
        question_rounds: rounds from :func:`benchmarks.recall.make_rounds`.
        tried: the sets of parameters.
    """
    changes = {*CHANGES, FALSE_ALARMS}
    chosen = [
        [question for question in questions if question.change in changes] for questions in question_rounds
    ]
    for params in tried:
        finder = WindowFinder("DNA", frozenset({"dna"}), IndexParams(dna=params))
        finder.add(material.passages)
        postings = finder.index.statistics().postings
        yield _make_trial(
            params, postings / material.chars, score_finder(finder, chosen, budget_s=float("inf"))
        )


def _make_trial(params: DnaParams, postings_char: float, scores: Sequence[Score]) -> Trial:
    alarms = [score for score in scores if score.change == FALSE_ALARMS]
    recall: dict[str, dict[str, float]] = {}
    for score in scores:
        if score.change != FALSE_ALARMS:
            recall.setdefault(score.change, {})[score.kind] = score.share
    return Trial(
        params_id=params.params_id,
        postings_char=postings_char,
        chance=sum(score.passages for score in alarms) / max(1, sum(score.pages for score in alarms)),
        recall=recall,
    )
