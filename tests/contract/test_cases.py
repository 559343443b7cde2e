"""Cases: figures from their matches and events by people, after kills and with two users at once."""

import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest
from support.matches import match_with
from support.rulings import set_aside

from analysis.cases import actions
from analysis.cases.actions import NotClosed, NothingOpen, NoWords
from analysis.cases.moves import NotAllowed, move
from analysis.words.i18n import translator
from storage.collections.cases import CaseMoved
from storage.collections.checked import CheckedCollection
from storage.records import Event, Passage, Span, utc_now
from tracker.judgement.cases import close_joined, refresh_cases
from tracker.review.decisions import DecisionConflict, NoNote, Ruling, decide, reopen

pytestmark = pytest.mark.services
NOW = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
SITE = "a.cn"
KEY = (1, SITE)
WRITES = ("insert_new", "update_one", "update_many", "bulk_write", "delete_many", "replace_one")


class Killed(BaseException):
    """The process ends here; nothing catches it."""


def span(end):
    return Span(
        page_start=0,
        page_end=end,
        passage_start=0,
        passage_end=end,
        char_identity=1,
        sound_identity=1,
    )


@pytest.fixture
def find(stores, save_work):
    """A function that stores a match on a page, and counts its case."""
    save_work(1, {1: "甲" * 900, 2: "乙" * 900})
    stores.passages.save_many(
        [
            Passage(id=number, work_id=1, ordinal=number, title="", text="甲" * 900, sha256=str(number))
            for number in (1, 2)
        ]
    )

    def store(page, *, passage=1, verdict="copy", end=200, site=SITE, **fields):
        match = match_with(
            id=f"{page}:{passage}:novel",
            page_id=page,
            passage_id=passage,
            work_id=1,
            site=site,
            url=f"http://{site}/{page.partition('@')[0]}",
            verdict=verdict,
            spans=(span(end),),
            copied_chars=end,
            **fields,
        )
        stores.matches.replace_for_pages({page: [match]})
        refresh_cases(stores, [(1, site)])
        return stores.matches.get(match.id)

    return store


def case_in(stores, site=SITE):
    return stores.cases.get(f"1@{site}")


def kinds(stores, site=SITE):
    return [event.kind for event in stores.events.of_case(case_in(stores, site).number)]


def by_hand(stores, to, **fields):
    return move(case_in(stores), stores, to=to, by="林", at=NOW, **fields)


def test_first_copy_opens_a_case_and_later_copies_join_it_once(find, stores):
    find("p1")
    find("p2")
    refresh_cases(stores, [KEY])
    assert (case_in(stores).state, case_in(stores).reviews, case_in(stores).moves) == ("new", {"": 2}, 1)
    events = list(stores.events.of_case(1))
    assert [(event.kind, event.subject) for event in events] == [
        ("opened", ""),
        ("joined", "m1"),
        ("joined", "m2"),
    ]
    assert events[1].detail == {"url": "http://a.cn/p1", "verdict": "copy", "copied_chars": "200"}


def test_case_lists_the_works_that_are_charged_with_all_its_text(find, stores):
    assert find("p1", charged_to=(9, 4)).also_contained
    assert case_in(stores).charged_to == (4, 9)
    find("p2")
    assert case_in(stores).charged_to == ()


def test_quotation_is_not_a_new_copy(find, stores):
    find("p1", verdict="quote")
    assert kinds(stores) == ["opened"]


def test_decisions_on_matches_move_the_case_and_both_are_events(find, stores):
    first, second = find("p1"), find("p2", passage=2)
    decide([first], stores, ruling=Ruling(state="confirmed", by="林"))
    assert case_in(stores).state == "new"
    decide([second], stores, ruling=Ruling(state="dismissed", reason="引用", by="陈"))
    assert (case_in(stores).state, case_in(stores).reviews) == ("confirmed", {"confirmed": 1, "dismissed": 1})
    told = [(event.kind, event.subject, event.by, event.because) for event in stores.events.of_case(1)]
    assert told[3:] == [
        ("match-confirmed", "m1", "林", ""),
        ("match-dismissed", "m2", "陈", "引用"),
        ("confirmed", "", "陈", "引用"),
    ]


@pytest.mark.parametrize("when", ["before the case is read", "after it"])
def test_decision_while_a_new_case_is_counted_stands(find, stores, monkeypatch, when):
    """A worker has read the matches of a case; an analyst confirms them before the worker moves the case."""
    save, saved = stores.cases.save, []

    def slow_save(case):
        saved.append(case)
        early = save(case) if when == "after it" else None
        if len(saved) == 1:
            decide([stores.matches.get("m1")], stores, ruling=Ruling(state="confirmed", by="林"))
        return early or save(case)

    monkeypatch.setattr(stores.cases, "save", slow_save)
    find("p1")
    assert case_in(stores).state == "confirmed"
    assert kinds(stores).count("reopened") == 0


def test_confirmed_case_stays_confirmed_when_a_new_copy_waits(find, stores):
    decide([find("p1")], stores, ruling=Ruling(state="confirmed"))
    find("p2", passage=2)
    assert (case_in(stores).state, case_in(stores).reviews) == ("confirmed", {"confirmed": 1, "": 1})


def test_withdrawn_decision_is_a_further_event(find, stores):
    match = find("p1")
    decide([match], stores, ruling=Ruling(state="confirmed", by="林"))
    reopen(stores.matches.get("m1"), stores, by="陈", reason="看错了")
    reopen(stores.matches.get("m1"), stores, by="陈", reason="看错了")  # no event remains to undo
    assert case_in(stores).state == "new"
    assert kinds(stores)[2:] == ["match-confirmed", "confirmed", "match-reopened", "reopened"]
    decide([stores.matches.get("m1")], stores, ruling=Ruling(state="confirmed", by="林"))
    assert kinds(stores)[6:] == ["match-confirmed", "confirmed"]


def test_doubtful_match_is_set_aside_with_a_note(find, stores):
    first, second = find("p1"), find("p2", passage=2)
    with pytest.raises(NoNote):
        set_aside(first, stores, reason=" ")
    set_aside(first, stores, reason="待查授权", by="林")
    assert stores.matches.get("m1").review == "doubtful"
    assert [match.name for match in stores.matches.listed(review="")] == ["m2"]
    assert case_in(stores).state == "new"
    decide([second], stores, ruling=Ruling(state="confirmed"))
    assert (case_in(stores).state, case_in(stores).pages) == ("confirmed", 2)
    decide([stores.matches.get("m1")], stores, ruling=Ruling(state="dismissed", reason="有授权"))
    assert stores.matches.get("m1").review == "dismissed"


@pytest.mark.parametrize("state", ["notified", "removed"])
def test_only_dismissal_of_all_matches_moves_a_case_under_way(find, stores, state):
    decide([find("p1")], stores, ruling=Ruling(state="confirmed"))
    by_hand(stores, state)
    second = find("p2", passage=2)
    assert case_in(stores).state == state
    ruling = Ruling(state="dismissed", reason="误判")
    decide([stores.matches.get("m1"), second], stores, ruling=ruling)
    assert case_in(stores).state == "dismissed"


def test_closed_case_reopens_only_for_a_new_copy(find, stores):
    find("p1")
    actions.close(case_in(stores), stores, reason="已和解", by="林", at=NOW)
    assert (case_in(stores).state, case_in(stores).reason, case_in(stores).since) == ("closed", "已和解", NOW)
    refresh_cases(stores, [KEY])
    find("q", passage=2, verdict="quote")
    assert case_in(stores).state == "closed"
    find("p2", passage=2)
    assert (case_in(stores).state, case_in(stores).reason) == ("new", "")
    assert kinds(stores)[-2:] == ["joined", "reopened"]


@pytest.mark.parametrize(("end", "state"), [(260, "closed"), (300, "new")])
def test_another_version_of_a_page_is_a_new_copy_if_it_copies_much_more(find, stores, end, state):
    find("p1")
    actions.close(case_in(stores), stores, reason="已和解", by="林", at=NOW)
    stores.database["matches"].update_many({}, {"$set": {"replaced": NOW}})
    find("p1@2", end=end)
    assert case_in(stores).state == state


def test_new_case_without_matches_is_closed_and_keeps_its_number(find, stores):
    find("p1")
    stores.matches.replace_for_pages({"p1": []})
    refresh_cases(stores, [KEY])
    refresh_cases(stores, [KEY])
    case = case_in(stores)
    assert (case.state, case.reason, case.pages, case.number) == ("closed", "no-matches", 0, 1)
    assert kinds(stores) == ["opened", "joined", "closed"]
    find("p2")
    assert (case_in(stores).state, case_in(stores).pages) == ("new", 1)


def test_case_under_way_without_matches_stays_until_closed_explicitly(find, stores):
    decide([find("p1")], stores, ruling=Ruling(state="confirmed"))
    by_hand(stores, "notified")
    stores.matches.replace_for_pages({"p1": []})
    refresh_cases(stores, [KEY])
    assert (case_in(stores).state, case_in(stores).pages) == ("notified", 0)
    stores.works.delete(1)
    refresh_cases(stores, [KEY])
    assert (case_in(stores).state, case_in(stores).reason) == ("closed", "not-protected")


def test_case_of_a_returning_work_resumes_its_state(find, stores):
    decide([find("p1")], stores, ruling=Ruling(state="confirmed"))
    by_hand(stores, "notified")
    work = stores.works.get_many([1])[1]
    (match,) = stores.matches.of_page("p1")
    stores.matches.replace_for_pages({"p1": []})
    stores.works.delete(1)
    refresh_cases(stores, [KEY])
    stores.works.save(work)
    stores.matches.replace_for_pages({"p1": [match]})
    refresh_cases(stores, [KEY])
    assert case_in(stores).state == "notified"


def test_case_is_closed_when_its_findings_move_to_another_book(find, stores):
    match = find("p1")
    by_hand(stores, "confirmed")
    stores.matches.reassign(2, [match.id], title="另一书", edition="")
    refresh_cases(stores, [(2, SITE)])
    for _ in range(2):
        close_joined([KEY], stores, book_id=2)
    case = case_in(stores)
    assert (case.state, case.reason) == ("closed", "joined")
    assert [event.subject for event in stores.events.of_case(1)][-1] == "c2"


def test_move_that_is_not_in_the_table_is_refused(find, stores):
    find("p1")
    with pytest.raises(NotAllowed) as refused:
        by_hand(stores, "accepted")
    assert [str(state) for state in refused.value.data["allowed"]] == ["Closed", "Confirmed", "Dismissed"]
    assert "已结案、已确认" in translator("zh").error(refused.value)
    assert kinds(stores) == ["opened", "joined"]


def test_later_move_of_a_case_names_the_earlier_user(find, stores):
    find("p1")
    seen = case_in(stores)
    move(seen, stores, to="confirmed", by="林", at=NOW)
    with pytest.raises(CaseMoved) as refused:
        move(seen, stores, to="dismissed", by="陈", at=NOW)
    assert (refused.value.data["by"], case_in(stores).state) == ("林", "confirmed")


def test_only_the_first_of_concurrent_case_moves_wins(find, stores):
    find("p1")
    seen, outcomes, ready = case_in(stores), [], threading.Barrier(4)

    def act(name):
        ready.wait()
        try:
            move(seen, stores, to="confirmed" if name % 2 else "dismissed", by=str(name), at=NOW)
        except CaseMoved:
            outcomes.append("refused")
        else:
            outcomes.append("won")

    threads = [threading.Thread(target=act, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused", "refused", "refused", "won"]
    assert (case_in(stores).moves, len(kinds(stores))) == (2, 3)


def test_second_of_two_decisions_about_a_match_is_refused(find, stores):
    match, other = find("p1"), find("p2", passage=2)
    decide([match], stores, ruling=Ruling(state="confirmed", by="林"))
    with pytest.raises(DecisionConflict) as refused:
        decide([match, other], stores, ruling=Ruling(state="dismissed", reason="引用", by="陈"))
    assert (refused.value.data["names"], refused.value.data["by"]) == ("m1", "林")
    assert [stores.matches.get(name).review for name in ("m1", "m2")] == ["confirmed", "dismissed"]
    decide([stores.matches.get("m1")], stores, ruling=Ruling(state="dismissed", reason="引用", by="陈"))
    assert stores.matches.get("m1").review == "dismissed"


@contextmanager
def killed_after(writes, monkeypatch):
    """End the process after so many writes to the database."""
    left = [writes]

    def ending(method):
        def call(self, *args, **kwargs):
            result = method(self, *args, **kwargs)
            left[0] -= 1
            if not left[0]:
                raise Killed
            return result

        return call

    with monkeypatch.context() as patch:
        for name in WRITES:
            patch.setattr(CheckedCollection, name, ending(getattr(CheckedCollection, name)))
        with suppress(Killed):
            yield


def test_bulk_decision_that_is_killed_may_be_repeated(find, stores, monkeypatch):
    def confirm(site):
        matches = list(stores.matches.listed(site=site, review=""))
        decide(matches, stores, ruling=Ruling(state="confirmed", reason="照抄", by="林"))

    for writes in range(1, 12):
        site = f"{writes}.cn"
        find(f"{site}/1", site=site)
        find(f"{site}/2", passage=2, site=site)
        with killed_after(writes, monkeypatch):
            confirm(site)
        confirm(site)
        refresh_cases(stores, [(1, site)])
        assert (case_in(stores, site).state, case_in(stores, site).moves) == ("confirmed", 2)
        told = sorted(kinds(stores, site)[3:])
        assert told == ["confirmed", "match-confirmed", "match-confirmed"]


def test_move_that_is_killed_may_be_repeated(find, stores, monkeypatch):
    for writes in (1, 2, 3):
        site = f"{writes}.cn"
        find(site, site=site)
        with killed_after(writes, monkeypatch):
            move(case_in(stores, site), stores, to="confirmed", by="林", at=NOW)
        if case_in(stores, site).state == "new":
            move(case_in(stores, site), stores, to="confirmed", by="林", at=NOW + timedelta(minutes=1))
        assert (case_in(stores, site).state, case_in(stores, site).moves) == ("confirmed", 2)
        assert kinds(stores, site) == ["opened", "joined", "confirmed"]


def test_case_reopens_even_if_its_count_is_killed(find, stores, monkeypatch):
    for writes in range(1, 9):
        site = f"{writes}.cn"
        find(f"{site}/1", site=site)
        actions.close(case_in(stores, site), stores, reason="已和解", by="林", at=NOW)
        with killed_after(writes, monkeypatch):
            find(f"{site}/2", passage=2, site=site)
        find(f"{site}/2", passage=2, site=site)
        assert case_in(stores, site).state == "new"
        assert kinds(stores, site) == ["opened", "joined", "closed", "joined", "reopened"]


def test_event_stored_before_a_kill_is_applied_by_the_next_process(find, stores):
    find("p1")
    seen = case_in(stores)
    stores.events.add_many(
        [Event(id="c1#2", case=1, kind="closed", at=NOW, by="林", before="new", after="closed")]
    )
    with pytest.raises(CaseMoved):
        move(seen, stores, to="confirmed", by="陈", at=NOW)
    assert case_in(stores).state == "closed"


def test_assignee_and_deadline_are_events_and_a_move_ends_the_deadline(find, stores):
    find("p1")
    case = actions.assign(case_in(stores), stores, to=" 林 ", by="陈", at=NOW)
    actions.set_deadline(case, stores, deadline=NOW + timedelta(days=2), by="陈", at=NOW)
    assert (case_in(stores).assignee, case_in(stores).deadline) == ("林", NOW + timedelta(days=2))
    by_hand(stores, "confirmed")
    assert (case_in(stores).assignee, case_in(stores).deadline) == ("林", None)
    assert kinds(stores)[2:] == ["assigned", "deadline", "confirmed"]


def test_notes_and_replies_are_kept_and_an_answer_moves_the_case(find, stores):
    find("p1")
    by_hand(stores, "confirmed")
    case = by_hand(stores, "notified", reason="挂号信")
    for _ in range(2):  # told twice
        actions.note(case, stores, text="无人接电话", by="林", at=NOW)
    with pytest.raises(NoWords):
        actions.note(case, stores, text=" ", by="林", at=NOW)
    case = actions.reply(case, stores, answer=None, text="转交法务", by="林", at=NOW)
    assert case.state == "notified"
    actions.reply(case, stores, answer="refused", text="称有授权", by="林", at=NOW)
    assert case_in(stores).state == "refused"
    told = [(event.kind, event.because) for event in stores.events.of_case(1)][3:]
    assert told == [
        ("notified", "挂号信"),
        ("noted", "无人接电话"),
        ("replied", "转交法务"),
        ("refused", "称有授权"),
    ]


def test_all_open_matches_of_a_case_are_decided_at_once(find, stores):
    find("p1")
    find("p2", passage=2, verdict="licensed", licence="licensed")
    decided = actions.decide_open(
        case_in(stores), stores, state="confirmed", by="林", reason="", at=utc_now()
    )
    assert (decided[0].state, decided[1], stores.matches.get("m2").review) == ("new", 1, "")
    with pytest.raises(NothingOpen):
        actions.decide_open(case_in(stores), stores, state="dismissed", by="林", reason="x", at=NOW)


def test_reopening_restores_the_previous_state(find, stores):
    decide([find("p1")], stores, ruling=Ruling(state="confirmed"))
    with pytest.raises(NotClosed):
        actions.reopen(case_in(stores), stores, by="林", at=NOW)
    by_hand(stores, "notified")
    actions.close(case_in(stores), stores, reason="已和解", by="林", at=NOW)
    actions.reopen(case_in(stores), stores, by="林", at=NOW)
    assert case_in(stores).state == "notified"


def test_events_are_read_from_a_mark_without_skipping_any(stores):
    def event(name):
        return Event(id=name, case=7, kind="noted", at=NOW, by="林")

    assert stores.events.add_many([event("a"), event("b")]) == [True, True]
    assert stores.events.add_many([event("b"), event("c")]) == [False, True]
    assert [(one.id, one.number) for one in stores.events.since(0)] == [("a", 1), ("b", 2), ("c", 3)]
    stores.database["counters"].update_one({"_id": "events"}, {"$inc": {"value": 1}})  # on its way
    stores.events.add_many([event("e")])
    assert [one.id for one in stores.events.since(2)] == ["c"]
    assert [one.id for one in stores.events.since(3, now=utc_now() + timedelta(minutes=2))] == ["e"]
    assert [one.id for one in stores.events.of_case(7, limit=2)] == ["c", "e"]
