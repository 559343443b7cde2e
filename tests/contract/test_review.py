"""What an analyst says of matches outlives them, and is held against pages that come later."""

import threading

import pytest
from support.compared import compare_page
from support.matches import match_with
from support.rulings import confirm, dismiss
from support.standing import reopen_all
from support.strategies import story

from storage.collections.matches import MatchStore
from storage.collections.naming import AmbiguousId
from storage.records import Page, SiteLicence, Work, utc_now
from system.errors import UnknownRecord
from tracker.comparison import Corpus
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.judgement.licences import grant, revoke
from tracker.review.decisions import NoReason, PassageGone, Ruling, decide, reopen, undo
from tracker.runtime import passage_reader

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
        page = Page(id=name, url=f"http://{site}/{name}", host=site, source="x", kind="article", text=text)
        stores.pages.see_many([page])
        reopen_all(stores, corpus_version=10**9)
        corpus = Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS, decisions=stores.decisions)
        assert compare_page(stores.pages.get(name), stores, corpus, token=taken(name), lease_s=60)
        refresh_cases(stores, [(1, site)])
        return stores.matches.of_page(name)

    return compare


def test_match_stores_all_inputs_of_its_judgement(look, stores):
    (match,) = look("p1")
    assert (match.page_chars, match.taken_chars, match.review, match.licence) == (900, 900, "", "")
    assert (match.page_published, match.first_seen) == (None, stores.pages.get("p1").first_seen)
    assert stores.pages.get("p1").capped == 0


def test_confirmed_match_stays_confirmed_when_its_page_is_compared_again(look, stores):
    (match,) = look("p1")
    confirm(match, stores)
    (again,) = look("p1")
    assert (again.review, again.reviewed is not None) == ("confirmed", True)
    assert [each.id for each in stores.matches.reviewed()] == [match.id]


def test_confirmation_keeps_the_verdict_of_the_page(look, stores):
    """Half of one passage and half of another: each match is partial, and the page is a copy."""
    match, _ = look("p1", TEXT[:450] + OTHER[:450])
    assert (match.verdict, stores.pages.get("p1").verdict) == ("partial", "copy")
    confirm(match, stores)
    assert stores.pages.get("p1").verdict == "copy"


def test_verdict_of_a_page_counts_its_remaining_matches_together(look, stores, guard, save_work):
    """Each match is partial and the page a copy, also after a quotation next to them is dismissed."""
    third = story(900, 3)
    assert index_works([save_work(2, {3: third})], stores, guard.index())
    text = TEXT[:450] + OTHER[:450] + third[:80]
    parts = {match.verdict: match for match in look("p1", text)}
    assert (parts.keys(), stores.pages.get("p1").verdict) == ({"partial", "quote"}, "copy")
    dismiss(parts["quote"], stores, reason="合理引用")
    assert (stores.pages.get("p1").verdict, stores.pages.get("p1").copied_chars) == ("copy", 900)
    look("p1", text)
    assert stores.pages.get("p1").verdict == "copy"
    dismiss(parts["partial"], stores, reason="授权转载")
    assert stores.pages.stale.count(corpus_version=stores.versions.current()) == 1
    look("p1", text)
    assert (stores.pages.get("p1").verdict, stores.pages.get("p1").copied_chars) == ("partial", 450)
    assert stores.pages.stale.count(corpus_version=stores.versions.current()) == 0


def test_confirmation_makes_no_page_wait(look, stores):
    (match,) = look("p1")
    confirm(match, stores)
    assert not stores.pages.stale.is_any(corpus_version=stores.versions.current())


def test_dismissed_stretch_leaves_verdict_and_case_for_good(look, stores):
    (match,) = look("p1")
    look("p2", "序。" + TEXT)
    assert stores.pages.get("p1").verdict == "copy"
    assert [case.pages for case in stores.cases.listed()] == [2]
    (made,) = dismiss(match, stores, reason=" 授权转载 ")
    assert (made.start, made.end, made.because, made.site) == (0, 900, "授权转载", "a.cn")
    for name in ("p1", "p2"):
        (stored,) = stores.matches.of_page(name)
        assert (stored.review, stored.because) == ("dismissed", "授权转载")
        page = stores.pages.get(name)
        assert (page.verdict, page.coverage, page.copied_chars) == ("clear", 0, 0)
    assert [(case.state, case.pages) for case in stores.cases.listed()] == [("dismissed", 2)]
    (new,) = look("p3", TEXT + "又是一页")
    assert (new.review, new.because, new.verdict) == ("dismissed", "授权转载", "copy")
    assert stores.pages.get("p3").verdict == "clear"
    assert [case.state for case in stores.cases.listed()] == ["dismissed"]
    (elsewhere,) = look("p4", site="b.cn")
    assert elsewhere.review == ""
    assert {case.site: case.state for case in stores.cases.listed()} == {"a.cn": "dismissed", "b.cn": "new"}


def test_copy_beyond_a_dismissed_stretch_is_a_new_match(look, stores):
    (match,) = look("p1", TEXT[:400])
    dismiss(match, stores, reason="合理引用")
    (again,) = look("p2", TEXT[:400] + story(200, 9, alphabet="平皮朋票铺派") + TEXT[500:])
    assert again.review == ""
    assert [each.because for each in again.suppressed] == ["合理引用"]
    assert [(span.passage_start, span.passage_end) for span in again.spans] == [(500, 900)]


def test_undone_dismissal_restores_the_match(look, stores):
    (match,) = look("p1")
    (made,) = dismiss(match, stores, reason="误判")
    assert [dismissal.id for dismissal in stores.decisions.listed()] == [made.id]
    undo(made, stores)
    (stored,) = stores.matches.of_page("p1")
    assert {event.subject for event in stores.events.of_case(1)} == {"", match.name}
    assert (stored.review, stored.because, stored.suppressed) == ("", "", ())
    assert stored.spans == match.spans
    assert stores.pages.get("p1").verdict == "copy"
    assert len([*stores.cases.listed()]) == 1
    assert [*stores.decisions.listed()] == []
    with pytest.raises(UnknownRecord, match="no decision with the id"):
        stores.decisions.get(made.id)


def test_reopening_withdraws_either_decision(look, stores):
    (match,) = look("p1")
    confirm(match, stores)
    reopen(stores.matches.get(match.id), stores)
    assert stores.matches.get(match.id).review == ""
    dismiss(match, stores, reason="误判")
    reopen(stores.matches.get(match.id), stores)
    assert stores.matches.get(match.id).review == ""
    assert [*stores.decisions.listed()] == []
    (again,) = look("p1")
    assert again.review == ""


def test_dismissed_match_counts_again_after_its_dismissal_was_deleted(look, stores):
    (match,) = look("p1")
    (made,) = dismiss(match, stores, reason="误判")
    stores.decisions.delete_many([made.id])
    (again,) = look("p1")
    assert (again.review, again.because) == ("", "")


def test_dismissal_needs_a_reason_and_a_text(look, stores):
    (match,) = look("p1")
    with pytest.raises(NoReason):
        dismiss(match, stores, reason="  ")
    stores.passages.delete_many([1])
    with pytest.raises(PassageGone):
        dismiss(match, stores, reason="误判")
    with pytest.raises(UnknownRecord, match="no match with the id"):
        stores.matches.get("none")


def test_licences_are_granted_replaced_and_revoked(stores):
    work = Work(id=1, key="k", title="书", kind="novel", origin="o", licensed_sites=("a.cn", "b.cn"))
    stores.works.save(work)
    version = stores.versions.current()
    now = utc_now()
    grant(work, SiteLicence(site="a.cn", until=now, attribution=True, share=0.5), stores, replace=True)
    stored = stores.works.by_key("k")
    assert stored.licensed_sites == ("b.cn",)
    assert stored.licences == (SiteLicence(site="a.cn", until=now, attribution=True, share=0.5),)
    assert stores.versions.current() == version + 1
    for site in ("a.cn", "b.cn"):
        revoke(stores.works.by_key("k"), site, stores)
    assert stores.works.by_key("k").permissions == ()
    with pytest.raises(UnknownRecord, match="no licence called"):
        revoke(stores.works.by_key("k"), "a.cn", stores)


def test_confirmed_page_with_a_new_line_stays_confirmed_as_inherited(look, stores):
    (match,) = look("monday", TEXT[:600])
    confirm(match, stores, reason="整段照抄", by="林")
    (line,) = look("tuesday", TEXT[:600] + "本站公告：欢迎光临。")
    assert (line.review, line.because, line.undecided) == ("confirmed", "整段照抄", ())
    assert (line.inherited.page_id, line.inherited.by) == ("monday", "林")
    assert line.inherited.page_seen == match.first_seen
    (own,) = look("monday", TEXT[:600])
    assert (own.review, own.inherited) == ("confirmed", None)


def test_confirmed_page_with_a_new_copied_stretch_is_open_for_that_stretch(look, stores):
    (match,) = look("monday", TEXT[:400])
    confirm(match, stores)
    assert [case.state for case in stores.cases.listed()] == ["confirmed"]
    between = story(200, 9, alphabet="平皮朋票铺派")
    (more,) = look("tuesday", TEXT[:400] + between + TEXT[600:])
    assert (more.review, more.undecided) == ("", ((600, 900),))
    assert [(decided.state, decided.start, decided.end) for decided in more.decided] == [
        ("confirmed", 0, 400)
    ]
    assert [case.state for case in stores.cases.listed()] == ["confirmed"]
    dismiss(more, stores, reason="引文")
    more = stores.matches.get(more.id)
    assert (more.review, [span.passage_end for span in more.spans]) == ("confirmed", [400])
    assert [suppressed.because for suppressed in more.suppressed] == ["引文"]
    assert [case.state for case in stores.cases.listed()] == ["confirmed"]
    assert stores.pages.get("tuesday").copied_chars == 400
    assert stores.matches.get(match.id).review == "confirmed"


def test_confirmation_holds_for_other_pages_of_the_same_site_only(look, stores):
    (first,) = look("p1")
    look("p2", "序。" + TEXT)
    confirm(first, stores)
    (second,) = stores.matches.of_page("p2")
    assert (second.review, second.inherited.url) == ("confirmed", first.url)
    (elsewhere,) = look("p3", site="b.cn")
    assert elsewhere.review == ""
    reopen(second, stores)
    assert {match.review for match in stores.matches.of_case(1, "a.cn")} == {""}
    assert [*stores.decisions.listed()] == []


def test_later_decision_prevails_and_undoing_it_restores_nothing(look, stores):
    (match,) = look("p1")
    dismiss(match, stores, reason="误判")
    confirm(stores.matches.get(match.id), stores)
    (again,) = look("p1")
    assert (again.review, again.suppressed) == ("confirmed", ())
    assert stores.pages.get("p1").verdict == "copy"
    (made,) = stores.decisions.listed()
    undo(made, stores)
    (again,) = look("p1")
    assert (again.review, again.decided) == ("", ())


def test_all_matches_of_a_case_are_decided_at_once(look, stores):
    matches = [*look("p1"), *look("p2", OTHER), *look("p3", "序。" + TEXT)]
    decide(matches, stores, ruling=Ruling(state="confirmed", by="林"))
    assert {stores.matches.get(match.id).review for match in matches} == {"confirmed"}
    assert len([*stores.decisions.listed()]) == 2  # of two passages
    assert [case.state for case in stores.cases.listed()] == ["confirmed"]


def test_decision_that_is_made_while_a_page_is_compared_holds_for_it(look, stores, monkeypatch):
    (match,) = look("p1")
    store = MatchStore.replace_for_pages

    def decide_in_between(self, matches):
        if "p2" in matches:
            dismiss(match, stores, reason="授权转载")
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", decide_in_between)
    (late,) = look("p2", "序。" + TEXT)
    assert (late.review, late.because) == ("dismissed", "授权转载")
    assert stores.pages.get("p2").verdict == "clear"


SENTENCES = [story(40, number)[:39] + "。" for number in range(30, 45)]


@pytest.fixture
def edit_work(stores, guard):
    """A function that stores and indexes a work with these chapters, anew if it is known."""
    for counter in ("works", "passages"):
        stores.works.new_ids(counter, 9)  # for those that stand in the tests

    def edit(*chapters):
        sections = tuple(ChapterSection(f"第{number}章", text) for number, text in enumerate(chapters))
        raw = RawWork(title="改稿", kind="novel", origin="o", sections=sections)
        ((_, work),) = store_works([raw], stores, guard.index(), terms=Terms())
        assert index_works([work], stores, guard.index())
        return work

    return edit


def test_edited_passage_keeps_decisions_on_unchanged_stretches(look, stores, edit_work):
    before = "".join(SENTENCES)
    work = edit_work(before)
    (match,) = look("p1", before)
    confirm(match, stores, reason="照抄")
    edited = [*SENTENCES]
    edited[7] = story(40, 99)[:39] + "。"
    edit_work("".join(edited))
    (again,) = look("p1", before)
    assert again.passage_id not in work.passage_ids
    assert (again.review, again.because) == ("confirmed", "照抄")
    edit_work("".join(edited[:7]), "".join(edited[8:]))  # a chapter becomes two
    assert {(each.review, each.because) for each in look("p1", before)} == {("confirmed", "照抄")}
    edit_work(story(600, 77))
    assert look("p2", story(600, 77))[0].review == ""


def test_same_text_under_another_title_keeps_its_decisions(look, stores, edit_work):
    text = "".join(SENTENCES)
    edit_work(text)
    (match,) = look("p1", text)
    dismiss(match, stores, reason="误判")
    edit_work("".join(SENTENCES[:3]), text)
    (again,) = [match for match in look("p1", text) if match.passage_title == "第1章"]
    assert again.review == "dismissed"


def test_matches_and_cases_have_short_names_that_stay(look, stores):
    (first,), (second,) = look("p1"), look("p2", OTHER)
    assert (first.number, second.number) == (1, 2)
    (again,) = look("p1")
    assert again.number == 1
    assert [case.number for case in stores.cases.listed()] == [1]
    assert stores.matches.get("m2") == stores.matches.get("M2") == stores.matches.get("p2:2:novel")
    assert stores.matches.get("p2:2").number == 2
    assert stores.cases.get("c1") == stores.cases.get("1@a.cn")
    stores.matches.replace_for_pages({"p2": []})
    assert look("p3", OTHER)[0].number == 3  # no number is given twice
    with pytest.raises(UnknownRecord):
        stores.matches.get("m2")
    with pytest.raises(UnknownRecord):
        stores.cases.get("c9")
    look("page:1"), look("page:2")
    assert stores.matches.get("page:2").page_id == "page:2"
    with pytest.raises(AmbiguousId, match="page:1:1:novel, page:2:1:novel"):
        stores.matches.get("page")


def test_two_workers_that_store_the_same_match_agree_on_its_name(stores):
    match = match_with(id="p:1:novel", page_id="p")
    workers = [
        threading.Thread(target=stores.matches.replace_for_pages, args=({"p": [match]},)) for _ in range(8)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    (stored,) = stores.matches.of_page("p")
    assert 1 <= stored.number <= 8
    assert stores.matches.get(f"m{stored.number}") == stored
