"""The rules of sheets that count: cascade order, unsupported selectors, bounds."""

import pytest
from support.mutations import PARAGRAPHS, STORY
from support.pages import URL, extract_page

from crawler.extraction import style_rules
from crawler.extraction.cascade import sheet_styles
from crawler.extraction.marked import marked_elements
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import parse
from crawler.extraction.style_rules import MAX_SELECTORS, MAX_SHEET_CHARS, page_rules


@pytest.mark.parametrize(
    "sheet",
    [
        ".z{opacity:0}" * (MAX_SHEET_CHARS // 13 + 1),
        ",".join(f".z{number}" for number in range(MAX_SELECTORS + 2)) + "{opacity:0}",
        "".join(f".z .z .z .z .z.y{number}{{opacity:0}}" for number in range(900)),
    ],
)
def test_sheets_over_budget_hide_nothing(sheet):
    many = " ".join(f"y{number}" for number in range(900))
    nested = "<b class=z>" * 5 + f"<i class='z {many}'>灯来了。</i>" + "</b>" * 5
    result = extract_page(f"<style>.z{{display:none}}</style><style>{sheet}</style>", PARAGRAPHS + nested)
    assert "灯来了。" in result.text
    assert result.failed_steps == ("sheets",)


def test_colours_hide_nothing_if_sheets_are_unknown():
    light = "<b style='color:#fff'>灯来了。</b>"
    body = PARAGRAPHS.replace(STORY, STORY + light, 1)
    sheet = f"<style>{'.z{opacity:0}' * 200_000}</style>"
    assert "灯来了。" not in extract_page("<style>.z{opacity:0}</style>", body).text
    assert "灯来了。" in extract_page(sheet, body).text


def test_unsupported_rules_that_show_count():
    hidden = "<p class=z>灯来了，雾散了。</p>"
    assert "灯来了" not in extract_page("<style>.z{display:none}</style>", PARAGRAPHS + hidden).text
    for shown in ("p.z:has(*)", "div p:not(i .y).z", f"{'div ' * 40}.z", ".z:focus-visible-x", ":is(.z, .q)"):
        sheet = f"<style>.z{{display:none}} {shown}{{display:block}}</style>"
        assert "灯来了" in extract_page(sheet, PARAGRAPHS + hidden).text, shown


def test_ids_are_not_classes():
    result = extract_page("<style>.z{display:none}</style>", f"{PARAGRAPHS}<p id=z>灯来了，雾散了。</p>")
    assert "灯来了" in result.text


HIDDEN = {"display": "none"}
SHOWN = {"display": "block"}
LINKED = "http://x.example/b/a.css"


def cascade_of(css, body, *, head="", attributes="", sheets=None):
    """Return the styles by element id, and the background of the page."""
    page = f"<html><head><style>{css}</style>{head}</head><body {attributes}>{body}</body></html>"
    tree = parse(page)
    marked = marked_elements(tree)
    rules = page_rules(tree, sheets or {}, URL, marked.names)
    result = sheet_styles(tree, marked, rules)
    styles = {
        element.get("id"): {**declared.style, **declared.important}
        for element, declared in result.styles.items()
        if element.get("id")
    }
    return styles, result.page_background


@pytest.mark.parametrize(
    ("css", "style"),
    [
        (".a{display:none} .a{display:block}", SHOWN),  # of equals the later
        (".a{display:block} .a{display:none}", HIDDEN),
        ("p.a{display:none} .a{display:block}", HIDDEN),  # the more specific
        ("p.a{display:block} .a{display:none}", SHOWN),
        ("#x{display:none} p.a.b{display:block}", HIDDEN),
        (".b.a{display:block} p.a{display:none}", SHOWN),
        ("p{display:none} *{display:block}", HIDDEN),
        ("*{display:block} p{display:none}", HIDDEN),
        (".a{display:none} .c{display:block}", HIDDEN),  # of another element
        (".a{display:none} i.b{display:block}", HIDDEN),
        (".a{display:none} div .b{display:block}", HIDDEN),
        (".a{display:none} i, p{display:block}", HIDDEN),
        (".a{display:none} i, p.b{display:block}", SHOWN),
        (".a{display:none; color:red} .a{display:none; color:#00f}", {"display": "none", "color": "#00f"}),
        (".a{display:block!important} #x{display:none}", SHOWN),  # what is important
        (".a{display:none!important} #x{display:block!important}", SHOWN),
        ("@layer low{#x{display:none}} .a{display:block}", SHOWN),  # what is in no layer
        ("@layer one,two; @layer two{.a{display:block}} @layer one{#x{display:none}}", SHOWN),
        (
            "@layer one,two; @layer one{.a{display:none!important}} @layer two{#x{display:block!important}}",
            HIDDEN,
        ),
        (".a{display:none} .a{display:nonsense}", HIDDEN),  # of valid ones
        (".a{display:none} .a{d\\69splay:block}", SHOWN),
        (".c,div{p.a{display:none}} .a{display:none} .b{&.a{display:block}}", SHOWN),  # nested ones
        (".a{display:none} .a{margin:0}", HIDDEN),
    ],
)
def test_rule_of_the_highest_rank_counts(css, style):
    assert cascade_of(css, "<p id=x class='a b'>雾</p>")[0] == {"x": style}


def test_rules_that_hide_no_text_are_omitted():
    assert cascade_of(".a{color:red}", "<p id=x class=a>雾</p>") == ({}, "#ffffff")
    assert cascade_of(".a{display:none}", "<p id=x class=a> <i></i>\n</p>雾") == ({}, "#ffffff")
    assert cascade_of(".a .b{display:none}", "<p id=x class=b>雾</p>") == ({}, "#ffffff")
    assert cascade_of("", "<p id=x>雾</p>") == ({}, "#ffffff")


@pytest.mark.parametrize(("inner", "is_hidden"), [(48, False), (49, True)])
def test_element_with_many_descendants_is_assumed_to_have_text(inner, is_hidden):
    body = f"<p id=x class=a>{'<i></i>' * inner}</p>雾"
    assert bool(cascade_of(".a{display:none}", body)[0]) is is_hidden


def test_text_after_an_inner_element_counts():
    assert cascade_of(".a{display:none}", "<p id=x class=a><i></i>雾</p>")[0] == {"x": HIDDEN}


@pytest.mark.parametrize("selector", ["p", "*", "p:first-child", ":first-child", "[id=x]", ".a", "#x", "P"])
def test_elements_are_selected_by_any_key(selector):
    styles, _ = cascade_of(f"{selector}{{display:none}}", "<p id=x class=a>雾</p>")
    assert styles.get("x") == HIDDEN or selector == "P"


@pytest.mark.parametrize(
    ("css", "attributes", "background"),
    [
        ("", "", "#ffffff"),
        ("body{background:#123}", "", "#112233"),
        ("html{background:#123}", "", "#112233"),
        ("body{background:#123} body{background-color:#456}", "", "#445566"),
        ("body{background:url(a.png)}", "", ""),
        ("", "background=a.png", ""),
        (":root{background:#123!important} html{background:#456}", "", "#112233"),
        ("body{background:#123}", "bgcolor='#456'", "#445566"),
        ("body{background:#123}", "style='background:#789' bgcolor=''", "#778899"),
        (".a{background:#123}", "", "#ffffff"),
    ],
)
def test_page_has_the_background_that_was_set_last(css, attributes, background):
    assert cascade_of(css, "<p>雾</p>", attributes=attributes)[1] == background


def painted(colour):
    return {"background-color": colour, "background-image": "none", "background-clip": "border-box"}


def test_ancestors_of_coloured_text_get_styles():
    body = "<div id=d><p id=p class=b><i id=i class=a>雾</i></p></div><p id=q class=b>灯</p>"
    other_rules = "div{background:#900; color:#000} .b{background:#090; color:#111}"
    assert cascade_of(f".a{{color:#fff}} {other_rules}", body)[0] == {
        "d": {**painted("#900"), "color": "#000"},
        "p": {**painted("#090"), "color": "#111"},
        "i": {"color": "#fff"},
    }
    assert cascade_of(f".a{{display:none}} {other_rules}", body)[0] == {"i": HIDDEN}


def test_colours_hide_against_the_background_of_the_rule_or_the_page():
    body = "<p id=x class=a>雾</p>"
    assert cascade_of(".a{color:#222}", body, attributes="bgcolor='#222222'")[0]
    assert not cascade_of(".a{color:#222}", body)[0]
    assert cascade_of(".a{color:#222;background:#222}", body)[0]
    assert not cascade_of(".a{color:#222;background:#333}", body)[0]
    assert cascade_of(".a{color:transparent}", body)[0]


def test_sheets_count_in_document_order_and_by_media():
    body, link = "<p id=x class=a>雾</p>", "<link rel=stylesheet href=a.css>"
    sheets = {LINKED: ".a{display:none}"}
    assert cascade_of(".a{display:block}", body, head=link, sheets=sheets)[0] == {"x": HIDDEN}
    assert cascade_of(".a{display:block}", body, sheets=sheets)[0] == {}
    assert cascade_of("", body, head=link, sheets={"http://x.example/c.css": ".a{display:none}"})[0] == {}
    assert cascade_of("", body, head=link.replace(">", " media=print>"), sheets=sheets)[0] == {}
    assert cascade_of("", body, head="<style media=print>.a{display:none}</style>")[0] == {}


def test_sheets_up_to_the_bounds_are_read(monkeypatch):
    monkeypatch.setattr(style_rules, "MAX_SHEET_CHARS", 100)
    body, rule = "<p id=x class=a>雾</p>", ".a{display:none}"
    sheet = rule + " " * (100 - len(rule))
    assert cascade_of(sheet, body)[0] == {"x": HIDDEN}
    for more, head in ((f"{sheet} ", ""), (sheet, "<style> </style>")):
        with pytest.raises(OverBudget):
            cascade_of(more, body, head=head)


def test_selectors_up_to_the_bounds_are_read(monkeypatch):
    monkeypatch.setattr(style_rules, "MAX_SELECTORS", 4)
    body, rule = "<p id=x class=a>雾</p>", "{display:none}"
    assert cascade_of(f".b,.c,.d,.a{rule}", body)[0] == {"x": HIDDEN}
    assert cascade_of(f".b,.c{rule}", body, head=f"<style>.d,.a{rule}</style>")[0] == {"x": HIDDEN}
    for css, head in ((f".b,.c,.d,.e,.a{rule}", ""), (f".b,.c{rule}", f"<style>.d,.e,.a{rule}</style>")):
        with pytest.raises(OverBudget):
            cascade_of(css, body, head=head)


@pytest.mark.parametrize(("limit", "is_enough"), [(2, True), (1, False)])
def test_steps_over_rules_that_show_are_bounded(monkeypatch, limit, is_enough):
    monkeypatch.setattr("crawler.extraction.cascade._MAX_STEPS", limit)
    css, body = ".a{display:none} .a{display:block}", "<p id=x class=a>雾</p>"
    if is_enough:
        assert cascade_of(css, body)[0] == {"x": SHOWN}
    else:
        with pytest.raises(OverBudget):
            cascade_of(css, body)


@pytest.mark.parametrize(
    ("selector", "hidden"),
    [
        (".box b", {"in"}),
        (".box > b", {"in"}),
        (".box i ~ b", set()),
        (".box + b", {"behind"}),
        (".box b, .top > b", {"in", "behind"}),
        (".top .box + b", {"behind"}),
        ("b", {"in", "behind"}),
        (".box *", {"in", "inner"}),
        (".top:not(.box) b", {"in", "behind"}),
        (".box .box b", set()),
    ],
)
def test_tags_are_searched_inside_the_named_ancestor(selector, hidden):
    inner = (
        "<b id=in>灯</b><p id=inner>渡</p>" if hidden != {"deep"} else "<p class=box><b id=deep>灯</b></p>"
    )
    body = f"<div class=top><div class=box>{inner}</div><b id=behind>船</b></div>"
    styles, _ = cascade_of(f"{selector}{{display:none}}", body)
    assert set(styles) == hidden


def first_rule(css):
    tree = parse(f"<html><head><style>{css}</style></head><body>灯</body></html>")
    return page_rules(tree, {}, URL, {".seen", ".other", *(f".a{number}b0" for number in range(16))}).hiding[
        0
    ][1]


def test_sheets_are_parsed_once_while_cached():
    css = ".seen{display:none}"
    rule = first_rule(css)
    first_rule(".other{display:none}")
    assert first_rule(css) is rule
    for number in range(16):  # of 2,000 rules, which take more than their characters
        first_rule(",".join(f".a{number}b{other}" for other in range(2_000)) + "{display:none}")
    assert first_rule(css) is not rule
