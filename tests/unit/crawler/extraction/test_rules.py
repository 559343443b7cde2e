"""A source's rules override extraction; wrong rules are reported immediately."""

import pytest

from crawler.extraction import PageContext, extract
from crawler.extraction.rules import BadRules, check_rules, rules_from
from storage.records import SiteRules

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
PAGE = f"""<html><head><title>江岸</title><meta name="writer" content="许文"></head><body>
<h3 class="t">渡口的七盏灯</h3><time>2026年3月2日 08:15</time>
<div id="big"><p>{PROSE * 9}</p></div>
<div class="x"><p>{PROSE}</p><p class="ad">{PROSE[:20]}</p><p>{PROSE * 3}</p></div>
<a class="more" href="/odd/page-two">翻</a></body></html>""".encode()


def extract_with(**rules):
    return extract(PAGE, url="http://x.example/a/1", context=PageContext(rules=rules_from(rules)))


def test_rules_select_text_and_fields():
    result = extract_with(
        text=[".x > p"],
        title="h3.t",
        author="meta[name=writer]::attr(content)",
        published="//time/text()",
        next_page="a.more",
        remove=[".ad"],
    )
    assert result.text == f"{PROSE}\n{PROSE * 3}"
    assert (result.title, result.author, result.confidence) == ("渡口的七盏灯", "许文", 1.0)
    assert result.published.iso() == "2026-03-02T08:15+08:00"
    assert result.next_page == "http://x.example/odd/page-two"
    assert result.kind == "article"


def test_rules_without_a_match_fall_back_to_extraction():
    assert extract_with(text="#gone", title="h6").text == extract(PAGE, url="http://x.example/a/1").text


def test_xpath_rules_select_several_elements():
    assert extract_with(text="//div[@class='x']/p[not(@class)]/text()").text == f"{PROSE}\n{PROSE * 3}"


def test_rules_for_a_short_text_are_followed():
    assert extract_with(text=["h3.t"]).kind == "empty"


@pytest.mark.parametrize(
    "table",
    [
        {"txt": "p"},
        {"text": 3},
        {"title": ["a", "b"]},
        {"text": "p[["},
        {"text": "//p["},
        {"title": "//p[nosuchfunction(1)]["},
        {"remove": ["p", "::bad::"]},
        {"text": [""]},
    ],
)
def test_bad_rules_are_reported_in_a_single_line(table):
    with pytest.raises(BadRules) as error:
        rules_from(table)
    assert "\n" not in str(error.value)


def test_empty_rules_are_valid():
    check_rules(SiteRules())
    assert rules_from({}) == SiteRules()
