"""Effect of word weights: recall of every method that weighs words, with three tables of weights in one run.

============ =================================================================================
none         every word has the same weight (:data:`fingerprint.idf.FLAT`)
jieba        the table of jieba (:mod:`system.word_frequencies`), the default
own corpus   measured in the first pages of the mother corpus, as by `pindna measure words`
============ =================================================================================

All methods get the first ``recall.MIN_ROUNDS`` rounds of questions, so their figures are for the same pages.
Each text is segmented only once for all methods.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from support.changed.corpora import Material

from benchmarks import recall
from benchmarks.recall import FALSE_ALARMS, Score
from benchmarks.report import Table
from benchmarks.wholetext import KeyIndex, corpus_weights
from fingerprint.idf import FLAT, Idf
from fingerprint.registry import methods
from fingerprint.text.views import Cut
from system.segmentation import segmenter
from system.word_frequencies import jieba_idf

WEIGHTS = ("none", "jieba", "own corpus")
_EDITS = ("edits 5 %", "edits 10 %", "edits 20 %", "homophones 30 %", "traditional", "words swapped")
_COLUMNS = (*_EDITS, "shuffled", "adverts", "copied 300", "editions", "reuse", "reprints", FALSE_ALARMS)


def weighing_indexes(weights: Idf, cut: Cut, label: str) -> list[KeyIndex]:
    """Return the methods of the registry that use word weights, with empty indexes."""
    return [
        KeyIndex(method, cut, label=f"{method.name}, {label}")
        for method in methods(idf=weights)
        if weights.name in method.params_id.split("-")
    ]


def measure_recall(material: Material, *, seed: int, processes: int) -> Iterator[list[Score]]:
    """Yield the scores of each method with each table of weights.

    Args:
        material: the texts.
        seed: seed of the random changes.
        processes: number of methods that are measured at the same time.
    """
    cut = lru_cache(maxsize=None)(segmenter().cut)
    tables = (FLAT, jieba_idf(), corpus_weights(material.passages, cut))
    finders = [
        index
        for label, table in zip(WEIGHTS, tables, strict=True)
        for index in weighing_indexes(table, cut, label)
    ]
    return recall.measure(material, finders, seed=seed, budget_s=0, processes=processes)


def weights_table(scores: Sequence[Score]) -> Table:
    """Return a table of the recall by change for novels and news together: none / jieba / own corpus."""
    counts: dict[tuple[str, str], list[int]] = {}
    for score in scores:
        row = counts.setdefault((score.method, score.change), [0, 0])
        row[0] += score.hits
        row[1] += score.pages
    names = list(dict.fromkeys(score.method.rpartition(", ")[0] for score in scores))
    shown = [column for column in _COLUMNS if any(change == column for _, change in counts)]
    rows = tuple((name, *(_format_cell(counts, name, change) for change in shown)) for name in names)
    return Table(f"Recall by weights of words: {' / '.join(WEIGHTS)}", ("method", *shown), rows)


def _format_cell(counts: dict[tuple[str, str], list[int]], name: str, change: str) -> str:
    pairs = [counts.get((f"{name}, {label}", change), [0, 0]) for label in WEIGHTS]
    return " / ".join(f"{hits / pages:.2f}" if pages else "–" for hits, pages in pairs)
