"""Rules of 书源 files become site rules; JavaScript is reported and never run."""

import pytest
from lxml import html

from analysis.discovery.book_rules import map_next_page, map_rule
from crawler.extraction.rules import rules_from, text_lines

PAGE = html.document_fromstring(
    "<div class='txt main'><p>一</p><p>二</p><p>三</p></div><div id=c><p>四</p></div>"
    "<a href='/2.html'>下一页</a><a href='/c2.html'>下一章</a>"
)


def lines_of(rule):
    mapped = map_rule("r", rule)
    return text_lines(PAGE.getroottree(), rules_from({"text": mapped.paths})) if mapped.paths else None


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("class.txt@html", ["一", "二", "三"]),
        ("class.txt main.0@tag.p.1@text", ["二"]),
        ("class.txt@tag.p.-1@text", ["三"]),
        ("class.txt@tag.p.!0@text", ["二", "三"]),
        ("class.txt@p[0:1]@text", ["一", "二"]),
        ("class.txt@children[0,2]@text", ["一", "三"]),
        ("id.c@text##四", ["四"]),
        ("#none||#c@html", ["四"]),
        ("#c||.txt@html", ["四"]),
        ("#c@html&&.txt@p.0@text", ["四", "一"]),
        ("@css:div#c > p@text", ["四"]),
        ("//div[@id='c']/p/text()", ["四"]),
        ("@XPath://div[@id='c']", ["四"]),
        ("#c@html\n@js:result.trim()", ["四"]),
    ],
)
def test_rule_of_a_book_source_finds_the_same_text(rule, lines):
    assert lines_of(rule) == lines


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("@js:document.body", "JavaScript"),
        ("<js>result</js>#c@html", "JavaScript"),
        ("$.data.content", "JSON"),
        ("@json:$.data", "JSON"),
        ("{{@class.x@src}}", "variables"),
        ("div:contains(x", "selector"),
        ("a%%b", "selector"),
        ("@".join(["tag.p"] * 50), "selector"),
        ("x" * 5_000, "selector"),
    ],
)
def test_rule_that_cannot_be_mapped_is_reported(rule, reason):
    mapped = map_rule("ruleContent.content", rule)
    assert not mapped.paths
    assert reason in str(mapped.remarks[0])


def test_next_page_rule_never_leads_to_the_next_chapter():
    assert map_next_page("r", "text.下一页@href").paths
    assert not map_next_page("r", "text.下一章@href").paths


@pytest.mark.parametrize("rule", ["class.p[1,3:5]@text", "class.a\x00b@text", "class.\ud800@text"])
def test_rule_that_is_no_selector_becomes_a_remark(rule):
    mapped = map_rule("ruleContent.content", rule)
    assert len(mapped.remarks) == 1
