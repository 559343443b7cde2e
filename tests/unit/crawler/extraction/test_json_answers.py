"""Answers in JSON are read like pages: their longest text, its title, and everything else."""

import json

import pytest

from crawler.extraction import extract
from crawler.extraction.json_answers import markup_of

LINES = [
    "渡口的石阶被水磨得发亮，卖藕的女人把担子搁在最下面一级。",
    "摆渡的老人没有抬头，只把篙子在船舷上轻轻敲了三下。",
    "对岸的磨坊停了半个月，轮子上结满了青苔和细小的螺蛳。",
    "他说等到桃花水下来，这条河就再也不是现在的样子了。",
]
TEXT = "\n".join(LINES)
TITLE = "第三章 磨坊"
MARKUP = "".join(f"<p>{line}</p>" for line in LINES)


def read(data):
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return extract(text.encode(), url="http://x.example/api/chapter?id=3")


@pytest.mark.parametrize(
    "data",
    [
        {"code": 0, "data": {"title": TITLE, "content": TEXT}},
        {"data": {"chapterName": TITLE, "bookName": "渡口", "txt": TEXT.replace("\n", "\r\n")}},
        {"result": [{"chapter_title": TITLE, "body": MARKUP}]},
        {"title": TITLE, "paragraphs": LINES},
        {"title": TITLE, "paragraphs": [{"id": at, "text": line} for at, line in enumerate(LINES)]},
        {"info": {"title": TITLE}, "html": MARKUP.replace("<", "&lt;").replace(">", "&gt;")},
        {"title": TITLE, "content": "\u3000\u3000" + "\u3000\u3000".join(LINES)},
        {"title": TITLE, "payload": json.dumps({"content": TEXT})},
        {"title": TITLE, "content": TEXT, "comments": [{"content": "写得真好，收藏了慢慢看。"}] * 40},
        {"title": TITLE, "content": TEXT, "book": {"title": "渡口旧事", "intro": LINES[0]}},
    ],
)
def test_text_and_the_title_of_an_answer_are_read(data):
    result = read(data)
    assert (result.kind, result.title, result.text) == ("chapter", TITLE, TEXT)
    assert result.chapter == 3
    assert result.failed_steps == ()


def test_wrappers_around_an_answer_are_skipped():
    plain = json.dumps({"title": TITLE, "content": TEXT})
    for text in (f"callback({plain});", f"/**/jQuery1_2({plain})", f")]}}',\n{plain}", f"\ufeff{plain}"):
        assert read(text).text == TEXT, text[:10]


def test_author_is_read_and_no_text_is_lost():
    data = {"title": TITLE, "author": "林七", "content": TEXT, "notice": "本书每周三更新一章，感谢支持。"}
    assert read(data).author == "林七"
    assert "本书每周三更新一章" in markup_of(json.dumps(data))


def test_answer_without_a_long_text_is_a_list():
    chapters = [{"title": f"第{number}章 渡口", "url": f"/b/{number}"} for number in range(1, 40)]
    assert read({"data": {"chapters": chapters}}).kind == "list"


@pytest.mark.parametrize(
    "text",
    ["[渡口] 一盏灯", "{灯", '{"a": 1}', '"渡口"', "", "[1, 2]", '{"a": "abc"}', "f(x)", "[" * 100_000],
)
def test_other_texts_stay_as_they_are(text):
    assert markup_of(text) == text


def test_deep_and_broken_answers_are_read_as_text():
    deep = '{"a":' * 2_000 + f'"{LINES[0]}"' + "}" * 2_000
    assert extract(deep.encode()).failed_steps == ()
    assert LINES[0] in extract(f'{{"content": "{TEXT}'.encode()).text
