"""What texts are here for: background texts own nothing, and a role may change later."""

import pytest
from support.cases import live_cases
from support.compared import compare_page
from support.loading import CHAPTERS, NOBODY, raw, stored_corpus
from support.standing import reopen_all
from support.strategies import story

from storage.records import Decision, Page
from storage.settings import TrackerSettings
from system.errors import UnknownRecord
from tracker.comparison import Corpus
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.editions import link_edition, resemblances
from tracker.corpus.loading import Terms
from tracker.corpus.regrouping import merge_works, split_work
from tracker.corpus.removal import remove_work, restore_work
from tracker.corpus.roles import BackgroundText, DifferentRoles, find_owned, set_role
from tracker.indexing.guard import IndexGuard
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.runtime import passage_reader
from tracker.scans.scanning import NothingToCompareWith, start_scan
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
BACKGROUND = Terms(role="background")
STATUTE = story(500, 40)
REVIEW = ChapterSection("", story(300, 41) + STATUTE)
PAGE = story(200, 42) + STATUTE + story(200, 43)


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


def now(corpus, *works):
    stored = corpus.stores.works.get_many([work.id for work in works])
    return [stored[work.id] for work in works]


@pytest.fixture
def scan(corpus, taken):
    """Compare the pages that wait as a scan does; returns the page and its matches."""
    stores = corpus.stores
    page = Page(
        id="p", url="http://copy.example/1", host="copy.example", source="x", kind="article", text=PAGE
    )
    stores.pages.see_many([page])

    def compare_stale():
        reopen_all(stores)
        if stores.pages.get("p").state == "fetched":
            mother = Corpus(passage_reader(stores), corpus.index, DEFAULT_PARAMS)
            whole, screening = stores.pages.get("p"), Screening(stores)
            assert compare_page(whole, stores, mother, token=taken("p"), lease_s=60, screening=screening)
        matches = stores.matches.of_page("p")
        refresh_cases(stores, {(match.work_id, match.site) for match in matches})
        return stores.pages.get("p"), matches

    return compare_stale


def cases(corpus):
    return [(case.work_title, case.number) for case in live_cases(corpus.stores)]


def test_works_of_earlier_versions_are_protected(corpus):
    _, work = corpus.load(raw())
    corpus.stores.database["works"].update_many({}, {"$unset": {"role": ""}})
    (stored,) = now(corpus, work)
    assert (stored.role, stored.is_owned) == ("protected", True)
    corpus.index_all()
    assert corpus.stores.works.count_owned("indexed") == 1


def test_background_text_changes_the_verdict_of_stored_pages_and_back(corpus, scan):
    corpus.load(raw(REVIEW, title="述评", kind="news"))
    corpus.index_all()
    page, (match,) = scan()
    before = page.verdict
    assert before in ("copy", "partial")
    assert (match.verdict, match.common) == (before, ())
    _, statute = corpus.load(raw(ChapterSection("", STATUTE), title="法条"), BACKGROUND)
    corpus.index_all()
    page, (match,) = scan()
    assert (page.verdict, page.coverage, match.verdict) == ("common", 0.0, "common")
    (held,) = page.background
    assert (held.work, held.work_id, held.chars) == ("法条", statute.id, 500)
    remove_work("法条", corpus.stores, corpus.index)
    page, (match,) = scan()
    assert (page.verdict, match.verdict, page.background) == (before, before, ())


def test_stored_page_is_judged_again_when_a_background_text_changes(corpus, scan):
    corpus.load(raw(REVIEW, title="述评", kind="news"))
    corpus.load(
        raw(ChapterSection("", STATUTE), ChapterSection("", story(300, 70)), title="法条"), BACKGROUND
    )
    corpus.index_all()
    assert scan()[0].verdict == "common"
    corpus.load(raw(ChapterSection("", story(300, 70)), title="法条"))
    corpus.index_all()
    page, (match,) = scan()
    assert (page.background, match.common) == ((), ())
    assert page.verdict != "common"


def test_findings_of_a_work_are_set_aside_while_it_is_background(corpus, scan):
    """Decisions and the numbers of matches and cases are restored with it."""
    _, work = corpus.load(raw(ChapterSection("", STATUTE), title="法条"))
    corpus.index_all()
    _, (match,) = scan()
    told, stored = cases(corpus), now(corpus, work)[0]
    decision = Decision(
        id="d",
        site="copy.example",
        work_id=work.id,
        work_title="法条",
        passage_id=match.passage_id,
        passage_sha256="other",
        passage_title="",
        start=0,
        end=9,
        state="dismissed",
        because="引用",
    )
    corpus.stores.decisions.save_many([decision])
    set_role(stored, "background", corpus.stores)
    assert corpus.stores.matches.of_page("p") == cases(corpus) == []
    assert corpus.stores.decisions.on_passages([match.passage_id]) == []
    page, matches = scan()
    assert (page.verdict, matches, cases(corpus)) == ("common", [], [])
    assert [held.work for held in page.background] == ["法条"]
    set_role(now(corpus, work)[0], "protected", corpus.stores)
    page, (again,) = scan()
    assert (page.verdict, page.background) == (match.verdict, ())
    assert (again.number, cases(corpus)) == (match.number, told)
    assert [kept.id for kept in corpus.stores.decisions.on_passages([match.passage_id])] == ["d"]


def test_background_text_that_is_removed_and_restored_stays_background(corpus, scan):
    _, work = corpus.load(raw(ChapterSection("", STATUTE), title="法条"))
    corpus.index_all()
    scan()
    set_role(now(corpus, work)[0], "background", corpus.stores)
    remove_work("法条", corpus.stores, corpus.index)
    restore_work("法条", corpus.stores, corpus.index)
    corpus.index_all()
    assert now(corpus, work)[0].role == "background"
    assert corpus.stores.matches.of_page("p") == cases(corpus) == []


def test_adding_again_changes_the_role_and_silence_does_not(corpus):
    _, work = corpus.load(raw(), Terms(role="earlier"))
    assert work.role == "earlier"
    corpus.index_all()
    before = now(corpus, work)[0].indexed_version
    assert corpus.load(raw())[0] == "unchanged"
    assert (now(corpus, work)[0].role, now(corpus, work)[0].indexed_version) == ("earlier", before)
    outcome, again = corpus.load(raw(), BACKGROUND)
    assert (outcome, again.role, now(corpus, work)[0].role) == ("unchanged", "background", "background")
    assert now(corpus, work)[0].indexed_version > before
    outcome, again = corpus.load(raw(*CHAPTERS[:3]), Terms(role="protected"))
    assert (outcome, again.role, now(corpus, work)[0].role) == ("changed", "protected", "protected")


def test_background_text_does_not_make_two_works_editions(corpus):
    """Two notices based on one template are two works."""
    notices = [
        raw(ChapterSection("", story(30, n) + STATUTE), title=f"通知{n}", kind="news") for n in (50, 51)
    ]
    works = [corpus.load(notice)[1] for notice in notices]
    corpus.index_all()
    assert len(list(resemblances(works, corpus.stores, corpus.index, DEFAULT_PARAMS))) == 1
    corpus.load(raw(ChapterSection("", STATUTE), title="法条"), BACKGROUND)
    corpus.index_all()
    assert list(resemblances(works, corpus.stores, corpus.index, DEFAULT_PARAMS)) == []


def test_works_of_different_roles_are_never_joined(corpus):
    _, classic = corpus.load(raw(title="古文"), BACKGROUND)
    _, edition = corpus.load(raw(title="新注", origin="新注.txt"))
    corpus.index_all()
    assert list(resemblances([edition], corpus.stores, corpus.index, DEFAULT_PARAMS)) == []
    classic, edition = now(corpus, classic, edition)
    with pytest.raises(DifferentRoles):
        link_edition(edition, classic, corpus.stores)
    with pytest.raises(DifferentRoles):
        merge_works([classic, edition], "合集", corpus.stores)
    with pytest.raises(BackgroundText):
        find_owned("古文", corpus.stores)
    with pytest.raises(UnknownRecord):
        find_owned("无此书", corpus.stores)
    part = split_work(classic, "古文上", [1], corpus.stores)
    assert part.role == "background"


def test_editions_share_a_role(corpus):
    _, first = corpus.load(raw(title="甲本"))
    _, second = corpus.load(raw(title="乙本", origin="乙.txt"))
    link_edition(*reversed(now(corpus, first, second)), corpus.stores)
    set_role(now(corpus, second)[0], "earlier", corpus.stores)
    assert {work.role for work in now(corpus, first, second)} == {"earlier"}


class Killed(Exception):
    """The process ends here."""


def killed(*_arguments, **_options):
    raise Killed


@pytest.mark.parametrize(
    "step", ["versions.raise_version", "removed.archive_findings", "works.record_changes"]
)
def test_change_of_role_that_is_killed_is_finished_by_the_next_scan(
    corpus, scan, redis_client, monkeypatch, step
):
    """All editions of the book have the new role at once."""
    _, first = corpus.load(raw(ChapterSection("", STATUTE), title="法条"))
    _, second = corpus.load(raw(ChapterSection("", STATUTE + "附则"), title="法条新编", origin="乙.txt"))
    link_edition(*reversed(now(corpus, first, second)), corpus.stores)
    corpus.load(raw(REVIEW, title="述评", kind="news"))
    corpus.index_all()
    assert scan()[1]
    with monkeypatch.context() as patch:
        store, method = step.split(".")
        patch.setattr(getattr(corpus.stores, store), method, killed)
        with pytest.raises(Killed):
            set_role(now(corpus, second)[0], "background", corpus.stores)
    assert {work.role for work in now(corpus, first, second)} == {"background"}
    start_scan(
        corpus.stores, IndexGuard(corpus.stores, redis_client), TrackerSettings(), sources=[], trigger="hand"
    )
    assert corpus.stores.works.unfinished() == []
    reopen_all(corpus.stores)
    assert corpus.stores.pages.get("p").state == "fetched"
    page, matches = scan()
    assert (page.verdict, {match.work_title for match in matches}) == ("common", {"述评"})
    assert {title for title, _ in cases(corpus)} == {"述评"}
    assert {held.work for held in page.background} & {"法条", "法条新编"}


def test_role_that_a_work_has_changes_nothing(corpus):
    _, work = corpus.load(raw())
    corpus.index_all()
    version = corpus.stores.versions.current()
    set_role(now(corpus, work)[0], "protected", corpus.stores)
    assert corpus.stores.versions.current() == version


def test_with_background_texts_alone_there_is_nothing_to_compare_with(corpus, redis_client):
    corpus.load(raw(), BACKGROUND)
    corpus.index_all()
    guard = IndexGuard(corpus.stores, redis_client)
    with pytest.raises(NothingToCompareWith):
        start_scan(corpus.stores, guard, TrackerSettings(), sources=[], trigger="hand")
    corpus.load(raw(title="另书", origin="o"), NOBODY)
    corpus.index_all()
    assert corpus.stores.works.count_owned("indexed") == 1
    assert start_scan(corpus.stores, guard, TrackerSettings(), sources=[], trigger="hand").id
