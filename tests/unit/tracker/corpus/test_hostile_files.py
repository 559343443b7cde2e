"""Files that were made to harm, or merely are odd: each is read, or told in a line; none stops the others."""

import json
import os
import time
from datetime import UTC

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.strategies import story

from storage.records import CHINA
from system.errors import PindnaError
from system.local_files import FileTooLarge, NotRegular
from tracker.corpus.chapters import split_passages
from tracker.corpus.folder import load_folder, read_folder
from tracker.corpus.forms import Rules
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.rows import BadLine, LineTooLong, UnusableDate, _usable_date
from tracker.corpus.texts import BinaryFile
from tracker.corpus.tree import LinkLoop

GOOD = '{"title": "题", "text": "青灯渡口"}'


def works_of(path, **options):
    """Return the works of a file and the errors in the places of others, all of them ours."""
    read = list(read_works(path, **options))
    errors = [each for each in read if isinstance(each, PindnaError)]
    works = [each for each in read if isinstance(each, RawWork)]
    assert len(errors) + len(works) == len(read)
    assert all("\n" not in str(error) for error in errors)
    return works, errors


def lines(tmp_path, *rows):
    path = tmp_path / "works.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def assert_can_be_stored(work):
    """Fail if MongoDB could not hold the work, or its date could not be reckoned with."""
    texts = [work.title, work.author or "", work.url or "", *(part.text for part in work.sections)]
    for text in (*texts, *(part.title for part in work.sections)):
        text.encode("utf-8")
        assert "\0" not in text
    if work.published is not None:
        assert work.published.at.tzinfo is UTC
        assert 999 <= work.published.at.year <= 3000


@given(st.binary(max_size=3000))
@example(b"\xd8\x00\xdc\x00" * 40)
@example(b"\xff\xfe\x00\xd8" * 100)
@example(b"\x84\x31\x95\x33\x81\x30\x81\x30")
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused_with_a_reason(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}.txt"
    path.write_bytes(data)
    works, errors = works_of(path)
    assert len(works) + len(errors) == 1
    for work in works:
        assert_can_be_stored(work)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.datetimes().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
_TEXTS = _VALUES | st.text(st.sampled_from("青灯渡\ud800\udfff\0\n a"), max_size=30)
_ROWS = st.fixed_dictionaries(
    {"title": _TEXTS, "text": _TEXTS},
    optional=dict.fromkeys(("author", "url", "date", "published"), _TEXTS),
)


@given(
    st.binary(max_size=2000)
    | st.lists(_ROWS.map(json.dumps), max_size=4).map(lambda each: "\n".join(each).encode())
)
@example(b'{"title": "\\ud800", "text": "\\udfff\xe9\x9d\x92"}')
@settings(max_examples=300)
def test_any_rows_are_read_or_refused_with_a_reason(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}.jsonl"
    path.write_bytes(data)
    works, errors = works_of(path)
    assert works or errors
    for work in works:
        assert_can_be_stored(work)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 1_000_000,
        '{"a":' * 200_000,
        '{"title": ' + "7" * 5_000 + ', "text": "青灯"}',
        '{"title": "题", "text": "青灯", "date": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"title": "' + "题" * 2_001 + '", "text": "青灯"}',
        '{"title": "题", "text": "青灯", "url": "http://a.example/' + "a" * 2_000 + '"}',
        '{"title": "\\u0000", "text": "青灯"}',
        '{"title": "题", "text": "\\ud800\\u0000"}',
    ],
    ids=["nested", "nested objects", "5000 digits", "nested date", "title", "address", "NUL", "no text"],
)
def test_unusable_line_is_reported_and_the_rest_is_read(tmp_path, line):
    works, errors = works_of(lines(tmp_path, GOOD, line, GOOD))
    assert len(works) == 2
    assert [type(error) for error in errors] == [BadLine]


def test_line_that_never_ends_ends_the_file(tmp_path):
    path = lines(tmp_path, GOOD, '{"title": "题", "text": "' + "青" * 5_000 + '"}', GOOD)
    works, errors = works_of(path, rules=Rules(max_bytes=4_096))
    assert len(works) == 1
    assert [type(error) for error in errors] == [LineTooLong]
    assert errors[0].data["line"] == 2
    assert len(works_of(path)[0]) == 3


def test_sparse_file_of_rows_is_not_read_to_its_end(tmp_path):
    path = lines(tmp_path, *[GOOD] * 30_000)
    with path.open("ab") as file:
        file.truncate(30 * 10**9)
    before = time.monotonic()
    works, errors = works_of(path)
    assert time.monotonic() - before < 20
    assert len(works) == 30_000
    assert [type(error) for error in errors] == [LineTooLong]
    with (tmp_path / "hole.jsonl").open("wb") as file:
        file.truncate(30 * 10**9)
    assert [type(each) for each in works_of(tmp_path / "hole.jsonl")[1]] == [BinaryFile]


def test_folder_with_traps_is_read_around_them(tmp_path):
    (tmp_path / "a.txt").write_text(story(300, 1), encoding="utf-8")
    os.mkfifo(tmp_path / "b.txt")
    os.mkfifo(tmp_path / "c.jsonl")
    (tmp_path / "d.txt").symlink_to("/dev/zero")
    with (tmp_path / "e.txt").open("wb") as file:
        file.truncate(30 * 10**9)
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "g").symlink_to(tmp_path)
    (tmp_path / "z.txt").write_text(story(300, 2), encoding="utf-8")
    read = list(read_works(tmp_path))
    kinds = [type(each) for each in read]
    assert kinds == [LinkLoop, RawWork, NotRegular, NotRegular, NotRegular, FileTooLarge, RawWork]
    told = []
    corpus = load_folder(read_folder(tmp_path), report=told.append)
    assert corpus.index.statistics().passages == 2
    assert sorted(type(each).__name__ for each in told) == ["FileTooLarge", "LinkLoop", *["NotRegular"] * 3]


@pytest.mark.parametrize(
    "date",
    [
        "0001-01-01",
        "0001-01-01T00:00:00+14:00",
        "0999-12-31",
        "3000-01-01",
        "9999-12-31T23:59:59-12:00",
        "soon",
        "2026-13-01",
        "x" * 10_000,
        20260915,
        ["2026-01-01"],
    ],
)
def test_unusable_date_is_reported_and_the_work_is_read_without_it(tmp_path, date):
    rows = [json.dumps({"title": "题", "text": "青灯渡口", "date": date}), GOOD]
    works, errors = works_of(lines(tmp_path, *rows))
    assert errors == []
    assert [work.published for work in works] == [None, None]
    (remark,) = works[0].remarks
    assert isinstance(remark, UnusableDate)
    assert remark.data["line"] == 1
    assert len(str(remark)) < 400
    assert works[1].remarks == ()
    told = []
    load_folder(works, report=told.append)
    assert told == [remark]


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2026-09-15T08:30:00.123+08:00", "2026-09-15T08:30:00+08:00"),
        ("2026-09-15T08:30:00+23:59", "2026-09-15T08:30:00+23:59"),
        ("2026-9-5", "2026-09-05+08:00"),
        (" 1791-01-01 ", "1791-01-01+08:00"),
        ("1000-01-01", "1000-01-01+08:00"),
        ("2999-12-31", "2999-12-31+08:00"),
    ],
)
def test_odd_dates_and_zones_that_can_be_used(tmp_path, date, expected):
    row = {"title": "题", "text": "青灯渡口", "date": date}
    ((work,), _) = works_of(lines(tmp_path, json.dumps(row)))
    assert work.published.iso() == expected
    assert_can_be_stored(work)


@given(st.datetimes(timezones=st.none() | st.timezones()).map(str) | st.text(max_size=30))
def test_no_date_raises(text):
    date = _usable_date(text, CHINA)
    assert date is None or 999 <= date.at.year <= 3000


def test_usable_date_of_two_is_used(tmp_path):
    row = {"title": "题", "text": "青灯渡口", "date": "0001-01-01", "published": "2026-01-02"}
    ((work,), _) = works_of(lines(tmp_path, json.dumps(row)))
    assert (work.published.iso(), work.remarks) == ("2026-01-02+08:00", ())


def test_file_of_headings_is_split_in_linear_time():
    text = "第1章\n" * 200_000
    before = time.process_time()
    sections = split_passages(text)
    assert time.process_time() - before < 15
    assert "".join(section.text for section in sections) == text
