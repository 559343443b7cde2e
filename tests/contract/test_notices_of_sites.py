"""A letter about several works of one holder: all cases follow it, and its claims are checked."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from support.letters import CASE, MAIL, NOW, mail_server, mail_settings, notice_case, stored_notice
from support.matches import match_with

from analysis.accounts.permissions import identity_of
from analysis.cases.moves import move
from analysis.notices import case_events, letter_files, making
from analysis.notices.documents import BadTemplate
from analysis.notices.gathering import (
    NoHolder,
    NothingToList,
    NoticeRequest,
    SeveralHolders,
    SeveralSites,
    gather,
)
from analysis.notices.making import LetterOptions, make_notices
from analysis.notices.replies import answer, answer_case, record_silence
from analysis.notices.sending import (
    ClaimWithdrawn,
    HolderChanged,
    NotConfirmed,
    ready_mail,
    resolve,
    send_notice,
    settle_interrupted,
)
from analysis.queries.notices import (
    LetterScope,
    NoCasesChosen,
    NoticeQuery,
    cases_of_letter,
    get_notice,
    list_notices,
)
from storage.collections.cases import CaseMoved
from storage.records import Account, Work
from system.errors import UnknownId

LATER = NOW + timedelta(days=30)
ANALYST = identity_of(Account(name="li", role="analyst"))


def confirmed_case(stores, number, site="copy.example"):
    """Store a work with a confirmed case of one page on a site."""
    title = f"书{number}"
    stores.works.save(Work(id=number, key=title, title=title, kind="novel", origin="o", holder="青灯文化"))
    url = f"https://{site}/{number}"
    match = match_with(
        id=f"{site}{number}", page_id=url, url=url, passage_id=number, work_id=number, site=site,
        review="confirmed",
    )  # fmt: skip
    stores.matches.replace_for_pages({url: [match]})
    case = replace(
        CASE, id=f"{number}@{site}", number=0, work_id=number, work_title=title, site=site, state="new"
    )
    return move(stores.cases.save(case), stores, to="confirmed", by="林", at=NOW)


@pytest.fixture
def cases(stores):
    return [confirmed_case(stores, number) for number in (1, 2, 3)]


@pytest.fixture
def letter(stores, cases, tmp_path):
    """A letter about all cases that can be sent."""
    listed = [
        notice_case(case.number, work_id=case.work_id, urls=(f"https://copy.example/{case.work_id}",))
        for case in cases
    ]
    return stored_notice(stores, tmp_path, MAIL, cases=tuple(listed))


def sent(stores, letter):
    with mail_server() as (_, settings):
        mail = ready_mail(letter, stores, settings)
        return send_notice(letter, mail, stores, settings, by="林", now=NOW)


def states(stores, cases):
    return [stores.cases.get(case.name).state for case in cases]


def test_sent_letter_moves_every_case_and_is_in_every_history(stores, cases, letter):
    sent_letter = sent(stores, letter)
    assert (sent_letter.state, sent_letter.is_told) == ("sent", True)
    assert states(stores, cases) == ["notified"] * 3
    for case in cases:
        events = [event for event in stores.events.of_case(case.number) if event.subject == letter.name]
        assert [event.kind for event in events] == ["notice-made", "notice-sent", "notified"]
        assert list(stores.notices.listed(case=case.number)) == [sent_letter]
    assert list(stores.notices.of_cases([case.number for case in cases])) == [sent_letter]


def test_kill_between_two_cases_is_caught_up_without_a_second_event(stores, cases, letter, monkeypatch):
    real, calls = case_events.move, []

    def die_at_second(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(case_events, "move", die_at_second)
    with pytest.raises(KeyboardInterrupt):
        sent(stores, letter)
    assert states(stores, cases) == ["notified", "confirmed", "confirmed"]
    monkeypatch.setattr(case_events, "move", real)
    settle_interrupted(stores, now=NOW)
    assert states(stores, cases) == ["notified"] * 3
    kinds = [event.kind for event in stores.events.of_case(cases[0].number)]
    assert kinds.count("notified") == kinds.count("notice-sent") == 1


def test_case_that_keeps_moving_does_not_hold_up_other_cases(stores, cases, letter, monkeypatch):
    real = case_events.move

    def busy(case, *args, **options):
        if case.number == cases[0].number:
            raise CaseMoved(name=case.name, by="周", kind="noted")
        return real(case, *args, **options)

    monkeypatch.setattr(case_events, "move", busy)
    with pytest.raises(CaseMoved):
        sent(stores, letter)
    assert states(stores, cases) == ["confirmed", "notified", "notified"]
    assert stores.notices.unreported()  # and is tried again


def test_letter_with_a_withdrawn_claim_is_not_sent(stores, cases, letter):
    settings = mail_settings(1)
    (match,) = stores.matches.of_case(2, "copy.example")
    stores.matches.replace_for_pages({match.page_id: [replace(match, review="dismissed")]})
    with pytest.raises(ClaimWithdrawn, match=r"“青灯渡” at https://copy.example/2"):
        ready_mail(letter, stores, settings)
    move(stores.cases.get(cases[2].name), stores, to="dismissed", by="林", at=NOW)
    stores.matches.replace_for_pages({match.page_id: [match]})
    with pytest.raises(NotConfirmed, match=cases[2].name):
        ready_mail(letter, stores, settings)
    assert resolve(letter, "sent", stores, settings, by="林", reason="已寄出", now=NOW).state == "sent"
    assert states(stores, cases) == ["notified", "notified", "dismissed"]


def test_letter_of_a_former_holder_is_not_sent(stores, cases, tmp_path):
    listed = tuple(
        notice_case(case.number, work_id=case.work_id, work_title=case.work_title, work_holder=holder)
        for case, holder in zip(cases, ("青灯文化", "", "青灯文化"), strict=True)
    )
    letter, settings = stored_notice(stores, tmp_path, MAIL, cases=listed), mail_settings(1)
    assert ready_mail(letter, stores, settings) == MAIL  # the second work has got the holder of the letter
    stores.works.save(replace(stores.works.get_many([3])[3], holder="雾港书局"))
    with pytest.raises(HolderChanged, match="“书3”"):
        ready_mail(letter, stores, settings)


def test_reply_to_a_letter_moves_its_open_cases(stores, cases, letter):
    sent_letter = sent(stores, letter)
    move(stores.cases.get(cases[1].name), stores, to="removed", by="pindna", at=NOW)
    answer(sent_letter, "accepted", stores, by="林", reason="会删", at=LATER)
    assert states(stores, cases) == ["accepted", "removed", "accepted"]
    replied = [event.case for event in stores.events.since(0) if event.kind == "replied"]
    assert replied == [case.number for case in cases]


def test_reply_about_a_single_case_leaves_the_letter_open(stores, cases, letter):
    sent(stores, letter)

    def reply(case, outcome):
        return answer_case(
            stores.cases.get(case.name), stores, outcome=outcome, text="x", by="林", at=LATER
        ).state

    assert [reply(cases[0], "accepted"), reply(cases[1], "refused")] == ["accepted", "refused"]
    assert stores.notices.get(letter.name).state == "sent"
    assert record_silence(stores, now=LATER) == 1  # of the third case only
    assert states(stores, cases) == ["accepted", "refused", "unanswered"]
    assert reply(cases[2], "accepted") == "accepted"
    answered = stores.notices.get(letter.name)
    assert (answered.state, answered.outcome) == ("answered", "refused")


def gathered(stores, cases, *, whole_site=True, **request):
    return gather(cases, NoticeRequest(**request), stores, reply_days=7, made=NOW, whole_site=whole_site)


def test_letter_of_a_site_leaves_out_what_waits_for_a_reply(stores, cases, tmp_path):
    assert [subject.work.title for subject in gathered(stores, cases).facts.subjects] == ["书1", "书2", "书3"]
    first = stored_notice(stores, tmp_path, MAIL, cases=(notice_case(cases[0].number),))
    sent(stores, first)
    after = gathered(stores, [stores.cases.get(case.name) for case in cases])
    assert after.waiting == (cases[0].name,)
    assert [subject.work.title for subject in after.facts.subjects] == ["书2", "书3"]
    chosen = gathered(stores, cases, whole_site=False)
    assert len(chosen.facts.subjects) == 3  # who names the cases wants them
    reminder = gathered(stores, cases, kind="reminder")
    assert [subject.earlier.name for subject in reminder.facts.subjects] == [first.name]
    with pytest.raises(NothingToList, match=cases[0].name):
        gathered(stores, cases[:1])


def test_letter_of_a_site_leaves_out_what_may_have_been_sent(stores, cases, tmp_path):
    first = stored_notice(stores, tmp_path, MAIL, cases=(notice_case(cases[0].number),), state="uncertain")
    assert gathered(stores, cases).waiting == (cases[0].name,)
    stores.notices.advance(first, "failed", {"because": "x"}, since=["uncertain"])
    assert gathered(stores, cases).waiting == ()


def test_works_of_several_holders_or_sites_are_never_mixed(stores, cases):
    elsewhere = confirmed_case(stores, 4, site="two.example")
    with pytest.raises(SeveralSites, match=r"copy\.example, two\.example"):
        gathered(stores, [*cases, elsewhere])
    stores.works.save(replace(stores.works.get_many([2])[2], holder="雾港书局"))
    with pytest.raises(SeveralHolders, match="青灯文化, 雾港书局"):
        gathered(stores, cases)
    with pytest.raises(SeveralHolders):  # naming one does not make the other's works its own
        gathered(stores, cases, holder="青灯文化")
    stores.works.save(replace(stores.works.get_many([2])[2], holder=None))
    with pytest.raises(NoHolder, match="书2"):
        gathered(stores, cases)
    assert gathered(stores, cases, holder="青灯文化").facts.holder.name == "青灯文化"


def test_holder_without_a_copy_that_is_up_does_not_stop_a_letter(stores, cases):
    stores.works.save(replace(stores.works.get_many([2])[2], holder="雾港书局"))
    (match,) = stores.matches.of_case(2, "copy.example")
    stores.matches.replace_for_pages({match.page_id: [replace(match, review="dismissed")]})
    assert [subject.work.title for subject in gathered(stores, cases).facts.subjects] == ["书1", "书3"]


def test_site_of_a_letter_means_the_confirmed_cases_of_the_holder(stores, cases):
    confirmed_case(stores, 4, site="two.example")
    move(cases[2], stores, to="dismissed", by="林", at=NOW)
    stores.works.save(replace(stores.works.get_many([2])[2], holder="雾港书局"))

    def names(scope, **request):
        return [case.name for case in cases_of_letter(ANALYST, stores, scope, NoticeRequest(**request))]

    site = LetterScope(site="https://www.copy.example/x")
    assert names(site) == [cases[0].name, cases[1].name]
    assert names(site, holder="青灯文化") == [cases[0].name]
    stores.works.save(replace(stores.works.get_many([2])[2], holder=None))
    assert names(site, holder="青灯文化") == [cases[0].name]  # the holder of the other work is unknown
    stores.works.save(replace(stores.works.get_many([1])[1], holder=None))
    assert names(site, holder="青灯文化") == [cases[0].name, cases[1].name]
    for number in (1, 2):
        holder = ("青灯文化", "雾港书局")[number - 1]
        stores.works.save(replace(stores.works.get_many([number])[number], holder=holder))
    assert names(LetterScope(cases=(cases[2].name, cases[2].name))) == [cases[2].name]
    with pytest.raises(NothingToList):
        names(site, holder="另一家")
    for wrong in (LetterScope(), LetterScope(cases=("c1",), site="copy.example")):
        with pytest.raises(NoCasesChosen):
            names(wrong)


def test_holder_sees_a_letter_only_if_all_works_are_its_property(stores, cases, letter):
    holder = identity_of(Account(name="hol", role="holder", holders=("青灯文化",)))
    assert [notice.name for notice in list_notices(holder, stores).items] == [letter.name]
    assert list_notices(ANALYST, stores, NoticeQuery(case=cases[1].name)).items[0].name == letter.name
    stores.works.save(replace(stores.works.get_many([2])[2], holder="雾港书局"))
    assert list_notices(holder, stores).items == ()
    with pytest.raises(UnknownId):
        get_notice(holder, stores, letter.name)


@pytest.fixture
def short_letters(stores, settings, tmp_path, monkeypatch):
    """Services whose letters list one address each; no PDF is printed."""
    monkeypatch.setattr(letter_files, "print_pdf", lambda *_, **__: b"%PDF")
    rules = settings.analysis.notices.model_copy(
        update={"folder": tmp_path / "notices", "addresses_per_letter": 1}
    )
    analysis = settings.analysis.model_copy(update={"notices": rules})
    return SimpleNamespace(stores=stores, settings=settings.model_copy(update={"analysis": analysis}))


def drafts(runtime, cases):
    options = LetterOptions(is_draft=True)
    return make_notices(cases, NoticeRequest(), runtime, by="林", now=NOW, options=options).notices


def test_too_many_addresses_make_several_letters(stores, cases, short_letters, tmp_path):
    made = drafts(short_letters, cases)
    assert [(notice.name, notice.letter, notice.letters) for notice in made] == [
        ("n1", 1, 3),
        ("n2", 2, 3),
        ("n3", 3, 3),
    ]
    assert [notice.case_names for notice in made] == [(case.name,) for case in cases]
    assert {case.work_holder for notice in stores.notices.listed() for case in notice.cases} == {"青灯文化"}
    assert {path.name for path in (tmp_path / "notices").iterdir()} == {"n1", "n2", "n3"}
    assert {notice.name for notice in stores.notices.listed()} == {"n1", "n2", "n3"}


def test_failed_letter_leaves_none_of_those_made_together(
    stores, cases, short_letters, tmp_path, monkeypatch
):
    real, calls = making.write_letter, []

    def fail_at_second(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            raise BadTemplate(name="own.html", problem="x")
        return real(*args, **options)

    monkeypatch.setattr(making, "write_letter", fail_at_second)
    with pytest.raises(BadTemplate):
        drafts(short_letters, cases)
    assert list(stores.notices.listed()) == []
    assert list((tmp_path / "notices").iterdir()) == []
