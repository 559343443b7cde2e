"""Personal data: found wherever a name is stored; an erasure is told from tampering."""

from datetime import UTC, datetime

import pytest
from support.captures import keep_captures

from analysis.accounts.audit import record
from analysis.accounts.managing import Manager
from analysis.accounts.tokens import make_token
from analysis.evidence import erasing as persons
from analysis.evidence.erasing import NameTooShort, erase, personal_data_of
from analysis.evidence.leaves import content_of, digest_of
from analysis.evidence.log import append_pending
from analysis.evidence.log_verifying import LogVerifier
from storage.collections.accounts import LastAdministrator
from storage.records import Decision, Event, Page, Session
from storage.records.evidence_log import Statement

pytestmark = pytest.mark.services
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
NAME = "王小明"


def event(number, **fields):
    defaults = {"by": "李四", "because": "", **fields}
    return Event(id=f"c1#{number}", case=1, kind="noted", at=NOW, **defaults)


@pytest.fixture
def stored(stores, settings):
    """A person as author, reviewer, assignee, contact and in notes; everything is logged."""
    keep_captures(stores, 2)
    page = {"host": "x.example", "source": "a", "kind": "article", "text": f"作者{NAME}的文章"}
    stores.pages.see_many(
        [
            Page(id="p1", url="http://x.example/1", author=NAME, **page),
            Page(id="p2", url="http://x.example/2", author="王小明明", **page),
        ]
    )
    decision = {"site": "x.example", "work_id": 1, "passage_id": 1, "passage_sha256": "s", "start": 0}
    stores.decisions.save_many(
        [Decision(id="d1", state="confirmed", end=9, by=NAME, because=f"{NAME}看过", **decision)]
    )
    stores.events.add_many(
        [
            event(1, by=NAME),
            event(2, because=f"问过{NAME}了"),
            event(3, detail={"assignee": NAME}),
            event(4, because="无关"),
        ]
    )
    stores.database["contacts"].insert_one(
        {"_id": "k1", "role": "site", "site": "x.example", "name": NAME, "email": "w@x.example", "note": ""}
    )
    append_pending(stores, settings, now=NOW)
    return stores


def problems(stores, settings):
    verifier = LogVerifier(stores, settings)
    return [*verifier.problems()], dict(verifier.counts.accounted)


def left(stores):
    """Collections in whose rows the name still is, but for texts of pages."""
    return {
        name
        for name in stores.database.list_collection_names()
        for row in stores.database[name].find({}, {"text": 0} if name == "pages" else None)
        if NAME in str({key: value for key, value in row.items() if value != "王小明明"})
    }


def test_stored_data_of_a_person_are_exported(stored):
    rows = {(data.collection, data.id): data.fields for data in personal_data_of(f" {NAME} ", stored)}
    assert rows == {
        ("pages", "p1"): {"author": NAME},
        ("decisions", "d1"): {"by": NAME, "because": f"{NAME}看过"},
        ("events", "c1#1"): {"by": NAME},
        ("events", "c1#2"): {"because": f"问过{NAME}了"},
        ("events", "c1#3"): {"detail": {"assignee": NAME}},
        ("contacts", "k1"): {"name": NAME, "email": "w@x.example"},
    }
    with pytest.raises(NameTooShort):
        next(personal_data_of("王", stored))


def test_erasure_is_distinguished_from_tampering(stored, settings):
    erasure = erase(NAME, stored, settings, by="李四", reason=f"{NAME}要求", now=NOW)
    assert erasure.changed == {"pages": 1, "decisions": 1, "events": 3, "contacts": 1}
    assert left(stored) == set()
    assert stored.pages.get("p1").author == erasure.pseudonym
    assert stored.pages.get("p1").text == f"作者{NAME}的文章"
    assert stored.database["contacts"].find_one({})["email"] == ""
    assert stored.events.get("c1#2").because == f"问过{erasure.pseudonym}了"
    assert problems(stored, settings) == ([], {"erased": 3})
    erased = stored.evidence_log.leaves_of("event", ["c1#1", "c1#4"])
    assert (erased["c1#1"].salt, len(erased["c1#4"].salt)) == (b"", 16)
    assert erase(NAME, stored, settings, by="a", reason="", now=NOW).changed == {}
    stored.database["events"].update_one({"_id": "c1#1"}, {"$set": {"by": "another"}})
    assert [problem.code for problem in problems(stored, settings)[0]] == ["record-changed"]


def test_further_person_in_the_same_records_may_be_erased(stored, settings):
    erase(NAME, stored, settings, by="李四", reason="", now=NOW)
    assert erase("李四", stored, settings, by="李四", reason="", now=NOW).changed["evidence_statements"] == 1
    assert "李四" not in str(
        [*stored.database["events"].find(), *stored.database["evidence_statements"].find()]
    )
    assert problems(stored, settings)[0] == []


def test_unsigned_erasure_is_tampering(stored, settings):
    row = stored.database["events"].find_one({"_id": "c1#4"})
    forged = {**row, "because": "forged"}
    record = ("event", "c1#4", digest_of(content_of(forged), b"salt"))
    stored.evidence_log.add_statement(
        Statement(id="s", kind="erased", at=NOW, records=(record,), salt=b"salt")
    )
    stored.evidence_log.link_statement("event", ["c1#4"], statement="s")
    stored.database["events"].replace_one({"_id": "c1#4"}, forged)
    append_pending(stored, settings, now=NOW)
    codes = {problem.code for problem in problems(stored, settings)[0]}
    assert codes == {"record-changed", "statement"}


class Killed(BaseException):
    """As a kill -9 would end it."""


STEPS = [
    "storage.collections.evidence_log.EvidenceLogStore.add_statement",
    "storage.collections.evidence_log.EvidenceLogStore.link_statement",
    "storage.collections.persons.PersonStore.change",
    "storage.collections.evidence_log.EvidenceLogStore.delete_salts",
]


@pytest.mark.parametrize("step", STEPS)
def test_killed_erasure_leaves_an_intact_log_and_resumes(stored, settings, monkeypatch, step):
    def killed(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(step, killed)
        with pytest.raises(Killed):
            erase(NAME, stored, settings, by="李四", reason="", now=NOW)
    append_pending(stored, settings, now=NOW)
    assert problems(stored, settings)[0] == []
    erase(NAME, stored, settings, by="李四", reason="", now=NOW)
    assert left(stored) == set()
    assert problems(stored, settings) == ([], {"erased": 3})
    assert stored.evidence_log.leaves_of("event", ["c1#1"])["c1#1"].salt == b""


def test_latin_name_matches_whole_words_only(stores, settings):
    stores.events.add_many([event(1, by="li", because="li applied"), event(2, because="applied")])
    erasure = erase("li", stores, settings, by="x", reason="", now=NOW)
    assert erasure.changed == {"events": 1}
    assert stores.events.get("c1#1").because == f"{erasure.pseudonym} applied"
    assert persons.pseudonym_of("a", persons.signing_key(settings, stores.evidence_keys, now=NOW))


def test_erased_account_loses_sessions_tokens_and_addresses(stores, settings):
    manager = Manager(stores, "li (t7)", now=NOW)
    manager.add("li", role="administrator", password="four grey cranes at the ferry")  # noqa: S106 - a test's
    times = {"started": NOW, "seen": NOW, "ends": NOW}
    stores.sessions.add(Session(id="digest", account="li", address="192.0.2.7", agent="a browser", **times))
    make_token(stores, settings.analysis.server, account="li", label="", scopes=(), days=9, by="li", now=NOW)
    detail = {"address": "192.0.2.7"}
    record(stores, "signed-in", by="li", at=NOW, subject="account li", detail=detail)
    record(stores, "signed-in", by="lin", at=NOW, subject="account lin", detail=detail)
    shown = {data.collection: data.fields for data in personal_data_of("li", stores)}
    assert shown["sessions"]["address"] == "192.0.2.7"
    assert {"accounts", "tokens", "events"} <= shown.keys()
    assert not {"password", "otp_secret", "recovery", "digest"} & {
        key for row in shown.values() for key in row
    }
    with pytest.raises(LastAdministrator):
        erase("li", stores, settings, by="wu", reason="", now=NOW)
    manager.add("wu", role="administrator", password="four grey cranes at the ferry")  # noqa: S106 - a test's
    erasure = erase("li", stores, settings, by="wu", reason="", now=NOW)
    assert erasure.changed == {"accounts": 1, "sessions": 1, "tokens": 1, "events": 4}
    assert list(personal_data_of("li", stores)) == []
    events = list(stores.events.of_case(0))
    assert [event.detail.get("address") for event in events if event.kind == "signed-in"] == ["", "192.0.2.7"]
    assert {event.by for event in events} == {erasure.pseudonym, f"{erasure.pseudonym} (t7)", "lin"}
    assert problems(stores, settings)[0] == []
