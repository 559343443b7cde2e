"""A page against the mother corpus: look-up, candidates, stretches, verdicts. What it is given and gives."""

from tracker.alignment.text import ComparedText
from tracker.comparison.comparison import Comparison, compare
from tracker.comparison.corpus import Corpus
from tracker.comparison.rest import RestText, rest_of
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch

__all__ = ["ComparedText", "Comparison", "Corpus", "Facts", "PassageMatch", "RestText", "compare", "rest_of"]
