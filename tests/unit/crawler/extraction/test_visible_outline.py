"""Text areas: text for readers, or data for a script."""

import base64
import json
from urllib.parse import quote

import pytest

from crawler.extraction import extract
from crawler.extraction.open_page import PageContext
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.parsing import parse
from crawler.extraction.rules import rules_from
from crawler.extraction.visible_outline import remove_hidden

LINES = [f"第{number}盏灯还亮着，雾从江心漫过来，老许没有说话。" for number in range(12)]
TEXT = "\n".join(LINES)
URL = "http://x.example/7.html"


def area(content, *, attributes="readonly", rules=None):
    page = f"<html><body><b>正文</b><textarea {attributes}>{content}</textarea><p>上一页</p></body></html>"
    return extract(page.encode(), url=URL, context=PageContext(rules=rules_from(rules or {})))


@pytest.mark.parametrize(
    "content", [TEXT, f"[渡口]\n{TEXT}", f"{TEXT}\n涨了20%25人", f"{TEXT}\na<3，雾散了。"]
)
def test_text_area_is_read_line_by_line(content):
    lines = area(content).text.split("\n")
    assert lines[-len(content.split("\n")) :] == content.split("\n")
    assert area(content, rules={"text": "textarea"}).text == content


@pytest.mark.parametrize(
    "encode",
    [
        lambda html: html,
        lambda html: html.replace("<", "&amp;lt;"),
        lambda html: json.dumps({"content": html}),
        lambda html: json.dumps([html]),
        quote,
        lambda html: base64.b64encode(html.encode()).decode(),
    ],
    ids=["markup", "escaped markup", "object", "list", "percent signs", "base64"],
)
def test_text_area_with_data_is_hidden_and_counted(encode):
    content = encode("".join(f"<p>{line}</p>" for line in LINES))
    result = area(content)
    assert result.text == TEXT
    assert result.dropped["hidden"] >= len(TEXT) - TEXT.count("\n")
    shown = "".join(f"<p>{line[::-1]}。</p>" for line in LINES)
    page = f"<html><body>{shown}<textarea>{content}</textarea></body></html>"
    assert LINES[0] not in extract(page.encode(), url=URL).text


def test_text_area_that_is_not_shown_is_data():
    shown = "".join(f"<p>{line[::-1]}。</p>" for line in LINES)
    page = f"<html><body>{shown}<textarea hidden>{TEXT}</textarea></body></html>"
    result = extract(page.encode(), url=URL)
    assert LINES[0] not in result.text
    assert result.dropped["hidden"] > 0


def test_lines_of_all_text_areas_take_a_bounded_number_of_elements():
    ends = "灯\n" * 15_000
    tree = parse(f"<html><body>{TEXT}<textarea>{ends}</textarea><textarea>{ends}</textarea></body></html>")
    remove_hidden(tree, {}, "", OptionalSteps())
    assert sum(1 for _ in tree.iter("br")) == 20_000


def test_control_characters_in_a_text_area_lose_no_text():
    result = area(f"{LINES[0]}\x0c\n\x0b{LINES[1]}\n" + "\n".join(LINES[2:]))
    assert result.failed_steps == ()
    assert LINES[0] in result.text
    assert LINES[1] in result.text


def lines_shown(body):
    page, _ = remove_hidden(parse(f"<html><body>{body}</body></html>"), {}, "", OptionalSteps())
    return [line.text for line in page.lines]


def test_lines_of_preformatted_texts_are_lines():
    poem = "<pre>山上的云\n从不<b>问我\n往哪里去</b>了\n<i>我</i>在江边</pre>"
    assert lines_shown(poem) == ["山上的云", "从不问我", "往哪里去了", "我在江边"]


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        ("white-space: pre-wrap", ["灯", "船"]),
        ("white-space:PRE-LINE", ["灯", "船"]),
        ("white-space: nowrap", ["灯 船"]),
    ],
)
def test_style_makes_lines(style, lines):
    assert lines_shown(f"<div style='{style}'>灯\n船</div>") == lines


def test_nested_preformatted_texts_break_lines_once():
    inner = "<pre>三\n四</pre>五\n六<textarea>七\n八</textarea>"
    assert lines_shown(f"<div style='white-space: pre'>一\n二{inner}</div>") == list("一二三四五六七八")


@pytest.mark.parametrize(
    ("mark", "shown"),
    [
        ("<sup class=s>[3]</sup>", "灯。"),
        ("<sup data-sup=1-2> [1-2] </sup>", "灯。"),
        ("<sup>[3]</sup>", "灯。[3]"),  # its author's
        ("<sup class=s><a href=#c>[3]</a></sup>", "灯。[3]"),
        ("<sup class=s>[灯]</sup>", "灯。[灯]"),
        ("<sup class=s>2</sup>", "灯。2"),
    ],
)
def test_citation_numbers_without_links_are_not_text(mark, shown):
    assert lines_shown(f"<p>灯。{mark}</p>") == [shown]


def test_source_number_in_a_hidden_element_is_counted_once():
    sentence = "<p>雾从江心漫过来，老许没有说话，灯还亮着。</p>"
    junk = '<div style="display:none"><p><span>垃圾<sup class="sup">[12]</sup></span></p></div>'
    tree = parse(f"<html><body>{sentence}{20 * junk}</body></html>")
    _, hidden = remove_hidden(tree, {}, URL, OptionalSteps())
    assert hidden.chars == 20 * len("垃圾[12]")
