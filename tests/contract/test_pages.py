"""Stored pages: versions, changes by a new sight, and new comparisons."""

import dataclasses
from datetime import timedelta

import pytest
from support.standing import current_pages, reopen_all

from storage.collections.pages import page_id
from storage.records import FREE, Page, PageResult, utc_now

pytestmark = pytest.mark.services
URL = "http://site.example/1"


def page(text="青灯", *, state="fetched", **fields):
    content = f"hash of {text}" if text else ""
    seen = fields.pop("seen", utc_now())
    return Page(
        id=page_id(URL, content),
        **{
            "url": URL,
            "host": "site.example",
            "source": "portal",
            "kind": "article" if text else "error",
            "text": text,
            "content_hash": content,
            "state": state,
            "first_seen": seen,
            "last_seen": seen,
            **fields,
        },
    )


@pytest.fixture
def compare_page(stores, taken):
    """A function that brings a waiting page through a comparison."""

    def compare(waiting, version=1, **fields):
        result = {"verdict": "copy", "coverage": 0.9, "copied_chars": 2, "low_confidence": True, **fields}
        results = [(waiting, PageResult(unaligned=3, **result))]
        token = taken(waiting.id)
        list(stores.pages.mark_compared(results, token=token, corpus_version=version))

    return compare


@pytest.fixture
def fail_page(stores, taken):
    """A function that lets the comparison of a waiting page fail."""

    def fail(failed_page, reason):
        stores.pages.mark_failed(failed_page.id, token=taken(failed_page.id), reason=reason)

    return fail


def test_new_page_waits(stores):
    one = page()
    assert stores.pages.see_many([one]) == [True]
    assert stores.pages.get(one.id) == one
    assert stores.pages.waiting("") == 1


def test_unchanged_text_keeps_its_comparison(stores, compare_page):
    first, later = page(scan_id="s1", etag="a"), utc_now() + timedelta(hours=1)
    stores.pages.see_many([first])
    compare_page(first)
    again = page(scan_id="s2", etag="b", last_modified="today", seen=later, title="another title")
    assert stores.pages.see_many([again]) == [False]
    stored = stores.pages.get(first.id)
    assert (stored.state, stored.verdict, stored.copied_chars) == ("compared", "copy", 2)
    assert (stored.first_seen, stored.last_seen, stored.scan_id) == (first.first_seen, later, "s2")
    assert (stored.etag, stored.last_modified, stored.title) == ("b", "today", "")
    assert stores.pages.waiting("s2") == 0


def test_changed_text_is_a_new_version(stores, compare_page):
    old, new = page(seen=utc_now()), page("青灯改", seen=utc_now() + timedelta(hours=1))
    assert stores.pages.see_many([old]) == [True]
    compare_page(old)
    assert stores.pages.see_many([new]) == [True]
    assert {row.id: row.state for row in stores.pages.all()} == {
        old.id: "compared",
        new.id: "fetched",
    }
    assert [version.id for version in stores.pages.versions(URL)] == [new.id, old.id]


def marked(stores):
    """The texts of the versions whose address is not settled yet."""
    return {row["text"] for row in stores.database["pages"].find({"unsettled": {"$gt": ""}})}


def test_address_with_several_versions_is_marked_for_settling(stores):
    stores.pages.see_many([page()])
    assert marked(stores) == set()
    stores.pages.see_many([page("青灯改", seen=utc_now() + timedelta(hours=1))])
    assert marked(stores) == {"青灯改"}
    stores.pages.settle([URL])
    assert marked(stores) == set()


def test_two_versions_of_an_address_stored_together_are_marked(stores):
    stores.pages.see_many([page(), page("青灯改", seen=utc_now() + timedelta(hours=1))])
    assert marked(stores) == {"青灯", "青灯改"}


def test_replaced_version_that_returns_is_marked(stores):
    old, new = page(), page("青灯改", seen=utc_now() + timedelta(hours=1))
    stores.pages.see_many([old])
    stores.pages.see_many([new])
    stores.pages.settle([URL])
    stores.pages.touch([new.id], scan_id="s2")
    assert marked(stores) == set()
    stores.pages.touch([old.id, new.id], scan_id="s3")
    assert marked(stores) == {"青灯"}
    assert {row.scan_id for row in stores.pages.all()} == {"s3"}


def test_returning_text_is_the_same_version_and_the_newest_comes_first(stores):
    start = utc_now()
    for hours, text in enumerate(["青灯", "青灯改", "青灯"]):
        stores.pages.see_many([page(text, seen=start + timedelta(hours=hours))])
    assert [version.text for version in stores.pages.versions(URL)] == ["青灯", "青灯改"]
    assert len(list(stores.pages.all())) == 2


def test_failure_has_the_newest_reason_and_hides_no_text(stores):
    stores.pages.see_many([page()])
    failed = page("", state="failed", reason="timeout", status=0)
    assert stores.pages.see_many([failed]) == [True]
    later = utc_now() + timedelta(hours=2)
    blocked = page("", state="failed", reason="blocked", status=403, kind="blocked", seen=later)
    assert stores.pages.see_many([blocked]) == [False]
    stored = stores.pages.get(failed.id)
    assert (stored.state, stored.reason, stored.status, stored.kind) == ("failed", "blocked", 403, "blocked")
    assert (stored.first_seen, stored.last_seen) == (failed.first_seen, later)
    assert [version.text for version in stores.pages.versions(URL)] == ["", "青灯"]


def test_failure_is_forgotten_once_the_address_answered_as_a_list(stores):
    """A report called the index of a source unread although a later scan had read it."""
    stores.pages.see_many([page("", state="failed", reason="inner-address", status=0)])
    stores.pages.settle([URL])
    assert [current.reason for current in current_pages(stores)] == ["inner-address"]
    stores.pages.forget_failures([URL])
    assert current_pages(stores) == []


def test_text_counts_again_once_a_failure_is_forgotten(stores, compare_page):
    text = page()
    stores.pages.see_many([text])
    compare_page(text)
    later = utc_now() + timedelta(hours=1)
    stores.pages.see_many([page("", state="failed", reason="timeout", status=0, seen=later)])
    stores.pages.settle([URL])
    stores.pages.forget_failures([URL])
    assert [(current.id, current.state) for current in current_pages(stores)] == [(text.id, "compared")]


def test_unknown_address_has_no_versions(stores):
    stores.pages.see_many([page()])
    assert stores.pages.versions("http://other/") == []
    assert stores.pages.get("nothing") is None


def test_not_modified_moves_the_last_sight_only(stores, compare_page):
    one, other = page(scan_id="s1"), dataclasses.replace(page(scan_id="s1"), id="other")
    stores.pages.see_many([one])
    stores.pages.see_many([other])
    compare_page(one)
    stores.pages.touch([one.id, "unknown"], scan_id="s2")
    stored = stores.pages.get(one.id)
    assert (stored.scan_id, stored.state, stored.first_seen) == ("s2", "compared", one.first_seen)
    assert stored.last_seen >= one.last_seen
    assert stores.pages.get("other").scan_id == "s1"
    assert stores.pages.get("unknown") is None


def test_comparison_is_stored_whole(stores, compare_page):
    one = page()
    stores.pages.see_many([one])
    compare_page(one, version=7)
    stored = stores.pages.get(one.id)
    assert (stored.state, stored.corpus_version, stored.verdict) == ("compared", 7, "copy")
    assert (stored.coverage, stored.copied_chars, stored.low_confidence) == (0.9, 2, True)
    assert stored.unaligned == 3
    assert stored.lease == FREE


def test_only_pages_of_an_older_corpus_are_reopened(stores, compare_page, fail_page):
    pages = [dataclasses.replace(page(), id=f"p{number}", scan_id="old") for number in range(4)]
    for row in pages:
        stores.pages.see_many([row])
    for version, row in enumerate(pages[:3]):
        compare_page(row, version=version)
    fail_page(pages[3], "obfuscated")
    assert stores.pages.stale.count(corpus_version=2) == 2
    assert reopen_all(stores, corpus_version=2, scan_id="new") == 2
    assert {row.id: row.state for row in stores.pages.all()} == {
        "p0": "fetched",
        "p1": "fetched",
        "p2": "compared",
        "p3": "failed",
    }
    assert stores.pages.waiting("new") == 2
    assert reopen_all(stores, corpus_version=2) == 0


@pytest.mark.parametrize("kind", ["article", "chapter"])
def test_list_that_becomes_an_article_waits_for_comparison(stores, kind):
    """The same text was stored as a list; a newer pindna or another source reads it as an article."""
    stores.pages.see_many([page(kind="list", state="failed", reason="list")])
    assert stores.pages.waiting("") == 0
    assert stores.pages.see_many([page(kind=kind, scan_id="s2")]) == [False]
    (stored,) = stores.pages.get_many([page().id]).values()
    assert (stored.state, stored.kind, stored.reason, stored.attempts) == ("fetched", kind, "", 0)
    assert stores.pages.waiting("s2") == 1


def test_article_that_is_now_a_list_is_stored_with_its_reason(stores, compare_page):
    stores.pages.see_many([page()])
    compare_page(page())
    stores.pages.see_many([page(kind="list", state="failed", reason="list")])
    stored = stores.pages.get(page().id)
    assert (stored.state, stored.kind, stored.reason) == ("failed", "list", "list")


@pytest.mark.parametrize(
    ("reason", "again"),
    [("internal-error", 1), ("gave-up", 1), ("obfuscated", 0), ("timeout", 0), ("list", 0)],
)
def test_interrupted_comparison_is_retried_and_a_page_without_text_is_not(stores, fail_page, reason, again):
    one = page(scan_id="old")
    stores.pages.see_many([one])
    fail_page(one, reason)
    assert stores.pages.stale.count(corpus_version=0) == again
    assert reopen_all(stores, corpus_version=0, scan_id="new") == again
    stored = stores.pages.get(one.id)
    if again:
        assert (stored.state, stored.reason, stored.attempts, stored.lease) == ("fetched", "", 0, FREE)
        assert stored.scan_id == "new"
    else:
        assert (stored.state, stored.reason, stored.scan_id) == ("failed", reason, "old")


def test_reopening_leaves_the_pages_of_a_running_scan_in_it(stores, compare_page):
    """That scan waits for these pages; without them it would close too early."""
    pages = [dataclasses.replace(page(), id=scan, scan_id=scan) for scan in ("running", "closed")]
    for row in pages:
        stores.pages.see_many([row])
        compare_page(row, version=1)
    assert reopen_all(stores, corpus_version=2, scan_id="new", running=["running", "other"]) == 2
    assert {row.id: row.scan_id for row in stores.pages.all()} == {
        "running": "running",
        "closed": "new",
    }
    assert (stores.pages.waiting("running"), stores.pages.waiting("new")) == (1, 1)


def test_worker_without_a_valid_lease_stores_nothing(stores, taken):
    """A slow worker finds that another worker has the page or has finished it."""
    one = page()
    stores.pages.see_many([one])
    slow = taken(one.id, lease_s=-1)
    quick = taken(one.id)
    result = {"coverage": 0.9, "copied_chars": 2, "low_confidence": True, "unaligned": 0}
    for _ in range(2):
        assert not stores.pages.renew([one.id], token=slow, lease_s=60)
        before = stores.pages.get(one.id)
        late = [(one, PageResult(verdict="clear", **result))]
        list(stores.pages.mark_compared(late, token=slow, corpus_version=1))
        stores.pages.mark_failed(one.id, token=slow, reason="internal-error")
        assert stores.pages.get(one.id) == before
        first = [(one, PageResult(verdict="copy", **result))]
        list(stores.pages.mark_compared(first, token=quick, corpus_version=2))
    assert (before.state, before.verdict, before.corpus_version) == ("compared", "copy", 2)


def test_lists_omit_the_texts(stores):
    stores.pages.see_many([page(scan_id="s1")])
    stores.pages.see_many([dataclasses.replace(page(scan_id="s2"), id="other")])
    assert [row.text for row in stores.pages.all()] == ["", ""]
    assert [(row.id, row.text) for row in stores.pages.of_scan("s2")] == [("other", "")]
    assert stores.pages.get_many(["other", "none"])["other"].text == "青灯"
