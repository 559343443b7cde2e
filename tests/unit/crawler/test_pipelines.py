"""An entry ends with a stored outcome or not at all, and what was found there is asked for then."""

import asyncio
from collections import Counter

import pytest
from scrapy.exceptions import DropItem
from support.crawl_parts import crawler_of, memory_job, repeating

from crawler import pipelines as module
from crawler.pages.outcomes import EntryResult, FailedFetch
from crawler.pages.page_records import failed_page
from crawler.pipelines import StorePipeline
from crawler.spiders.entries import entry_of
from storage.collections.documents import StorageFailed, Unstorable
from system.errors import ServiceDown

DOWN = ServiceDown(service="MongoDB", address="a", problem="p")
REFUSED = Unstorable(problem="p")
FAILED = StorageFailed(problem="p")
SITE = "http://site.example"


def outcome_of(number, *, reason="http-404", status=404):
    page = failed_page(f"{SITE}/{number}", source="a", scan_id="s1", reason=reason, status=status)
    return FailedFetch(page, page.page.url, reason, status)


def done_of(number, **fields):
    entry = entry_of(f"{SITE}/{number}", "text")
    return EntryResult(entry, **{"outcome": outcome_of(number), **fields})


class Database:
    """What takes outcomes: it notes them, and refuses those of some addresses."""

    def __init__(self):
        self.stored = []
        self.lists = []
        self.refuses = {}
        self.counts = Counter(failed=1)

    def __call__(self, _job, outcomes):
        for outcome in outcomes:
            error = self.refuses.get(outcome.requested_url, self.refuses.get("*"))
            if error is not None and (
                outcome.reason not in {"unstorable", "internal-error"} or "*" in self.refuses
            ):
                raise error
        self.stored += [(outcome.requested_url, outcome.reason) for outcome in outcomes]
        return [self.counts for _ in outcomes]


@pytest.fixture
def database(monkeypatch):
    taker = Database()
    monkeypatch.setattr(module, "store_outcomes", taker)
    monkeypatch.setattr(module, "store_lists", lambda _job, urls: taker.lists.extend(urls))
    return taker


def process(job, *items):
    """Hand items to the pipeline together; returns what it made of each."""
    job.frontier.push(item.entry for item in items if isinstance(item, EntryResult))
    job.held_ids.update(entry.id for entry in job.frontier.lease(99).entries)
    pipeline = StorePipeline.from_crawler(crawler_of(job))

    async def gather():
        return await asyncio.gather(*map(pipeline.process_item, items), return_exceptions=True)

    return asyncio.run(gather())


@pytest.fixture
def job():
    return memory_job(has_new_entries=False)


def test_outcome_is_stored_and_counted_and_its_entry_ends(database, job):
    item = done_of(1)
    assert process(job, item) == [item]
    assert database.stored == [(f"{SITE}/1", "http-404")]
    assert job.frontier.tally().ended == {"failed": 1}
    assert (job.counts["failed"], job.held_ids, job.has_new_entries) == (1, set(), False)


def test_entries_of_a_page_are_requested_once_it_is_stored(database, job):
    further = entry_of(f"{SITE}/further", "text")
    process(job, done_of(1, outcome=None, entries=(further,)))
    assert job.frontier.lease(9).entries == (further,)
    assert job.has_new_entries
    assert (job.counts["lists"], job.frontier.tally().ended, database.stored) == (1, {"list": 1}, [])
    assert database.lists == [f"{SITE}/1"]


@pytest.mark.parametrize(
    ("counts", "ending"),
    [
        ({"pages": 1}, "new"),
        ({"unchanged": 1}, "unchanged"),
        ({}, "unchanged"),
        ({"failed": 1, "pages": 1}, "failed"),
    ],
)
def test_entry_ends_with_the_result_of_the_database(database, job, counts, ending):
    database.counts = Counter(counts)
    process(job, done_of(1))
    assert job.frontier.tally().ended == {ending: 1}


def test_page_that_the_database_refuses_fails_alone_and_says_so(database, job):
    database.refuses[f"{SITE}/2"] = REFUSED
    process(job, *map(done_of, range(4)))
    assert sorted(database.stored) == [
        (f"{SITE}/{number}", "unstorable" if number == 2 else "http-404") for number in range(4)
    ]
    assert (job.frontier.tally().ended, job.fatal) == ({"failed": 4}, None)


@pytest.mark.parametrize("error", [DOWN, FAILED])
def test_failure_unrelated_to_a_page_loses_no_page(database, job, error):
    database.refuses[f"{SITE}/2"] = error
    results = process(job, *map(done_of, range(4)))
    assert all(isinstance(result, DropItem) for result in results)
    assert (job.fatal, database.stored, job.frontier.tally().ended) == (error, [], {})


def test_page_that_triggers_a_bug_fails_alone_with_a_reason(database, job):
    database.refuses[f"{SITE}/2"] = ValueError("text of the page")
    process(job, *map(done_of, range(4)))
    assert (f"{SITE}/2", "internal-error") in database.stored
    assert (len(database.stored), job.fatal) == (4, None)


def test_service_that_is_down_ends_the_crawl_and_leaves_every_entry(database, job):
    database.refuses["*"] = DOWN
    results = process(job, *map(done_of, range(3)))
    assert all(isinstance(result, DropItem) for result in results)
    assert job.fatal is DOWN
    assert (len(job.held_ids), job.frontier.tally().ended) == (3, {})


def test_when_not_even_the_failure_can_be_stored_the_crawl_ends(database, job):
    database.refuses["*"] = REFUSED
    (result,) = process(job, done_of(1))
    assert isinstance(result, DropItem)
    assert (job.fatal, job.frontier.tally().ended) == (REFUSED, {})


def test_bug_without_a_page_ends_the_crawl_as_a_bug(database, job, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    database.refuses["*"] = ValueError("text of the page")
    (result,) = process(job, done_of(1))
    assert isinstance(result, DropItem)
    assert job.fatal.exit_status == 70
    assert "text of the page" not in str(job.fatal)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "reason", ["robots", "dns", "inner-address", "wait", "too-slow", "unstorable", "gave-up"]
)
def test_inconclusive_failures_are_no_refusal(job, reason):
    process(
        job, *(done_of(number, outcome=outcome_of(number, reason=reason, status=403)) for number in range(9))
    )
    assert job.refused_hosts == set()


@pytest.mark.usefixtures("database")
def test_refusals_block_the_site(job):
    answers = (outcome_of(number, reason="http-403", status=403) for number in range(5))
    process(job, *(done_of(number, outcome=answer) for number, answer in enumerate(answers)))
    assert job.refused_hosts == {"site.example"}


def test_other_items_pass_the_pipeline(job):
    assert process(job, "an item") == ["an item"]


@pytest.mark.parametrize("error", [None, DOWN])
def test_learnt_site_data_are_saved_at_the_end(error):
    requested, learnt = [], []
    stores = repeating(asked=requested)

    def learn(host, **_):
        learnt.append(host)
        if error is not None:
            raise error

    stores.repeats.learn = learn
    job = memory_job(stores=stores)
    pipeline = StorePipeline(crawler_of(job))
    pipeline._learner.add("site.example", "候鸟飞过湿地。" * 9)
    asyncio.run(pipeline.close_spider())
    assert (learnt, job.fatal) == (["site.example"], error)
    assert len(requested) == 1 + (error is None)  # what was learnt is looked up in the mother works
