"""Files that call themselves backups: whatever they hold, a reason is given, within the memory of a part."""

import hashlib
import io
import json
import struct
import tarfile
import tracemalloc
from contextlib import closing, suppress
from pathlib import Path

import bson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.backup.archive import (
    ArchiveWriter,
    BackupArchive,
    DamagedBackup,
    ForeignCollection,
    NoBackup,
    zstd,
)
from storage.backup.members import members_of

ONE = bson.encode({"_id": 1, "text": "灯"})
PART = "collections/works/000001.bson.zst"
MEGABYTE = 1024 * 1024
WHOLE = {
    "format": 1,
    "pindna": "0.2.0",
    "schema": 7,
    "taken": "2026-11-26T08:00:00+00:00",
    "point": "snapshot",
    "corpus_id": "c",
    "corpus_version": 1,
    "corpus_mark": "m",
    "log_entries": 0,
    "left_out": [],
    "collections": {"works": {"documents": 1, "options": {}, "indexes": []}},
}


def archive_of(folder, *, documents=ONE, name=PART, manifest=WHOLE):
    """Write a file whose checksums are right, whatever else is wrong with it."""
    path, sums = folder / "b.tar", ""
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for member, data in ((name, zstd.compress(documents)), ("manifest.json", text)):
            _add(tar, member, data)
            sums += f"{hashlib.sha256(data).hexdigest()}  {member}\n"
        _add(tar, "SHA256SUMS", sums.encode())
    return path


def _add(tar, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def verify(path):
    with closing(BackupArchive(path)) as archive:
        return sum(archive.verify())


def with_works(**facts):
    return WHOLE | {"collections": {"works": WHOLE["collections"]["works"] | facts}}


def test_reference_archive_is_valid(tmp_path):
    assert verify(archive_of(tmp_path)) == 1
    assert verify(archive_of(tmp_path, documents=ONE * 9, manifest=with_works(documents=9))) == 9


@pytest.mark.parametrize(
    "manifest",
    [
        b'{"format":1,"left_out":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"format":1,"schema":' + b"9" * 5_000 + b"}",
        b"\xff",
        b"[]",
        WHOLE | {"taken": "\x1b[2J"},
        WHOLE | {"taken": "9999-12-31T23:59:59+00:00"},
        WHOLE | {"schema": -1},
        WHOLE | {"format": "x"},
        with_works(documents=-1),
        with_works(documents=10**30),
        with_works(documents=2),
        with_works(indexes=[{"key": {"updated": 1}, "name": "updated_1", "expireAfterSeconds": 0}]),
        with_works(indexes=[{"key": {"ends": 1}, "name": "ends_1", "expireAfterSeconds": 0}]),
        *(
            WHOLE | {"collections": WHOLE["collections"] | {name: with_works()["collections"]["works"]}}
            for name in ("", "$cmd", "system.users", "a\0b", "..", "灯", "a" * 61, "a\n")
        ),
    ],
    ids=range(21),
)
def test_manifest_that_cannot_be_is_damage(tmp_path, manifest):
    with pytest.raises(DamagedBackup):
        verify(archive_of(tmp_path, manifest=manifest))


@pytest.mark.parametrize(
    "documents",
    [
        struct.pack("<i", 2**31 - 1) + b"abc",
        struct.pack("<i", -1) + b"\0",
        struct.pack("<i", 20) + b"\x7f" + b"garbage-garbage",
        bson.encode({"text": "no id"}),
        bson.encode({"_id": 1, "text": "a" * 20 * MEGABYTE}),
        ONE[:-1],
        ONE + b"\0",
    ],
    ids=["too long", "negative", "no types", "no id", "larger than MongoDB's", "cut off", "a byte more"],
)
def test_documents_that_no_server_takes_are_damage(tmp_path, documents):
    with pytest.raises(DamagedBackup, match="at works"):
        verify(archive_of(tmp_path, documents=documents))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "collections/a/../1.bson.zst", "x"])
def test_chunk_with_another_name_is_damage(tmp_path, name):
    with pytest.raises(DamagedBackup):
        verify(archive_of(tmp_path, name=name))


def test_chunk_that_unpacks_too_far_is_damage(tmp_path):
    path = archive_of(tmp_path, documents=bytes(200 * MEGABYTE))
    assert path.stat().st_size < MEGABYTE
    with pytest.raises(DamagedBackup), memory_of(160 * MEGABYTE):
        verify(path)


def test_manifest_of_many_megabytes_is_not_read(tmp_path):
    path = archive_of(tmp_path, manifest=b"[" + b"{}," * 3 * MEGABYTE + b"{}]")
    with pytest.raises(DamagedBackup), memory_of(2 * MEGABYTE):
        verify(path)


class memory_of:  # noqa: N801 - used as a context manager
    """Fail where more bytes than these are taken at once."""

    def __init__(self, most):
        self._most = most

    def __enter__(self):
        tracemalloc.start()

    def __exit__(self, *_error):
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < self._most


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
        tarfile.GNUTYPE_SPARSE,
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.DIRTYPE,
        tarfile.FIFOTYPE,
        tarfile.CHRTYPE,
    ],
)
def test_only_files_with_plain_headers_are_read(tmp_path, kind):
    """For the first five, ``tarfile`` reads as much as they claim: here three gigabytes."""
    info = tarfile.TarInfo(PART)
    info.type, info.size, info.linkname = kind, 3 * 1024 * MEGABYTE, "/etc/passwd"
    path = tmp_path / "b.tar"
    with path.open("wb") as file:
        file.write(info.tobuf(tarfile.USTAR_FORMAT))
        file.truncate(info.size + 10_240)
    with pytest.raises(NoBackup), memory_of(2 * MEGABYTE):
        verify(path)


@pytest.mark.parametrize("size", [513, 10**12, -1])
def test_member_longer_than_its_archive_is_cut_off(size):
    info = tarfile.TarInfo("x")
    info.size = size
    file = io.BytesIO(info.tobuf(tarfile.GNU_FORMAT) + bytes(512))
    with pytest.raises(ValueError, match=r"cut off|negative|header"):
        list(members_of(file))


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513])
def test_members_start_at_their_blocks(size):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        _add(tar, "a", bytes(size))
        _add(tar, "b", b"after")
    first, second = members_of(file)
    assert (first.name, first.size, first.start) == ("a", size, 512)
    file.seek(second.start)
    assert file.read(second.size) == b"after"


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(min_value=0), value=st.binary(min_size=1, max_size=12))
def test_any_changed_bytes_are_reported_with_a_reason(tmp_path, place, value):
    data = bytearray(archive_of(tmp_path).read_bytes())
    place %= len(data)
    data[place : place + len(value)] = value
    path = tmp_path / "changed.tar"
    path.write_bytes(data)
    with suppress(NoBackup, DamagedBackup):
        assert verify(path) == 1  # in what fills up a block, or in the date of a header


def test_collection_with_an_unusable_name_is_refused_on_writing(tmp_path: Path):
    with (tmp_path / "b.tar").open("wb") as file:
        writer = ArchiveWriter(file)
        for name in ("fs.files", "灯", "a" * 61, ""):
            with pytest.raises(ForeignCollection):
                list(writer.add(name, [ONE]))
        assert list(writer.add("a" * 60, [ONE])) == [1]
