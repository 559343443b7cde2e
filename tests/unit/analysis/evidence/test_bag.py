import json
import zipfile

import bagit
import pytest

from analysis.evidence.bag import files_below, write_tag_files
from analysis.evidence.staging import Staging
from analysis.evidence.stored_zip import PackageTooLarge, StoredZip


@pytest.fixture
def bag(tmp_path):
    """A bag with a payload whose names are where two orders differ."""
    staging = Staging(tmp_path)
    staging.write("data/pages/a.txt", "第一章".encode())
    with staging.lines("data/pages.jsonl") as write:
        write({"b": "甲\n乙", "a": 1})
    manifest = write_tag_files(tmp_path, {"Source-Organization": "王\n律师", "External-Identifier": "n"})
    return tmp_path, manifest


def test_bagit_library_validates_the_bag(bag):
    folder, manifest = bag
    read = bagit.Bag(str(folder))
    read.validate()
    assert read.info["Source-Organization"] == "王 律师"  # one line
    assert read.info["Payload-Oxum"] == f"{len('第一章'.encode()) + 26}.2"
    assert (folder / "tagmanifest-sha256.txt").read_bytes() == manifest
    tagged = [line.split("  ")[1] for line in manifest.decode().splitlines()]
    assert tagged == ["bagit.txt", "bag-info.txt", "manifest-sha256.txt"]


@pytest.mark.parametrize("name", ["data/pages/a.txt", "bag-info.txt", "manifest-sha256.txt"])
def test_bagit_library_detects_a_changed_byte(bag, name):
    folder, _ = bag
    content = bytearray((folder / name).read_bytes())
    content[0] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(bagit.BagError):
        bagit.Bag(str(folder)).validate()


def test_files_are_sorted_by_name(bag):
    folder, _ = bag
    names = [path.relative_to(folder).as_posix() for path in files_below(folder)]
    assert names == sorted(names)
    assert names.index("data/pages.jsonl") < names.index("data/pages/a.txt")


def test_lines_are_json_without_line_breaks(bag):
    folder, _ = bag
    (line,) = (folder / "data/pages.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"a": 1, "b": "甲\n乙"}


def test_file_is_written_once(tmp_path):
    staging = Staging(tmp_path)
    staging.write("data/inputs/x.json", b"1")
    staging.write("data/inputs/x.json", b"1")
    with pytest.raises(ValueError, match=r"x\.json"):
        staging.write("data/inputs/x.json", b"2")


def test_zip_of_the_same_members_has_the_same_bytes(tmp_path):
    content = tmp_path / "content"
    content.write_bytes(b"x" * 3_000_000)

    def write(path):
        with path.open("wb") as file, StoredZip(file) as package:
            package.add_file("n/a", content)
            package.add("n/b", b"y")
        return path.read_bytes()

    written = write(tmp_path / "1.zip")
    assert written == write(tmp_path / "2.zip")
    with zipfile.ZipFile(tmp_path / "1.zip") as package:
        assert package.testzip() is None
        for member in package.infolist():
            assert (member.compress_type, member.date_time, member.extra, member.flag_bits) == (
                zipfile.ZIP_STORED,
                (1980, 1, 1, 0, 0, 0),
                b"",
                0,
            )


def test_oversized_package_is_refused_in_a_single_line(tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.evidence.stored_zip.MAX_MEMBERS", 2)
    with (tmp_path / "a.zip").open("wb") as file, StoredZip(file) as package:
        package.add("a", b"")
        package.add("b", b"")
        with pytest.raises(PackageTooLarge, match="Export fewer matches"):
            package.add("c", b"")
    monkeypatch.setattr("analysis.evidence.stored_zip.MAX_BYTES", 200)
    with (tmp_path / "b.zip").open("wb") as file, pytest.raises(PackageTooLarge), StoredZip(file) as package:
        package.add("a", bytes(200))
