"""Comparison of a page with the mother corpus: look-up, candidates, stretches, verdicts."""

from tracker.alignment.text import ComparedText
from tracker.comparison.comparison import Comparison, compare
from tracker.comparison.corpus import Corpus
from tracker.comparison.rest import RestText, rest_of
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch

__all__ = ["ComparedText", "Comparison", "Corpus", "Facts", "PassageMatch", "RestText", "compare", "rest_of"]
