"""Versions of one address: which of them counts, whatever is killed and whoever marks them at once."""

import signal
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from support.matches import match_with
from support.plans import indexes_of
from support.processes import environment_of
from support.standing import current_pages, reopen_all

from storage.collections.matches import match_id
from storage.collections.pages import page_id
from storage.collections.stale import NEVER_STALE
from storage.collections.standings import Standings
from storage.records import Page, PageResult, utc_now

pytestmark = pytest.mark.services
URL = "http://site.example/1"
START = utc_now() - timedelta(days=9)


def version(text, *, day, url=URL, **fields):
    """What was seen of an address on a day; without a text nothing could be read."""
    moment = START + timedelta(days=day)
    state = "fetched" if text else "failed"
    return Page(
        id=page_id(url, text),
        url=url,
        host="site.example",
        source="x",
        kind="article" if text else "error",
        text=text,
        content_hash=text,
        first_seen=moment,
        last_seen=moment,
        fetched=moment,
        **{"state": state, "reason": "" if text else "http-404", **fields},
    )


@pytest.fixture
def see(stores):
    """A function that stores what was seen, as a crawl does."""

    def store(text, *, day, **fields):
        page = version(text, day=day, **fields)
        stores.pages.see_many([page])
        stores.pages.settle([page.url])
        return page.id

    return store


@pytest.fixture
def compare(stores, taken):
    """A function that compares a waiting page, as a worker does; it may be killed before it settles."""

    def store(page_id, *, is_killed=False, url=URL):
        token = taken(page_id)
        match = match_with(id=match_id(page_id, 1, "novel@1"), page_id=page_id, url=url, site="site.example")
        stores.matches.replace_for_pages({page_id: [match]})
        result = PageResult(verdict="copy", coverage=1, copied_chars=2, low_confidence=False, unaligned=0)
        list(stores.pages.mark_compared([(stores.pages.get(page_id), result)], token=token, corpus_version=1))
        if not is_killed:
            stores.pages.settle([url], compared=[page_id])

    return store


@pytest.fixture
def counted(stores):
    """A function that tells which texts count as pages, and which through their matches."""

    def tell():
        texts = {page.id: page.content_hash for page in stores.pages.all()}
        pages = [texts[page.id] for page in current_pages(stores)]
        of_case = stores.matches.of_case(1, "site.example")
        assert of_case == stores.matches.of_work(1)
        return pages, [texts[match.page_id] for match in of_case]

    return tell


def test_page_that_changes_and_changes_back_counts_once_throughout(stores, see, compare, counted):
    first = see("甲", day=0)
    compare(first)
    assert counted() == (["甲"], ["甲"])
    second = see("乙", day=1)
    assert counted() == (["乙"], ["甲"])  # it waits, because only the previous text was compared
    compare(second)
    assert counted() == (["乙"], ["乙"])
    assert stores.pages.get(first).replaced == START + timedelta(days=1)
    assert stores.pages.count_older([URL, "http://other/"]) == {URL: 1}
    assert see("甲", day=2) == first
    assert counted() == (["甲"], ["甲"])
    assert stores.pages.get(first).replaced is None
    # What was found while it was history may be out of date: it is compared as a whole.
    assert (stores.pages.get(first).state, stores.pages.get(first).corpus_version) == ("fetched", -1)
    compare(first)
    assert counted() == (["甲"], ["甲"])
    assert [match.page_id for match in stores.matches.history_of_case(1, "site.example")].count(first) == 1
    assert len(stores.matches.history_of_case(1, "site.example")) == 2


def test_vanished_page_keeps_its_text_and_is_counted_once(stores, see, compare, counted):
    text = see("甲", day=0)
    compare(text)
    see("", day=1)
    assert counted() == ([""], ["甲"])
    assert stores.pages.get(text).standing == "last-text"
    see("", day=2)
    assert counted() == ([""], ["甲"])
    see("甲", day=3)
    assert counted() == (["甲"], ["甲"])
    assert stores.pages.get(text).standing == "current"
    assert stores.pages.get(text).state == "compared"  # it was never history


def test_not_modified_ends_a_failure(stores, see, compare, counted):
    text = see("甲", day=0)
    compare(text)
    see("", day=1)
    stores.pages.touch([text], scan_id="s9")
    stores.pages.settle([URL])
    assert counted() == (["甲"], ["甲"])


def test_text_that_is_overtaken_while_it_waits_is_never_counted(see, compare, counted):
    first = see("甲", day=0)
    compare(first)
    late = see("乙", day=1)
    see("甲", day=2)
    compare(late)
    assert counted() == (["甲"], ["甲"])


def test_history_is_not_compared_with_new_works(stores, see, compare):
    compare(see("甲", day=0))
    second = see("乙", day=1)
    compare(second)
    assert stores.pages.stale.count(corpus_version=2) == 1
    assert reopen_all(stores, corpus_version=2) == 1
    assert stores.pages.get(second).state == "fetched"


def test_marks_missing_after_a_kill_are_set_by_the_next_process(stores, see, compare, counted):
    compare(see("甲", day=0))
    second = see("乙", day=1)
    compare(second, is_killed=True)
    assert sorted(counted()[1]) == ["乙", "甲"]
    stores.pages.settle([URL])  # the next crawl of the address, or the end of the scan
    assert counted() == (["乙"], ["乙"])


def unsettled(stores):
    return {row["_id"] for row in stores.database["pages"].find({"unsettled": {"$gt": ""}})}


def test_unsettled_version_has_a_mark_that_queries_use(stores, see, compare, counted):
    first = see("甲", day=0)
    compare(first)
    second = see("乙", day=1)
    compare(see("丙", day=0, url="http://site.example/2"), url="http://site.example/2")
    assert unsettled(stores) == set()
    compare(second, is_killed=True)
    seen_only = version("丁", day=1, url="http://site.example/2")
    stores.pages.see_many([seen_only])
    assert unsettled(stores) == {second, seen_only.id}
    stores.pages.settle_remaining()
    assert unsettled(stores) == set()
    assert sorted(counted()[0]) == ["丁", "乙"]
    stores.pages.touch([first], scan_id="s9")
    assert unsettled(stores) == {first}
    stores.pages.settle_remaining()
    assert sorted(counted()[0]) == ["丁", "甲"]


def test_page_stored_while_being_settled_keeps_a_new_mark(stores, see, monkeypatch):
    see("甲", day=0)
    sighting, take = version("乙", day=1), Standings._remove_marks
    stores.pages.see_many([sighting])
    (mark,) = (row["unsettled"] for row in stores.database["pages"].find({"_id": sighting.id}))

    def overtaken(self, rows):
        stores.pages.see_many([sighting])
        take(self, rows)

    monkeypatch.setattr(Standings, "_remove_marks", overtaken)
    stores.pages.settle_remaining()
    assert unsettled(stores) == {sighting.id}
    assert stores.pages._pages.find_one({"_id": sighting.id})["unsettled"] != mark


def test_replaced_version_is_never_stale_whatever_the_last_writer(stores, see, compare):
    """A slow worker stores the corpus version with which it compared a replaced page."""
    first = see("甲", day=0)
    compare(first)
    compare(see("乙", day=1))
    pages = stores.database["pages"]
    for wrong in (
        {"corpus_version": 1},
        {"standing": "current"},
        {"standing": "last-text", "replaced": None},
    ):
        pages.update_one({"_id": first}, {"$set": wrong})
        stores.pages.settle([URL])
        stored = stores.pages.get(first)
        assert (stored.standing, stored.corpus_version) == ("replaced", NEVER_STALE)
    pages.update_one({"_id": first}, {"$set": {"state": "fetched"}})
    assert see("甲", day=2) == first
    assert stores.pages.get(first).corpus_version == -1


KILLED = """
import os, signal
from storage.collections import standings
from storage.collections.stores import open_stores
from storage.settings import load_settings

standings._changed_fields = lambda mark: os.kill(os.getpid(), signal.SIGKILL)
open_stores(load_settings().storage).pages.settle(["http://site.example/1"])
"""


def test_process_killed_between_matches_and_pages_is_completed_later(stores, settings, see, compare, counted):
    first = see("甲", day=0)
    compare(first)
    compare(see("乙", day=1), is_killed=True)
    killed = subprocess.run([sys.executable, "-c", KILLED], env=environment_of(settings), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert counted() == (["乙"], ["乙"])  # the matches were marked, …
    assert stores.pages.get(first).standing == "last-text"  # … and the version was not
    for _ in range(2):
        stores.pages.settle([URL])
        assert counted() == (["乙"], ["乙"])
        assert stores.pages.get(first).standing == "replaced"


def test_concurrent_processes_leave_a_single_current_version(stores, see, compare, counted):
    """The process that marks last has all versions, in any order of writes."""
    texts = ["甲", "乙", "丙"]
    for day, text in enumerate(texts):
        compare(see(text, day=day))
    errors = []

    def crawl(number):
        try:
            for day in range(10, 22):
                page = version(texts[(day + number) % 3], day=day, verdict="copy", state="compared")
                stores.pages.see_many([page])
                stores.pages.settle([URL])
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails
            errors.append(error)

    threads = [threading.Thread(target=crawl, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    pages, of_matches = counted()
    assert len(pages) == 1
    assert of_matches == pages


def test_worker_that_is_overtaken_while_it_marks_looks_again(stores, see, compare, counted, monkeypatch):
    first = see("甲", day=0)
    compare(first)
    second = see("乙", day=1)
    compare(second, is_killed=True)
    write, calls = Standings._write_marks, []

    def overtaken(self, marks):
        write(self, marks)
        if not calls:  # the first text is back, and marked so, just then
            calls.append(True)
            see("甲", day=2)
            stores.matches._matches.update_many({"page_id": second}, {"$set": {"replaced": None}})

    monkeypatch.setattr(Standings, "_write_marks", overtaken)
    stores.pages.settle([URL], compared=[second])
    assert counted() == (["甲"], ["甲"])


def test_current_records_are_queried_by_index(stores):
    def index_of(name, wanted):
        (index,) = indexes_of(stores.database[name].find(wanted).explain())
        return index

    assert index_of("pages", {"standing": "current"}).startswith("standing_1_verdict_1")
    of_case = {"work_id": 1, "site": "site.example", "replaced": None}
    assert index_of("matches", of_case) == "work_id_1_site_1_replaced_1"
    assert index_of("matches", {"work_id": 1, "replaced": None}).startswith("work_id_1_replaced_1")


@pytest.mark.db_admin
def test_versions_of_schema_3_are_marked_when_it_is_opened(stores, see, compare, counted):
    for day, text in enumerate(["甲", "乙", ""]):
        page_key = see(text, day=day)
        if text:
            compare(page_key)
    compare(see("丙", day=0, url="http://site.example/2"), url="http://site.example/2")
    marked = counted()
    assert sorted(marked[0]) == ["", "丙"]
    for name in ("pages", "matches"):
        stores.database.command("collMod", name, validationLevel="off")
        stores.database[name].update_many({}, {"$unset": {"standing": 1, "replaced": 1}})
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 3}})
    assert len(counted()[1]) == 3
    for _ in range(2):
        stores.ensure_schema()
        assert counted() == marked
