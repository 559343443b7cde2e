"""Actions of people and programs on real stores with an index: checks, packages, and their owners."""

import zipfile
from dataclasses import replace

import pytest
from support.two_holders import LAMP, RIVER
from support.two_works import TEXTS
from support.watched import compare_all

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions.alerts import send_again, try_addressee
from analysis.actions.check import NotAnAddress, TextTooLong, check_address, check_file, check_text
from analysis.actions.contacts import remove_contact, set_contact
from analysis.actions.evidence import export
from analysis.actions.holders import remove_holder, set_holder
from analysis.alerts.overview import last_of
from analysis.notices.holders import DocumentTooLarge, NewDocument
from analysis.notices.spelling import BadMailbox
from analysis.queries.alerts import alerts
from analysis.queries.evidence import file_of, get_package, list_packages, log_state, newest_entries
from analysis.queries.holders import list_holders
from analysis.words.i18n import translator
from storage.collections.contacts import contact_id
from storage.collections.holders import MAX_FILE_BYTES
from storage.collections.pages import page_id
from storage.records import Account, Contact, Mailing, Page, utc_now
from system.errors import UnknownId, UnknownRecord
from system.messages import Message
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
OPERATOR = identity_of(Account(name="op", role="operator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))
OTHER = identity_of(Account(name="he", role="holder", holders=(RIVER,)))


@pytest.fixture(autouse=True)
def _without_a_printer(monkeypatch):
    monkeypatch.setattr("analysis.evidence.package.print_pdf", lambda *_, **__: b"%PDF")


@pytest.fixture
def runtime(stores, settings, redis_client, guard, works):
    """A page with something of two works of two rights holders, compared."""
    for work, holder in zip(works, (LAMP, RIVER), strict=True):
        stores.works.describe(work, replace(work, holder=holder))
    url = "http://one.cn/1.html"
    text = TEXTS[1] + TEXTS[4]
    page = Page(
        id=page_id(url, "h"),
        url=url,
        host="one.cn",
        source="x",
        kind="article",
        text=text,
        content_hash="h",
    )
    stores.pages.see_many([page])
    folder = settings.storage.data_dir / "evidence"
    evidence = settings.analysis.evidence.model_copy(update={"folder": folder})
    analysis = settings.analysis.model_copy(update={"evidence": evidence})
    own = Runtime(
        settings.model_copy(update={"analysis": analysis}),
        stores,
        redis_client,
        guard,
        Queue(settings.storage),
    )
    compare_all(stores, own.corpus())
    yield own
    own.queue.close()


def test_check_shows_a_holder_only_works_of_that_holder(runtime):
    text = TEXTS[1] + TEXTS[4]
    everything = check_text(ANALYST, runtime, text).comparison
    assert {match.work.id for match in everything.matches} == {1, 2}
    own = check_text(HOLDER, runtime, text).comparison
    assert {match.work.id for match in own.matches} == {1}
    assert own.copied_chars < everything.copied_chars
    assert own.coverage < everything.coverage
    assert check_text(HOLDER, runtime, TEXTS[4]).comparison.verdict == "clear"
    found = check_file(OTHER, runtime, text.encode(), name="a.txt").comparison
    assert {match.work.id for match in found.matches} == {2}


def test_uncheckable_texts_and_addresses_are_refused(runtime):
    with pytest.raises(TextTooLong):
        check_text(ANALYST, runtime, "文" * 500_001)
    for url in (
        "ftp://one.cn/",
        "file:///etc/passwd",
        "http://",
        "http://u:p@one.cn/",
        "//one.cn",
        "http://[",
        "http://javascript:alert(1)",
    ):
        with pytest.raises(NotAnAddress):
            check_address(ANALYST, runtime, url)


def test_package_of_a_holder_is_for_outsiders_and_not_for_other_holders(runtime):
    stores = runtime.stores
    names = {match.work_id: match.name for match in stores.matches.listed()}
    with pytest.raises(NotPermitted):
        export(OPERATOR, runtime, [names[1]])
    for name in (names[2], "c99", stores.cases.get("2@one.cn").name):
        with pytest.raises(UnknownId):
            export(HOLDER, runtime, [name])
    kept = export(HOLDER, runtime, [stores.cases.get("1@one.cn").name])
    assert (kept.excerpts, kept.works, kept.matches, kept.by) == (True, (1,), 1, "li")
    path = file_of(get_package(HOLDER, stores, kept.number))
    with zipfile.ZipFile(path) as package:
        assert f"{kept.number}/bagit.txt" in package.namelist()
    assert path.parent.stat().st_mode & 0o077 == 0
    with pytest.raises(UnknownId):
        get_package(OTHER, stores, kept.number)
    # One that is not for outsiders has the case's history: it is for analysts alone.
    whole = export(ANALYST, runtime, [names[1]])
    with pytest.raises(UnknownId):
        get_package(HOLDER, stores, whole.number)
    # If a package contains works of several rights holders, no holder may have all of it.
    several = replace(whole, number="PD-several", excerpts=True, works=(1, 2))
    stores.packages.add(several)
    for identity, shown in ((ANALYST, [several, whole, kept]), (HOLDER, [kept]), (OTHER, [])):
        assert {own.number for own in list_packages(identity, stores).items} == {own.number for own in shown}
        for package in {several, whole, kept} - set(shown):
            with pytest.raises(UnknownId):
                get_package(identity, stores, package.number)
    path.unlink()
    with pytest.raises(UnknownId):
        file_of(kept)
    written = [event for event in stores.events.of_case(0) if event.subject.startswith("package ")]
    assert [event.by for event in written] == ["li", "an"]


def test_contact_is_changed_by_roles_that_write_notices_and_audited(runtime):
    contacts = runtime.stores.contacts
    contacts.save(Contact(id=contact_id("site", "one.cn"), role="site", site="one.cn", phone="0571"))
    given = {"name": " 某某网 ", "email": "legal@例子.cn", "address": ""}
    for identity in (HOLDER, OPERATOR):
        with pytest.raises(NotPermitted):
            set_contact(identity, runtime, "site", "one.cn", given)
    with pytest.raises(BadMailbox):
        set_contact(ANALYST, runtime, "site", "one.cn", {**given, "email": "nobody"})
    set_contact(ANALYST, runtime, "site", "one.cn", given)
    own = contacts.find("site", "one.cn")
    assert (own.name, own.email, own.phone) == ("某某网", "legal@xn--fsqu00a.cn", "0571")
    (row,) = [event for event in runtime.stores.events.of_case(0) if event.by == "an"]
    assert (row.subject, row.detail["act"]) == (f"contact {own.id}", "set-contact")
    with pytest.raises(NotPermitted):
        remove_contact(OPERATOR, runtime, "site", "one.cn")
    remove_contact(ANALYST, runtime, "site", "one.cn")
    assert contacts.find("site", "one.cn") is None
    with pytest.raises(UnknownRecord, match="contact"):
        remove_contact(ANALYST, runtime, "site", "one.cn")
    acts = [event.detail["act"] for event in runtime.stores.events.of_case(0) if event.by == "an"]
    assert acts == ["set-contact", "remove-contact"]


def test_holder_is_removed_by_roles_that_change_works_and_audited(runtime):
    holders = runtime.stores.holders
    set_holder(ANALYST, runtime, LAMP, {"phone": "1"})
    assert [holder.name for holder in list_holders(ANALYST, runtime.stores)] == [LAMP]
    for refused in (HOLDER, OTHER):
        with pytest.raises(NotPermitted):
            remove_holder(refused, runtime, LAMP)
        with pytest.raises(NotPermitted):
            list_holders(refused, runtime.stores)
    remove_holder(ANALYST, runtime, LAMP)
    assert holders.find(LAMP) is None
    with pytest.raises(UnknownRecord):
        remove_holder(ANALYST, runtime, LAMP)
    (row,) = [event for event in runtime.stores.events.of_case(0) if event.detail["act"] == "remove-holder"]
    assert (row.by, row.subject) == ("an", f"holder {LAMP}")


def test_holder_is_changed_by_roles_that_change_works_and_audited(runtime):
    holders, texts = runtime.stores.holders, {"address": " 某路  1 号", "email": ""}
    proof = NewDocument(kind="title", name="证.pdf", data=b"%PDF", work_id=1)
    with pytest.raises(NotPermitted):
        set_holder(HOLDER, runtime, "某社", texts)
    with pytest.raises(BadMailbox):
        set_holder(ANALYST, runtime, "某社", {"email": "nobody"})
    with pytest.raises(DocumentTooLarge):
        set_holder(
            ANALYST, runtime, "某社", texts, documents=[replace(proof, data=bytes(MAX_FILE_BYTES + 1))]
        )
    assert holders.find("某社") is None
    set_holder(ANALYST, runtime, "某社", texts, documents=[proof])
    own = holders.find("某社")
    (document,) = own.documents
    assert (own.address, document.work_id, holders.file(document.sha256)) == ("某路 1 号", 1, b"%PDF")
    own = set_holder(ANALYST, runtime, "某社", {"phone": "0571"}, dropped=[document.use])
    assert (own.address, own.phone, own.documents) == ("某路 1 号", "0571", ())
    with pytest.raises(UnknownId):
        holders.file(document.sha256)
    rows = [event for event in runtime.stores.events.of_case(0) if event.subject == "holder 某社"]
    assert [(row.by, row.detail["act"]) for row in rows] == [("an", "set-holder")] * 2


def test_log_state_is_shown_to_the_extent_of_the_role(runtime):
    state = log_state(HOLDER, runtime.stores, runtime.settings)
    assert (state.problem, state.entries) == (None, 0)
    assert newest_entries(ANALYST, runtime.stores) == []
    with pytest.raises(NotPermitted):
        newest_entries(HOLDER, runtime.stores)


def test_only_operators_resend_abandoned_mailings(runtime):
    outbox, now = runtime.stores.outbox, utc_now()
    mailing = Mailing(
        id="m", addressee="ops", cadence="at-once", deliveries=("d",), made=now, since=now, due=now
    )
    outbox.pack(mailing)
    taken = outbox.claim(mailing, until=now)
    outbox.record_failure(taken, Message("no answer"), due=None)
    settings = runtime.settings.analysis.alerts
    known = alerts(OPERATOR, runtime.stores, settings)
    assert ([own.state for own in known.mailings], known.failed) == (["failed"], 1)
    assert last_of(known.mailings[0], translator("en")) == (None, "no answer")
    for identity in (ANALYST, HOLDER):
        with pytest.raises(NotPermitted):
            alerts(identity, runtime.stores, settings)
        with pytest.raises(NotPermitted):
            send_again(identity, runtime)
        with pytest.raises(NotPermitted):
            try_addressee(identity, runtime, "ops")
    with pytest.raises(UnknownRecord):
        try_addressee(OPERATOR, runtime, "nobody")
    assert send_again(OPERATOR, runtime) == 1
    assert [own.state for own in alerts(OPERATOR, runtime.stores, settings).mailings] == ["waiting"]
    told = [event.detail["act"] for event in runtime.stores.events.of_case(0)]
    assert told[-2:] == ["try-addressee", "send-again"]
