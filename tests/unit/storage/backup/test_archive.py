"""The file of a backup: what is in it, and that whatever is wrong with it is told."""

import hashlib
import io
import json
import tarfile
from contextlib import closing
from dataclasses import replace

import bson
import pytest

from storage.backup import archive as archives
from storage.backup.archive import (
    FORMAT,
    ArchiveWriter,
    BackupArchive,
    BackupManifest,
    CollectionFacts,
    DamagedBackup,
    NewerBackup,
    NoBackup,
    PartialBackup,
    split,
    zstd,
)
from storage.collections.schema import RESTORING, SCHEMA

MANIFEST = BackupManifest(
    format=FORMAT,
    pindna="0.2",
    schema=9,
    taken="2026-11-23T08:00:00+00:00",
    point="snapshot",
    corpus_id="c",
    corpus_version=7,
    corpus_mark="m",
    log_entries=3,
    left_out=["sessions"],
    collections={},
)
ROWS = [bson.encode({"_id": number, "title": "灯"}) for number in range(7)]


def facts(documents):
    return CollectionFacts(documents=documents, options={"capped": False}, indexes=[{"name": "_id_"}])


@pytest.fixture
def written(tmp_path):
    """A function that writes a backup of two collections, told otherwise than it is where that is wanted."""

    def write(rows=tuple(ROWS), **manifest_fields):
        path = tmp_path / "b.tar"
        counts = {"works": sum(1 for row in rows for _ in split(row)), "pages": 0, **manifest_fields}
        with path.open("wb") as file:
            writer = ArchiveWriter(file)
            for name, documents in (("works", rows), ("pages", ())):
                list(writer.add(name, documents))
            collections = {name: facts(count) for name, count in counts.items() if count is not None}
            writer.finish(replace(MANIFEST, collections=collections))
        return path

    return write


def verify(path):
    with closing(BackupArchive(path)) as archive:
        return list(archive.verify())


def test_written_archive_is_read_back(written):
    with closing(BackupArchive(written())) as archive:
        assert [(name, documents) for name, documents in archive.parts()] == [("works", b"".join(ROWS))]
        assert list(archive.verify()) == [7]
        assert archive.manifest == replace(MANIFEST, collections={"works": facts(7), "pages": facts(0)})
        assert archive.manifest.documents == 7


def test_chunk_ends_with_the_batch_that_fills_it(written, monkeypatch):
    monkeypatch.setattr(archives, "_PART_BYTES", 2 * len(ROWS[0]))
    path = written()
    with tarfile.open(path) as tar:
        assert tar.getnames() == [
            *(f"collections/works/{number:06}.bson.zst" for number in range(1, 5)),
            "manifest.json",
            "SHA256SUMS",
        ]
        assert {member.mode for member in tar.getmembers()} == {0o600}
    assert verify(path) == [2, 2, 2, 1]


def test_writer_reports_the_documents_of_every_chunk(monkeypatch):
    monkeypatch.setattr(archives, "_PART_BYTES", 2 * len(ROWS[0]))
    writer = ArchiveWriter(io.BytesIO())
    assert list(writer.add("works", [b"".join(ROWS[:3]), *ROWS[3:]])) == [3, 2, 2]


@pytest.mark.parametrize(
    ("told", "part"), [({"works": 6}, "works"), ({"pages": 1}, "pages"), ({"works": None}, "works")]
)
def test_collection_has_as_many_documents_as_the_manifest_says(written, told, part):
    with pytest.raises(DamagedBackup, match=part):
        verify(written(**told))


def test_documents_are_whole(written):
    path = written(ROWS[:1])
    broken = remade(path, lambda _, data: zstd.compress(zstd.decompress(data) + b"\x09"))
    with pytest.raises(DamagedBackup, match="works"):
        verify(broken)


def test_backup_of_a_database_under_restore_is_refused(tmp_path):
    for key, error in ((RESTORING, PartialBackup), ("other", None)):
        path = tmp_path / "b.tar"
        with path.open("wb") as file:
            writer = ArchiveWriter(file)
            list(writer.add(SCHEMA, [bson.encode({"_id": SCHEMA}), bson.encode({"_id": key})]))
            writer.finish(replace(MANIFEST, collections={SCHEMA: facts(2)}))
        if error is None:
            assert verify(path) == [2]
        else:
            with pytest.raises(error):
                verify(path)


def remade(path, change=lambda _, data: data, *, manifest=lambda values: values, sums=lambda text: text):
    """Write a backup once more, with other parts, another manifest or other sums; the sums are right."""
    with tarfile.open(path) as tar:
        members = [(member.name, tar.extractfile(member).read()) for member in tar.getmembers()]
    parts = [(name, change(name, data)) for name, data in members[:-2]]
    parts.append((members[-2][0], json.dumps(manifest(json.loads(members[-2][1]))).encode()))
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in parts)
    parts.append((members[-1][0], sums(lines).encode()))
    other = path.with_name("other.tar")
    with tarfile.open(other, "w") as tar:
        for name, data in parts:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return other


def test_repacked_backup_is_valid(written):
    assert verify(remade(written())) == [7]


@pytest.mark.parametrize(
    "change",
    [
        lambda _, data: data[:-1],
        lambda _, data: data[:-1] + bytes([data[-1] ^ 1]) if len(data) > 1 else data,
        lambda _, data: zstd.decompress(data),
    ],
    ids=["cut off", "changed", "not packed"],
)
def test_chunk_that_cannot_be_unpacked_is_damaged(written, change):
    with pytest.raises(DamagedBackup, match="works"):
        verify(remade(written(), change))


def test_chunk_is_unpacked_up_to_its_largest_size(written, monkeypatch):
    path, size = written(), len(b"".join(ROWS))
    monkeypatch.setattr(archives, "_MAX_PART_BYTES", size)
    assert verify(path) == [7]
    monkeypatch.setattr(archives, "_MAX_PART_BYTES", size - 1)
    with pytest.raises(DamagedBackup, match="works"):
        verify(path)


def test_nothing_larger_than_a_manifest_may_be_is_read(written, monkeypatch):
    path = written()
    with tarfile.open(path) as tar:
        largest = max(member.size for member in tar.getmembers())
    monkeypatch.setattr(archives, "_MAX_MANIFEST_BYTES", largest)
    assert verify(path) == [7]
    monkeypatch.setattr(archives, "_MAX_MANIFEST_BYTES", largest - 1)
    with pytest.raises(DamagedBackup):
        verify(path)


@pytest.mark.parametrize(
    "sums",
    [
        lambda text: text + text.splitlines()[0] + "\n",
        lambda text: "\n".join(text.splitlines()[1:]),
        lambda text: "".join(reversed(text.splitlines(keepends=True))),
        lambda text: text.replace(text[:64], "0" * 64),
        lambda text: text.upper(),
    ],
    ids=["one more", "one less", "in another order", "another sum", "not as they are written"],
)
def test_every_chunk_has_a_checksum(written, sums):
    with pytest.raises(DamagedBackup):
        verify(remade(written(), sums=sums))


def test_manifest_says_all_that_it_must(written):
    path = written()
    assert verify(remade(path, manifest=lambda values: values | {"later": 1})) == [7]
    for change in (
        lambda values: {name: value for name, value in values.items() if name != "schema"},
        lambda values: {name: value for name, value in values.items() if name != "format"},
        lambda values: values | {"schema": "nine"},
        lambda values: [values],
    ):
        with pytest.raises(DamagedBackup, match=r"manifest\.json"):
            verify(remade(path, manifest=change))


def test_newer_format_is_reported(written):
    with pytest.raises(NewerBackup, match=f"format {FORMAT + 1}, supported up to {FORMAT}"):
        verify(remade(written(), manifest=lambda values: values | {"format": FORMAT + 1, "schema": "nine"}))


def test_other_tar_file_is_no_backup(written):
    path = written()
    with tarfile.open(path, "a") as tar:
        tar.addfile(tarfile.TarInfo("one-more"))
    with pytest.raises(NoBackup):
        verify(path)


def test_links_are_no_parts(tmp_path, written):
    path = written()
    other = tmp_path / "link.tar"
    with tarfile.open(path) as tar, tarfile.open(other, "w") as target:
        for member in tar.getmembers():
            if member.name.startswith("collections"):
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
                member.size = 0
            target.addfile(member, tar.extractfile(member.name) if member.isreg() else None)
    with pytest.raises(NoBackup):
        verify(other)


def test_shortest_document_has_five_bytes():
    assert [bytes(document) for document in split(b"\x05\0\0\0\0")] == [b"\x05\0\0\0\0"]
    assert list(split(b"")) == []
    for broken in (b"\x04\0\0\0", b"\x04\0\0\0\0", b"\x06\0\0\0\0", b"\xff\xff\xff\xff\0"):
        with pytest.raises(ValueError, match="cut off"):
            list(split(broken))
