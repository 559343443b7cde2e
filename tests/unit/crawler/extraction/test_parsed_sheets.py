"""Sheets are parsed once; the declarations of a rule are read when a page can use it."""

from support.pages import URL

from crawler.extraction import parsed_sheets
from crawler.extraction.parsed_sheets import parse_sheet
from crawler.extraction.parsing import parse
from crawler.extraction.style_rules import page_rules


def rules_for(css, names):
    return page_rules(parse(f"<html><head><style>{css}</style></head><body>灯</body></html>"), {}, URL, names)


def test_only_rules_that_a_page_can_use_are_read(monkeypatch):
    read = []
    parse_style = parsed_sheets.parse_style
    monkeypatch.setattr(parsed_sheets, "parse_style", lambda body: read.append(body) or parse_style(body))
    css = ".used{width:1.23px} .other{width:2.34px} .used .other{width:3.45px} p{width:4.56px}"
    rules = rules_for(css, {".used"})
    assert read == ["width:1.23px", "width:4.56px"]
    assert [rule.selector for _, rule in (*rules.hiding, *rules.non_hiding)] == [".used", "p"]


def test_unsupported_selectors_may_match_any_page():
    css = ".sm\\:x::before{content:'字'} :not(:is(.a))::after{content:'字'} .b::after{content:'字'}"
    assert [(rule.selector, pseudo) for _, rule, pseudo in rules_for(css, {".c"}).generated] == [
        (".sm\\:x", "before"),
        (":not(:is(.a))", "after"),
    ]


def test_selectors_of_a_list_become_separate_rules():
    stored = parse_sheet(".a ,  .b   i, .a, ::BEFORE,p:after,q:first-line{order:1}").rules
    assert [(rule.selector, rule.pseudo) for rule in stored] == [
        (".a", ""),
        (".b i", ""),
        ("*", "before"),
        ("p", "after"),
        ("q:first-line", ""),
    ]


def test_layers_keep_their_order_without_rules():
    assert parse_sheet("@layer b, a; @layer a{.x{order:1}} @layer c{.y{order:1}}").layers == ("b", "a", "c")


def test_uncertain_rules_hide_nothing():
    css = "@container (width){.a{display:none} .b{display:block}}"
    rules = rules_for(css, {".a", ".b"})
    assert [rule.selector for _, rule in (*rules.hiding, *rules.non_hiding)] == [".b"]
