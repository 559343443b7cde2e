"""The rest of a stored page: kept up to date, compared again when it changes, judged, decided and counted."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.matches import match_with
from support.rulings import confirm, dismiss
from support.standing import current_pages, reopen_all
from support.strategies import story

from fingerprint.exact import letters_hash
from storage.collections.cases import case_id
from storage.collections.checked import CheckedCollection
from storage.collections.page_figures import PageScope
from storage.collections.pages import page_id
from storage.records import FREE, Page, RestPiece, Scan, UnreadFigures, utc_now
from system.errors import ServiceDown
from tracker.comparison import Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.review.decisions import reopen
from tracker.runtime import passage_reader
from tracker.scans import comparing
from tracker.scans.screening import Screening
from tracker.scans.tally import tally_scan

pytestmark = pytest.mark.services
TEXT, OTHER, ARTICLE = story(400, 1), story(400, 2), story(500, 3)
MENU = "首页\n我的书架\n阅读 1,024 次"
URL = "http://s.example/1"
OLD, NEW = utc_now() - timedelta(days=2), utc_now() - timedelta(days=1)


def page(rest="", *, text=ARTICLE, url=URL, seen=OLD, **fields):
    pieces = (RestPiece(start=0, end=len(rest), reason="hidden", place="body > div.a"),) if rest else ()
    return Page(
        id=page_id(url, text),
        url=url,
        host="s.example",
        source="x",
        text=text,
        content_hash=text,
        rest=rest,
        rest_pieces=pieces,
        **{"kind": "article", "first_seen": seen, "last_seen": seen, "fetched": seen, **fields},
    )


NAME = page().id


@pytest.fixture
def corpus(stores, guard, save_work):
    """A work that holds ``TEXT``."""
    assert index_works([save_work(1, {1: TEXT})], stores, guard.index())
    return Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS, decisions=stores.decisions)


@pytest.fixture
def see(stores):
    """A function that stores pages as a crawl does, and returns the only version of their address."""

    def store(*pages):
        stores.pages.see_many(pages)
        stores.pages.settle({own.url for own in pages})
        (version,) = stores.pages.versions(pages[-1].url)
        return version

    return store


@pytest.fixture
def compare(stores, corpus):
    """A function that compares all that waits, as a worker does; returns the page."""

    def compare_all(name=NAME):
        token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=60)
        lease = {"token": token, "lease_s": 60}
        screening = Screening(stores)
        for _ in comparing.compare_reserved(
            ids, stores, corpus, screening, **lease, is_stopping=lambda: False
        ):
            pass
        return stores.pages.get(name)

    return compare_all


@pytest.fixture
def begin(stores, corpus):
    """A function that takes and compares all that waits; returns another that stores what was found."""

    def take():
        token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=60)
        token, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        version = stores.versions.current_and_mark()
        texts = [comparing.LookedUpTexts.of(own) for own in pages]
        lookups = [comparing.PageLookup(own.article, own.candidates, *version, own.rest) for own in texts]
        compared = [
            comparing.compare_stored(own, lookup, corpus, None)
            for own, lookup in zip(pages, lookups, strict=True)
        ]

        def store():
            return list(comparing._store_results(compared, stores=stores, token=token, lease_s=60))

        return store

    return take


def found(stores, name=NAME):
    return [(match.part, match.verdict) for match in stores.matches.of_page(name)]


def test_new_rest_replaces_that_of_the_version_which_is_compared_again(stores, see, compare):
    first = see(page(MENU, snapshots=("a",)))
    assert compare().verdict == "clear"
    again = see(page(f"{MENU}\n{TEXT}", seen=NEW, snapshots=("b",), unread={"frames": 2}))
    assert (again.id, again.first_seen, again.last_seen) == (first.id, OLD, NEW)
    assert (again.rest, again.rest_pieces[0].end) == (f"{MENU}\n{TEXT}", len(again.rest))
    assert (again.snapshots, again.unread) == (("b",), {"frames": 2})
    assert (again.state, again.attempts, again.rest_hash) == ("fetched", 0, letters_hash(again.rest))
    now = compare()
    assert (now.state, now.verdict, now.rest_verdict, now.is_doubtful) == ("compared", "copy", "copy", True)
    assert found(stores) == [("rest", "copy")]


def test_match_is_removed_with_the_copy_in_the_rest(stores, see, compare):
    see(page(TEXT))
    compare()
    see(page(MENU, seen=NEW))
    assert found(stores) == [("rest", "copy")]  # until it is compared
    now = compare()
    assert (now.verdict, now.rest_verdict, now.is_doubtful, found(stores)) == ("clear", "clear", False, [])


def test_rest_of_the_same_letters_is_not_compared_again(see, compare):
    see(page(MENU, snapshots=("a",), unread={"scripts": 1}))
    compare()
    again = see(page(MENU.replace("1,024", "2,048"), seen=NEW, snapshots=("b",), unread={"scripts": 3}))
    assert (again.state, again.rest, again.snapshots) == ("compared", MENU, ("a",))
    assert (again.unread, again.last_seen) == ({"scripts": 3}, NEW)
    assert see(page(MENU, seen=NEW)).unread == {}


@pytest.mark.parametrize(("rest", "state"), [("", "compared"), (MENU, "fetched")])
def test_page_of_an_earlier_pindna_is_compared_again_only_with_a_rest(stores, see, compare, rest, state):
    see(page())
    compare()
    names = ("rest", "rest_pieces", "rest_hash", "unread", "rest_verdict", "is_doubtful")
    stores.database["pages"].update_one({"_id": NAME}, {"$unset": dict.fromkeys(names, "")})
    stored = stores.pages.get(NAME)
    assert (stored.rest, stored.unread, stored.rest_verdict) == ("", {}, None)
    assert see(page(rest, seen=NEW)).state == state


def test_removed_rest_is_compared_again(stores, see, compare):
    see(page(TEXT))
    compare()
    assert see(page(seen=NEW)).state == "fetched"
    assert (compare().verdict, found(stores)) == ("clear", [])


def test_comparison_of_an_old_rest_cannot_close_the_page(stores, see, begin, compare):
    see(page(TEXT))
    store = begin()
    see(page(f"{MENU}\n{OTHER}", seen=NEW))
    assert store() == []
    assert stores.pages.get(NAME).state == "fetched"
    assert (compare().verdict, found(stores)) == ("clear", [])


def test_late_matches_of_an_old_rest_are_replaced(stores, see, begin, compare, monkeypatch):
    """The worker loses its page after the lease check and overwrites the matches of the new rest."""
    see(page(TEXT))
    store, replace_for_pages = begin(), stores.matches.replace_for_pages

    def late(matches):
        monkeypatch.setattr(stores.matches, "replace_for_pages", replace_for_pages)
        see(page(f"{MENU}\n{OTHER}", seen=NEW))
        assert compare().verdict == "clear"
        replace_for_pages(matches)

    monkeypatch.setattr(stores.matches, "replace_for_pages", late)
    assert store() == []
    assert found(stores) == [("rest", "copy")]  # of the old rest
    reopen_all(stores)
    assert (compare().verdict, found(stores)) == ("clear", [])


def test_crawl_that_is_killed_between_its_writes_is_repeated(stores, see, compare, monkeypatch):
    see(page(MENU))
    compare()
    writes, bulk_write = [], CheckedCollection.bulk_write

    def fail(self, operations, **options):
        writes.append(operations)
        if len(writes) == 2:
            raise ServiceDown(service="MongoDB", address="-", problem="-")
        return bulk_write(self, operations, **options)

    monkeypatch.setattr(CheckedCollection, "bulk_write", fail)
    with pytest.raises(ServiceDown):
        see(page(TEXT, seen=NEW))
    monkeypatch.undo()
    assert stores.pages.get(NAME).rest == MENU
    assert see(page(TEXT, seen=NEW)).rest == TEXT
    assert (compare().verdict, found(stores)) == ("copy", [("rest", "copy")])


def test_page_of_a_killed_worker_is_compared_with_its_new_rest(stores, see, begin, compare):
    see(page(MENU))
    begin()
    see(page(TEXT, seen=NEW))
    assert stores.pages.get(NAME).lease == replace(FREE, until=stores.pages.get(NAME).lease.until)
    assert compare().verdict == "copy"


def test_failed_page_that_has_a_text_now_gets_its_rest(see, compare):
    see(page(MENU, state="failed", reason="incomplete", kind="incomplete"))
    again = see(page(TEXT, seen=NEW))
    assert (again.state, again.rest) == ("fetched", TEXT)
    assert compare().verdict == "copy"


def test_long_rest_of_a_long_text_is_cut_and_counted(see, monkeypatch):
    monkeypatch.setattr("storage.collections.pages.MAX_TEXT_CHARS", len(ARTICLE) + 100)
    stored = see(page(TEXT, unread={"limit": 5}))
    assert (len(stored.rest), stored.rest_pieces[0].end, stored.unread) == (100, 100, {"limit": 305})
    assert see(replace(stored, last_seen=NEW)).unread == {"limit": 305}


def test_passage_in_article_and_rest_has_two_matches(stores, see, compare):
    see(page(TEXT[200:], text=TEXT[:200]))
    name = page(text=TEXT[:200]).id
    compare(name)
    assert sorted(found(stores, name)) == [("article", "copy"), ("rest", "partial")]
    ids = sorted(match.id for match in stores.matches.of_page(name))
    assert ids == [f"{name}:1:novel", f"{name}:1:novel:rest"]
    case = refreshed(stores)
    assert (case.pages, case.passages, case.copied_chars) == (1, 1, 400)


def refreshed(stores):
    refresh_cases(stores, [(1, "s.example")])
    return stores.cases.get(case_id(1, "s.example"))


def test_match_in_the_rest_says_where_it_is(stores, see, compare):
    see(page(f"{MENU}\n{TEXT}", kind="thread"))
    compare()
    (match,) = stores.matches.of_page(NAME)
    stored = stores.pages.get(NAME)
    assert [(piece.reason, piece.place) for piece in match.found_in] == [("hidden", "body > div.a")]
    (span,) = match.spans
    assert stored.text_of(match.part)[span.page_start : span.page_end] == TEXT
    assert match.page_chars == len(stored.text) + len(stored.rest)
    assert match.posts == ()


def test_decision_on_a_match_in_the_rest_holds_through_every_comparison(stores, see, compare):
    see(page(TEXT))
    compare()
    (match,) = stores.matches.of_page(NAME)
    dismiss(match, stores, reason="授权转载", by="lin")
    stored = stores.pages.get(NAME)
    assert (stored.verdict, stored.rest_verdict, stored.is_doubtful) == ("clear", "clear", False)
    assert refreshed(stores).state == "dismissed"
    reopen_all(stores)
    now = compare()
    assert (now.state, now.verdict, found(stores)) == ("compared", "clear", [("rest", "copy")])
    see(page(f"{MENU}\n{TEXT}", seen=NEW))
    assert compare().verdict == "clear"
    (match,) = stores.matches.of_page(NAME)
    assert match.review == "dismissed"
    reopen(match, stores, by="lin")
    reopen_all(stores)
    now = compare()
    assert (now.verdict, now.rest_verdict, now.is_doubtful) == ("copy", "copy", True)
    (match,) = stores.matches.of_page(NAME)
    confirm(match, stores, by="lin")
    assert refreshed(stores).state == "confirmed"


def test_dismissing_the_article_leaves_the_verdict_of_the_rest(stores, see, compare, guard, save_work):
    assert index_works([save_work(2, {2: OTHER})], stores, guard.index())
    see(page(OTHER[:300], text=TEXT))
    name = page(text=TEXT).id
    before = compare(name)
    assert (before.verdict, before.rest_verdict, before.is_doubtful) == ("copy", "partial", False)
    (match,) = [match for match in stores.matches.of_page(name) if match.part == "article"]
    dismiss(match, stores, reason="授权转载")
    left = stores.pages.get(name)
    assert (left.verdict, left.rest_verdict, left.is_doubtful) == ("partial", "partial", True)
    assert (left.coverage, left.copied_chars) == (0.0, 0)
    reopen_all(stores)
    again = compare(name)
    assert (again.verdict, again.is_doubtful, again.coverage) == ("partial", True, 0.0)


def test_later_work_matches_the_rest_of_stored_pages(stores, see, compare, guard, save_work):
    see(page(OTHER))
    other = "http://s.example/2"
    see(page(MENU, url=other))
    compare()
    assert index_works([save_work(2, {2: OTHER})], stores, guard.index())
    reopen_all(stores)
    now = compare()
    assert (now.verdict, now.is_doubtful, found(stores)) == ("copy", True, [("rest", "copy")])
    assert stores.pages.get(page(url=other).id).corpus_version == stores.versions.current()


def test_background_of_the_rest_is_stored_as_such(stores, see, compare, guard, save_work):
    assert index_works([save_work(2, {2: OTHER}, role="background")], stores, guard.index())
    see(page(OTHER))
    now = compare()
    assert (now.verdict, [own.part for own in now.background]) == ("clear", ["rest"])


def test_page_without_an_article_is_compared_by_its_rest(stores, see, compare):
    see(page(TEXT, text=""))
    now = compare(page(text="").id)
    assert (now.state, now.verdict, now.is_doubtful) == ("compared", "copy", True)
    assert [own.url for own in current_pages(stores)] == [URL]


def test_unread_content_is_summed_alike_everywhere(stores, see, compare):
    scan = Scan(id="s1", trigger="hand", sources=("x",), started=OLD)
    stores.scans.open(scan)
    kept = {"scan_id": "s1"}
    see(page(MENU, unread={"frames": 2, "images": 1}, **kept))
    see(page(url="http://s.example/2", unread={"limit": 900, "frames": 1}, **kept))
    see(page(url="http://s.example/3", **kept))
    see(
        page(
            url="http://s.example/4", text="", state="failed", reason="blocked", unread={"blocked": 1}, **kept
        )
    )
    compare()
    sums = UnreadFigures(pages=2, amounts={"frames": 3, "images": 1, "limit": 900})
    assert tally_scan(scan, stores).unread == sums
    assert stores.page_figures.unread(PageScope(scan_id="s1")) == sums
    assert stores.page_figures.unread(PageScope()) == sums
    assert stores.page_figures.unread(PageScope(scan_id="s2")) == UnreadFigures()
    incomplete = {own.url: own.unread for own in stores.page_figures.incomplete(PageScope())}
    assert incomplete == {URL: {"frames": 2, "images": 1}, "http://s.example/2": {"frames": 1, "limit": 900}}
    closed = replace(scan, status="finished", unread=sums)
    assert stores.scans.finish(closed)
    assert stores.scans.get("s1").unread == sums


def test_match_without_a_stored_region_is_in_the_article(stores):
    stores.matches.replace_for_pages({"p": [match_with(page_id="p")]})
    stores.database["matches"].update_many({}, {"$unset": {"part": "", "found_in": ""}})
    (match,) = stores.matches.of_page("p")
    assert (match.part, match.found_in) == ("article", ())
