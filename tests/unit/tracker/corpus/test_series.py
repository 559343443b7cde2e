"""Numbered file names in every usual form: which are chapters, which stay works, and in which order."""

import pytest
from support.books import text
from support.strategies import story

from system.errors import PindnaError
from tracker.corpus.layout import LayoutOptions, NumberedWorks
from tracker.corpus.names import is_outer_part, is_volume
from tracker.corpus.reading import RawWork, read_works
from tracker.corpus.series import numbered_name

HAN = "一二三四五六七八九十"


def fill(folder, texts):
    for name, content in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def opened(number, unit="回"):
    return f"第{HAN[number - 1]}{unit}　夜泊\n{text(number)}"


def layout(folder, **options):
    """Return the passages of each work by its title, why they are one work, and the notices."""
    notices = []
    read = list(read_works(folder, options=LayoutOptions(notice=notices.append, **options)))
    assert not [each for each in read if isinstance(each, PindnaError)]
    works = {each.title: [section.title for section in each.sections] for each in read}
    return works, {each.title: each.joined_by for each in read}, notices


@pytest.mark.parametrize(
    ("stem", "series", "number", "kind"),
    [
        ("001 第一回 雨夜", "", 1, "chapter"),
        ("01_第一章", "", 1, "chapter"),
        ("青灯渡 第12章 雨夜", "青灯渡", 12, "chapter"),
        ("《青灯渡》第十二回", "青灯渡", 12, "chapter"),
        ("Chapter 12 - Rain", "", 12, "chapter"),
        ("ch012", "", 12, "chapter"),
        ("泪珠缘01", "泪珠缘", 1, "number"),
        ("泪珠缘-1", "泪珠缘", 1, "number"),
        ("泪珠缘 (12)", "泪珠缘", 12, "number"),
        ("泪珠缘（十二）", "泪珠缘", 12, "number"),
        ("青灯渡（上）", "青灯渡", 1, "volume"),
        ("青灯渡_下册", "青灯渡", 3, "volume"),
        ("青灯渡 卷二", "青灯渡", 2, "chapter"),
        ("書名 第三部", "书名", 3, "number"),
        ("（三）", "", 3, "number"),
        ("（三）雨夜", "", 3, "number"),
        ("三、雨夜", "", 3, "number"),
        ("003雨夜", "", 3, "number"),
        ("３．雨夜", "", 3, "number"),
    ],
)
def test_numbers_in_names_are_recognised(stem, series, number, kind):
    name = numbered_name(stem)
    assert (name.series, name.number, name.kind) == (series, number, kind)


@pytest.mark.parametrize(
    "stem",
    [
        "青灯渡",
        "a-" * 30_000,
        "天下",
        "张三",
        "三国演义",
        "2024-03-01 雨",
        "新闻2024-03-01",
        "2024年总结",
        "日报20240301",
    ],
)
def test_dates_and_titles_have_no_number_of_a_series(stem):
    assert numbered_name(stem) is None


def test_prefaces_and_volumes_are_recognised_with_ordinals():
    assert all(map(is_outer_part, ("序", "000 楔子", "番外二 江上", "36_后记", "自序", "跋")))
    assert not any(map(is_outer_part, ("序列号", "跋涉千里", "简介会")))
    assert all(map(is_volume, ("卷一", "01 第一卷", "卷之二", "Volume 2", "vol_3 江")))


@pytest.mark.parametrize("pattern", ["{:03} 第{}回 夜", "{:02}_第{}章", "青灯渡 第{1}章", "Chapter {}"])
def test_names_with_a_word_for_chapters_are_joined(tmp_path, pattern):
    names = [pattern.format(number, HAN[number - 1]) for number in range(1, 11)]
    works, reasons, notices = layout(fill(tmp_path / "青灯渡", {name: text(1) for name in names}))
    expected = [f"Chapter {number}" for number in range(1, 11)] if "Chapter" in pattern else names
    assert (works, reasons, notices) == ({"青灯渡": expected}, {"青灯渡": "names"}, [])


def test_preface_and_afterword_belong_to_the_numbered_files(tmp_path):
    names = ["泪珠缘 序", *(f"泪珠缘{number}" for number in range(1, 11)), "泪珠缘 番外"]
    texts = {name: text(1) for name in names} | {f"泪珠缘{n}": opened(n) for n in range(1, 11)}
    works, reasons, _ = layout(fill(tmp_path / "下载", texts | {"镜花缘": text(30)}))
    assert works == {"泪珠缘": names, "镜花缘": [""]}
    assert reasons == {"泪珠缘": "openings", "镜花缘": None}


@pytest.mark.parametrize("pattern", ["泪珠缘{:02}", "{:03} 雨夜{}", "{}"])
def test_numbered_files_that_open_with_headings_are_joined(tmp_path, pattern):
    texts = {pattern.format(number, number % 3): opened(number) for number in range(1, 11)}
    works, reasons, notices = layout(fill(tmp_path / "泪珠缘", texts))
    assert [len(sections) for sections in works.values()] == [10]
    assert (set(works), set(reasons.values()), notices) == ({"泪珠缘"}, {"openings"}, [])


def test_files_without_numbers_are_ordered_by_their_chapter_headings(tmp_path):
    names = ["渡口", "雨夜", "江", "灯", "船", "信"]
    texts = {name: opened(number) for number, name in enumerate(names, start=1)}
    assert layout(fill(tmp_path / "青灯渡", texts))[0] == {"青灯渡": names}
    (tmp_path / "青灯渡/别.txt").write_text(text(9), encoding="utf-8")  # one other text: nothing is joined
    assert len(layout(tmp_path / "青灯渡")[0]) == 7


def test_numbered_stories_stay_works_and_the_user_is_informed(tmp_path):
    folder = fill(tmp_path, {f"{number:02} 夜{number}": text(number) for number in range(1, 51)})
    works, _, (notice,) = layout(folder)
    assert len(works) == 50
    assert (type(notice), notice.data["count"]) == (NumberedWorks, 50)
    assert len(layout(folder, ask=lambda _folder, _files: "works")[0]) == 50
    assert len(layout(folder, ask=lambda _folder, _files: "chapters")[0]) == 1
    assert layout(folder, numbered="chapters")[1] == {tmp_path.name: "choice"}
    assert layout(folder, numbered="works")[2] == layout(folder, separate=True)[2] == []


def test_stories_that_all_begin_with_a_first_chapter_stay_works(tmp_path):
    folder = fill(tmp_path, {f"夜{number}": opened(1, "章") + text(number) for number in range(1, 8)})
    assert len(layout(folder)[0]) == 7


def test_novels_of_a_series_stay_works(tmp_path):
    novels = {f"青灯渡{number}": story(50_001, number) for number in range(1, 4)}
    chapters = {f"雾港{n}": "".join(opened(c) + "\n" for c in range(1, 5)) for n in range(1, 4)}
    chapters |= {f"Book {n}": story(50_001, 10 + n) for n in range(1, 3)}
    works, _, notices = layout(fill(tmp_path, novels | chapters))
    assert (set(works), notices) == (novels.keys() | chapters.keys(), [])


def test_every_file_is_a_work_on_request(tmp_path):
    folder = fill(tmp_path, {"江/第一章": text(1), "第二章": text(2), "第三章": text(3)})
    assert set(layout(folder, separate=True)[0]) == {"第一章", "第二章", "第三章"}


def test_numbered_folders_of_volumes_are_joined(tmp_path):
    names = ["序", "01 第一卷/001", "01 第一卷/002", "02 第二卷/001", "番外"]
    works, reasons, _ = layout(fill(tmp_path / "青灯渡", {name: text(1) for name in names}))
    assert works == {"青灯渡": [name.replace("/", " ") for name in names]}
    assert reasons == {"青灯渡": "names"}


def test_titles_have_no_spaces_at_their_ends(tmp_path):
    (work,) = read_works(fill(tmp_path, {"镜花缘　 ": text(1)}))
    assert isinstance(work, RawWork)
    assert (work.title, work.files, work.joined_by) == ("镜花缘", 1, None)
