"""Lines with their links, sentence marks and blocks."""

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse


def page(body):
    return outline(parse(f"<html><body>{body}</body></html>").find("body"))


def test_lines_have_their_links_marks_and_blocks():
    document = page("<div>甲，<a href='/'>乙丙</a><br>丁。<p>戊</p>己</div>")
    assert [(line.text, line.chars, line.link_chars, line.marks) for line in document.lines] == [
        ("甲，乙丙", 4, 2, 1),
        ("丁。", 2, 0, 1),
        ("戊", 1, 0, 0),
        ("己", 1, 0, 0),
    ]
    blocks = [document.elements[line.block].tag for line in document.lines]
    assert blocks == ["div", "div", "p", "div"]
    assert [document.elements[block].tag for block in document.path(document.lines[2].block)] == [
        "p",
        "div",
        "body",
    ]
