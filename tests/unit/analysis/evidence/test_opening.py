"""Packages from anybody: one form only, and no byte of it may differ."""

import io
import stat
import warnings
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.evidence.opening import NotAPackage, open_package
from analysis.evidence.stored_zip import StoredZip
from system.errors import PindnaError

MEMBERS = {
    "P-1/bagit.txt": b"BagIt-Version: 1.0\n",
    "P-1/data/empty.txt": b"",
    "P-1/data/pages/ab.txt": "渡口的灯".encode(),
    "P-1/seal/key.pem": b"-----",
}


def written(members=MEMBERS):
    file = io.BytesIO()
    with StoredZip(file) as package:
        for name, content in members.items():
            package.add(name, content)
    return file.getvalue()


WHOLE = written()


def by_zipfile(name="P-1/data/x", *, compression=zipfile.ZIP_STORED, mode=0o644, **options):
    """A zip with one member, as other programs may write it."""
    file, info = io.BytesIO(), zipfile.ZipInfo(name)
    info.external_attr, info.compress_type, info.create_system = (stat.S_IFREG | mode) << 16, compression, 3
    for option, value in options.items():
        setattr(info, option, value)
    with zipfile.ZipFile(file, "w") as package:
        package.writestr(info, b"text" * 100)
    return file.getvalue()


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A function that reads all of a package."""
    path = tmp_path_factory.mktemp("package") / "package.zip"

    def run(content):
        path.write_bytes(content)
        with open_package(path) as package:
            return package.number, {
                name: (package.digest(name), package.read(name)) for name in package.members
            }

    return run


def test_written_package_is_read_back(read):
    number, files = read(WHOLE)
    assert number == "P-1"
    assert {f"P-1/{name}": content for name, (_, content) in files.items()} == MEMBERS


@given(offset=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
def test_every_flipped_bit_is_detected(read, offset, bit):
    content = bytearray(WHOLE)
    content[offset] ^= 1 << bit
    with pytest.raises(NotAPackage):
        read(bytes(content))


@pytest.mark.parametrize("offset", range(0, len(WHOLE), 7))
def test_truncated_or_extended_package_is_refused(read, offset):
    for content in (WHOLE[:offset], WHOLE[:offset] + b"\0" + WHOLE[offset:], WHOLE + b"\0" * (offset + 1)):
        with pytest.raises(NotAPackage):
            read(content)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a zip file"),
        (b"%PDF-1.7", "not a zip file"),
        (written({}), "not a zip file"),
        (by_zipfile("P-1/../../etc/passwd"), "file name that pindna does not use"),
        (by_zipfile("/etc/passwd"), "file name that pindna does not use"),
        (by_zipfile("P-1/a\\..\\b"), "file name that pindna does not use"),
        (by_zipfile("P-1/.hidden"), "file name that pindna does not use"),
        (by_zipfile("P-1/folder/"), "file name that pindna does not use"),
        (by_zipfile("alone"), "file name that pindna does not use"),
        (by_zipfile(f"P-1/{'a' * 400}"), "file name that pindna does not use"),
        (by_zipfile(compression=zipfile.ZIP_DEFLATED), "compressed"),
        (by_zipfile(external_attr=(stat.S_IFLNK | 0o777) << 16), "the file list"),
        (by_zipfile(comment=b"x"), "the file list"),
        (by_zipfile(extra=b"\1\0\0\0"), "not written by pindna"),
        (written({"P-1/a/b": b"", "P-2/a/b": b""}), "more than one top folder"),
        (WHOLE[:6] + b"\1" + WHOLE[7:], "encrypted"),
    ],
)
def test_other_file_is_refused_with_a_reason(read, content, reason):
    with pytest.raises(NotAPackage, match=reason):
        read(content)


def test_repeated_name_is_refused(read):
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), StoredZip(file) as package:
        for content in (b"one", b"two"):
            package.add("P-1/a", content)
    with pytest.raises(NotAPackage, match="twice"):
        read(file.getvalue())


def test_path_that_is_not_a_file_is_reported(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(PindnaError), open_package(path):
            pass


def test_file_that_is_changed_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(WHOLE)
    with open_package(path) as package:
        package.require_unchanged()
        path.with_suffix(".other").write_bytes(WHOLE)
        path.with_suffix(".other").replace(path)
        with pytest.raises(NotAPackage, match="during reading"):
            package.require_unchanged()


def test_oversized_json_is_not_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.evidence.opening._MAX_JSON", 100)
    path = tmp_path / "package.zip"
    bomb = b"[" + b"{}," * 100 + b"{}]"
    path.write_bytes(written({"P-1/one": bomb, "P-1/rows": b"{}\n" + bomb, "P-1/fine": b"{}\n" * 100 + b"1"}))
    with open_package(path) as package:
        assert len(list(package.lines("fine"))) == 101
        for parse in (lambda: package.document("one"), lambda: list(package.lines("rows"))):
            with pytest.raises(NotAPackage, match="too long"):
                parse()
        with pytest.raises(NotAPackage, match="too long"):
            package.text("one", max_bytes=10)
