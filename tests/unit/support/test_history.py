"""The checker of histories: one that is sound passes, and each promise that is broken is noticed."""

import pytest
from support.history.checking import problems_of
from support.history.nemesis import BRING
from support.history.schedule import FAULT_KINDS, WORKERS, draw_earlier, draw_faults
from support.history.world import DAYS, make_world

LISTED = {"site-0/1.html": ["书00"], "site-0/2.html": [], "site-0/404.html": []}
FINDING = "new-copy 书00 site-0 site-0/1.html"


def event(name, **fields):
    return {"t": 0.0, "actor": "a", "event": name, **fields}


def page(number, **fields):
    whole = {
        "day": 0,
        "address": f"site-0/{number}.html",
        "state": "compared",
        "verdict": "clear",
        "version": 1,
    }
    return event("page", **(whole | fields))


@pytest.fixture
def history():
    """A sound history of one day on one site."""
    return [
        event("listed", day=0, addresses=LISTED),
        event("opened", day=0, version=1),
        event(
            "closed", day=0, compared=2, not_compared={"http-404": 1}, left={}, status="finished", crawls=[]
        ),
        page(1, verdict="copy"),
        page(2),
        page(404, state="failed", verdict=None, version=-1),
        event("alerted", finding=FINDING, mailing="m1"),
        event("alerted", finding=FINDING, mailing="m1"),  # the same message once more
        event("mailed", id="n1"),
        event("outcome", parts={"matches": ["a", "b"], "cases": ["c"], "doubled": []}),
        event("finding", id=FINDING),
        event("notice", id="n1", state="sent"),
        event("notice", id="n2", state="uncertain"),
        event("waiting", works=0, pages=0),
    ]


def without(history, name, **fields):
    """Return a history without the events of a name that have some fields."""
    return [
        row
        for row in history
        if row["event"] != name or any(row[field] != value for field, value in fields.items())
    ]


def changed(history, name, **fields):
    """Return a history in which the first event of a name has other fields."""
    rows = list(history)
    number = next(number for number, row in enumerate(rows) if row["event"] == name)
    rows[number] = rows[number] | fields
    return rows


def test_sound_history_passes(history):
    assert problems_of(history, history) == []


BREAKS = {
    "lost page": (lambda rows: without(rows, "page", address="site-0/2.html"), "lost site-0/2.html"),
    "page that waits": (lambda rows: changed(rows, "page", state="fetched"), "site-0/1.html still waits"),
    "older version": (lambda rows: changed(rows, "page", version=0), "compared with version 0 of 1"),
    "false clean bill": (lambda rows: changed(rows, "page", verdict="clear"), "is clear, but copies 书00"),
    "page twice": (lambda rows: [*rows, page(2)], "site-0/2.html counts 2 times"),
    "stranger": (lambda rows: [*rows, page(9)], "nobody listed site-0/9.html"),
    "wrong sum": (lambda rows: changed(rows, "closed", compared=1), "3 addresses listed, but (1, 1, 0)"),
    "failed crawl": (
        lambda rows: changed(rows, "closed", crawls=[{"source": "a", "state": "failed"}]),
        "its scan is finished, with the crawls",
    ),
    "open scan": (lambda rows: without(rows, "closed"), "its scan was never closed"),
    "missing alert": (lambda rows: without(rows, "alerted"), f"no alert told of {FINDING}"),
    "doubled alert": (
        lambda rows: [*rows, event("alerted", finding=FINDING, mailing="m2")],
        f"2 mailings told of {FINDING}",
    ),
    "false alert": (
        lambda rows: [*rows, event("alerted", finding="x", mailing="m2")],
        "told of x, which is not",
    ),
    "doubled notice": (lambda rows: [*rows, event("mailed", id="n1")], "n1 was sent 2 times"),
    "unsent notice": (lambda rows: without(rows, "mailed"), "n1 never arrived, and is sent"),
    "denied notice": (lambda rows: changed(rows, "notice", state="made"), "n1 was sent, and is made"),
    "lease": (lambda rows: [*rows, event("lease", of="pages p")], "a lease is left on pages p"),
    "waiting work": (lambda rows: changed(rows, "waiting", works=1), "1 works still wait"),
    "no end": (lambda rows: without(rows, "waiting"), "never came to its end"),
    "given up": (lambda rows: [*rows, event("never ended", what="a scan")], "a scan"),
    "broken harness": (lambda rows: [*rows, event("fault failed", error="no disk")], "no disk"),
    "doubled work": (
        lambda rows: changed(
            rows, "outcome", parts={"matches": ["a", "b"], "cases": ["c"], "doubled": ["m"]}
        ),
        "there twice: m",
    ),
    "lost match": (
        lambda rows: changed(rows, "outcome", parts={"matches": ["a"], "cases": ["c"], "doubled": []}),
        "matches: only here [], only in the quiet run ['b']",
    ),
    "other findings": (lambda rows: without(rows, "finding"), "findings differ"),
    "process that ends": (
        lambda rows: [*rows, event("ended by itself", status=1, log="why")],
        "ended by itself, with status 1",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken_history_fails(history, name):
    make, expected = BREAKS[name]
    problems = problems_of(make(history), history)
    assert any(expected in problem for problem in problems), problems


def test_unvisited_addresses_are_not_lost_pages(history):
    rows = without(history, "page", address="site-0/2.html")
    rows = changed(rows, "closed", compared=1, left={"service": 1})
    assert problems_of(rows, history) == []


def test_seed_determines_sites_and_faults():
    assert make_world(7, sites=3) == make_world(7, sites=3) != make_world(8, sites=3)
    assert draw_faults(7) == draw_faults(7) != draw_faults(8)


def test_twenty_seeds_draw_every_kind_of_fault():
    assert (
        {fault.kind for seed in range(1, 21) for fault in draw_faults(seed)} == set(FAULT_KINDS) == set(BRING)
    )


def test_sites_change_from_day_to_day():
    world = make_world(3, sites=4)
    for site in world.sites:
        first, second = site.days
        assert set(second) - set(first) == {"/new.html"}
        assert len({path for path in first if first[path] != second[path]}) == 2
    titles = [{title for copied in world.listed(day).values() for title in copied} for day in range(DAYS)]
    assert titles[0] < titles[1]  # what the works of the second day add


def test_twenty_seeds_give_every_worker_the_version_before():
    drawn = [draw_earlier(seed) for seed in range(1, 21)]
    assert all(len({name[:5] for name in names}) == 2 for names in drawn)
    assert set().union(*drawn) == set(WORKERS)
