"""What looks prove: gone is two looks some time apart, with a neighbour that was up; nothing else counts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.watch.looks import SITE_DOWN, due_after, evidence_of, healthy_hosts, watch_after
from storage.records import Look, Watch
from storage.settings.results import WatchSettings

URL = "http://pirate.example/b/1.html"
START = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
RULES = WatchSettings()
NEW = Watch(id="w", url=URL, source="s", cases=(1,), page_id="p", since=START, due=START + HOUR)


def look(state, hours, *, url=URL, reason="", **fields):
    at = START + hours * HOUR
    return Look(
        id=f"{url} {hours}", url=url, page_id="p", state=state, scan_id="r", source="s", at=at, reason=reason,
        **fields,
    )  # fmt: skip


def after(*looks, watch=NEW, rules=RULES):
    """The row after looks; each is (state, hours) or (state, hours, is_well)."""
    for state, hours, *rest in looks:
        is_well = rest[0] if rest else True
        watch = watch_after(watch, look(state, hours), is_well=is_well, rules=rules)
    return watch


def hours(moment):
    return None if moment is None else (moment - START) / HOUR


def told(watch):
    return watch.state, hours(watch.first_gone), hours(watch.gone_since)


def test_removal_needs_a_second_look_an_hour_later():
    first = after(("up", 1), ("gone", 4))
    assert told(first) == ("up", 4, None)
    assert due_after(first, RULES, now=START) == START + 5 * HOUR
    assert told(after(("up", 1), ("gone", 4), ("gone", 4.9))) == ("up", 4, None)
    gone = after(("up", 1), ("gone", 4), ("gone", 5))
    assert told(gone) == ("gone", 4, 4)
    assert hours(gone.confirmed) == 5


def test_time_between_the_two_looks_is_a_setting():
    rules = WatchSettings(confirm_s=2)
    assert told(after(("gone", 1), ("gone", 1.001), rules=rules))[0] == "gone"


@pytest.mark.parametrize("state", ["gone", "changed"])
def test_no_removal_is_proved_without_a_neighbour_that_is_up(state):
    watch = after(("up", 1), *((state, hour, False) for hour in range(2, 50)))
    assert told(watch) == ("unreachable", None, None)
    assert watch.reason == SITE_DOWN
    assert told(after(("gone", 2), ("gone", 4, False), watch=after(("up", 1)))) == ("unreachable", 2, None)


def test_inconclusive_look_resets_nothing_and_an_up_look_resets():
    assert told(after(("gone", 1), ("unreachable", 2), ("gone", 3))) == ("gone", 1, 1)
    assert told(after(("gone", 1), ("restricted", 2), ("gone", 3))) == ("restricted", 3, None)
    assert told(after(("gone", 1), ("up", 2), ("gone", 3))) == ("up", 3, None)
    assert told(after(("gone", 1), ("gone", 2), ("unreachable", 3))) == ("unreachable", 1, 1)
    assert told(after(("gone", 1), ("gone", 2), ("restricted", 3))) == ("restricted", 1, 1)


def test_copy_that_returns_after_removal_is_recorded():
    watch = after(("gone", 1), ("gone", 2), ("up", 9))
    assert (told(watch), hours(watch.returned), watch.step) == (("up", None, None), 9, 0)
    assert after(("gone", 1), ("up", 2)).returned is None  # it was never certain
    assert told(after(("gone", 10), ("gone", 12), watch=watch)) == ("gone", 10, 10)


def test_text_at_the_target_of_a_redirect_is_there():
    moved = watch_after(NEW, look("moved", 3, moved_to="http://x/"), is_well=False, rules=RULES)
    assert (moved.state, moved.moved_to, moved.gone_since, hours(moved.last_up)) == (
        "moved",
        "http://x/",
        None,
        3,
    )


def test_empty_page_may_need_a_browser_and_is_no_removal():
    assert evidence_of(look("changed", 1, reason="empty"), is_well=True) == ("nothing", "empty")
    assert evidence_of(look("changed", 1, reason="list"), is_well=True) == ("nothing", "list")


def test_schedule_advances_to_its_last_interval_and_stays():
    watch, due = NEW, []
    for hour in (1, 4, 10, 22, 46, 70):
        watch = after(("up", hour), watch=watch)
        due.append(hours(due_after(watch, RULES, now=START)))
    assert due == [4, 10, 22, 46, 70, 94]


def test_same_look_counts_once():
    watch = after(("gone", 1))
    assert watch_after(watch, look("gone", 1), is_well=True, rules=RULES) is watch


def test_neighbour_is_another_page_on_the_same_host():
    looks = [
        look("up", 1),
        look("gone", 1, url="http://pirate.example/b/2.html"),
        look("up", 1, url="http://y/"),
    ]
    assert healthy_hosts(looks) == {"pirate.example": {URL}, "y": {"http://y/"}}


def test_hours_are_counted_from_the_notice():
    gone = after(("gone", 30), ("gone", 31))
    assert gone.hours is None
    assert replace(gone, notified=START + 6 * HOUR).hours == 24
    assert replace(gone, notified=START + 31 * HOUR).hours is None  # it went before


LOOKS = st.tuples(
    st.sampled_from(["up", "gone", "changed", "restricted", "unreachable", "moved"]), st.booleans()
)


@given(st.lists(LOOKS, max_size=30), st.integers(1, 120))
def test_removal_always_needs_two_looks_and_a_neighbour(states, minutes):
    states_at = [(state, number * minutes / 60, is_well) for number, (state, is_well) in enumerate(states)]
    watch = after(*states_at)
    if watch.gone_since is None:
        return
    proofs = [hour for state, hour, is_well in states_at if state in {"gone", "changed"} and is_well]
    last_up = max((hour for state, hour, _ in states_at if state in {"up", "moved"}), default=-1.0)
    counted = [hour for hour in proofs if hour > last_up]
    assert hours(watch.gone_since) in [pytest.approx(hour) for hour in counted]
    assert counted[-1] - counted[0] >= 1
