"""What an analyst says of matches outlives them, and is held against pages that come later."""

import pytest
from support.strategies import story

from storage.errors import UnknownRecord
from storage.records import Page, Passage, SiteLicence, Work, utc_now
from tracker.comparison import Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.judgement.licences import grant, revoke
from tracker.review.decisions import NoReason, PassageGone, confirm, dismiss, reopen, undo
from tracker.scans.pages import compare_page

pytestmark = pytest.mark.services
TEXT = story(900, 1)
OTHER = story(900, 2)


@pytest.fixture(autouse=True)
def index_work(stores, guard, save_work):
    assert index_works([save_work(1, {1: TEXT, 2: OTHER})], stores, guard.index())


@pytest.fixture
def look(stores, guard, taken):
    """A function that stores a page and compares it."""

    def compare(name, text=TEXT, site="a.cn"):
        page = Page(id=name, url=f"http://{site}/{name}", site=site, source="x", kind="article", text=text)
        stores.pages.see_many([page])
        stores.pages.reopen_stale(corpus_version=-9)
        corpus = Corpus(
            stores.works, stores.passages, guard.index(), DEFAULT_PARAMS, dismissals=stores.dismissals
        )
        assert compare_page(stores.pages.get(name), stores, corpus, token=taken(name), lease_s=60)
        refresh_cases(stores, [(1, site)])
        return stores.matches.of_page(name)

    return compare


def test_a_match_stores_what_is_needed_to_judge_it_anew(look, stores):
    (match,) = look("p1")
    assert (match.page_chars, match.taken_chars, match.review, match.licence) == (900, 900, "", "")
    assert match.page_published is not None
    assert stores.pages.get("p1").capped == 0


def test_a_confirmed_match_stays_confirmed_when_its_page_is_compared_again(look, stores):
    (match,) = look("p1")
    confirm(match, stores)
    (again,) = look("p1")
    assert (again.review, again.reviewed is not None) == ("confirmed", True)
    assert [each.id for each in stores.matches.all_reviewed()] == [match.id]


def test_a_dismissed_stretch_is_gone_from_verdict_and_case_and_does_not_come_back(look, stores):
    (match,) = look("p1")
    look("p2", "序。" + TEXT)
    assert stores.pages.get("p1").verdict == "copy"
    assert [case.pages for case in stores.cases.all()] == [2]
    (made,) = dismiss(match, stores, because=" 授权转载 ")
    assert (made.start, made.end, made.because, made.site) == (0, 900, "授权转载", "a.cn")
    for name in ("p1", "p2"):
        (stored,) = stores.matches.of_page(name)
        assert (stored.review, stored.because) == ("dismissed", "授权转载")
        page = stores.pages.get(name)
        assert (page.verdict, page.coverage, page.copied_chars) == ("clear", 0, 0)
    assert stores.cases.all() == []
    (new,) = look("p3", TEXT + "又是一页")
    assert (new.review, new.because, new.verdict) == ("dismissed", "授权转载", "copy")
    assert stores.pages.get("p3").verdict == "clear"
    assert stores.cases.all() == []
    (elsewhere,) = look("p4", site="b.cn")
    assert elsewhere.review == ""
    assert [case.site for case in stores.cases.all()] == ["b.cn"]


def test_a_page_that_takes_more_later_is_news(look, stores):
    (match,) = look("p1", TEXT[:400])
    dismiss(match, stores, because="合理引用")
    (again,) = look("p2", TEXT[:400] + story(200, 9, alphabet="平皮朋票铺派") + TEXT[500:])
    assert again.review == ""
    assert [each.because for each in again.suppressed] == ["合理引用"]
    assert [(span.passage_start, span.passage_end) for span in again.spans] == [(500, 900)]


def test_undoing_brings_a_match_back(look, stores):
    (match,) = look("p1")
    (made,) = dismiss(match, stores, because="误判")
    assert [dismissal.id for dismissal in stores.dismissals.all()] == [made.id]
    undo(made, stores)
    (stored,) = stores.matches.of_page("p1")
    assert (stored.review, stored.because, stored.suppressed) == ("", "", ())
    assert stored.spans == match.spans
    assert stores.pages.get("p1").verdict == "copy"
    assert len(stores.cases.all()) == 1
    assert stores.dismissals.all() == []
    with pytest.raises(UnknownRecord, match="no dismissal called"):
        stores.dismissals.get(made.id)


def test_reopening_takes_back_either_word(look, stores):
    (match,) = look("p1")
    confirm(match, stores)
    reopen(stores.matches.get(match.id), stores)
    assert stores.matches.get(match.id).review == ""
    dismiss(match, stores, because="误判")
    reopen(stores.matches.get(match.id), stores)
    assert stores.matches.get(match.id).review == ""
    assert stores.dismissals.all() == []
    (again,) = look("p1")
    assert again.review == ""


def test_a_dismissed_match_counts_again_when_its_dismissal_is_gone_before_the_next_comparison(look, stores):
    (match,) = look("p1")
    (made,) = dismiss(match, stores, because="误判")
    stores.dismissals.delete(made.id)
    (again,) = look("p1")
    assert (again.review, again.because) == ("", "")


def test_a_dismissal_needs_a_reason_and_a_text(look, stores):
    (match,) = look("p1")
    with pytest.raises(NoReason):
        dismiss(match, stores, because="  ")
    stores.passages.delete_many([1])
    with pytest.raises(PassageGone):
        dismiss(match, stores, because="误判")
    with pytest.raises(UnknownRecord, match="no match called"):
        stores.matches.get("none")


def test_licences_are_granted_replaced_and_revoked(stores):
    work = Work(id=1, key="k", title="书", kind="novel", origin="o", licensed_sites=("a.cn", "b.cn"))
    stores.works.save(work)
    version = stores.versions.current()
    now = utc_now()
    grant(work, SiteLicence(site="a.cn", until=now, attribution=True, share=0.5), stores)
    stored = stores.works.by_key("k")
    assert stored.licensed_sites == ("b.cn",)
    assert stored.licences == (SiteLicence(site="a.cn", until=now, attribution=True, share=0.5),)
    assert stores.versions.current() == version + 1
    for site in ("a.cn", "b.cn"):
        revoke(stores.works.by_key("k"), site, stores)
    assert stores.works.by_key("k").permissions == ()
    with pytest.raises(UnknownRecord, match="no licence called"):
        revoke(stores.works.by_key("k"), "a.cn", stores)


def test_the_passage_of_another_version_is_another_matter(look, stores):
    (match,) = look("p1")
    dismiss(match, stores, because="误判")
    passage = stores.passages.get_many([1])[1]
    stores.passages.save_many(
        [Passage(id=1, work_id=1, ordinal=0, title="", text=passage.text, sha256="new")]
    )
    (again,) = look("p1")
    assert again.review == ""
