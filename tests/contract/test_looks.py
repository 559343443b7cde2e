"""Looks are stored in the same repeatable step as the page, so each is stored once after any kill."""

from dataclasses import replace

import pytest
from support.crawl_parts import URL, memory_job
from support.matches import match_with

from crawler.pages.outcomes import FetchedPart, Text
from crawler.pages.page_records import PageRecord
from crawler.pages.reading import failed_outcome
from crawler.pages.storing import store_outcomes
from fingerprint.exact import letters_hash
from storage.collections.pages import page_id
from storage.collections.visits import VisitStore
from storage.records import Page, RestPiece, Scan, Span, TextPart, utc_now
from system.errors import ServiceDown
from system.sites import site_of
from tracker.scans.looks import count_looks

pytestmark = pytest.mark.services
COPY = "渡口的灯在雨里亮了一夜，没有人来。问津把船拴在桩上，听见江心传来一声锣。"
OTHER = "候鸟从北方的湿地启程，沿着河谷一路向南，护林员在瞭望塔上记下它们经过的时间。"


def text(content, url=URL):
    page = Page(
        id=page_id(url, content),
        url=url,
        host="site.example",
        source="a",
        kind="article",
        text=content,
        content_hash=content,
    )
    return Text(PageRecord(page), url, (FetchedPart(TextPart(url=url, sha256=content), None),))


def missing(url=URL):
    return failed_outcome(url, source="a", scan_id="s1", reason="http-404", status=404)


@pytest.fixture
def store(stores):
    """A function that stores outcomes in a scan; it may be killed before it stores the visits."""

    def run(scan, *outcomes, is_killed=False):
        job = memory_job(stores=stores)
        job.scan_id = scan
        with pytest.MonkeyPatch.context() as patch:
            if is_killed:
                patch.setattr(VisitStore, "save_many", raise_down)
                with pytest.raises(ServiceDown):
                    store_outcomes(job, outcomes)
                return []
            return store_outcomes(job, outcomes)

    return run


def raise_down(*_):
    raise ServiceDown(service="MongoDB", address="x", problem="no connection")


def add_match(stores, content=COPY, url=URL, **fields):
    page = page_id(url, content)
    match = match_with(id=f"{page}:1:novel", page_id=page, url=url, site=site_of(url), **fields)
    stores.matches.replace_for_pages({page: [match]})


def seen(stores, url=URL):
    return [(look.scan_id, look.state) for look in stores.looks.of_url(url)]


def test_address_without_a_match_gets_no_look(stores, store):
    (counts,) = store("s1", text(COPY))
    assert seen(stores) == []
    assert not [name for name in counts if name.startswith("look:")]
    assert stores.visits.get(URL).presence.state == "up"
    store("s2", missing())
    assert seen(stores) == []
    assert stores.visits.get(URL).presence.state == "gone"  # known, should it turn out to have had a match


def test_text_that_still_has_the_copied_stretches_is_up(stores, store):
    store("s1", text(COPY))
    span = Span(
        page_start=0, page_end=len(COPY), passage_start=0, passage_end=9, char_identity=1, sound_identity=1
    )
    add_match(stores, spans=(span,))
    store("s2", text(f"本站首发！{COPY}"))
    assert seen(stores) == [("s2", "up")]


@pytest.mark.parametrize(
    ("outcome", "state"), [(missing(), "gone"), (text(OTHER), "changed"), (text(COPY), "up")]
)
def test_crawl_killed_before_its_last_write_stores_the_same_look_once(stores, store, outcome, state):
    store("s1", text(COPY))
    add_match(stores)
    store("s2", outcome, is_killed=True)
    (look,) = stores.looks.of_url(URL)
    assert look.state == state
    assert stores.visits.get(URL).presence.state == "up"  # unchanged
    (counts,) = store("s2", outcome)
    assert stores.looks.of_url(URL) == [look]
    assert counts[f"look:{state}"] == 1
    store("s2", outcome)  # killed after all writes, before the entry ended
    assert seen(stores) == [("s2", state)]


def test_text_that_came_before_and_comes_back_is_a_look_too(stores, store):
    """The older version is current again as soon as it is stored; both matches still count."""
    for content in (COPY, OTHER):
        store("s1", text(content))
        add_match(stores, content)
        stores.database["pages"].update_many({}, {"$set": {"verdict": "copy", "state": "compared"}})
    store("s2", text(COPY))
    assert seen(stores)[-1] == ("s2", "changed")


def test_presences_are_listed_by_version(stores, store):
    store("s1", text(COPY))
    old, new = page_id(URL, COPY), page_id(URL, OTHER)
    add_match(stores)
    store("s2", text(OTHER))
    presences = stores.visits.presences_of([(URL, old), (URL, new), ("http://never.example/", "x")])
    assert {page: presence.state for page, presence in presences.items()} == {old: "changed", new: "up"}


def test_every_address_with_a_match_counts_as_a_look_or_unvisited(stores, store):
    urls = [f"http://site.example/{number}" for number in range(5)]
    for url in urls:
        store("s1", text(COPY, url))
        add_match(stores, url=url)
    scan = Scan(id="s2", trigger="schedule", sources=("a", "none"), started=utc_now())
    store("s2", text(COPY, urls[0]), missing(urls[1]))
    counts = count_looks(scan, stores)
    assert counts == {"look:up": 1, "look:gone": 1, "look:left": 3}


def with_rest(content, rest, body):
    """Return the answer for a page whose rest has one piece."""
    outcome = text(content)
    pieces = (RestPiece(start=0, end=len(rest), reason="outside", place="body > div"),) if rest else ()
    page = replace(outcome.record.page, rest=rest, rest_pieces=pieces, rest_hash=letters_hash(rest))
    return replace(
        outcome, record=PageRecord(page), fetched=(FetchedPart(TextPart(url=URL, sha256=body), None),)
    )


def whole_span(stretch):
    return Span(
        page_start=0, page_end=len(stretch), passage_start=0, passage_end=9, char_identity=1, sound_identity=1
    )


def test_page_whose_rest_lost_the_copy_is_changed_and_not_gone(stores, store):
    store("s1", with_rest(OTHER, COPY, "body 1"))
    add_match(stores, OTHER, part="rest", spans=(whole_span(COPY),))
    store("s2", with_rest(OTHER, f"首页 排行\n{COPY}", "body 2"))
    store("s3", with_rest(OTHER, "首页 排行", "body 3"))
    assert seen(stores) == [("s2", "up"), ("s3", "changed")]
    assert stores.visits.get(URL).state == "there"
    assert not [event for event in stores.page_events.of_scan("s3") if event.kind == "gone"]


def test_another_article_with_the_copy_in_its_rest_is_up(stores, store):
    store("s1", with_rest(OTHER, COPY, "body 1"))
    add_match(stores, OTHER, part="rest", spans=(whole_span(COPY),))
    store("s2", with_rest(f"今天{OTHER}又到了。", COPY, "body 2"))
    assert seen(stores) == [("s2", "up")]


def test_copy_that_moved_from_the_article_to_the_rest_is_up(stores, store):
    store("s1", text(COPY))
    add_match(stores, spans=(whole_span(COPY),))
    store("s2", with_rest(OTHER, COPY, "body 2"))
    assert seen(stores) == [("s2", "up")]


def test_copy_in_the_article_is_up_regardless_of_the_rest(stores, store):
    store("s1", with_rest(COPY, OTHER, "body 1"))
    add_match(stores, spans=(whole_span(COPY),))
    page = page_id(URL, COPY)
    of_rest = match_with(id="of the rest", page_id=page, url=URL, part="rest", spans=(whole_span(OTHER),))
    stores.matches.replace_for_pages({page: [*stores.matches.of_page(page), of_rest]})
    store("s2", with_rest(COPY, "", "body 2"))
    assert seen(stores) == [("s2", "up")]


@pytest.mark.parametrize("kind", ["blocked", "incomplete", "obfuscated"])
def test_partially_read_page_keeps_earlier_findings(stores, store, kind):
    store("s1", text(COPY))
    add_match(stores)
    wall = text(OTHER)
    store("s2", replace(wall, record=PageRecord(replace(wall.record.page, kind=kind))))
    standings = {page.text: (page.state, page.standing) for page in stores.pages.versions(URL)}
    assert standings[OTHER] == ("fetched", "current")
    assert stores.visits.get(URL).page_id == page_id(URL, COPY)
    assert [state for _, state in seen(stores)] in (["restricted"], ["unreachable"])
