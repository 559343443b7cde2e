"""The evidence log: every record enters it once, and every alteration is reported."""

import itertools
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from support.captures import keep_captures
from support.receivers import http_receiver
from support.timestamp_authority import timestamp_authority

from analysis.actions import tasks
from analysis.actions.deposits import deposit_roots
from analysis.evidence import log as log_module
from analysis.evidence.keys import KeyElsewhere, KeyUnusable, key_path, rotate, signing_key
from analysis.evidence.log import LogBroken, append_pending, checked_tree, root_path
from analysis.evidence.log_verifying import LogVerifier
from analysis.evidence.roots import sign_daily_root, stamp_roots
from storage.collections.evidence_log import EvidenceLogStore
from storage.collections.retention import prune_evidence
from storage.settings.results import RootWitness, TimestampAuthority

pytestmark = pytest.mark.services
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def logged(stores, settings):
    """Twelve captures in the log, and the root of the day."""
    captures = keep_captures(stores, 12)
    assert append_pending(stores, settings, now=NOW) == 12
    assert sign_daily_root(stores, settings, now=NOW)
    return captures


def problems(stores, settings, kept=()):
    return sorted({problem.code for problem in LogVerifier(stores, settings, kept).problems()})


def test_stored_records_enter_the_log_once(stores, settings, logged):
    assert stores.evidence_log.count_unlogged() == 0
    assert append_pending(stores, settings, now=NOW) == 0
    stores.captures.add_many(logged)  # a crawl that stores its batch again
    assert stores.evidence_log.count_unlogged() == 0
    keep_captures(stores, 3, first=12)
    assert stores.evidence_log.count_unlogged() == 3
    assert append_pending(stores, settings, now=NOW) == 3
    verifier = LogVerifier(stores, settings)
    assert list(verifier.problems()) == []
    assert verifier.counts.leaves == {"capture": 15}
    assert verifier.counts.roots == 2
    assert [leaf.id for leaf in stores.evidence_log.leaves()] == list(range(15))


def test_records_older_than_the_log_enter_with_the_day_of_entry(stores, settings):
    keep_captures(stores, 2)
    stores.database["captures"].update_many({}, {"$unset": {"unlogged": ""}})
    stores.database["evidence_log"].delete_many({})
    stores.ensure_schema()
    append_pending(stores, settings, now=NOW)
    assert {leaf.at for leaf in stores.evidence_log.leaves()} == {NOW}
    stores.ensure_schema()
    assert stores.evidence_log.count_unlogged() == 0
    assert problems(stores, settings) == []


class Killed(BaseException):
    """As a kill -9 would end it."""


STEPS = ["add_leaves", "save_tiles", "move_head", "mark_logged", "free_lease"]


def _kill(stores, settings, monkeypatch, step, when):
    """Kill an appending process before or after one of its steps."""
    method = getattr(EvidenceLogStore, step)

    def killed(*args, **kwargs):
        if when == "after":
            method(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(EvidenceLogStore, step, killed)
        if step != "free_lease":
            patched.setattr(EvidenceLogStore, "free_lease", lambda *_: None)
        with pytest.raises(Killed):
            append_pending(stores, settings, now=NOW)


@pytest.mark.usefixtures("logged")
def test_kill_between_any_two_steps_neither_doubles_nor_loses_entries(stores, settings, monkeypatch):
    size = 12
    for step, when in itertools.product(STEPS, ["before", "after"]):
        keep_captures(stores, 5, first=size)
        size += 5
        _kill(stores, settings, monkeypatch, step, when)
        assert append_pending(stores, settings, now=NOW) == 0  # the dead one's lease, or nothing is left
        stores.database["evidence_log"].update_one({"_id": "lease"}, {"$set": {"until": NOW}})
        append_pending(stores, settings, now=NOW)
        assert [leaf.id for leaf in stores.evidence_log.leaves()] == list(range(size)), (step, when)
        assert stores.evidence_log.count_unlogged() == 0
        assert problems(stores, settings) == []


@pytest.mark.usefixtures("logged")
def test_partly_stored_batch_is_completed(stores, settings, monkeypatch):
    keep_captures(stores, 5, first=12)
    add = EvidenceLogStore.add_leaves

    def half(self, leaves):
        add(self, [*leaves[:2], replace(leaves[4], id=16)])
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(EvidenceLogStore, "add_leaves", half)
        with pytest.raises(Killed):
            append_pending(stores, settings, now=NOW)
    stores.database["evidence_log"].update_one({"_id": "lease"}, {"$set": {"until": NOW}})
    append_pending(stores, settings, now=NOW)
    assert [leaf.id for leaf in stores.evidence_log.leaves()] == list(range(17))
    assert problems(stores, settings) == []


@pytest.mark.usefixtures("logged")
def test_two_concurrent_writers_neither_double_nor_mix_entries(stores, settings, monkeypatch):
    """A second process takes over an expired lease between reading and storing."""
    keep_captures(stores, 5, first=12)
    add = EvidenceLogStore.add_leaves

    def late(self, leaves):
        monkeypatch.setattr(EvidenceLogStore, "add_leaves", add)
        stores.database["evidence_log"].update_one({"_id": "lease"}, {"$set": {"until": NOW}})
        assert append_pending(stores, settings, now=NOW) == 5
        return add(self, leaves)

    monkeypatch.setattr(EvidenceLogStore, "add_leaves", late)
    assert append_pending(stores, settings, now=NOW) == 0
    assert problems(stores, settings) == []


def _swap(leaves):
    first, second = leaves.find_one({"_id": 3}), leaves.find_one({"_id": 4})
    leaves.delete_many({"_id": {"$in": [3, 4]}})
    leaves.insert_many([{**first, "_id": 4}, {**second, "_id": 3}])


def _insert(leaves):
    for row in sorted(leaves.find({"_id": {"$gte": 5}}), key=lambda row: -row["_id"]):
        leaves.delete_one({"_id": row["_id"]})
        leaves.insert_one({**row, "_id": row["_id"] + 1})
    leaves.insert_one({**leaves.find_one({"_id": 4}), "_id": 5, "record": "forged"})


ATTACKS = {
    "a capture is altered": lambda db, _: db["captures"].update_one({}, {"$set": {"status": 404}}),
    "a body is altered": lambda db, one: db["snapshots"].update_one(
        {"_id": one.sha256}, {"$set": {"warc": b"x"}}
    ),
    "a capture is deleted": lambda db, one: db["captures"].delete_one({"_id": one.id}),
    "a body is deleted": lambda db, one: db["snapshots"].delete_one({"_id": one.sha256}),
    "a capture and its leaf are deleted": lambda db, one: (
        db["captures"].delete_one({"_id": one.id}),
        db["evidence_leaves"].delete_one({"record": one.id}),
    ),
    "a capture is forged": lambda db, one: db["captures"].insert_one(
        {**db["captures"].find_one({"_id": one.id}), "_id": "forged"}
    ),
    "a leaf is altered": lambda db, _: db["evidence_leaves"].update_one(
        {"_id": 3}, {"$set": {"at": NOW - DAY}}
    ),
    "a leaf is inserted": lambda db, _: _insert(db["evidence_leaves"]),
    "two leaves change places": lambda db, _: _swap(db["evidence_leaves"]),
    "a tile is altered": lambda db, _: db["evidence_tiles"].update_one({}, {"$set": {"hashes": b"x" * 384}}),
    "a signed root is altered": lambda db, _: db["evidence_roots"].update_one(
        {}, {"$set": {"note": db["evidence_roots"].find_one({})["note"].replace("\n12\n", "\n11\n")}}
    ),
    "the head is altered": lambda db, _: db["evidence_log"].update_one(
        {"_id": "head"}, {"$set": {"size": 11}}
    ),
    "the head is deleted": lambda db, _: db["evidence_log"].delete_one({"_id": "head"}),
    "the whole log is deleted": lambda db, _: [
        db[f"evidence_{name}"].delete_many({}) for name in ("log", "leaves", "tiles", "roots")
    ],
}  # fmt: skip


def test_any_change_is_detected(stores, settings, logged):
    names = [name for name in stores.database.list_collection_names() if name.startswith("evidence_")]
    before = {name: list(stores.database[name].find({})) for name in (*names, "captures", "snapshots")}
    assert problems(stores, settings) == []
    for what, attack in ATTACKS.items():
        attack(stores.database, logged[5])
        assert problems(stores, settings) != [], what
        for name, rows in before.items():
            stores.database[name].delete_many({})
            if rows:
                stores.database[name].insert_many(rows)
    assert problems(stores, settings) == []


def test_leaf_altered_with_its_digest_and_record_is_detected_by_the_tree(stores, settings, logged):
    leaf = stores.evidence_log.leaves_of("capture", [logged[5].id])[logged[5].id]
    stores.database["captures"].update_one({"_id": logged[5].id}, {"$set": {"source": "other"}})
    document = stores.database["captures"].find_one({"_id": logged[5].id})
    forged = log_module._make_leaf(leaf.id, "capture", document, leaf.at)
    fields = {"digest": forged.digest, "salt": forged.salt}
    stores.database["evidence_leaves"].update_one({"_id": leaf.id}, {"$set": fields})
    assert problems(stores, settings) == ["leaf-changed", "root"]


def _cut_off(stores, size, head):
    """Take the end off the log, with all that counts it, as who can write to the database could."""
    db = stores.database
    gone = [row["record"] for row in db["evidence_leaves"].find({"_id": {"$gte": size}})]
    db["captures"].delete_many({"_id": {"$in": gone}})
    db["evidence_leaves"].delete_many({"_id": {"$gte": size}})
    db["evidence_roots"].delete_many({"_id": {"$gt": size}})
    db["evidence_log"].replace_one({"_id": "head"}, head)
    tile = db["evidence_tiles"].find_one({"_id": "0:0"})
    db["evidence_tiles"].update_one({"_id": "0:0"}, {"$set": {"hashes": tile["hashes"][: 32 * size]}})


@pytest.mark.usefixtures("logged")
def test_truncated_log_is_detected_by_the_root_file(stores, settings):
    head = stores.database["evidence_log"].find_one({"_id": "head"})
    keep_captures(stores, 5, first=12)
    append_pending(stores, settings, now=NOW + DAY)
    paper = stores.evidence_log.head().note
    _cut_off(stores, 12, head)
    assert problems(stores, settings) == ["head"]
    with pytest.raises(LogBroken, match=r"12 entries, but the signed root in .* has 17"):
        append_pending(stores, settings, now=NOW + DAY)
    root_path(settings).unlink()  # the intruder has this machine's file too
    assert problems(stores, settings) == []
    assert problems(stores, settings, [("paper", paper)]) == ["kept-root"]


@pytest.mark.usefixtures("logged")
def test_truncated_log_is_detected_by_a_daily_root(stores, settings):
    head = stores.database["evidence_log"].find_one({"_id": "head"})
    keep_captures(stores, 5, first=12)
    append_pending(stores, settings, now=NOW + DAY)
    sign_daily_root(stores, settings, now=NOW + DAY)
    roots = list(stores.database["evidence_roots"].find({}))
    _cut_off(stores, 12, head)
    stores.database["evidence_roots"].delete_many({})
    stores.database["evidence_roots"].insert_many(roots)
    root_path(settings).unlink()
    assert problems(stores, settings) == ["root"]


@pytest.mark.usefixtures("logged")
def test_log_rewritten_with_another_key_is_detected(stores, settings, tmp_path):
    storage = settings.storage.model_copy(update={"data_dir": tmp_path / "intruder"})
    intruder = settings.model_copy(update={"storage": storage})
    for name in ("evidence_keys", "evidence_log", "evidence_leaves", "evidence_tiles", "evidence_roots"):
        stores.database[name].delete_many({})
    stores.ensure_schema()
    append_pending(stores, intruder, now=NOW)
    assert problems(stores, intruder) == []
    with pytest.raises(KeyElsewhere):
        LogVerifier(stores, settings)


@pytest.mark.usefixtures("logged")
def test_key_added_in_the_database_is_not_trusted(stores, settings, tmp_path):
    storage = settings.storage.model_copy(update={"data_dir": tmp_path / "intruder"})
    intruder = settings.model_copy(update={"storage": storage})
    rotate(intruder, stores.evidence_keys, by="intruder", now=NOW, is_lost=True)
    with pytest.raises(KeyElsewhere):
        append_pending(stores, settings, now=NOW)


@pytest.mark.usefixtures("logged")
def test_signatures_of_earlier_keys_are_trusted(stores, settings):
    first = signing_key(settings, stores.evidence_keys, now=NOW)
    rotate(settings, stores.evidence_keys, by="me", now=NOW + DAY)
    keep_captures(stores, 2, first=12)
    append_pending(stores, settings, now=NOW + DAY)
    sign_daily_root(stores, settings, now=NOW + DAY)
    assert signing_key(settings, stores.evidence_keys, now=NOW).fingerprint != first.fingerprint
    verifier = LogVerifier(stores, settings)
    assert list(verifier.problems()) == []
    assert verifier.counts.roots == 3
    path = key_path(settings)
    path.unlink()
    with pytest.raises(KeyElsewhere, match="rotate --lost"):
        append_pending(stores, settings, now=NOW)
    rotate(settings, stores.evidence_keys, by="me", now=NOW + 2 * DAY, is_lost=True)
    assert problems(stores, settings) == []


@pytest.mark.usefixtures("logged")
def test_key_file_that_other_users_can_read_is_refused(stores, settings):
    path = key_path(settings)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(KeyUnusable, match="chmod 600"):
        append_pending(stores, settings, now=NOW)
    path.chmod(0o600)
    path.write_bytes(b"no key")
    with pytest.raises(KeyUnusable):
        append_pending(stores, settings, now=NOW)


@pytest.mark.usefixtures("logged")
def test_second_machine_creates_no_key(stores, settings, tmp_path):
    storage = settings.storage.model_copy(update={"data_dir": tmp_path / "second"})
    second = settings.model_copy(update={"storage": storage})
    with pytest.raises(KeyElsewhere, match="Copy the file"):
        append_pending(stores, second, now=NOW)
    assert not key_path(second).exists()
    key_path(second).parent.mkdir()
    key_path(second).write_bytes(key_path(settings).read_bytes())
    key_path(second).chmod(0o600)
    keep_captures(stores, 1, first=12)
    assert append_pending(stores, second, now=NOW) == 1
    assert problems(stores, settings) == []


@pytest.mark.parametrize("step", ["add", "rename"])
@pytest.mark.usefixtures("logged")
def test_killed_rotation_leaves_a_single_key_in_force(stores, settings, monkeypatch, step):
    def killed(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        if step == "add":
            patched.setattr(type(stores.evidence_keys), "add", killed)
        else:
            patched.setattr("analysis.evidence.keys._rename", killed)
        with pytest.raises(Killed):
            rotate(settings, stores.evidence_keys, by="me", now=NOW)
    keep_captures(stores, 1, first=12)
    assert append_pending(stores, settings, now=NOW) == 1
    assert problems(stores, settings) == []
    assert len(stores.evidence_keys.all()) == (1 if step == "add" else 2)


def test_deletion_with_a_statement_is_accounted_for(stores, settings, logged):
    keep_captures(stores, 1, first=12)
    assert prune_evidence(stores, before=logged[2].fetched).captures == 2
    (statement,) = stores.database["evidence_statements"].find({})
    assert [record[1] for record in statement["records"]] == [capture.id for capture in logged[:2]]
    append_pending(stores, settings, now=NOW)
    verifier = LogVerifier(stores, settings)
    assert list(verifier.problems()) == []
    assert verifier.counts.accounted == {"pruned": 2}
    stores.database["captures"].delete_one({"_id": logged[5].id})
    fields = {"accounts": statement["_id"]}
    stores.database["evidence_leaves"].update_one({"record": logged[5].id}, {"$set": fields})
    assert problems(stores, settings) == ["record-deleted"]


@pytest.mark.usefixtures("logged")
def test_dead_authority_is_retried_and_its_root_named(stores, settings, tmp_path):
    with timestamp_authority(tmp_path) as authority:
        dead, own = (
            TimestampAuthority(url=url, root=authority.root)
            for url in ("http://127.0.0.1:1/tsa", authority.url)
        )
        evidence = settings.analysis.evidence.model_copy(update={"authorities": (dead, own)})
        analysis = settings.analysis.model_copy(update={"evidence": evidence})
        asking = settings.model_copy(update={"analysis": analysis})
        keep_captures(stores, 1, first=12)
        append_pending(stores, asking, now=NOW + DAY)
        assert sign_daily_root(stores, asking, now=NOW + DAY)
        assert sign_daily_root(stores, asking, now=NOW + DAY) is None
        assert len(stamp_roots(stores, asking)) == 1
        assert len(authority.asked) == 1
        assert len(stamp_roots(stores, asking)) == 1
        assert len(authority.asked) == 1
        verifier = LogVerifier(stores, asking)
        assert list(verifier.problems()) == []
        ((root, count),) = verifier.counts.timestamps.items()
        assert (root.split(" (")[0], count) == ("CN=Root of the tests", 1)
        row = stores.database["evidence_roots"].find_one({"_id": 13})
        row["tokens"][0]["token"] = b"x"
        stores.database["evidence_roots"].replace_one({"_id": 13}, row)
        assert problems(stores, asking) == ["root-timestamp"]
        stores.database["evidence_roots"].replace_one({"_id": 13}, {**row, "tokens": [1]})
        assert "unreadable" in problems(stores, asking)


@pytest.mark.usefixtures("logged")
def test_reading_during_an_append_raises_no_alarm(stores, settings, monkeypatch):
    """The stored root may be newer than the head if it is read later."""
    head = EvidenceLogStore.head

    def late(self):
        monkeypatch.setattr(EvidenceLogStore, "head", head)
        before = head(self)
        keep_captures(stores, 3, first=12)
        assert append_pending(stores, settings, now=NOW) == 3
        return before

    monkeypatch.setattr(EvidenceLogStore, "head", late)
    assert checked_tree(stores, settings).head.size == 12


@pytest.mark.usefixtures("logged")
def test_log_is_checked_before_it_is_extended(stores, settings):
    tree = checked_tree(stores, settings)
    assert tree.head.size == 12
    stores.database["evidence_log"].update_one({"_id": "head"}, {"$set": {"root": b"x" * 32}})
    with pytest.raises(LogBroken, match="signature"):
        checked_tree(stores, settings)


def test_evidence_tasks_log_errors_in_a_single_line(stores, settings, monkeypatch, caplog):
    monkeypatch.setattr(tasks, "worker_runtime", lambda: SimpleNamespace(stores=stores, settings=settings))
    keep_captures(stores, 2)
    assert tasks.log_evidence() == {"logged": 2}
    assert tasks.sign_evidence() == {"signed": 1, "failed": 0}
    assert caplog.records == []
    stores.database["evidence_log"].delete_one({"_id": "head"})
    assert tasks.log_evidence() == {"logged": 0}
    assert tasks.sign_evidence() == {"signed": 0, "failed": 0}
    assert [record.exc_info for record in caplog.records] == [None]
    assert "altered" in caplog.text


REFERENCE = "${PINDNA_SECRET_WITNESS}"
PLATFORM = "import sys; print('receipt', len(sys.stdin.read()) > 80)"


@pytest.mark.usefixtures("logged")
def test_daily_root_is_deposited_with_every_witness_once(stores, settings, tmp_path):
    with http_receiver() as receiver:
        receiver.status, receiver.body = 500, b"later"
        witnesses = (
            RootWitness(name="platform", command=(sys.executable, "-c", PLATFORM)),
            RootWitness(name="silent", command=(sys.executable, "-c", "")),
            RootWitness(name="absent", command=(str(tmp_path / "none"),)),
            RootWitness(name="endless", command=(sys.executable, "-c", "while True: print('x' * 9999)")),
            RootWitness(name="hook", url=receiver.url, secret=REFERENCE),
        )
        evidence = settings.analysis.evidence.model_copy(update={"witnesses": witnesses})
        analysis = settings.analysis.model_copy(update={"evidence": evidence})
        asking = settings.model_copy(update={"analysis": analysis})
        keep_captures(stores, 1, first=12)
        append_pending(stores, asking, now=NOW + DAY)
        assert sign_daily_root(stores, asking, now=NOW + DAY)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PINDNA_SECRET_WITNESS", "whsec_" + "c2VjcmV0" * 4)
            failed = [error.data["witness"] for error in deposit_roots(stores, asking)]
            assert failed == ["silent", "absent", "endless", "hook"]
            receiver.status, receiver.body = 200, b"\x00receipt of the hook"
            assert len(deposit_roots(stores, asking)) == 3
        (root,) = [root for root in stores.evidence_log.roots() if root.receipts]
        assert [(stored.witness, stored.receipt) for stored in root.receipts] == [
            ("platform", b"receipt True\n"),
            ("hook", b"\x00receipt of the hook"),
        ]
        assert root.undeposited == ("silent", "absent", "endless")
        posted = receiver.requests[-1]
        assert posted.body.decode() == root.note
        assert posted.headers["webhook-signature"].startswith("v1,")
        assert len(receiver.requests) == 2
