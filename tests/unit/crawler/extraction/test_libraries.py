"""The libraries' lines: the same text, and the page's tree is left as it is."""

import time

import pytest

from crawler.extraction.libraries import _lines, readability_lines, trafilatura_lines
from crawler.extraction.parsing import parse

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
LINES = [f"{number}，{PROSE}" for number in range(8)]


def article(*lines):
    return "<div>" + "".join(f"<p>{line}</p>" for line in lines) + "</div>"


@pytest.mark.parametrize("library", [trafilatura_lines, readability_lines])
def test_libraries_answer_and_leave_the_tree_alone(library):
    tree = parse(f"<html><body>{article(*LINES)}<ul><li><a href='/'>首页</a></li></ul></body></html>")
    before = tree.text_content()
    assert library(tree) == LINES
    assert tree.text_content() == before
    assert library(parse("<html><body></body></html>")) == []


def test_white_space_in_library_results_is_handled_quickly():
    started = time.process_time()
    assert _lines(f"- 雾{' ' * 300_000}江 |\n|灯|") == ["雾 江", "灯"]
    assert time.process_time() - started < 5  # it took minutes
