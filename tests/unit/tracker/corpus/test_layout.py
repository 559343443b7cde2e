"""Which files are works and which are chapters of one; nothing that is given is lost."""

import os
from collections import Counter
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.books import docx_of, epub_of, paragraphs, text, zip_of
from support.strategies import story

from system.errors import PindnaError
from system.local_files import MissingFile
from tracker.corpus.content import OddDate
from tracker.corpus.folder import read_folder
from tracker.corpus.forms import DEFAULT_RULES
from tracker.corpus.layout import LayoutOptions, NumberedFiles, Unit, units_of
from tracker.corpus.names import natural_key
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.tables import BadTable, UnknownNames
from tracker.corpus.texts import EmptyFile, UnreadFiles, UnreadForm

ASKED = LayoutOptions(ask=lambda _folder, _files: None)


def book(seed):
    return "".join(f"第{number}章 夜\n{text(seed * 100 + number)}\n" for number in range(1, 4))


def fill(folder, *names, data=MappingProxyType({})):
    """Write files of prose, and others with their data."""
    files = [*((name, text(number)) for number, name in enumerate(names)), *data.items()]
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def layout(paths, options=ASKED):
    """Return the passages of each work by its title, and the errors."""
    found = list(read_works(paths, options=options))
    works = {each.title: [s.title for s in each.sections] for each in found if isinstance(each, RawWork)}
    return works, [each for each in found if isinstance(each, PindnaError)]


def test_files_right_in_a_folder_are_works_and_those_below_are_passages(tmp_path):
    fill(tmp_path, "镜花缘.txt", "短讯.md", "青灯渡/0010.txt", "青灯渡/0002.txt", "渡口集/半本账.txt")
    works, errors = layout(tmp_path)
    assert works == {"镜花缘": [""], "短讯": [""], "青灯渡": ["0002", "0010"], "渡口集": ["半本账"]}
    assert errors == []


def test_adding_a_folder_and_comparing_with_it_read_the_same(tmp_path):
    fill(tmp_path, "a/1.txt", "a/2.txt", "b/上册/第一章.txt", "b/下册/第一章.txt", "c.txt", "d/e/f.txt")
    fill(
        tmp_path,
        data={"g.epub": epub_of({"a.xhtml": paragraphs(1)}), "h/i.docx": docx_of({"第一章": text(1)})},
    )
    fill(tmp_path, data={"j.zip": zip_of({"1.txt": text(1), "2.txt": text(2)}), "空.txt": ""})
    added, compared = list(read_works([tmp_path], options=ASKED)), list(read_folder(tmp_path))
    assert [repr(each) for each in added] == [repr(each) for each in compared]
    assert {each.title for each in added if isinstance(each, RawWork)} == set("abceh") | {"e", "雾中船", "j"}


@pytest.mark.parametrize(
    "names",
    [
        ("第一章 雨夜.txt", "第二章.txt", "第十章.txt"),
        ("楔子.txt", "第9回.txt", "第10回.txt", "尾声.txt"),
        ("第一卷/01.txt", "第一卷/02.txt", "第二卷/01.txt"),
        ("序章.txt", "上册/1.txt", "下册/2.txt", "后记.txt"),
    ],
)
def test_folder_is_a_work_where_names_say_so(tmp_path, names):
    fill(tmp_path / "青灯渡", *names)
    one_work = {"青灯渡": [name.removesuffix(".txt").replace("/", " ") for name in names]}
    assert layout(tmp_path / "青灯渡") == (one_work, [])
    assert layout(tmp_path) == (one_work, [])


@pytest.mark.parametrize(
    "names",
    [
        ("第一章.txt", "镜花缘.txt"),
        ("第一章.txt",),
        ("1984之后.txt", "2.txt"),
        ("上.txt", "镜花缘/1.txt", "江/2.txt"),
    ],
)
def test_other_folders_hold_works(tmp_path, names):
    works, _ = layout(fill(tmp_path, *names))
    assert set(works) == {Path(name).parts[0].removesuffix(".txt") for name in names}


def test_whole_novels_in_a_folder_of_a_genre_are_works(tmp_path):
    fill(
        tmp_path,
        "武侠/短.txt",
        data={"武侠/剑.txt": book(1), "武侠/刀.txt": book(2), "志怪/长.txt": story(50_001, 3)},
    )
    works, _ = layout(tmp_path)
    assert set(works) == {"短", "剑", "刀", "长"}
    fill(tmp_path, "武侠/丙.txt", "武侠/丁.txt")  # now most files are no books
    assert set(layout(tmp_path)[0]) == {"武侠", "长"}


def test_volumes_that_are_books_form_a_single_work(tmp_path):
    works, _ = layout(fill(tmp_path, data={"江/上册.txt": book(1), "江/下册.txt": book(2)}))
    assert works == {"江": ["上册", "下册"]}


def test_numbered_files_directly_in_a_folder_need_an_answer(tmp_path):
    fill(tmp_path / "镜花缘", "10.txt", "2.txt", "１.txt")
    folder = tmp_path / "镜花缘"
    works, (error,) = layout(folder)
    assert (works, type(error), error.data["count"]) == ({}, NumberedFiles, 3)
    assert f"Skipped 3 files in {folder}: they are numbered (１.txt, 2.txt, 10.txt)." in str(error)
    one = {"镜花缘": ["１", "2", "10"]}
    each = {"１": [""], "2": [""], "10": [""]}
    assert layout(folder, LayoutOptions(numbered="chapters"))[0] == one
    assert layout(folder, LayoutOptions(numbered="works", ask=ASKED.ask))[0] == each
    assert layout(folder, LayoutOptions(ask=lambda _folder, _files: "chapters"))[0] == one
    assert layout(folder, LayoutOptions())[0] == each
    assert layout(tmp_path)[0] == one
    assert layout(tmp_path, LayoutOptions(numbered="works"))[0] == each


def test_options_of_the_user_decide(tmp_path):
    fill(tmp_path / "江", "甲.txt", "子/乙.txt", data={"丙.txt": book(1)})
    assert layout(tmp_path / "江", LayoutOptions(as_one=True))[0] == {"江": ["丙", "子 乙", "甲"]}
    paths = [tmp_path / "江" / "子", tmp_path / "江" / "甲.txt"]
    assert layout(paths, LayoutOptions(title="青灯渡"))[0] == {"青灯渡": ["乙", "甲"]}


def test_table_in_toml_makes_a_folder_a_work(tmp_path):
    table = """
title = "雾中船"
author = ["沈砚秋", "陆行舟"]
published = 2024-03-01
rights = "版权所有"
chapters = ["丙.txt", "甲"]

["乙.txt"]
title = "第三章 江"
"""
    fill(tmp_path, "甲.txt", "乙.txt", "丙.txt", data={"metadata.toml": table})
    (work,) = read_works(tmp_path, options=ASKED)
    assert [section.title for section in work.sections] == ["丙", "甲", "第三章 江"]
    assert (work.title, work.author, work.rights) == ("雾中船", "沈砚秋、陆行舟", "版权所有")
    assert work.published.iso() == "2024-03-01+08:00"


@pytest.mark.parametrize("place", ["书/metadata.csv", "书.csv"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_table_describes_files(tmp_path, place, encoding, delimiter):
    rows = ("文件,书名,作者,日期,权利人", "剑.txt,剑歌,丁,2019-03-04,某某出版社", "江,江上,,,", "子/刀,,戊,,")
    table = "\n".join(rows).replace(",", delimiter).encode(encoding)
    fill(tmp_path, "书/剑.txt", "书/江/甲.txt", "书/子/刀.txt", data={place: table})
    works = {work.title: work for work in read_works(tmp_path / "书", options=ASKED)}
    assert set(works) == {"剑歌", "江上", "子"}
    assert (works["剑歌"].author, works["剑歌"].holder) == ("丁", "某某出版社")
    assert works["剑歌"].published.iso() == "2019-03-04+08:00"
    assert [section.title for section in works["江上"].sections] == ["甲"]


def test_row_about_the_folder_itself_makes_it_a_work(tmp_path):
    fill(tmp_path / "江", "甲.txt", "乙.txt", data={"metadata.csv": "file,title\n.,江上\n甲.txt,第一章\n"})
    assert layout(tmp_path / "江")[0] == {"江上": ["乙", "第一章"]}


@pytest.mark.parametrize(
    ("place", "table"),
    [
        ("书/metadata.csv", "file,author\n起.txt,沈\n承.txt,沈\n转,沈\n"),
        ("书/metadata.csv", "file,title\n转,三\n.,书\n起.txt,一\n承.txt,二\n"),
        ("metadata.csv", "file,date\n书/起.txt,\n书,2024-01-01\n书/承,\n书/转.txt,\n"),
        ("书/metadata.toml", '["起.txt"]\nauthor = "沈"\n["承"]\nauthor = "沈"\n["转"]\nauthor = "沈"\n'),
    ],
)
def test_rows_that_name_every_chapter_give_their_order(tmp_path, place, table):
    fill(tmp_path, "书/承.txt", "书/起.txt", "书/转.txt", data={place: table})
    (sections,) = layout(tmp_path)[0].values()
    expected = ["三", "一", "二"] if "三" in table else ["起", "承", "转"]
    assert sections == expected


def test_table_with_only_a_few_chapters_keeps_the_order_by_name(tmp_path):
    fill(tmp_path, "书/第1章.txt", "书/第2章.txt", data={"书/metadata.csv": "file,author\n第2章.txt,沈\n"})
    assert layout(tmp_path)[0] == {"书": ["第1章", "第2章"]}


@pytest.mark.parametrize(
    ("name", "table", "error"),
    [
        ("metadata.toml", "title = ", BadTable),
        ("metadata.toml", "chapters = 3", BadTable),
        ("metadata.csv", "a,b\n1,2\n", BadTable),
        ("metadata.toml", "a" + ".a" * 30_000 + " = 1", BadTable),
        ("metadata.toml", "[" + '"a" . ' * 30_000 + "a]", BadTable),
        ("metadata.csv", "file,title\n" * 400_000, BadTable),
        ("metadata.csv", "file,title\n丙.txt,丙\n", UnknownNames),
        ("metadata.csv", "file,date\n甲.txt,soon\n", OddDate),
        ("metadata.csv", "", EmptyFile),
        ("other.csv", "file\n甲.txt\n", UnreadFiles),
    ],
)
def test_mistakes_in_a_table_are_reported_and_the_texts_are_read(tmp_path, name, table, error):
    works, errors = layout(fill(tmp_path, "甲.txt", "乙.txt", data={name: table}))
    assert set(works) == {"甲", "乙"}
    assert [type(each) for each in errors] == [error]
    assert all("\n" not in str(each) for each in errors)


def test_unreadable_chapter_does_not_lose_the_remaining_chapters(tmp_path):
    fill(tmp_path / "江", "1.txt", "3.txt", data={"2.txt": "", "4.docx": b"PK"})
    works, errors = layout(tmp_path)
    assert works == {"江": ["1", "3"]}
    assert [Path(error.data["path"]).name for error in errors] == ["2.txt", "4.docx"]


@pytest.mark.parametrize("name", ["gen.py", "a.PDF", "旧稿.doc", "metadata.csv"])
def test_file_of_an_unsupported_format_is_refused_even_if_named(tmp_path, name):
    fill(tmp_path, data={name: "青灯渡口。".encode()})
    (error,) = read_works(tmp_path / name)
    assert type(error) is UnreadForm
    assert str(error).startswith(f"Skipped {tmp_path / name}: only .txt, .md, ")
    (error,) = read_works(tmp_path / name, options=LayoutOptions(title="青灯渡"))
    assert type(error) is UnreadForm


@pytest.mark.parametrize("name", ["渡口", "1.渡口", "1.2", "青灯渡.TXT"])
def test_named_file_without_an_ending_is_a_text(tmp_path, name):
    fill(tmp_path, data={name: "青灯渡口。".encode()})
    (work,) = read_works(tmp_path / name)
    assert [section.text for section in work.sections] == ["青灯渡口。"]


def test_nonexistent_file_is_missing_whatever_its_ending(tmp_path):
    (error,) = read_works(tmp_path / "none.py")
    assert type(error) is MissingFile


_NAMES = st.sampled_from(["1", "2", "第一章", "第二卷", "上册", "楔子", "青灯渡", "江", "metadata", ".藏"])
_ENDINGS = st.sampled_from(
    [".txt", ".TXT", ".md", ".docx", ".epub", ".jsonl", ".html", ".png", ".csv", ".toml", ""]
)
_TREES = st.dictionaries(
    st.tuples(st.lists(_NAMES, max_size=3), _NAMES, _ENDINGS).map(lambda p: "/".join((*p[0], p[1] + p[2]))),
    st.sampled_from(
        [b"", "青灯渡口。".encode(), b"abc", b'{"title": "a", "text": "\xe9\x9d\x92"}', b"PK\x03\x04"]
    ),
    max_size=8,
)
_OPTIONS = st.builds(
    LayoutOptions, as_one=st.booleans(), numbered=st.sampled_from([None, "works", "chapters"])
)


@given(_TREES, _OPTIONS, st.booleans())
@settings(max_examples=120)
def test_every_file_is_in_a_unit_or_reported(tmp_path_factory, files, options, is_packed):
    """Every file appears once: as a work, as a chapter of one, or in an error."""
    names = {name for name in files if not any(other.startswith(f"{name}/") for other in files)}
    root = tmp_path_factory.mktemp("tree") / ("江.zip" if is_packed else "江")
    if is_packed:
        root.write_bytes(zip_of({name: files[name] for name in names}))
    else:
        root.mkdir()
        fill(root, data={name: files[name] for name in names})
    units = list(units_of([root], DEFAULT_RULES, options))
    taken = Counter(
        str(file.path.relative_to(root)) for unit in units if isinstance(unit, Unit) for file in unit.files
    )
    unread = Counter(
        name for error in units if isinstance(error, UnreadFiles) for name in error.data["names"]
    )
    tables = {name for name in names if name.endswith((".csv", ".toml"))}
    clutter = {name for name in names if Path(name).name.startswith(".")}
    assert max((taken + unread).values(), default=1) == 1
    assert set(taken + unread) | tables | clutter == names
    for each in read_works(root, options=options):
        assert isinstance(each, RawWork) or "\n" not in str(each)


def test_every_file_of_a_folder_is_counted_once(tmp_path):
    """Works, chapters and reported files add up to the number of files."""
    fill(tmp_path, "a/1.txt", "a/2.txt", "b.txt", "c/剑.txt", "c/刀.md", "d.png")
    fill(tmp_path, data={"a/3.txt": "", "e.epub": b"no book", "f.docx": b"\xd0\xcf\x11\xe0", "g.html": "abc"})
    found = list(read_works(tmp_path))
    parts = sum(len(each.sections) for each in found if isinstance(each, RawWork))
    told = sum(each.data.get("count", 1) for each in found if isinstance(each, PindnaError))
    assert (parts, told) == (5, 5)
    assert parts + told == sum(len(names) for _, _, names in os.walk(tmp_path))


@given(st.lists(st.integers(1, 99_999), min_size=1, max_size=8, unique=True))
def test_numbers_in_names_are_in_their_order(numbers):
    names = [f"第{number}章 夜{number % 7}" for number in numbers]
    assert sorted(names, key=natural_key) == [f"第{number}章 夜{number % 7}" for number in sorted(numbers)]


@given(st.lists(st.text(max_size=8), max_size=8))
def test_any_names_have_an_order(names):
    assert sorted(set(names), key=natural_key) == sorted({*names[::-1]}, key=natural_key)


def test_names_in_the_order_of_reading():
    names = ["楔子", "第九章", "第十章", "第十一章", "第一百零二章", "后记"]
    assert sorted(set(names), key=natural_key) == names
    assert max("第十卷", "第二卷", "第二卷下", "第二卷上", key=natural_key) == "第十卷"
    assert sorted(["下", "中", "上"], key=natural_key) == ["上", "中", "下"]
