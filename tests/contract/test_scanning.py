"""Opening scans and comparing their pages: what waits for whom, and what a slow worker may store."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.compared import compare_page
from support.strategies import story

from storage.collections.standings import new_mark
from storage.index.memory import MemoryIndex
from storage.records import ClaimedDate, Crawl, CrawlSummary, Page, Post, Scan, Source, SourceHealth, utc_now
from storage.settings import TrackerSettings
from tracker.comparison import Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.profiles import PROFILES, chosen_profiles
from tracker.runtime import passage_reader
from tracker.scans.health import record_crawl
from tracker.scans.hours import mark_opened, next_crawl, sources_to_open
from tracker.scans.reopening import reopen_stale
from tracker.scans.scanning import (
    AllPaused,
    NoSources,
    NothingToCompareWith,
    OutsideHours,
    close_complete,
    close_if_complete,
    closed_sources,
    sources_of_day,
    sources_to_crawl,
    start_scan,
    unvisited_counts,
)
from tracker.scans.screening import Screening
from tracker.scans.switching import end_crawls_if_disabled

pytestmark = pytest.mark.services
TEXT = story(400, 1)


@pytest.fixture
def scan(stores, guard, settings):
    """A function that opens a scan of no sources: of what is stored."""

    def start(**changes):
        tracker = settings.tracker.model_copy(update=changes)
        opened = start_scan(stores, guard, tracker, sources=[], trigger="hand")
        reopen_stale(stores)
        return stores.scans.get(opened.id)

    return start


@pytest.fixture
def index_work(stores, guard, save_work):
    """A function that stores and indexes one more work."""

    def index(work_id, text):
        assert index_works([save_work(work_id, {work_id: text})], stores, guard.index())

    return index


def add_page(stores, name, text=TEXT, **fields):
    page = Page(id=name, url=name, host="s", source="x", kind="article", text=text, **fields)
    stores.pages.see_many([page])
    return page


def corpus_of(stores, index):
    return Corpus(passage_reader(stores), index, DEFAULT_PARAMS)


@pytest.mark.parametrize("status", [None, "stored", "failed"])
def test_scan_without_an_indexed_work_would_mean_nothing(stores, scan, save_work, status):
    if status:
        save_work(1, {1: TEXT}, status=status)
    add_page(stores, "p1")
    with pytest.raises(NothingToCompareWith, match="pages cannot be compared"):
        scan()
    assert stores.scans.newest(99) == []
    assert stores.pages.get("p1").scan_id == ""


def test_other_thresholds_judge_every_stored_page_again(stores, scan, index_work, guard, taken):
    """A page that no other work affects waits again, and only once for each change."""
    index_work(1, TEXT)
    posts = tuple(Post(start=at, end=at + 60, place=at // 60 + 1, author="甲") for at in range(0, 480, 60))
    page = add_page(stores, "p1", text=TEXT[:100] + story(400, 7), posts=posts)
    scan()

    def compare_again(profiles):
        corpus = replace(corpus_of(stores, guard.index()), profiles=profiles)
        screening = Screening(stores)
        assert compare_page(
            stores.pages.get("p1"), stores, corpus, token=taken("p1"), lease_s=60, screening=screening
        )
        return stores.pages.get("p1").verdict

    assert compare_again(PROFILES) == "quote"
    (match,) = stores.matches.of_page("p1")
    assert match.posts[0] == posts[0]  # a match names the posts that it reaches into
    assert len(match.posts) == 2
    scan()
    assert stores.pages.get(page.id).state == "compared"
    strict = {
        "profiles": {"strict": {"base": "novel", "partial_chars": 80, "version": 1}},
        "novel_profile": "strict",
    }
    scan(**strict)
    assert stores.pages.get(page.id).state == "fetched"
    assert compare_again(chosen_profiles(TrackerSettings(**strict))) == "partial"
    scan(**strict)
    assert stores.pages.get(page.id).state == "compared"
    strict["profiles"]["strict"]["partial_chars"] = 120  # without a new version
    scan(**strict)
    assert stores.pages.get(page.id).state == "fetched"


def test_scan_takes_stale_pages_but_not_those_that_another_waits_for(stores, scan, index_work, guard, taken):
    index_work(1, TEXT)
    first = Scan(id="first", trigger="hand", sources=("x",), started=utc_now())
    stores.scans.open(first)
    pages = [add_page(stores, "of the first", scan_id=first.id), add_page(stores, "of none", scan_id="gone")]
    for page in pages:
        corpus = corpus_of(stores, guard.index())
        assert compare_page(page, stores, corpus, token=taken(page.id), lease_s=60)
    index_work(2, story(400, 2))
    second = scan()
    assert {page.id: page.scan_id for page in stores.pages.all()} == {
        "of the first": first.id,
        "of none": second.id,
    }
    end_crawls(stores)
    assert not close_if_complete(first, stores)
    assert not close_if_complete(second, stores)
    corpus = corpus_of(stores, guard.index())
    for page in pages:
        assert compare_page(page, stores, corpus, token=taken(page.id), lease_s=60)
    assert close_if_complete(first, stores)
    assert close_if_complete(second, stores)
    assert stores.scans.get(first.id).counts["verdict:copy"] == 1


class Meanwhile:
    """An index during whose answer something else happens."""

    def __init__(self, real, happens):
        self._real, self._happens = real, happens

    def lookup_many(self, pages):
        self._happens()
        return self._real.lookup_many(pages)


def expire(stores):
    stores.database["pages"].update_many({}, {"$set": {"lease.until": stores.pages.get("p1").first_seen}})


@pytest.mark.parametrize("ends", [True, False], ids=["done", "under way"])
def test_worker_that_lost_its_page_stores_nothing(stores, index_work, guard, taken, ends):
    """The slow worker used an outdated index; the finding of the quick worker must stay."""
    index_work(1, TEXT)
    page = add_page(stores, "p1")
    slow = taken("p1")
    quick_corpus = corpus_of(stores, guard.index())
    tokens = []

    def overtake():
        expire(stores)
        tokens.append(taken("p1"))
        if ends:
            assert compare_page(page, stores, quick_corpus, token=tokens[0], lease_s=60)

    slow_corpus = corpus_of(stores, Meanwhile(MemoryIndex(), overtake))
    assert compare_page(page, stores, slow_corpus, token=slow, lease_s=60) is False
    if not ends:
        assert stores.pages.get("p1").state == "fetched"
        assert compare_page(page, stores, quick_corpus, token=tokens[0], lease_s=60)
    stored = stores.pages.get("p1")
    assert (stored.state, stored.verdict, stored.copied_chars) == ("compared", "copy", len(TEXT))
    assert [match.passage_id for match in stores.matches.of_page("p1")] == [1]


def test_work_that_is_indexed_during_a_comparison_makes_it_stale(stores, index_work, guard, taken):
    index_work(1, story(400, 2))
    page = add_page(stores, "p1")
    corpus = corpus_of(stores, Meanwhile(guard.index(), lambda: index_work(2, TEXT)))
    before = stores.versions.current()
    assert compare_page(page, stores, corpus, token=taken("p1"), lease_s=60)
    assert stores.pages.get("p1").corpus_version == before
    assert stores.pages.stale.count(corpus_version=stores.versions.current()) == 1


def save_source(stores, name, **fields):
    stores.sources.save(Source(name=name, kind="urls", start_urls=(f"http://{name}.example/",), **fields))


def end_crawls(stores, *, state="done", error="", **progress):
    """Take the crawls that are due, and end them."""
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    for crawl_id in ids:
        stores.scans.claim_crawl(crawl_id, token=token, lease_s=60)
        stores.scans.record_progress(crawl_id, **{"counts": {}, "addresses": {}, **progress})
        stores.scans.close_crawl(crawl_id, token=token, state=state, error=error)


def names(sources):
    return [source.name for source in sources]


def test_scheduled_scan_omits_only_sources_still_being_crawled(stores, guard, settings, index_work):
    index_work(1, TEXT)
    for name in ("slow", "quick"):
        save_source(stores, name)
    tracker = settings.tracker
    start_scan(stores, guard, tracker, sources=[stores.sources.get("slow")], trigger="schedule")
    assert names(sources_to_crawl(stores, scheduled=True)) == ["quick"]
    assert names(sources_to_crawl(stores)) == ["quick", "slow"]
    start_scan(stores, guard, tracker, sources=[stores.sources.get("quick")], trigger="schedule")
    assert reopen_stale(stores) == 0
    with pytest.raises(AllPaused, match="still being crawled"):
        sources_to_crawl(stores, scheduled=True)
    end_crawls(stores)
    with pytest.raises(AllPaused, match="still being crawled"):  # their pages are still compared
        sources_to_crawl(stores, scheduled=True)
    close_complete(stores)
    assert names(sources_to_crawl(stores, scheduled=True)) == ["quick", "slow"]


def test_paused_and_undue_sources_are_omitted_unless_named(stores):
    with pytest.raises(NoSources):
        sources_to_crawl(stores)
    save_source(stores, "off", enabled=False)
    with pytest.raises(NoSources):
        sources_to_crawl(stores)
    assert names(sources_to_crawl(stores, ["off"])) == ["off"]
    now = utc_now()
    for name, hours in (("pauses", 0.0), ("ready", 0.0), ("daily", 24.0), ("hourly", 1.0)):
        save_source(stores, name, interval_h=hours)
    crawled_then = now - timedelta(hours=2)
    stores.health.save(SourceHealth(name="pauses", paused_until=now + timedelta(hours=1)))
    stores.health.save(SourceHealth(name="ready", paused_until=now - timedelta(seconds=1)))
    for name in ("daily", "hourly"):
        stores.health.save(SourceHealth(name=name, last_crawl=crawled_then))
    assert names(sources_to_crawl(stores)) == ["daily", "hourly", "ready"]
    assert names(sources_to_crawl(stores, scheduled=True)) == ["hourly", "ready"]


def hours_from_now(hours):
    """Hours of one hour, so many hours from now."""
    begin = utc_now() + timedelta(hours=hours)
    return (f"{begin:%H:%M}-{begin + timedelta(hours=1):%H:%M}",)


def test_source_outside_its_hours_is_in_no_scan_also_when_it_is_named(stores):
    for name, hours in (("closed", hours_from_now(2)), ("open", hours_from_now(0)), ("always", ())):
        save_source(stores, name, hours=hours, timezone="+00:00")
    assert names(sources_to_crawl(stores)) == ["always", "open"]
    assert names(sources_to_crawl(stores, scheduled=True)) == ["always", "open"]
    with pytest.raises(OutsideHours, match=r"closed can be crawled only at .* \(\+00:00\). Wait until"):
        sources_to_crawl(stores, ["open", "closed"])
    stores.sources.delete("always"), stores.sources.delete("open")
    with pytest.raises(AllPaused, match="outside their hours"):
        sources_to_crawl(stores, scheduled=True)


NIGHT = Source(
    name="night",
    kind="urls",
    start_urls=("http://x.example/",),
    hours=("Mo-Fr 22:00-02:00",),
    timezone="+08:00",
)  # while the daily scan is at three


def china(day, hour, minute=0):
    """A moment of the week of which the 23rd is Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC) - timedelta(hours=8)


def test_closed_source_of_the_daily_scan_is_due_when_its_hours_begin(stores, settings):
    rules = settings.tracker
    stores.sources.save(NIGHT)
    save_source(stores, "always")

    def due(moment):
        return [(source.name, began) for source, began in sources_to_open(stores, rules, now=moment)]

    monday = [("night", china(23, 22))]
    assert due(china(23, 21, 59)) == []
    assert due(china(23, 22)) == due(china(24, 1, 59)) == monday
    mark_opened(stores, sources_to_open(stores, rules, now=china(23, 22)))
    assert due(china(23, 22, 1)) == []  # also when somebody stopped that scan
    assert due(china(24, 22)) == [("night", china(24, 22))]
    stores.health.save(SourceHealth(name="night", last_crawl=china(24, 4)))  # by hand, after the daily scan
    assert due(china(24, 22)) == []
    stores.health.save(SourceHealth(name="night", last_crawl=china(24, 4), paused_until=china(25, 23)))
    assert due(china(25, 22)) == []
    assert due(china(25, 23)) == [("night", china(25, 22))]
    stores.sources.save(replace(NIGHT, enabled=False))
    assert due(china(25, 23)) == []


@pytest.mark.parametrize(
    ("health", "now", "crawl"),
    [
        ({}, china(23, 12), china(23, 22)),
        ({}, china(28, 12), china(30, 22)),  # on Saturday
        ({"last_crawl": china(24, 1)}, china(24, 2, 30), china(24, 22)),
        ({"last_crawl": china(24, 1), "paused_until": china(28, 12)}, china(24, 4), china(30, 22)),
        ({"last_crawl": china(24, 1), "rest": "s1"}, china(24, 2, 30), china(24, 22)),
    ],
)
def test_when_a_source_is_crawled_next(settings, health, now, crawl):
    assert next_crawl(NIGHT, SourceHealth(name="night", **health), settings.tracker, now=now) == crawl


def test_when_a_source_without_hours_is_crawled_next(settings):
    def after(**fields):
        source, health = (
            replace(NIGHT, hours=(), **fields),
            SourceHealth(name="night", last_crawl=china(24, 4)),
        )
        return next_crawl(source, health, settings.tracker, now=china(24, 12))

    assert after() == china(25, 3)
    assert after(interval_h=72) == china(27, 3)
    assert after(interval_h=24) == after(interval_h=25) == china(25, 3)
    assert after(interval_h=25.1) == china(26, 3)
    assert after(enabled=False) is None


def test_crawl_cut_off_by_its_hours_resumes_and_is_judged_as_a_whole(stores, guard, settings, index_work):
    index_work(1, TEXT)
    stores.sources.save(NIGHT)
    usual = CrawlSummary(scan_id="s", ended=utc_now(), listed=100, texts=100, failed=0, confidence=1.0)
    stores.health.save(SourceHealth(name="night", recent=(usual, usual)))
    frontiers = []
    for part, (end, left) in enumerate([("hours", 60), ("hours", 20), ("finished", 0)], start=1):
        scan = start_scan(stores, guard, settings.tracker, sources=[NIGHT], trigger="schedule")
        reopen_stale(stores)
        frontiers.append(stores.scans.frontier_of(f"{scan.id}:night"))
        numbers = {"listed": 100 if part == 1 else 0, "pages": 40 if part == 1 else 30}
        end_crawls(stores, counts=numbers, end=end, addresses={"entries": 101, "left": left})
        record_crawl(stores, scan.id, "night")
        record_crawl(stores, scan.id, "night")  # who is killed does it again
        assert close_if_complete(stores.scans.get(scan.id), stores)
        assert stores.scans.get(scan.id).left == ({"hours": left} if left else {})
        health = stores.health.get("night")
        assert (health.rest, len(health.recent)) == ((frontiers[0], 2) if left else ("", 3))
        assert stores.health.open_alerts() == []
    assert len(set(frontiers)) == 1
    assert (health.part, health.recent[0].listed, health.recent[0].texts) == (None, 100, 100)


def test_source_that_its_hours_always_cut_raises_and_closes_alerts(stores):
    """Its first complete crawl may happen after a month."""
    stores.sources.save(NIGHT)
    usual = CrawlSummary(scan_id="s", ended=utc_now(), listed=100, texts=100, failed=0, confidence=1.0)
    stores.health.save(SourceHealth(name="night", recent=(usual, usual)))
    stores.health.raise_alert("night", "unreachable", detail="away", scan_id="s")
    for part, (failed, kinds) in enumerate([(0, []), (90, ["collapsed"]), (0, ["collapsed"])]):
        stores.scans.open(Scan(id=f"s{part}", trigger="schedule", sources=("night",), started=utc_now()))
        counts = {"pages": 10, "failed": failed}
        end_crawls(stores, counts=counts, end="hours", addresses={"entries": 999, "left": 500})
        record_crawl(stores, f"s{part}", "night")
        assert [alert.kind for alert in stores.health.open_alerts()] == kinds


def test_scan_lists_closed_sources_unchecked_since_the_last_scan(stores, guard, settings, index_work):
    index_work(1, TEXT)
    save_source(stores, "always")
    for name in ("checked", "unchecked"):
        save_source(stores, name, hours=hours_from_now(2), timezone="+00:00")
    now = utc_now()
    stores.health.save(SourceHealth(name="checked", last_crawl=now - timedelta(hours=3)))
    closed = closed_sources(stores, since=now - timedelta(hours=24))
    assert names(closed) == ["unchecked"]
    assert names(closed_sources(stores)) == ["checked", "unchecked"]
    sources = sources_to_crawl(stores, scheduled=True)
    scan = start_scan(stores, guard, settings.tracker, sources=sources, trigger="schedule", closed=closed)
    reopen_stale(stores)
    end_crawls(stores, end="finished")
    assert close_if_complete(stores.scans.get(scan.id), stores)
    assert stores.scans.get(scan.id).left == {"hours": 1}
    assert stores.scans.get(scan.id).sources == ("always",)


def test_day_with_all_sources_closed_is_reported_by_a_scan(stores, guard, settings, index_work):
    index_work(1, TEXT)
    now = utc_now()
    save_source(stores, "checked", hours=hours_from_now(2), timezone="+00:00")
    stores.health.save(SourceHealth(name="checked", last_crawl=now - timedelta(hours=3)))
    with pytest.raises(AllPaused):
        sources_of_day(stores, since=now - timedelta(hours=24))
    save_source(stores, "unchecked", hours=hours_from_now(2), timezone="+00:00")
    sources, closed = sources_of_day(stores, since=now - timedelta(hours=24))
    assert (sources, names(closed)) == ([], ["unchecked"])
    scan = start_scan(stores, guard, settings.tracker, sources=[], trigger="schedule", closed=closed)
    assert [(crawl.source, crawl.end) for crawl in stores.scans.crawls(scan.id)] == [("unchecked", "hours")]
    save_source(stores, "always")
    assert names(sources_of_day(stores, since=now - timedelta(hours=24))[0]) == ["always"]


@pytest.fixture
def running(stores, guard, settings, index_work):
    """A running scan of two sources."""
    index_work(1, TEXT)
    for name in ("a", "b"):
        save_source(stores, name)
    sources = [stores.sources.get(name) for name in ("a", "b")]
    opened = start_scan(stores, guard, settings.tracker, sources=sources, trigger="hand")
    assert reopen_stale(stores) == 0
    return stores.scans.get(opened.id)


def test_scan_stays_open_until_its_crawls_and_pages_end(stores, running):
    assert not close_if_complete(running, stores)
    end_crawls(stores)
    page = add_page(stores, "p1", scan_id=running.id)
    assert not close_if_complete(running, stores)
    stores.database["pages"].update_one({"_id": page.id}, {"$set": {"state": "compared", "verdict": "quote"}})
    add_page(stores, "p2", scan_id=running.id, state="failed", reason="http-404")
    assert close_if_complete(running, stores)
    closed = stores.scans.get(running.id)
    assert (closed.status, closed.error) == ("finished", "")
    assert closed.not_compared == {"http-404": 1}
    expected = {"pages": 2, "state:compared": 1, "state:failed": 1, "kind:article": 2, "verdict:quote": 1}
    assert {name: closed.counts[name] for name in expected} == expected
    assert not close_if_complete(running, stores)


def test_end_of_a_scan_counts_every_address_once_after_a_kill(stores, running, guard, taken):
    """The worker of the second version was killed before it marked the first one."""
    end_crawls(stores)
    corpus, start = corpus_of(stores, guard.index()), utc_now() - timedelta(days=2)
    texts = {"old": TEXT, "new": f"{TEXT}又添了一行。"}
    for day, (name, text) in enumerate(texts.items()):
        at = start + timedelta(days=day)
        page = Page(
            id=name, url="u", host="s", source="x", kind="article", text=text, scan_id=running.id,
            first_seen=at, last_seen=at,
        )  # fmt: skip
        stores.pages.see_many([page])
        assert compare_page(page, stores, corpus, token=taken(name), lease_s=60)
    unmarked = {"$set": {"standing": "current", "replaced": None, "unsettled": new_mark(with_matches=True)}}
    stores.database["pages"].update_many({}, unmarked)
    stores.database["matches"].update_many({}, {"$set": {"replaced": None}})
    assert len(stores.matches.of_case(1, "s")) == 2
    assert close_if_complete(running, stores)
    closed = stores.scans.get(running.id)
    assert (closed.counts["pages"], closed.counts["verdict:copy"]) == (1, 1)
    (match,) = stores.matches.of_case(1, "s")
    (case,) = stores.cases.listed()
    assert (match.page_id, case.pages) == ("new", 1)


def test_match_in_an_older_version_keeps_its_age(stores, save_work, guard, taken):
    """The page existed before the work and got another line later."""
    published = ClaimedDate(at=utc_now() - timedelta(days=5), precision="second", offset_minutes=480)
    work = save_work(1, {1: TEXT}, published=published)
    assert index_works([work], stores, guard.index())
    corpus, ages = corpus_of(stores, guard.index()), {}
    for name, days in (("old", 9), ("new", 1)):
        at = utc_now() - timedelta(days=days)
        page = Page(
            id=name, url="u", host="s", source="x", kind="article", text=f"{TEXT}{name}",
            first_seen=at, last_seen=at,
        )  # fmt: skip
        stores.pages.see_many([page])
        assert compare_page(page, stores, corpus, token=taken(name), lease_s=60)
        (match,) = stores.matches.of_page(name)
        ages[name] = match.first_seen, match.page_older_by
    assert ages["new"] == ages["old"]
    assert ages["new"][1] == "first-sight"


def test_scan_fails_when_every_crawl_does(stores, running):
    end_crawls(stores, state="failed", error="no route")
    assert close_if_complete(running, stores)
    closed = stores.scans.get(running.id)
    assert (closed.status, closed.error) == ("failed", "no route; no route")


def test_scan_sums_unvisited_addresses_by_reason(stores, running):
    end_crawls(stores, end="time", addresses={"entries": 9, "left": 5, "beyond": 2})
    assert close_if_complete(running, stores)
    closed = stores.scans.get(running.id)
    assert closed.left == {"time": 10, "limit": 4}
    assert closed.counts["left"] == 14


def test_shared_frontier_is_counted_once_by_its_last_process():
    def crawl(number, minute, left, end="finished"):
        at = utc_now() + timedelta(minutes=minute)
        addresses = {"left": left, "beyond": 0}
        return Crawl(id=f"s:a#{number}", scan_id="s", source="a", end=end, heartbeat=at, addresses=addresses)

    assert unvisited_counts([crawl(1, 5, 3, end="time"), crawl(2, 1, 80)]) == {"time": 3}
    assert unvisited_counts([crawl(1, 5, 0), crawl(2, 1, 80)]) == {}
    cut = replace(crawl(2, 1, 80), counts={"left:lists": 2, "refused:too-many": 5, "refused:long-address": 9})
    assert unvisited_counts([crawl(1, 5, 0), cut]) == {"lists": 2, "too-many": 5, "long-address": 9}
    silent = replace(crawl(3, 0, 7, end=""), heartbeat=None)
    assert unvisited_counts([silent]) == {"unfinished": 7}


def test_stopped_crawl_ends_with_its_process(stores, running):
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    assert stores.scans.claim_crawl(ids[0], token=token, lease_s=60)
    assert stores.scans.stop_crawls(running.id) == 2
    assert stores.scans.stopping(ids) == set(ids)
    states = {crawl.id: crawl.state for crawl in stores.scans.crawls(running.id)}
    assert states == {ids[0]: "due", ids[1]: "failed"}
    assert stores.scans.claim_crawl(ids[1], token=token, lease_s=60) is None
    add_page(stores, "late", scan_id=running.id, state="failed", reason="http-404")  # its process still ran
    assert not close_if_complete(running, stores)
    stores.scans.close_stopped(ids[0], token=token)
    ended = [(crawl.state, crawl.end, crawl.error, crawl.fault) for crawl in stores.scans.crawls(running.id)]
    assert ended == [("failed", "stopped", "stopped by hand", "ours")] * 2
    assert close_if_complete(running, stores)
    assert stores.scans.get(running.id).counts["pages"] == 1
    assert stores.scans.stop_crawls(running.id) == 0


def test_disabling_a_source_ends_only_its_crawls(stores, running):
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    crawls = {crawl.id: crawl.source for crawl in stores.scans.crawls(running.id)}
    mine = ids[0]
    assert stores.scans.claim_crawl(mine, token=token, lease_s=60)
    source = Source(name=crawls[mine], kind="news", start_urls=("http://x.example/",))
    disabled = replace(source, enabled=False)
    for before, after in ((disabled, disabled), (source, source), (disabled, source)):
        end_crawls_if_disabled(stores, before, after)
    assert stores.scans.stopping(ids) == set()
    end_crawls_if_disabled(stores, source, disabled)
    assert stores.scans.stopping(ids) == {mine}
    stores.scans.close_stopped(mine, token=token)
    ended = {crawl.id: (crawl.state, crawl.end, crawl.error) for crawl in stores.scans.crawls(running.id)}
    reason = f"Source {source.name} was disabled during its crawl. The fetched pages are still compared."
    assert ended == {mine: ("failed", "stopped", reason), ids[1]: ("due", "", "")}
    (told,) = [crawl.message for crawl in stores.scans.crawls(running.id) if crawl.id == mine]
    assert str(told) == reason


@pytest.mark.parametrize("dies", ["before", "afterwards"])
def test_stopped_crawl_ends_although_its_worker_died(stores, running, dies):
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    for crawl_id in ids:
        assert stores.scans.claim_crawl(crawl_id, token=token, lease_s=0 if dies == "before" else 60)
    assert stores.scans.stop_crawls(running.id) == 2
    if dies == "afterwards":
        assert not close_if_complete(running, stores)
        for crawl_id in ids:
            stores.scans.extend_crawl(crawl_id, token=token, lease_s=0)
        assert stores.scans.reserve_due(count=9, lease_s=60)[1] == []
    assert {crawl.end for crawl in stores.scans.crawls(running.id)} == {"stopped"}
    assert close_if_complete(running, stores)


def test_last_end_of_scheduled_scans_ignores_manual_scans(stores):
    then, now = utc_now() - timedelta(hours=40), utc_now()
    for name, trigger, ended in (("daily", "schedule", then), ("by hand", "hand", now)):
        assert stores.scans.last_end(trigger=trigger) is None
        done = Scan(id=name, trigger=trigger, sources=(), started=then, finished=ended, status="finished")
        stores.scans.open(done)
    assert stores.scans.last_end(trigger="schedule") == stores.scans.get("daily").finished
    assert stores.scans.last_end() == stores.scans.get("by hand").finished
