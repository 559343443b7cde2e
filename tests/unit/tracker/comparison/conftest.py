"""The sample novels as a mother corpus."""

import pytest
from support.corpora import corpus_of
from support.sample_novels import CHAPTERS


@pytest.fixture(scope="module")
def novels():
    return corpus_of(CHAPTERS)
