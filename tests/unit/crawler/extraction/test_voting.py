"""Who is asked, and who is believed."""

import pytest

from crawler.extraction import voting
from crawler.extraction.block import main_block
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.libraries import readability_lines, trafilatura_lines
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
LINES = [f"{number}，{PROSE}" for number in range(8)]


def asked(body, monkeypatch, *, second=(), third=()):
    """Return the choice on a page, with the other opinions given."""
    tree = parse(f"<html><body>{body}</body></html>")
    page = outline(tree.find("body"))
    calls = []
    monkeypatch.setattr(voting, "trafilatura_lines", lambda _: calls.append(2) or list(second))
    monkeypatch.setattr(voting, "readability_lines", lambda _: calls.append(3) or list(third))
    return voting.choose(tree, page, main_block(page)), calls


def article(*lines):
    return "<div>" + "".join(f"<p>{line}</p>" for line in lines) + "</div>"


def test_nobody_is_asked_where_one_block_holds_everything(monkeypatch):
    choice, calls = asked(article(*LINES), monkeypatch)
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES), 1.0, [])


def test_agreement_is_confidence(monkeypatch):
    choice, calls = asked(article(*LINES[:2]), monkeypatch, second=LINES[:2])
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES[:2]), 1.0, [2])


def test_two_others_that_agree_overrule_the_block(monkeypatch):
    choice, calls = asked(article(LINES[0]), monkeypatch, second=LINES[4:], third=LINES[4:])
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES[4:]), 1.0, [2, 3])


def test_others_that_differ_do_not(monkeypatch):
    choice, _ = asked(article(LINES[0]), monkeypatch, second=["甲。" * 40], third=["乙。" * 40])
    assert choice.lines == (LINES[0],)
    assert choice.confidence < 0.5


def test_without_a_block_the_others_decide(monkeypatch):
    choice, _ = asked("<p>甲乙丙丁</p>", monkeypatch, second=["甲乙丙丁戊己"], third=["甲乙丙丁戊己"])
    assert (choice.lines, choice.confidence) == (("甲乙丙丁戊己",), 1.0)


def test_a_page_of_links_needs_no_opinion(monkeypatch):
    links = "".join(f"<p><a href='/{n}'>候鸟北归的第{n}天</a></p>" for n in range(40))
    assert asked(links, monkeypatch, second=["甲"])[1] == []


@pytest.mark.parametrize("voice", [trafilatura_lines, readability_lines])
def test_the_libraries_answer_and_leave_the_tree_alone(voice):
    tree = parse(f"<html><body>{article(*LINES)}<ul><li><a href='/'>首页</a></li></ul></body></html>")
    before = tree.text_content()
    assert voice(tree) == LINES
    assert tree.text_content() == before
    assert voice(parse("<html><body></body></html>")) == []


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
