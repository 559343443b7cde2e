"""Rounds with faults: what is drawn, what differs, and what the table counts."""

from collections import Counter
from itertools import islice

from support.faults import day_faults, index_faults
from support.faults.faults import Fault, Faults, Played, Strike, differing, faults_table


def test_faults_are_determined_by_the_seed():
    for faults in (day_faults, index_faults):
        first, again, other = ([*islice(faults.drawn(seed), 5)] for seed in (1, 1, 2))
        assert first == again != other


def test_every_process_of_the_day_is_killed_equally_often():
    drawn = [fault for faults in islice(day_faults.drawn(1), 7 * 40) for fault in faults]
    assert set(Counter(fault.victim for fault in drawn).values()) == {5 * 40}
    assert len({int(fault.after_s) for fault in drawn}) == 20
    assert {fault.victim for fault in drawn} == set(day_faults.VICTIMS)


def test_round_differs_by_the_keys_that_differ_from_a_quiet_run():
    quiet = {"pages": ["a"], "matches": []}
    assert differing({"pages": ["a"], "matches": []}, quiet) == ()
    assert differing({"pages": ["a", "a"], "matches": []}, quiet) == ("pages",)
    assert differing({}, quiet) == ("it never ended",)


def test_table_counts_kills_and_rounds_that_ended_differently():
    fault = Fault("day", "redis", 0.5)
    rounds = (
        Played((fault,), (Strike("redis", at_work=True), Strike("redis", at_work=False)), ()),
        Played((fault,), (Strike("redis", at_work=True), Strike("beat", at_work=True)), ("matches",)),
        Played((fault,), (), ("it never ended",)),
    )
    table = faults_table("Faults", Faults(seed=1, rounds=rounds, seconds=9.0)).markdown()
    for row in ("| beat | 1 | 1 | 1 | 0 |", "| redis | 3 | 2 | 2 | 1 |", "| all | 4 | 3 | 2 | 1 |"):
        assert row in table
    assert "3 rounds, 1 without a kill, of which 1 ended differently" in table
