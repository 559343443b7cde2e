"""The kind that a trial proposes for a source."""

import pytest

from crawler.sources.probe import ProbeStep
from crawler.sources.proposed_kind import proposed_kind

CATALOGUE = "".join(f"<li><span>第{number}章 渡口</span></li>" for number in "一二三四五六")
LIST = ProbeStep(url="http://a/", asked="index", page=f"<ul>{CATALOGUE}</ul>")
NEWS = ProbeStep(url="http://a/", asked="index", page="<ul><li>第一章程公布</li><li>1. 要闻</li></ul>")


def text(kind, title):
    return ProbeStep(url="http://a/1", asked="text", kind=kind, title=title, characters=900)


CHAPTERS = [text("chapter", "第一章"), text("article", "青灯渡 第二章")]
ARTICLES = [text("article", "渡口通车"), text("article", "会议召开")]


@pytest.mark.parametrize(
    ("kind", "steps", "proposed"),
    [
        ("news", [LIST], "novel"),
        ("site", [LIST, *CHAPTERS], "novel"),
        ("news", [NEWS, *CHAPTERS], "novel"),
        ("news", [NEWS, *ARTICLES], None),
        ("news", [NEWS, ARTICLES[0], CHAPTERS[0]], None),
        ("news", [], None),
        ("novel", [LIST, *CHAPTERS], None),
        ("novel", [NEWS, *ARTICLES], "news"),
        ("novel", [NEWS], None),
        ("urls", [LIST, *CHAPTERS], None),
    ],
)
def test_trial_proposes_the_kind_that_its_pages_show(kind, steps, proposed):
    assert proposed_kind(kind, steps) == proposed
