"""Thirty days over two sites where copies appear, move, vanish and come back: the histories are right."""

import subprocess
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from support.sample_novels import CHAPTERS, STRANGER
from support.watched import NOVEL, chapter, compare_all, confirm, load_novel
from support.watched_month import Month, is_simulated

from analysis.actions.watching import claim
from analysis.cases.moves import move
from analysis.watch import rounds
from analysis.watch.enrolling import follow_events
from analysis.watch.rounds import end_round, run_due, take_due
from deploy.cli.watch.watch import print_unclaimed
from storage.collections.checked import CheckedCollection
from storage.collections.visits import visit_id
from storage.records import Source, Watch, utc_now
from storage.settings.results import WatchSettings
from system.errors import ServiceDown

pytestmark = pytest.mark.services
START = datetime(2024, 3, 1, 3, tzinfo=UTC)
TEXTS = CHAPTERS[NOVEL]
A, B = "http://pirate.example.cn", "http://mirror.example.net"
STEP = timedelta(hours=6)
LOGIN = "<html><head><title>登录</title></head><body><p>请先登录后查看</p><input type=password></body></html>"
DELETED = "<html><head><title>提示</title></head><body><p>该内容已删除</p></body></html>"


def copy(number):
    return 200, chapter(f"{TEXTS[number % 3]}\n第{number}章完。", f"第{number}章")


@pytest.fixture
def month(stores):
    web = {f"{A}/{number}.html": copy(number) for number in (1, 2, 3)}
    neighbours = {f"{site}/99.html": (200, chapter(STRANGER, "候鸟")) for site in (A, B)}
    rules = WatchSettings(schedule_h=(3, 6, 12, 24))
    own = Month(stores, load_novel(stores), START, web={**web, **neighbours}, rules=rules)
    own.listed = {"a": [*web, f"{A}/99.html"], "b": [f"{B}/99.html"]}
    return own


def case_on(month, site):
    return next(case for case in month.stores.cases.listed() if case.site == site)


def notify(month, site, *, days):
    case, deadline = case_on(month, site), month.now + timedelta(days=days)
    move(case, month.stores, to="notified", by="an", at=month.now, detail={"deadline": deadline.isoformat()})


def story(month):
    """What happens, by day."""
    web, listed = month.web, month.listed

    def move_second_chapter():
        web[f"{A}/new/2.html"] = copy(2)
        listed["a"].append(f"{A}/new/2.html")

    def appear_on_mirror():
        web[f"{B}/x.html"] = copy(1)
        listed["b"].append(f"{B}/x.html")

    def note(day, host):
        month.seen |= {f"{day} {path}": state for path, state in month.path_states(host).items()}

    return {
        0.5: lambda: confirm(case_on(month, "example.cn"), month.stores, now=month.now),
        2: lambda: notify(month, "example.cn", days=20),
        4: lambda: web.update({f"{A}/1.html": (404, "")}),
        6: lambda: month.down.update({"pirate.example.cn": 503}),
        7.25: lambda: note("7", "pirate.example.cn"),
        8: month.down.clear,
        9: lambda: web.update({f"{A}/{number}.html": (410, "") for number in (2, 3)}),
        12: lambda: web.update({f"{A}/3.html": copy(3)}),
        13: lambda: web.update({f"{A}/3.html": (200, DELETED)}),
        15: move_second_chapter,
        16: lambda: notify(month, "example.cn", days=20),
        18: lambda: web.update({f"{A}/new/2.html": (200, chapter(STRANGER, "另一本书"))}),
        20: lambda: month.down.update({"pirate.example.cn": 404}),
        21: month.down.clear,
        22: appear_on_mirror,
        23: lambda: confirm(case_on(month, "example.net"), month.stores, now=month.now),
        23.5: lambda: notify(month, "example.net", days=3),
        24: lambda: web.update({f"{B}/x.html": (200, LOGIN)}),
        25: lambda: note("25", "mirror.example.net"),
        26: lambda: web.update({f"{B}/x.html": copy(1)}),
        27.5: lambda: note("27.5", "pirate.example.cn"),
        28: lambda: web.update({f"{B}/x.html": (200, DELETED)}),
    }


def history(month, site):
    """(state, day, hours from notice to removal) of each move of a case."""
    events = month.stores.events.of_case(case_on(month, site).number)
    return [
        (event.after, (event.at - START) / timedelta(days=1), event.detail.get("hours"))
        for event in events
        if event.after
    ]


def live(month, *, days):
    """Let days go by: a scan each morning, the watch four times a day, and what happens meanwhile."""
    plan = sorted(story(month).items())
    while month.now < START + timedelta(days=days):
        while plan and START + timedelta(days=plan[0][0]) <= month.now:
            plan.pop(0)[1]()
        if (month.now - START) % timedelta(days=1) == timedelta(0):
            month.scan()
        month.tick()
        month.now += STEP


HISTORIES = {
    "example.cn": [
        ("new", 0, None),
        ("confirmed", 0.5, None),
        ("notified", 2, None),
        ("partly_removed", 4.25, "48.0"),  # the first chapter; a quarter of a day later it is certain
        # On days 6 to 8 the site is down.
        ("removed", 9.25, "168.0"),  # the second and the third
        ("back", 12, "168.0"),  # the third; the scan of that day sees it, and the watch at once
        ("removed", 13.25, "264.0"),  # 内容已删除
        ("back", 15.25, "264.0"),  # the second chapter at a new address
        ("notified", 16, None),
        ("removed", 18.25, "48.0"),  # another text stands there; counted from the second notice
        # On day 20 the site answers 404 to everything.
    ],
    "example.net": [
        ("new", 22, None),
        ("confirmed", 23, None),
        ("notified", 23.5, None),
        # On days 24 to 26 it asks for a login.
        ("still_up", 27.25, None),
        ("removed", 28.25, "108.0"),
    ],
}
PRESENT = {  # address: state, day since when it is gone, hours from the notice about it
    f"{A}/1.html": ("gone", 4, 48),
    f"{A}/2.html": ("gone", 9, 168),
    f"{A}/3.html": ("gone", 13, 264),
    f"{A}/new/2.html": ("changed", 18, 48),
    f"{B}/x.html": ("gone", 28, 108),
}


@pytest.mark.long
def test_after_a_month_the_history_of_every_case_is_right(month):
    live(month, days=30)
    stores = month.stores
    assert {case.site for case in stores.cases.listed()} == HISTORIES.keys()
    for site, expected in HISTORIES.items():
        assert history(month, site) == expected
    assert month.seen == {
        "25 /x.html": "restricted",
        "27.5 /1.html": "moved",  # its text is up on the other site
        "27.5 /2.html": "gone",
        "27.5 /3.html": "gone",
        "27.5 /new/2.html": "changed",
        "7 /1.html": "unreachable",
        "7 /2.html": "unreachable",
        "7 /3.html": "unreachable",
    }
    rows = [*stores.watches.listed()]
    assert {
        row.url: (row.state, (row.gone_since - START) / timedelta(days=1), row.hours) for row in rows
    } == PRESENT
    moments = [moment for row in rows for moment in (row.looked, row.due, row.gone_since) if moment]
    assert all(map(is_simulated, moments))
    ids = [look["_id"] for look in stores.database["looks"].find({}, {"_id": 1})]
    assert len(ids) == len(set(ids))


class Killed:
    """Lets a number of writes through; then the process is dead."""

    def __init__(self, patch, writes):
        self.left = writes
        for name in ("update_one", "update_many", "insert_new", "bulk_write", "find_one_and_update"):
            patch.setattr(CheckedCollection, name, self._counted(getattr(CheckedCollection, name)))

    def _counted(self, write):
        def counted(collection, *arguments, **options):
            if self.left == 0:
                raise ServiceDown(service="MongoDB", address="x", problem="killed")
            self.left -= 1
            return write(collection, *arguments, **options)

        return counted


def until_done(work):
    """Do some work again and again, killed one write later each time, until it comes to its end."""
    for writes in range(200):
        with pytest.MonkeyPatch.context() as patch:
            Killed(patch, writes)
            try:
                return work(), writes
            except ServiceDown:
                continue
    pytest.fail("it never came to its end")


def test_watch_worker_killed_between_any_writes_counts_every_look_once(month):
    stores = month.stores
    month.scan()
    confirm(case_on(month, "example.cn"), stores, now=month.now)
    until_done(lambda: follow_events(stores, month.rules, now=month.now))
    assert len(stores.watches.of_case(1)) == 3
    month.web = {url: answer for url, answer in month.web.items() if "99" in url}

    def draw():
        """Take up what the killed one held, once its lease has ended, and end the round."""
        held = {"round": {"$ne": ""}}
        stores.database["watches"].update_many(held, {"$set": {"due": month.now}})
        for own in take_due(stores, month.rules, now=month.now):
            names.add(own.id)
            end_round(own, stores, month.settings, is_whole=True, now=month.now)

    for number in (1, 2):
        names: set[str] = set()
        month.now += timedelta(hours=4)
        stores.database["watches"].update_many({}, {"$set": {"due": month.now}})
        (own,) = take_due(stores, month.rules, now=month.now)
        month.ask(own.id, own.source)
        _, kills = until_done(draw)
        assert kills > 5
        assert own.id in names
        rows = stores.watches.of_case(1)
        assert {(row.step, row.round) for row in rows} >= {(number, "")}
    assert [state for state, *_ in history(month, "example.cn")] == ["new", "confirmed", "removed"]
    assert {row.state for row in stores.watches.of_case(1)} == {"gone"}
    looks = [look.url for row in rows for look in stores.looks.of_url(row.url) if look.reason == "http-404"]
    assert len(looks) == 2 * 3


def test_two_workers_share_due_addresses(month):
    month.scan()
    confirm(case_on(month, "example.cn"), month.stores, now=month.now)
    follow_events(month.stores, month.rules, now=month.now)
    month.now += timedelta(hours=4)
    (own,) = take_due(month.stores, month.rules, now=month.now)
    assert len(own.watches) == 3
    assert take_due(month.stores, month.rules, now=month.now) == []
    (again,) = take_due(month.stores, month.rules, now=month.now + timedelta(minutes=10))
    assert (again.id, again.watches[0].attempts) == (own.id, 2)
    # A round that ends its process three times is given up: its addresses count as not asked.
    (last,) = take_due(month.stores, month.rules, now=month.now + timedelta(minutes=20))
    assert end_round(again, month.stores, month.settings, is_whole=False, now=month.now) == []
    rows = end_round(last, month.stores, month.settings, is_whole=False, now=month.now)
    assert {(row.state, row.reason) for row in rows} == {("unreachable", "not-asked")}


def test_shortened_copy_is_up_and_an_uncompared_text_proves_no_removal(month):
    stores = month.stores
    month.scan()
    confirm(case_on(month, "example.cn"), stores, now=month.now)
    follow_events(stores, month.rules, now=month.now)
    lines = TEXTS[1].splitlines()
    month.web |= {
        f"{A}/1.html": (200, chapter("\n".join(lines[: len(lines) // 4]), "第1章")),
        f"{A}/2.html": (200, chapter(STRANGER, "另一本书")),
    }

    def look(hours):
        month.now += timedelta(hours=hours)
        (own,) = take_due(stores, month.rules, now=month.now)
        month.ask(own.id, own.source)
        rows = end_round(own, stores, month.settings, is_whole=True, now=month.now)
        return {row.url.removeprefix(A): (row.state, row.reason) for row in rows}

    assert look(4)["/2.html"] == ("waiting", "")  # absent once
    waits = ("unreachable", "not-compared")
    assert look(2) == {"/1.html": waits, "/2.html": waits}  # no worker compared anything
    compare_all(stores, month.corpus, now=month.now)
    assert look(4) == {"/1.html": ("up", ""), "/2.html": ("changed", ""), "/3.html": ("up", "")}
    compare_all(stores, month.corpus, now=month.now)
    states = [state for state, *_ in history(month, "example.cn")]
    assert states == ["new", "confirmed", "partly_removed"]


def test_rounds_are_small_and_the_remainder_is_requested_next_time(month):
    """Twenty-three addresses of one host wait longer than one of another."""
    stores, now = month.stores, month.now
    urls = [f"{A}/{number}.html" for number in range(100, 123)]
    for number, (url, source) in enumerate([*((url, "a") for url in urls), (f"{B}/1.html", "b")]):
        due = now - timedelta(minutes=60 - number)
        row = Watch(id=visit_id(url), url=url, source=source, page_id="", since=due, due=due)
        stores.watches.enrol(row, 77)

    def beat():
        rows = run_due(stores, month.settings, processes=2, budget_s=0, ask=month.ask, now=lambda: month.now)
        return sorted(row.url for row in rows), stores.watches.count_due(month.now)

    assert beat() == ([f"{B}/1.html", *urls[:10]], 13)
    assert beat() == (urls[10:20], 3)
    (own,) = take_due(stores, month.rules, now=month.now)
    assert end_round(own, stores, month.settings, is_whole=False, now=month.now) == []  # cut short
    assert stores.watches.count_due(month.now) == 0
    month.now += timedelta(minutes=10)
    assert beat() == (urls[20:], 0)
    assert [len(stores.looks.of_url(url)) for url in urls] == [1] * 23
    assert {look.scan_id for look in stores.looks.of_url(urls[-1])} == {own.id}


def test_sources_outside_their_hours_do_not_hide_open_sources(month):
    """Three sites that open at night wait longer than one that is always open; a batch has two addresses."""
    stores = month.stores
    rules = month.rules.model_copy(update={"batch": 2})
    settings = month.settings.model_copy(update={"watch": rules})
    month.now += timedelta(hours=8)
    for number, source in enumerate(("a", "b", "c", "open")):
        hours = () if source == "open" else ("Mo-Su 00:00-06:00",)
        stores.sources.save(Source(name=source, kind="urls", hours=hours, timezone="+00:00"))
        for page in range(20):
            url = f"http://{source}.example/{page}.html"
            due = month.now - timedelta(minutes=200 - 20 * number - page)
            row = Watch(id=visit_id(url), url=url, source=source, page_id="", since=due, due=due)
            stores.watches.enrol(row, 77)
    (own,) = take_due(stores, rules, now=month.now, sources=1)
    assert {row.source for row in own.watches} == {"open"}
    seen = run_due(stores, settings, processes=1, budget_s=60, ask=lambda *_: True, now=lambda: month.now)
    assert {row.url for row in seen} == {f"http://open.example/{page}.html" for page in range(2, 20)}
    assert stores.watches.count_due(month.now) == 0
    waits = {row.due for row in stores.watches.listed() if row.source != "open"}
    assert waits == {START.replace(hour=0) + timedelta(days=1)}


def test_immediate_check_reports_sources_outside_their_hours(month, capsys):
    stores, now = month.stores, utc_now()
    url, opens = f"{A}/1.html", now + timedelta(hours=2)
    row = Watch(id=visit_id(url), url=url, source="a", page_id="", since=now, due=now + timedelta(days=9))
    hours = (f"{opens:%H:%M}-{opens + timedelta(hours=1):%H:%M}",)
    stores.sources.save(Source(name="a", kind="urls", hours=hours, timezone="+00:00"))
    stores.watches.enrol(row, 77)
    runtime = SimpleNamespace(stores=stores, settings=SimpleNamespace(analysis=month.settings))
    assert claim(runtime, [row.id], report=print_unclaimed) == []
    told = capsys.readouterr().err
    assert f"{url} is not checked now: its source a is outside its hours until" in " ".join(told.split())


def test_round_interrupted_by_a_stop_resumes_at_once(month, monkeypatch):
    stores, url = month.stores, f"{A}/100.html"
    row = Watch(id=visit_id(url), url=url, source="a", page_id="", since=month.now, due=month.now)
    stores.watches.enrol(row, 77)
    monkeypatch.setattr(rounds, "is_stopping", lambda: True)
    given = {"processes": 2, "budget_s": 60, "now": lambda: month.now}
    assert run_due(stores, month.settings, ask=lambda *_: False, **given) == []
    left = stores.watches.get(row.id)
    assert (left.due, left.attempts, bool(left.round)) == (month.now, 0, True)
    monkeypatch.setattr(rounds, "is_stopping", lambda: False)
    (seen,) = run_due(stores, month.settings, ask=month.ask, **given)
    assert seen.url == url
    assert [look.scan_id for look in stores.looks.of_url(url)] == [left.round]


def test_crawler_of_a_round_is_ended_with_its_worker(monkeypatch):
    def crawler():
        return subprocess.Popen(["/bin/sleep", "60"], stderr=subprocess.PIPE)

    began = time.monotonic()
    monkeypatch.setattr(rounds, "is_stopping", lambda: True)
    assert rounds._errors_of(crawler()) is None
    monkeypatch.setattr(rounds, "is_stopping", lambda: False)
    monkeypatch.setattr(rounds, "_MAX_S", 0.0)
    assert rounds._errors_of(crawler()) is None
    assert time.monotonic() - began < 30
    short = subprocess.Popen(["/bin/sh", "-c", "echo why >&2; exit 3"], stderr=subprocess.PIPE)
    assert (rounds._errors_of(short), short.returncode) == (b"why\n", 3)


def test_closed_cases_and_dismissed_copies_are_not_watched(month):
    stores = month.stores
    month.scan()
    confirm(case_on(month, "example.cn"), stores, now=month.now)
    follow_events(stores, month.rules, now=month.now)
    assert len([*stores.watches.listed()]) == 3
    stores.database["matches"].update_many({"url": f"{A}/2.html"}, {"$set": {"review": "dismissed"}})
    month.now += timedelta(hours=4)
    month.tick()
    assert {row.url for row in stores.watches.listed()} == {f"{A}/1.html", f"{A}/3.html"}
    case = case_on(month, "example.cn")
    move(case, stores, to="closed", by="an", at=month.now, detail={"reason": "settled"})
    follow_events(stores, month.rules, now=month.now)
    assert (
        [*stores.watches.listed()] == take_due(stores, month.rules, now=month.now + timedelta(days=99)) == []
    )
    move(stores.cases.get(case.name), stores, to="confirmed", by="an", at=month.now)
    follow_events(stores, month.rules, now=month.now)
    assert len([*stores.watches.listed()]) == 2
