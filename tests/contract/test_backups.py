"""A backup contains the database at one moment, and a restored database equals it."""

import resource
import subprocess
import tarfile
import threading
import uuid
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import bson
import pytest
from pymongo.errors import WriteError
from pymongo.monitoring import CommandListener
from support.captures import keep_captures
from support.plans import listening
from support.processes import settings_on
from support.two_holders import NOON, fill
from support.unpacking import extract_all

from analysis.evidence.log import append_pending
from analysis.evidence.log_verifying import LogVerifier
from deploy.cli.backup.backup import take_backup
from deploy.cli.files import CannotWrite
from storage.backup import archive as archives
from storage.backup import restoring
from storage.backup.archive import (
    FORMAT,
    ArchiveWriter,
    BackupArchive,
    BackupManifest,
    CollectionFacts,
    DamagedBackup,
    NoBackup,
    PartialBackup,
    split,
    zstd,
)
from storage.backup.restoring import NotEmpty, NotTaken, restore_backup
from storage.backup.writing import LEFT_OUT, StillWritten, write_backup
from storage.collections.documents import connect
from storage.collections.schema import RESTORING, SCHEMA, VERSION, HalfRestored, NewerSchema
from storage.collections.stores import open_stores

pytestmark = [pytest.mark.services, pytest.mark.db_admin]
MANIFEST = BackupManifest(
    format=FORMAT,
    pindna="0.1",
    schema=VERSION,
    taken=NOON.isoformat(),
    point="snapshot",
    corpus_id="",
    corpus_version=0,
    corpus_mark="",
    log_entries=0,
    left_out=[],
    collections={},
)
ROWS = [{"_id": number, "text": "灯" * 500} for number in range(1_500)]


@pytest.fixture(scope="module")
def source(services, tmp_path_factory):
    """Works, pages, matches, cases and a log of evidence, and their backup, which only its owner can read."""
    folder = tmp_path_factory.mktemp("backup")
    settings = settings_on(services, folder, redis_database=0)
    with closing(open_stores(settings.storage)) as stores:
        stores.ensure_schema()
        fill(stores)
        stores.versions.corpus_id()
        keep_captures(stores, 12)
        append_pending(stores, settings)
        keep_captures(stores, 3, first=12)
        stores.database["sessions"].insert_one({"_id": "s", "account": "wu", "seen": NOON, "ends": NOON})
        path = folder / "b.tar"
        take_backup(settings, path)
        assert path.stat().st_mode & 0o777 == 0o600
        before = contents(stores.database)
        yield SimpleNamespace(settings=settings, stores=stores, path=path, contents=before)
        stores.database.client.drop_database(stores.database.name)


@pytest.fixture
def backup(source):
    return source.path


@pytest.fixture
def other(source):
    """Another, empty database, and its settings."""
    storage = source.settings.storage.model_copy(update={"mongo_database": f"test_{uuid.uuid4().hex}"})
    settings = source.settings.model_copy(update={"storage": storage})
    database = connect(storage)
    yield SimpleNamespace(settings=settings, database=database)
    database.client.drop_database(database.name)
    database.client.close()


def contents(database):
    """Return documents, indexes and options of every collection, without documents that backups omit."""
    return {
        row["name"]: (
            sorted(map(repr, database[row["name"]].find({}))) if row["name"] not in LEFT_OUT else [],
            sorted(map(repr, database[row["name"]].list_indexes())),
            row["options"],
        )
        for row in database.list_collections()
    }


def restore(path, database, **options):
    with closing(BackupArchive(path)) as archive:
        restore_backup(archive, database, **options)


def test_restored_database_equals_the_original(source, other):
    restore(source.path, other.database)
    assert contents(other.database) == source.contents
    with closing(open_stores(other.settings.storage)) as restored:
        restored.ensure_schema()
        assert contents(other.database) == source.contents
        assert restored.versions.corpus_id() == source.stores.versions.corpus_id()
        assert restored.evidence_log.count_unlogged() == 3
        assert append_pending(restored, source.settings) == 3
        verifier = LogVerifier(restored, source.settings)
        assert list(verifier.problems()) == []
        assert verifier.counts.leaves["capture"] == 15
        assert not other.database["sessions"].find_one({})


class Concerns(CommandListener):
    """Records the write concern of each insert."""

    def __init__(self):
        self.seen = []

    def started(self, event):
        if event.command_name == "insert":
            self.seen.append(event.command.get("writeConcern"))

    def succeeded(self, event):
        """Not needed."""

    def failed(self, event):
        """Not needed."""


def test_restored_data_survives_crashes_and_elections(source, other):
    """The driver repeats the write that a crash interrupted, so the writes before it must have lasted."""
    concerns = Concerns()
    with listening(concerns):
        database = connect(other.settings.storage)
    with closing(database.client):
        restore(source.path, database)
    assert len(concerns.seen) > 10
    assert {frozenset(concern.items()) for concern in concerns.seen} == {
        frozenset(other.database.write_concern.document.items())
    }


def test_backup_shows_a_single_moment_despite_concurrent_writes(other, tmp_path, monkeypatch):
    """The writer of two documents writes the first one first: a backup never has only the second."""
    monkeypatch.setattr(archives, "_PART_BYTES", 1)
    database, stop = other.database, threading.Event()
    for name in ("aa", "zz", "mm"):  # the second of the two is read first, and so has most time to be missed
        database.create_collection(name)
    database["mm"].insert_many(ROWS)

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            for first, second in (("zz", "aa"), ("a0", "z0")):
                database[first].insert_one({"_id": number})
                database[second].insert_one({"_id": number})

    write_once = threading.Thread(target=write)
    write_once.start()
    try:
        taken = [take_backup(other.settings, tmp_path / f"{n}.tar").collections for n in range(3)][1:]
    finally:
        stop.set()
        write_once.join()
    for facts in taken:
        for first, second in (("zz", "aa"), ("a0", "z0")):
            assert facts[first].documents - facts[second].documents in {0, 1}
    assert taken[-1]["aa"].documents > taken[0]["aa"].documents > 0


def test_empty_database_can_be_backed_up_and_progress_is_reported(other, tmp_path):
    with (tmp_path / "b.tar").open("wb") as file:
        manifest = write_backup(other.database, file)
    versions = manifest.schema, manifest.corpus_version, manifest.log_entries
    assert (versions, manifest.corpus_id, manifest.corpus_mark) == ((0, 0, 0), "", "")
    other.database["works"].insert_many(ROWS[:3])
    other.database["pages"].insert_many(ROWS[:4])
    notes = []
    with (tmp_path / "c.tar").open("wb") as file:
        assert write_backup(other.database, file, note=lambda *counts: notes.append(counts)).documents == 7
    assert notes == [(4, 7), (7, 7)]


@pytest.mark.parametrize(
    "write",
    [
        lambda rows: rows.insert_one({"_id": 9}),
        lambda rows: rows.update_one({"_id": 1}, {"$set": {"text": "火" * 500}}),
        lambda rows: rows.replace_one({"_id": 1}, {"_id": 1}),
        lambda rows: rows.delete_one({"_id": 1}),
    ],
    ids=["a new one", "a change", "another one", "a deletion"],
)
def test_claim_that_pindna_is_stopped_is_checked(other, tmp_path, monkeypatch, write):
    other.database["works"].insert_many(ROWS[:9])
    assert take_backup(other.settings, tmp_path / "b.tar", stopped=True).point == "stopped"
    add = archives.ArchiveWriter.add

    def add_and_write(self, collection, batches):
        yield from add(self, collection, batches)
        if collection == "works":
            write(other.database["works"])

    monkeypatch.setattr(archives.ArchiveWriter, "add", add_and_write)
    with pytest.raises(StillWritten, match="works"):
        take_backup(other.settings, tmp_path / "c.tar", stopped=True)
    assert [path.name for path in tmp_path.iterdir()] == ["b.tar"]


def test_interrupted_restore_is_detected_and_repeated(source, other, tmp_path, monkeypatch):
    insert = restoring._insert_rows

    def break_off(database, name, rows):
        if name == "pages":
            raise KeyboardInterrupt
        insert(database, name, rows)

    with monkeypatch.context() as patched:
        patched.setattr(restoring, "_insert_rows", break_off)
        with pytest.raises(KeyboardInterrupt):
            restore(source.path, other.database)
    with (
        closing(open_stores(other.settings.storage)) as stores,
        pytest.raises(HalfRestored, match="from the beginning"),
    ):
        stores.ensure_schema()
    with pytest.raises(HalfRestored, match="from the beginning"):
        take_backup(other.settings, tmp_path / "half.tar")
    restore(source.path, other.database)
    assert contents(other.database) == source.contents


def test_partial_backup_of_a_half_restored_database_is_refused(tmp_path, other):
    """Earlier versions wrote such files."""
    path = tmp_path / "half.tar"
    with path.open("wb") as file:
        writer = ArchiveWriter(file)
        counts = list(writer.add(SCHEMA, [bson.encode({"_id": RESTORING})]))
        facts = CollectionFacts(documents=sum(counts), options={}, indexes=[])
        writer.finish(replace(MANIFEST, collections={SCHEMA: facts}))
    other.database["pages"].insert_one({"_id": "p"})
    with pytest.raises(PartialBackup, match="Use an earlier backup"):
        restore(path, other.database, replace=True)
    assert other.database.list_collection_names() == ["pages"]


def test_restore_that_the_server_refuses_leaves_a_marked_database(source, other, tmp_path):
    path = tmp_path / "twice.tar"
    with path.open("wb") as file:
        writer = ArchiveWriter(file)
        counts = list(writer.add("works", [bson.encode({"_id": 1}) * 2]))
        facts = CollectionFacts(documents=sum(counts), options={}, indexes=[])
        writer.finish(replace(MANIFEST, collections={"works": facts}))
    with pytest.raises(NotTaken, match="is only partly restored"):
        restore(path, other.database)
    with closing(open_stores(other.settings.storage)) as stores, pytest.raises(HalfRestored):
        stores.ensure_schema()
    restore(source.path, other.database)
    assert contents(other.database) == source.contents


def test_crawls_are_reset_while_the_restore_can_still_be_repeated(source, other):
    """Their frontiers count addresses as done although the restored database lacks their pages."""

    def break_off():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(source.path, other.database, forget=break_off)
    with closing(open_stores(other.settings.storage)) as stores, pytest.raises(HalfRestored):
        stores.ensure_schema()


def test_documents_that_break_a_later_validator_are_restored_with_it(other, tmp_path):
    rows = other.database["odd"]
    rows.insert_one({"_id": 1, "size": "large"})
    validator = {"$jsonSchema": {"properties": {"size": {"bsonType": "int"}}}}
    other.database.command("collMod", "odd", validator=validator)
    with pytest.raises(WriteError):
        rows.insert_one({"_id": 2, "size": "large"})
    with (tmp_path / "b.tar").open("wb") as file:
        write_backup(other.database, file)
    restore(tmp_path / "b.tar", other.database, replace=True)
    assert list(rows.find({})) == [{"_id": 1, "size": "large"}]
    with pytest.raises(WriteError):
        rows.insert_one({"_id": 2, "size": "large"})


def test_backups_may_only_contain_expiry_indexes_that_pindna_has(source):
    """Any other expiry index in a backup could delete data later."""
    database = source.stores.database
    ending = {
        row["name"]: field
        for row in database.list_collections()
        for index in database[row["name"]].list_indexes()
        if "expireAfterSeconds" in index
        for field in index["key"]
    }
    assert ending == archives.EXPIRY_FIELDS


def test_existing_data_is_replaced_only_on_request(source, other):
    other.database["counters"].insert_one({"_id": "corpus_id", "value": "own"})
    other.database["pages"].insert_one({"_id": "p"})
    with pytest.raises(NotEmpty, match="is not empty: it contains pages"):
        restore(source.path, other.database)
    restore(source.path, other.database, replace=True)
    assert contents(other.database) == source.contents


def test_damaged_or_newer_backup_changes_nothing(backup, other, tmp_path, monkeypatch):
    whole = backup.read_bytes()
    with tarfile.open(backup) as tar:
        places = {member.name: member.offset_data + member.size // 2 for member in tar.getmembers()}
    damaged = tmp_path / "damaged.tar"
    for name in ("collections/pages/000001.bson.zst", "manifest.json", "SHA256SUMS"):
        offset = places[name]
        damaged.write_bytes(whole[:offset] + bytes([whole[offset] ^ 4]) + whole[offset + 1 :])
        with pytest.raises(DamagedBackup, match="Use another copy"):
            restore(damaged, other.database)
    for end in (0, 100, len(whole) // 2, places["manifest.json"]):
        damaged.write_bytes(whole[:end])
        with pytest.raises(NoBackup):
            restore(damaged, other.database)
    monkeypatch.setattr(restoring, "VERSION", VERSION - 1)
    with pytest.raises(NewerSchema):
        restore(backup, other.database)
    assert other.database.list_collection_names() == []


def test_full_disk_leaves_no_backup(source, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, limits[1]))
    try:
        with pytest.raises(CannotWrite):
            take_backup(source.settings, tmp_path / "full" / "b.tar")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((tmp_path / "full").iterdir()) == []


def test_standard_tools_read_a_backup(backup, tmp_path):
    with tarfile.open(backup) as tar:
        extract_all(tar, tmp_path)
    subprocess.run(["/usr/bin/sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)
    packed = (tmp_path / "collections" / "works" / "000001.bson.zst").read_bytes()
    titles = {row["title"] for row in bson.decode_all(zstd.decompress(packed))}
    assert titles == {"青灯", "長河", "無主"}


def test_concatenated_documents_are_split():
    shortest = b"\x05\x00\x00\x00\x00"
    assert [bytes(document) for document in split(shortest * 3)] == [shortest] * 3
    for broken in (shortest[:4], shortest + b"\x09\x00\x00\x00\x00", b"\x00" * 8):
        with pytest.raises(ValueError, match="cut off"):
            list(split(broken))
