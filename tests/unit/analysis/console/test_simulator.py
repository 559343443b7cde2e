"""What the simulator says about its figures when few finds were decided; without a browser."""

from types import SimpleNamespace

import pytest

from analysis.console.parts.simulator import few_decisions

VIEW = SimpleNamespace(gettext=str)


@pytest.mark.parametrize(
    ("rightly", "missed", "wrongly", "ignored", "words"),
    [
        (5, 0, 0, 0, "Precision means nothing"),
        (0, 0, 1, 3, "Recall means nothing"),
        (20, 5, 2, 4, "Only 25 confirmed and 6 dismissed"),
        (15, 5, 10, 10, ""),
    ],
)
def test_simulator_says_when_its_figures_mean_little(rightly, missed, wrongly, ignored, words):
    before = SimpleNamespace(
        found_rightly=rightly, missed=missed, found_wrongly=wrongly, left_rightly=ignored
    )
    line = few_decisions(VIEW, SimpleNamespace(before=before))
    assert line.startswith(words)
    assert bool(line) == bool(words)
