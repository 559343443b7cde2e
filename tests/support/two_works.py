"""The texts of two indexed works, and whether an index finds each of them."""

from support.strategies import story

from tracker.comparison import ComparedText, Corpus, compare
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader

TEXTS = {number: story(400, number) for number in range(1, 8)}


def copied_from(stores, index, text):
    """Return the passages that a text is found to be copied from."""
    comparison = compare(ComparedText(text), Corpus(passage_reader(stores), index, DEFAULT_PARAMS))
    return [match.passage.id for match in comparison.matches]


def all_found(stores, index):
    """Return whether each of the works' passages is found, and by itself."""
    return [copied_from(stores, index, TEXTS[number]) for number in range(1, 6)] == [[1], [2], [3], [4], [5]]
