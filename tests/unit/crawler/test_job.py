"""How a crawl ends, and when a site is left alone."""

import asyncio
from datetime import UTC, datetime

import pytest

from crawler.__main__ import main
from crawler.failures import advice_on
from crawler.job import Job
from storage.errors import ServiceDown
from storage.exit_status import ExitStatus
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import SiteRules, Source
from storage.settings import CrawlerSettings

FORBIDDEN = {"kind": "error", "status": 403}


def job(*urls, kind="urls", rules=None, **fields):
    source = Source(
        name="s", kind=kind, start_urls=urls or ("http://x.example/",), rules=rules or SiteRules()
    )
    return Job(
        source=source,
        scan_id="1",
        crawl_id="c",
        database=None,
        frontier=MemoryFrontier(max_texts=9),
        pace=MemoryPace(),
        settings=CrawlerSettings(),
        **fields,
    )


def test_outcomes():
    assert job(reached=1, problems=[("u", "dns")]).outcome() is None
    assert job().outcome() is None
    unreadable = job(problems=[("http://x.example/", "http-404")]).outcome()
    assert unreadable.exit_status == ExitStatus.UNUSABLE
    assert "\n" not in str(unreadable)
    down = ServiceDown(service="MongoDB", address="a", problem="p")
    assert job(reached=1, fatal=down).outcome() is down
    blocked = job(reached=1, blocked="http-403", hold_until=datetime(2026, 3, 1, 8, tzinfo=UTC)).outcome()
    assert "refuses us (http-403) and pauses until 2026-03-01 08:00 UTC" in str(blocked)
    assert blocked.exit_status == ExitStatus.PARTLY


def test_a_source_is_blocked_when_all_of_its_sites_refuse():
    each = job("http://x.example/", "http://y.example/")
    for _ in range(5):
        each.note_answer("http://x.example/1", **FORBIDDEN)
    assert (each.refused, each.blocked) == ({"x.example"}, "")
    for _ in range(5):
        each.note_answer("http://www.y.example/1", **FORBIDDEN)
    assert each.blocked == "http-403"


def test_a_site_that_was_only_discovered_blocks_nothing_but_itself():
    each = job(kind="discovery")
    for _ in range(5):
        each.note_answer("http://x.example/1", **FORBIDDEN)
    assert (each.refused, each.blocked) == ({"x.example"}, "")


def test_a_time_that_a_site_named_is_not_forgotten():
    until = datetime(2026, 3, 1, tzinfo=UTC)
    each = job()
    each.refuse("http://x.example/1", "http-429", until=until)
    each.refuse("http://x.example/2", "http-403")
    assert each.hold_until == until


def test_other_rules_read_again_what_is_unchanged():
    def version(**fields):
        return asyncio.run(job(**fields).extraction_version_of("x.example"))

    assert version() == version()
    assert version() != version(rules=SiteRules(text=("#content",)))


@pytest.mark.parametrize("reason", ["robots", "inner-address", "login", "http-404", "dns", "timeout"])
def test_there_is_advice_on_every_reason(reason):
    assert advice_on(reason).endswith(".")


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (None, ExitStatus.DONE),
        (ValueError("page text"), ExitStatus.BUG),
        (ServiceDown(service="MongoDB", address="a", problem="p"), ExitStatus.DOWN),
    ],
)
def test_a_crawl_process_ends_with_a_status_of_the_table(monkeypatch, capsys, tmp_path, ending, status):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def crawl(**_named):
        if ending is not None:
            raise ending

    monkeypatch.setattr("crawler.__main__.crawl", crawl)
    assert main(["--source", "s", "--scan", "1", "--crawl", "c"]) == status
    told = capsys.readouterr().err
    assert len(told.splitlines()) == (ending is not None)
    assert "page text" not in told


def test_a_trial_has_no_database_and_says_so():
    with pytest.raises(RuntimeError, match="a trial has no database"):
        _ = job().stores


def test_a_crawl_has_its_stores():
    crawl, stores = job(), object()
    crawl.database = stores
    assert crawl.stores is stores


def test_of_a_trial_nothing_is_known_but_the_rules():
    known = asyncio.run(job(rules=SiteRules(text=("#content",))).known_of("x.example"))
    assert (known.rules.text, known.repeated) == (("#content",), frozenset())
