"""Articles in scripts, templates and text areas."""

import json

import pytest
from support.mutations import STORY

from crawler.extraction import extract
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.parsing import parse

URL = "http://x.example/b/7.html"
PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
LINES = [f"{number}，{PROSE}" for number in range(8)]


@pytest.mark.parametrize(
    "holder",
    [
        "<textarea style='display:none'><p>{0}</p></textarea>",
        "<script type='text/template'><p>{0}</p></script>",
        "<script>var page = {{'content': '{0}'}}</script>",
        '<script type="application/ld+json">{{"articleBody": "{0}"}}</script>',
        '<script>window.data = {{"a": "\\u003cp\\u003e{0}\\u003c/p\\u003e", "b": "c"}}</script>',
        '<script>x = {{"a": "&lt;p&gt;{0}&lt;/p&gt;"}}</script>',
    ],
)
def test_articles_that_only_scripts_see(holder):
    text = "".join(LINES)
    assert embedded_lines(parse(f"<html><body>{holder.format(text)}</body></html>")) == [text]


def test_data_in_scripts_is_no_article():
    data = '{"url": "https://x.example/a,b,c", "items": "' + "a,b;c.d! " * 60 + '"}'
    assert embedded_lines(parse(f"<html><body><script>var a = {data}</script></body></html>")) == []


def test_texts_in_scripts_are_storable_where_they_enter():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    assert embedded_lines(parse(f"<body><script>var a = {text};</script>")) == [STORY * 3]


def test_texts_in_scripts_can_be_stored():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    page = f"<html><body><script>var a = {text};</script></body></html>"
    assert extract(page.encode(), url=URL).text == STORY * 3
