"""Comparing the samples has exactly the stored outcomes: verdicts, figures, spans, disguises, evidence."""

import json

import pytest
from support.outcomes import GOLDEN, outcome_of, sample_texts

STORED = json.loads(GOLDEN.read_text("utf-8"))


def test_every_sample_text_has_a_stored_outcome():
    assert sample_texts().keys() == STORED.keys()


@pytest.mark.parametrize("name", STORED)
def test_outcome_equals_the_stored_outcome(name):
    assert outcome_of(name) == STORED[name]
