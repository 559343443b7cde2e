"""Splitting works: nothing is lost, headings of many forms, sections of sensible size."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import anything, story

from deploy.demo.samples import SAMPLES
from tracker.corpus.chapters import MAX_CHARS, split_passages

HEADINGS = [
    "第一章 雨夜渡口",
    "第12章　没有邮戳的信",
    "第１０３章",
    "　　第二十三回　星槎夜泊无灯港　孤雁初闻不速声",
    "第三百零五節 歸來",
    "第 七 章 夜航",
    "第四卷",
    "第两千章 终",
    "卷三 江上",
    "卷 十二",
    "楔子",
    "序章 旧事",
    "尾声",
    "后记",
    "番外 灯下",
    "第十話 初見",
]
NUMBERED = ["1、初遇", "１２．夜航", "三、归来", "十五", "7"]
NO_HEADINGS = [
    "他在第三章里写道，那一夜雨很大。",
    "第三章讲的是渡口。后来呢",
    "第一章" + "很长" * 40,
    "卷起袖子，走了。",
    "楔子打进木头里，再也拔不出来",
    "第章",
]
lines = st.one_of(
    st.sampled_from([*HEADINGS, *NUMBERED, *NO_HEADINGS, "", "　"]),
    st.text(alphabet="灯渡船。，\t ", max_size=40),
)


def body(seed, length=200):
    return story(length, seed)


def chapters_of(*headings):
    return "".join(f"{heading}\n{body(number)}\n" for number, heading in enumerate(headings))


@given(anything)
def test_splitting_any_text_loses_nothing(text):
    assert "".join(section.text for section in split_passages(text)) == text


@given(st.lists(lines, max_size=12), st.integers(min_value=0, max_value=200))
def test_splitting_chapters_loses_nothing(parts, length):
    text = "\n".join(part + "\n" + body(number, length) for number, part in enumerate(parts))
    sections = split_passages(text)
    assert "".join(section.text for section in sections) == text
    assert all(section.text for section in sections) or not text
    assert all(section.title in section.text or section.title.endswith(")") for section in sections)


@pytest.mark.parametrize("heading", HEADINGS)
def test_headings_of_many_forms_are_recognised(heading):
    sections = split_passages(chapters_of(heading, "第九百章 末", heading))
    assert [section.title for section in sections] == [heading.strip(), "第九百章 末", heading.strip()]
    assert sections[0].text == f"{heading}\n{body(0)}\n"


@pytest.mark.parametrize("line", NO_HEADINGS)
def test_lines_that_resemble_headings_are_not_headings(line):
    assert [section.title for section in split_passages(chapters_of("第一章 起", line, "第二章 终"))] == [
        "第一章 起",
        "第二章 终",
    ]


@pytest.mark.parametrize("heading", NUMBERED)
def test_plain_numbers_count_only_where_there_is_nothing_better(heading):
    alone = split_passages(chapters_of(heading, "2、再会", "3、终"))
    assert [section.title for section in alone] == [heading, "2、再会", "3、终"]
    assert [
        section.title for section in split_passages(chapters_of("第一章 起", heading, heading, heading))
    ] == ["第一章 起"]


def test_two_numbers_are_chance():
    assert len(split_passages(chapters_of("1、初遇", "2、再会"))) == 1


def test_too_short_sections_are_joined_with_the_next():
    text = "青灯渡\n作者：沈砚秋\n第一卷 江上\n第一章 雨夜\n" + body(1) + "\n第二章 渡口\n" + body(2)
    sections = split_passages(text)
    assert [section.title for section in sections] == ["第一章 雨夜", "第二章 渡口"]
    assert sections[0].text.startswith("青灯渡\n作者")


def test_table_of_contents_goes_with_the_first_chapter():
    names = [f"第{number}章 夜{number}" for number in range(1, 9)]
    sections = split_passages("\n".join(names) + "\n" + chapters_of(*names))
    assert [section.title for section in sections] == names
    assert "".join(section.text for section in sections).count("第3章") == 2


def test_short_last_section_is_joined_with_the_previous():
    sections = split_passages(chapters_of("第一章", "第二章") + "后记\n全书完。")
    assert [section.title for section in sections] == ["第一章", "第二章"]
    assert sections[-1].text.endswith("全书完。")


def test_only_short_sections_are_a_single_passage():
    assert len(split_passages("第一章\n短。\n第二章\n也短。\n")) == 1


@pytest.mark.parametrize("line", [10**9, 80, 3000])
def test_long_sections_are_cut_after_lines_where_there_are_any(line):
    letters = story(130_000, 5)
    text = "\n".join(letters[at : at + line] for at in range(0, len(letters), line))
    sections = split_passages("第一章 长\n" + text)
    assert "".join(section.text for section in sections) == "第一章 长\n" + text
    assert all(1000 < len(section.text) <= MAX_CHARS for section in sections)
    assert [section.title for section in sections[:2]] == ["第一章 长 (1)", "第一章 长 (2)"]
    if line < 10**9:
        assert all(section.text.endswith("\n") for section in sections[:-1])


@pytest.mark.parametrize(("length", "pieces"), [(MAX_CHARS, 1), (MAX_CHARS + 1, 2)])
def test_only_too_long_passages_are_split(length, pieces):
    sections = split_passages(story(length, 1))
    assert len(sections) == pieces
    assert all(len(section.text) <= MAX_CHARS for section in sections)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("青灯渡", "第一章 雨夜渡口"),
        ("星槎纪事", "第一回　星槎夜泊无灯港　孤雁初闻不速声"),
        ("雾港来信", "第1章 没有邮戳的信"),
    ],
)
def test_sample_novels_are_split_into_chapters(name, first):
    text = Path(SAMPLES, "novels", f"{name}.txt").read_text("utf-8")
    sections = split_passages(text)
    assert sections[0].title == first
    assert len(sections) == text.count("\n第") >= 6
    assert sections[0].text.startswith(f"{name}\n作者")
