"""Archives that strangers made: names in any encoding, names that lead out, bombs, passwords, damage."""

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.books import docx_of, epub_of, paragraphs, text, zip_of

from system.errors import PindnaError
from system.local_files import FileTooLarge
from tracker.corpus import archives
from tracker.corpus.archives import (
    Archive,
    BadArchive,
    EncryptedFile,
    NestedArchive,
    TooManyMembers,
    UnpackingBudget,
    UnpacksTooFar,
    UnsafeMembers,
)
from tracker.corpus.folder import read_folder
from tracker.corpus.forms import Rules
from tracker.corpus.reading import RawWork, read_works

HERE = Path("书.zip")
MEGABYTE = 1 << 20


def names_of(data):
    return [member.name for member in Archive(data, HERE, max_bytes=MEGABYTE).members]


def read(tmp_path, data, **rules):
    """Return the works of an archive and the errors in the places of others, each told in a line."""
    path = tmp_path / "书.zip"
    path.write_bytes(data)
    found = list(read_works(path, rules=Rules(**rules)))
    errors = [each for each in found if isinstance(each, PindnaError)]
    assert all("\n" not in str(error) and str(path) in str(error) for error in errors)
    return {each.title: each for each in found if isinstance(each, RawWork)}, errors


@pytest.mark.parametrize("encoding", [None, "gbk", "big5", "utf-8"])
def test_names_in_any_encoding_are_read(encoding):
    names = ["鏡花緣/第一回 女魁星北斗垂景象.txt", "鏡花緣/第二回 發正言花仙順時令.txt"]
    assert names_of(zip_of(dict.fromkeys(names, "青"), encoding=encoding)) == names


def test_archive_is_read_like_a_folder(tmp_path):
    files = {f"青灯渡/第{number}章.txt": text(at) for at, number in enumerate("十九二一")}
    files |= {"短讯.txt": text(9), "__MACOSX/._短讯.txt": "x", ".DS_Store": "x"}
    works, errors = read(tmp_path, zip_of(files, encoding="gbk"))
    assert errors == []
    assert [section.title for section in works["青灯渡"].sections] == ["第一章", "第二章", "第九章", "第十章"]
    assert works["青灯渡"].origin == str(tmp_path / "书.zip" / "青灯渡")
    assert works["短讯"].sections[0].text == text(9)


def test_books_and_documents_in_archives_are_read_and_archives_are_not(tmp_path):
    inner = {"a.epub": epub_of({"a.xhtml": paragraphs(1)}), "b.docx": docx_of({"第一章": text(2)})}
    works, (error,) = read(tmp_path, zip_of({**inner, "c.zip": zip_of({"d.txt": "青"})}))
    assert set(works) == {"雾中船", "b"}
    assert type(error) is NestedArchive


@pytest.mark.parametrize(
    "name",
    [
        "../a.txt",
        "a/../../b.txt",
        "/etc/a.txt",
        "\\a.txt",
        "..\\a.txt",
        "C:\\a.txt",
        "c:/a.txt",
        "a/" * 40 + "b.txt",
    ],
)
def test_unsafe_names_are_reported_and_the_rest_is_read(tmp_path, name):
    works, (error,) = read(tmp_path, zip_of({name: text(1), "好.txt": text(2)}))
    assert set(works) == {"好"}
    assert isinstance(error, UnsafeMembers)
    assert error.data["count"] == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_links_and_repeated_names_are_reported(tmp_path):
    link = zipfile.ZipInfo("链.txt")
    link.external_attr = 0o120777 << 16
    works, (error,) = read(
        tmp_path, zip_of([(link, "/etc/passwd"), ("好.txt", "甲" * 90), ("好.txt", "乙" * 90)])
    )
    assert [work.sections[0].text for work in works.values()] == ["乙" * 90]
    assert (error.data["count"], error.data["names"]) == (2, ("链.txt", "好.txt"))


def test_zip_bomb_is_reported_before_it_is_unpacked(tmp_path, monkeypatch):
    bomb = zip_of({"弹.txt": "青" * 4_000_000, "好.txt": text(1)})
    assert len(bomb) < MEGABYTE
    read_members = []
    read_one = zipfile.ZipFile.read
    monkeypatch.setattr(
        zipfile.ZipFile, "read", lambda self, name: read_members.append(name) or read_one(self, name)
    )
    works, (error,) = read(tmp_path, bomb)
    assert set(works) == {"好"}
    assert (type(error), error.data["size"]) == (UnpacksTooFar, 12_000_000)
    assert [entry.filename for entry in read_members] == ["好.txt"]


def test_member_that_lies_about_its_size_gives_no_more_than_it_says(tmp_path):
    data = bytearray(zip_of({"弹.txt": "青" * 200_000}))
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.index(mark) + place
        data[at : at + 4] = (300).to_bytes(4, "little")
    works, (error,) = read(tmp_path, bytes(data))
    assert works == {}
    assert type(error) is BadArchive


def test_all_members_together_have_a_bound(tmp_path):
    packed = zip_of({f"{n}.txt": "青" + "a" * 60_000 for n in range(12)})
    works, (error,) = read(tmp_path, packed, max_bytes=80_000)
    assert works == {}
    assert (type(error), error.data["limit"]) == (UnpacksTooFar, 640_000)
    assert type(read(tmp_path, bytes(200), max_bytes=100)[1][0]) is FileTooLarge


def test_archives_inside_an_archive_share_its_budget():
    budget = UnpackingBudget(100)
    budget.spend(60, HERE)
    with pytest.raises(UnpacksTooFar) as caught:
        budget.spend(41, HERE)
    assert (caught.value.data["size"], caught.value.data["limit"]) == (41, 40)
    budget.spend(40, HERE)


def test_books_that_unpack_too_far_together_are_reported_at_the_limit(tmp_path):
    book = epub_of({"a.xhtml": f"<p>青{'a' * 60_000}</p>"})
    books = {f"{n}.epub": book for n in range(12)}
    works, errors = read(tmp_path, zip_of(books), max_bytes=64_000)
    assert len(errors) > 2
    assert {type(error) for error in errors} == {UnpacksTooFar}
    assert len(works) == 1  # they have one title


def test_too_many_members_are_refused_before_they_are_listed(monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 5)
    assert len(names_of(zip_of({f"{n}.txt": "" for n in range(5)}))) == 5
    with pytest.raises(TooManyMembers):
        names_of(zip_of({f"{n}.txt": "" for n in range(6)}))


def test_password_and_unusual_compression_are_reported(tmp_path):
    data = bytearray(zip_of({"密.txt": text(1)}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert [type(error) for error in read(tmp_path, bytes(data))[1]] == [EncryptedFile]
    (error,) = read(tmp_path, zip_of({"a.txt": text(1)}, method=zipfile.ZIP_LZMA))[1]
    assert error.data["problem"] == "unsupported compression"


@given(st.data())
@settings(max_examples=150)
def test_any_damage_is_a_work_or_a_line(tmp_path_factory, data):
    whole = _WHOLE[data.draw(st.sampled_from(sorted(_WHOLE)))]
    damaged = bytearray(whole[: data.draw(st.integers(1, len(whole)) | st.just(len(whole)))])
    for at, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(damaged) - 1), st.integers(0, 255)), max_size=6)
    ):
        damaged[at] = value
    path = (
        tmp_path_factory.getbasetemp()
        / f"any-{os.getpid()}{data.draw(st.sampled_from(['.zip', '.epub', '.docx']))}"
    )
    path.write_bytes(damaged)
    found = list(read_works(path))
    assert found
    for each in found:
        if isinstance(each, RawWork):
            assert each.title.encode()
            assert all(section.text.encode() for section in each.sections)
        else:
            assert "\n" not in str(each)


_WHOLE = {
    "zip": zip_of({"第一章.txt": text(1, 60), "b.md": "# 青\n灯"}, encoding="gbk"),
    "epub": epub_of({"a.xhtml": "<h1>青</h1>灯"}),
    "docx": docx_of({"青": "灯"}),
}


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6), st.sampled_from([None, "gbk", "utf-8"]))
@settings(max_examples=100)
def test_any_names_are_members_or_reported(names, encoding):
    try:
        packed = zip_of(
            [(f"{number}{name}.txt", "青") for number, name in enumerate(names)], encoding=encoding
        )
    except (UnicodeEncodeError, ValueError):
        return
    archive = Archive(packed, HERE, max_bytes=MEGABYTE)
    unsafe = archive.unsafe.data["count"] if archive.unsafe is not None else 0
    assert len(archive.members) + unsafe >= len([name for name in names if not name.endswith("/")]) - unsafe
    for member in archive.members:
        assert archive.read(member) == "青".encode()
        assert ".." not in member.parts
        assert member.name.encode()


def test_archive_without_texts_is_reported_by_name(tmp_path):
    path = tmp_path / "图.zip"
    path.write_bytes(zip_of({"a.png": "x"}))
    assert [error.reason for error in read_works(path)] == ["unread-files", "no-texts"]
    with pytest.raises(PindnaError, match="contains no file"):
        list(read_folder(path))
