"""How a crawl ends, and when a site is left alone."""

import asyncio
import re
from datetime import UTC, datetime

import pytest
from support.crawl_parts import NO_TEMPLATE, crawler_of, memory_job, repeating

from crawler.__main__ import main
from crawler.bans import SiteAnswer
from crawler.extraction import EXTRACTION_VERSION
from crawler.extraction.template import Template
from crawler.job import job_of
from crawler.reasons import advice_on, advice_on_page
from storage.collections.templates import FrameLine, HostTemplate, LearntContainer
from storage.records import SiteRules, Source
from storage.settings import CrawlerSettings
from system.child_process import last_message
from system.errors import ServiceDown
from system.exit_status import ExitStatus

FORBIDDEN = SiteAnswer(sort="error", status=403)


def job(*urls, kind="urls", rules=None, **fields):
    source = Source(
        name="s", kind=kind, start_urls=urls or ("http://x.example/",), rules=rules or SiteRules()
    )
    return memory_job(source, **fields)


DOWN = ServiceDown(service="MongoDB", address="a", problem="p")


def test_crawl_outcome_depends_on_problems_and_pages():
    assert job(reached=1, problems=[("u", "dns")]).outcome() is None
    assert job().outcome() is None
    unreadable = job(problems=[("http://x.example/", "http-404")]).outcome()
    assert unreadable.exit_status == ExitStatus.UNUSABLE
    assert "\n" not in str(unreadable)
    assert job(reached=1, fatal=DOWN).outcome() is DOWN
    blocked = job(
        reached=1, block_reason="http-403", hold_until=datetime(2026, 3, 1, 8, tzinfo=UTC)
    ).outcome()
    assert "refused access (http-403). The source pauses until 2026-03-01 08:00 +00:00" in str(blocked)
    assert blocked.exit_status == ExitStatus.PARTLY


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"reached": 1, "problems": [("u", "dns")]}, ""),
        ({"problems": [("u", "http-404")]}, "theirs"),
        ({"problems": [("u", "dns")]}, "network"),
        ({"problems": [("u", "inner-address")]}, "ours"),
        ({"reached": 1, "block_reason": "http-403"}, "theirs"),
        ({"block_reason": "http-403", "fatal": DOWN}, "ours"),
    ],
)
def test_failure_has_a_fault(fields, fault):
    assert job(**fields, end="finished").fault == fault
    assert job(**fields).fault == ""  # a process that is killed now is nobody else's fault


def test_source_is_blocked_when_all_of_its_sites_refuse():
    crawl = job("http://x.example/", "http://y.example/")
    for _ in range(5):
        crawl.record_answer("http://x.example/1", FORBIDDEN)
    assert (crawl.refused_hosts, crawl.block_reason) == ({"x.example"}, "")
    for _ in range(5):
        crawl.record_answer("http://www.y.example/1", FORBIDDEN)
    assert crawl.block_reason == "http-403"


def test_site_that_was_only_discovered_blocks_nothing_but_itself():
    crawl = job(kind="discovery")
    for _ in range(5):
        crawl.record_answer("http://x.example/1", FORBIDDEN)
    assert (crawl.refused_hosts, crawl.block_reason) == ({"x.example"}, "")


def test_time_that_a_site_named_is_not_forgotten():
    until = datetime(2026, 3, 1, tzinfo=UTC)
    crawl = job()
    crawl.refuse("http://x.example/1", "http-429", until=until)
    crawl.refuse("http://x.example/2", "http-403")
    assert crawl.hold_until == until


def test_other_rules_read_unchanged_pages_again():
    def version(**fields):
        return asyncio.run(job(**fields).extraction_version_of("x.example"))

    assert version() == version()
    assert version() != version(rules=SiteRules(text=("#content",)))


@pytest.mark.parametrize("reason", ["robots", "inner-address", "login", "http-404", "dns", "timeout"])
def test_every_reason_has_advice(reason):
    assert advice_on(reason).endswith(".")
    assert advice_on_page(reason).endswith(".")
    assert "crawl" not in advice_on_page(reason)


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (None, ExitStatus.DONE),
        (ValueError("page text"), ExitStatus.BUG),
        (DOWN, ExitStatus.DOWN),
    ],
)
def test_crawl_process_ends_with_a_status_of_the_table(monkeypatch, capsys, tmp_path, ending, status):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def crawl(**_named):
        if ending is not None:
            raise ending

    monkeypatch.setattr("crawler.__main__.crawl", crawl)
    assert main(["--source", "s", "--scan", "1", "--crawl", "c"]) == status
    errors = capsys.readouterr().err
    assert errors.count("\n") == (0 if ending is None else 2)
    assert bool(last_message(errors.encode()).template) is (ending is not None)
    assert "page text" not in errors


def test_refusal_by_every_site_of_the_source_blocks_it():
    crawl = job("http://x.example/", "http://y.example/")
    crawl.refuse("http://z.example/", "http-403")
    crawl.refuse("http://x.example/1", "http-403")
    assert (crawl.block_reason, crawl.counts["refused_hosts"]) == ("", 2)
    crawl.refuse("http://y.example/1", "http-429")
    assert (crawl.block_reason, crawl.counts["refused_hosts"]) == ("http-429", 3)
    assert crawl.own_hosts == {"x.example", "y.example"}


def test_sitemaps_and_feeds_are_sites_of_the_source():
    source = Source(name="s", kind="news", sitemaps=("http://a.example/m",), feeds=("http://b.example/f",))
    assert memory_job(source).own_hosts == {"a.example", "b.example"}


@pytest.mark.parametrize(
    ("delay_s", "own_delay_s", "timeout_s"), [(None, 9.0, 330.0), (10.0, 0.0, 330.0), (60.0, 0.0, 360.0)]
)
def test_crawl_stalls_only_after_its_longest_possible_pause(delay_s, own_delay_s, timeout_s):
    settings = CrawlerSettings(stall_s=300, max_wait_s=30, delay_s=own_delay_s)
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), delay_s=delay_s)
    assert memory_job(source, settings=settings).stall_timeout_s == timeout_s


def job_with_delays(*delays, url="http://x.example/1", **fields):
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), **fields)
    crawl = memory_job(source)
    for delay_s in delays:
        crawl.record_crawl_delay(url, delay_s)
    return crawl


def test_number_of_possible_requests_is_reported_if_too_few():
    crawl = job_with_delays(1.5, max_minutes=1.0, max_pages=100)
    assert (crawl.counts["reach"], crawl.counts["pause_s"]) == (40, 2)
    assert crawl.is_short_of_time
    enough = job_with_delays(1.5, max_minutes=1.0, max_pages=40)
    assert (enough.counts, enough.is_short_of_time) == ({}, False)
    assert not job_with_delays(max_minutes=1.0).is_short_of_time


def test_longest_delay_of_the_sites_counts():
    crawl = job_with_delays(2.0, 5.0, 3.0, max_minutes=1.0)
    assert (crawl.crawl_delay_s, crawl.counts["reach"], crawl.counts["pause_s"]) == (5.0, 12, 5)
    assert job_with_delays(2.0, url="http://other.example/", max_minutes=1.0).crawl_delay_s == 0


def test_first_error_of_a_store_ends_the_crawl_and_is_kept():
    first, second = (ServiceDown(service="MongoDB", address=name, problem="p") for name in "ab")
    crawl = memory_job()

    def fail(error):
        raise error

    for error in (first, second):
        with pytest.raises(ServiceDown):
            asyncio.run(crawl.store(fail, error))
    assert crawl.fatal is first
    assert crawl.outcome() is first


def test_crawl_that_read_anything_was_no_failure():
    problems = [("http://x.example/", "dns")]
    assert job(has_read=True, problems=problems).outcome() is None
    assert "http://x.example/ failed (dns)" in str(job(problems=[*problems, ("u", "timeout")]).outcome())


def test_block_without_a_time_lasts_until_the_source_is_enabled():
    assert "pauses until it is enabled again" in str(job(block_reason="blocked").outcome())


def test_site_context_stays_the_same_for_the_whole_crawl():
    requested = []
    crawl = memory_job(stores=repeating(1, asked=requested))
    assert {asyncio.run(crawl.context_of("x.example")).repeated for _ in range(2)} == {frozenset({1})}
    crawl.database = repeating(2, asked=requested)
    assert asyncio.run(crawl.context_of("x.example")).repeated == frozenset({1})
    assert asyncio.run(crawl.context_of("y.example")).repeated == frozenset({2})
    assert requested == ["x.example", "y.example"]


def test_concurrent_pages_load_their_site_context_once():
    requested = []
    crawl = memory_job(stores=repeating(1, asked=requested))

    async def read():
        return await asyncio.gather(*(crawl.context_of("x.example") for _ in range(16)))

    contexts = asyncio.run(read())
    assert all(own is contexts[0] for own in contexts)
    assert requested == ["x.example"]


def test_site_context_has_the_learnt_template():
    template = HostTemplate(
        containers=(
            LearntContainer(path="div#text", pages=3),
            LearntContainer(path="div#old", pages=3, is_used=False),
        ),
        frame=(FrameLine(hash=7, text="候鸟", pages=3),),
    )
    crawl = memory_job(stores=repeating(template=template))
    context = asyncio.run(crawl.context_of("x.example"))
    assert context.template == Template(frozenset({"div#text"}), frozenset({7}))


def test_pages_are_read_again_when_their_site_context_changes():
    def version(*repeated, render=False, changed=None, template=NO_TEMPLATE):
        source = Source(name="s", kind="urls", start_urls=("http://x.example/",), render=render)
        stores = repeating(*repeated, sheets_changed=changed, template=template)
        crawl = memory_job(source, stores=stores)
        return asyncio.run(crawl.extraction_version_of("x.example"))

    days = [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 2)]
    versions = {
        version(),
        version(1),
        version(2),
        version(render=True),
        *(version(changed=day) for day in days),
    }
    assert len(versions) == 6
    places = [
        HostTemplate(containers=(LearntContainer(path="div#text", pages=3, is_used=used),))
        for used in (True, False)
    ]
    assert (
        version(template=places[0]) == version()
    )  # what a site taught is no reason to ask for all its pages
    assert version(template=places[1]) not in versions  # what an analyst took back is
    assert version(2, 1) == version(1, 2)
    assert all(re.fullmatch(rf"{EXTRACTION_VERSION}:[0-9a-f]{{12}}", text) for text in versions)


def test_job_is_reached_through_the_spider():
    crawl = memory_job()
    assert job_of(crawler_of(crawl)) is crawl


def test_trial_has_no_database_and_says_so():
    with pytest.raises(RuntimeError, match="a trial has no database"):
        _ = job().stores


def test_crawl_has_its_stores():
    crawl, stores = job(), object()
    crawl.database = stores
    assert crawl.stores is stores


def test_trial_uses_only_the_rules():
    context = asyncio.run(job(rules=SiteRules(text=("#content",))).context_of("x.example"))
    assert (context.rules.text, context.repeated) == (("#content",), frozenset())
