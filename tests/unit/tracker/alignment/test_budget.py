"""How much is aligned for one page, counted in runs and chains and not in seconds."""

from random import Random

import pytest
from support.corpora import corpus_of
from support.strategies import story

from tracker.alignment import align as alignment
from tracker.alignment.budget import (
    LETTERS_A_CHAIN,
    LETTERS_A_RUN,
    MIN_CHAINS,
    MIN_RUNS,
    OWN_CHAINS,
    OWN_RUNS,
    Budget,
    budget_of,
)
from tracker.alignment.seeds import exact_runs
from tracker.alignment.text import ComparedText
from tracker.comparison import aligning, compare

FEW = 100
TEXT = story(6_000, 5)


def pieces(text, size, count, seed=1):
    """Pieces of a text in random order, another character between any two."""
    rng = Random(seed)
    starts = rng.choices(range(0, len(text) - size, size), k=count)
    return "".join(text[at : at + size] + chr(rng.randrange(0x4E00, 0x9000)) for at in starts)


@pytest.fixture
def aligned_chains(monkeypatch):
    """How many chains are aligned, look by look."""
    counts = []
    own = alignment.aligned_stretches

    def counted(page, passage, chains):
        counts.append(len(chains))
        return own(page, passage, chains)

    monkeypatch.setattr(alignment, "aligned_stretches", counted)
    return counts


def test_budget_grows_with_the_page_and_no_faster():
    assert budget_of(10) == Budget(MIN_RUNS, MIN_CHAINS)
    assert budget_of(10_000_000) == Budget(10_000_000 // LETTERS_A_RUN, 10_000_000 // LETTERS_A_CHAIN)


@pytest.fixture
def few_chains(monkeypatch):
    """A budget of so few chains that a short page goes beyond it."""
    monkeypatch.setattr(aligning, "budget_of", lambda _: Budget(chains=FEW))


@pytest.mark.usefixtures("few_chains")
def test_page_of_many_pieces_is_aligned_partially_and_says_so(aligned_chains):
    page = pieces(TEXT, 12, 600)
    result = compare(ComparedText(page), corpus_of({"故事": [TEXT]}))
    assert sum(aligned_chains) == FEW
    assert (result.verdict, result.dropped) == ("partial", 1)


def test_ordinary_copy_leaves_nothing_out():
    result = compare(ComparedText(story(300, 8) + TEXT), corpus_of({"故事": [TEXT]}))
    assert (result.verdict, result.dropped) == ("copy", 0)


@pytest.mark.usefixtures("few_chains")
def test_many_pieces_of_a_work_hide_no_copy_of_another_work():
    """The best chains of each passage are aligned, however many pieces were aligned before."""
    other = story(400, 9)
    page = pieces(TEXT, 12, 600) + other
    result = compare(ComparedText(page), corpus_of({"故事": [TEXT], "别的": [other]}))
    matches = {match.work.title: match for match in result.matches}
    assert matches["别的"].passage_coverage == 1


def test_longest_of_too_many_runs_are_kept():
    page, passage = ComparedText(pieces(TEXT, 12, 50) + TEXT[:100]), ComparedText(TEXT)
    every = exact_runs(page.seeds, passage.codes)
    budget = Budget(runs=0)
    few = exact_runs(page.seeds, passage.codes, budget=budget)
    assert len(every) <= OWN_RUNS
    assert (few, budget.left_out) == (every, 0)
    page = ComparedText(pieces(TEXT, 12, 200) + TEXT[:100])
    every, few = exact_runs(page.seeds, passage.codes), exact_runs(page.seeds, passage.codes, budget=budget)
    assert len(few) == OWN_RUNS
    assert budget.left_out == len(every) - OWN_RUNS
    assert max(every, key=lambda run: run.length) in few
    assert set(few) <= set(every)


def test_budget_is_spent_and_never_negative():
    budget = Budget(runs=150, chains=3)
    assert (budget.take_runs(120), budget.take_runs(500), budget.take_runs(7)) == (120, OWN_RUNS, 7)
    assert (budget.runs, budget.left_out) == (0, 500 - OWN_RUNS)
    assert budget.room == OWN_CHAINS
    budget.take_chains(4, left_out=2)
    assert (budget.chains, budget.left_out) == (0, 502 - OWN_RUNS)
