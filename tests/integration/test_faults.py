"""Kill -9 at random points of a load and of a comparison: the outcome is that of a quiet run.

One round, and ``make test-long`` another; ``python -m benchmarks --section faults`` does fifty.
"""

import os
from collections.abc import Iterator
from unittest import mock

import pytest
from support.faults.faults import Fault, Outcome, differing
from support.faults.index_faults import run_round

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True, scope="module")
def _own_environment() -> Iterator[None]:
    """Take back what a round exports for its worker, which other tests would take for their settings."""
    with mock.patch.dict(os.environ):
        yield


@pytest.fixture(scope="module")
def quiet() -> Outcome:
    """What is there when nothing is killed."""
    return run_round(()).outcome


@pytest.mark.long
def test_quiet_run_detects_the_copies(quiet):
    assert len(quiet["works"]) == 36
    assert {status for _, status, *_ in quiet["works"]} == {"indexed"}
    assert sum(quiet["postings"].values()) > 20_000
    assert max(quiet["postings"].values()) == 1
    assert quiet["missing"] == 0
    verdicts = [verdict for _, state, verdict, _ in quiet["pages"] if state == "compared"]
    assert verdicts.count("clear") == 12
    assert len(quiet["matches"]) >= 25


@pytest.mark.parametrize(
    "faults",
    [
        (
            Fault("load", "redis", 0.3),
            Fault("comparison", "worker process", 0.3),
            Fault("comparison", "mongo", 0.6),
        ),
        pytest.param(
            (Fault("load", "worker", 0.3), Fault("comparison", "redis", 0.4)), marks=pytest.mark.long
        ),
    ],
    ids=lambda faults: ", ".join(fault.victim for fault in faults),
)
@pytest.mark.long
def test_outcome_is_the_same_whatever_process_is_killed(quiet, faults):
    ended = run_round(faults)
    assert differing(ended.outcome, quiet) == ()
    assert ended.killed
