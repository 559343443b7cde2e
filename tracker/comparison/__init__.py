"""A page against the mother corpus: look-up, candidates, stretches, verdicts. What it is given and gives."""

from tracker.comparison.comparison import Comparison, candidates_of, compare
from tracker.comparison.corpus import Corpus
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch

__all__ = ["Comparison", "Corpus", "Facts", "PassageMatch", "candidates_of", "compare"]
