"""Histories with faults, in the way of Jepsen: whatever a seed lets go wrong, the end is that of a quiet run.

``pytest tests/history --history-seeds 7`` plays the schedule of one seed, or of several: ``7,9,20-29``.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest
from support.history.checking import problems_of
from support.history.earlier import unpack, what_lacks
from support.history.judging import judges_alike
from support.history.possible import possible_kinds
from support.history.recording import Event
from support.history.running import run
from support.history.schedule import Fault, draw_earlier, draw_faults
from support.history.world import World, make_world

pytestmark = [pytest.mark.services, pytest.mark.timeout(1_800)]
FEW_SITES, MANY_SITES = 2, 10
CI_SEED = 1
LONG_SEEDS = range(1, 21)
_LINE = 400  # characters shown of an event


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Play the seeds that the command line names, or those of the suites."""
    named = metafunc.config.getoption("--history-seeds")
    if "seed" not in metafunc.fixturenames:
        return
    seeds = _seeds(named) if named else [pytest.param(seed, marks=pytest.mark.long) for seed in LONG_SEEDS]
    metafunc.parametrize("seed", seeds, ids=lambda seed: f"seed-{seed}")


def _seeds(text: str) -> list[int]:
    """Return the seeds of ``7,9,20-29``."""
    bounds = [bounds_text.partition("-") for bounds_text in text.split(",")]
    return [seed for first, _, last in bounds for seed in range(int(first), int(last or first) + 1)]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The tree of the version before; None if its workers cannot run together with those of this version."""
    if what_lacks():
        return None
    folder = tmp_path_factory.mktemp("before")
    tree = unpack(folder / "tree")
    return tree if judges_alike(tree, folder) else None


def play(seed: int, folder: Path, *, sites: int, before: Path | None) -> None:
    """Play a seed's run beside a quiet one, and fail with what is wrong, the schedule and the history."""
    world, kinds = make_world(seed, sites=sites), possible_kinds()
    faults = [fault for fault in draw_faults(seed) if fault.kind in kinds]
    trees = dict.fromkeys(draw_earlier(seed), before) if before else {}
    schedules = {"quiet": (), "run": faults}
    with ThreadPoolExecutor(2) as pool:
        runs = {
            "quiet": pool.submit(_run, world, (), folder / "quiet", {}),
            "run": pool.submit(_run, world, faults, folder / "run", trees),
        }
        histories = {name: future.result() for name, future in runs.items()}
    for name, history in histories.items():
        if problems := problems_of(history, histories["quiet"]):
            head = f"seed {seed}, {name}: {len(problems)} problems; all of it is in {folder / name}"
            pytest.fail("\n".join([head, *problems, *_account(schedules[name], history)]), pytrace=False)
    assert any(event["event"] == "fault begins" for event in histories["run"])


def _run(world: World, faults: Sequence[Fault], folder: Path, trees: Mapping[str, Path]) -> list[Event]:
    folder.mkdir()
    return run(world, faults, folder, trees=trees)


def _account(faults: Sequence[Fault], history: Sequence[Event]) -> list[str]:
    """Return schedule and history as lines of JSON, long ones cut."""
    lines = ["", "schedule", *(json.dumps(asdict(fault)) for fault in faults), "", "history"]
    return lines + [json.dumps(event, ensure_ascii=False)[:_LINE] for event in history]


def test_history_with_a_single_seed_ends_as_a_quiet_run(
    tmp_path: Path, before: Path | None, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--history-seeds"):
        pytest.skip("other seeds were named")
    play(CI_SEED, tmp_path, sites=FEW_SITES, before=before)


def test_seed_ends_as_a_quiet_run(seed: int, tmp_path: Path, before: Path | None) -> None:
    play(seed, tmp_path, sites=Random(seed).randint(FEW_SITES, MANY_SITES), before=before)
