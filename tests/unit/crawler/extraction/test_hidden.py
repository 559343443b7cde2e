"""Hidden text is not read, however it is hidden; visible text stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction import extract
from crawler.extraction.hidden import all_hidden_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.parsing import parse

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口，一盏不少。"
JUNK = "彩票中奖，快来投注！"
HIDING = [
    "display:none",
    "DISPLAY : NONE !important",
    "visibility: hidden",
    "visibility:collapse",
    "opacity:0",
    "opacity: 0.01",
    "font-size:0",
    "font-size:0.5px",
    "position:absolute; left:-9999px",
    "position:fixed;top:-60em",
    "display:block;text-indent:-999px",
    "display:block;height:0;overflow:hidden",
    "position:absolute;clip:rect(0, 0, 0, 0)",
    "display:inline-block;transform:scale(0)",
    "filter: opacity(0)",
    "color:transparent",
    "color:rgba(0,0,0,0)",
    "color:#123456;background:#123456",
]
SHOWING = [
    "display:block",
    "opacity:.9",
    "font-size:14px",
    "font-size:.9em",
    "position:absolute;left:10px",
    "text-indent:2em",
    "height:0",
    "overflow:hidden",
    "color:#000;background:#fff",
    "color:red",
]


def text(body, head=""):
    return extract(f"<html><head>{head}</head><body><div>{body}</div></body></html>".encode()).text


def with_junk(tag):
    """Return two paragraphs with junk between and inside them, hidden by ``tag``."""
    return f"<p>{PROSE}{tag}{JUNK}</span></p>{tag}{JUNK}</span><p>{PROSE}</p><p>{PROSE}</p>"


@pytest.mark.parametrize("style", HIDING)
def test_elements_are_hidden_by_style(style):
    assert JUNK not in text(with_junk(f"<span style='{style}'>"))


@pytest.mark.parametrize("style", HIDING)
@pytest.mark.parametrize("selector", [".j", "span.j", "div .j", "div > p span.j, .nothing"])
def test_elements_are_hidden_by_a_rule(style, selector):
    head = f"<style>/* a */ p{{margin:0}} {selector} {{{style}}}</style>"
    result = text(f"<p>{PROSE}<span class='j'>{JUNK}</span></p><p>{PROSE}</p><p>{PROSE}</p>", head)
    assert result == "\n".join([PROSE] * 3)


@pytest.mark.parametrize("style", SHOWING)
def test_visible_elements_are_kept(style):
    head = f"<style>.j{{{style}}}</style>"
    assert JUNK in text(with_junk("<span class='j'>"), head)
    assert JUNK in text(with_junk(f"<span style='{style}'>"))


def test_elements_are_hidden_by_attribute_and_background_colour():
    assert JUNK not in text(with_junk("<span hidden>"))
    assert JUNK not in text(with_junk("<span style='color:#fff'>"))
    dark = "<style>body{background:#222222}.j{color:#222}</style>"
    assert JUNK not in text(with_junk("<span class='j'>"), dark)
    assert JUNK in text(with_junk("<span style='color:#fff'>"), dark)
    boxed = f"<p style='background:#900'><span style='color:#fff'>{PROSE}</span></p>"
    assert text(boxed * 3) == "\n".join([PROSE] * 3)


@pytest.mark.parametrize(
    "sheet",
    [
        ".j{display:none} .j{display:inline}",
        "span.j{display:inline} .j{display:none}",
        "@media print{.j{display:none}}",
        "@media (max-width:600px){.j{display:none}}",
        ".j:hover{display:none}",
        ".j::before{display:none}",
        ".other .j{display:none}",
        "@supports not (display:grid){.j{display:none}}",
        ".j{display:none;display:inline-flow;display:inlin;display:inline}",
        "@container (min-width:1px){.j{display:none}}",
        "@media (min-frobs:1){.j{display:none}}",
    ],
)
def test_rules_that_do_not_apply_hide_nothing(sheet):
    assert JUNK in text(with_junk("<span class='j'>"), f"<style>{sheet}</style>")


def test_rules_for_the_screen_apply():
    assert JUNK not in text(with_junk("<span class='j'>"), "<style>@media screen{.j{display:none}}</style>")


def test_attribute_beats_a_rule():
    assert JUNK in text(
        with_junk("<span class='j' style='display:inline'>"), "<style>.j{display:none}</style>"
    )


def test_article_that_a_script_shows_is_read():
    body = f"<div class='later'><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></div>"
    assert PROSE in text(body, "<style>.later{display:none}</style>")
    assert PROSE in text(body.replace("class='later'", "style='display:none'"))


def test_container_without_gaps_is_shown():
    body = f"<div style='font-size:0'><p style='font-size:16px'>{PROSE}</p><p class='a'>{PROSE}</p></div>"
    assert text(body).count(PROSE) == 2


def test_hidden_text_is_counted():
    data = (
        f"<html><body><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p><p hidden>{JUNK}</p></body></html>".encode()
    )
    assert extract(data).dropped == {"hidden": len(JUNK)}


def test_text_hidden_twice_is_counted_once():
    twice = f"<p hidden>{JUNK}<b><i hidden>{JUNK}</i></b></p>"
    result = extract(f"<body>{f'<p>{PROSE}</p>' * 3}{twice * 20}".encode())
    assert result.dropped == {"hidden": 40 * len(JUNK)}


def test_hundred_thousand_hidden_characters_are_read_quickly():
    spam = "".join(f"<p>{JUNK}</p>" for _ in range(10_000))
    body = f"<body><div>{f'<p>{PROSE}</p>' * 3}</div><div class=s>{spam}</div></body>"
    result = extract(f"<html><style>.s{{display:none}}</style>{body}".encode())
    assert (result.kind, result.text) == ("article", "\n".join([PROSE] * 3))
    assert result.dropped["hidden"] == 10_000 * len(JUNK)


@given(st.text(alphabet=".#a{}:;@()!* \"'/display:none,>", max_size=200))
def test_any_sheet_is_read_and_hides_only_matching_elements(sheet):
    tree = parse(
        f"<html><style>{sheet}</style><body class='a'><p id='a'>雾</p><i hidden>灯</i></body></html>"
    )
    steps = OptionalSteps()
    hidden = all_hidden_elements(tree, steps=steps)
    assert steps.failed == []
    assert tree.find(".//i") in hidden
    assert hidden <= {
        tree.find(".//i"),
        tree.find(".//p"),
    }  # never the body
    assert tree.find(".//p") not in hidden or "none" in sheet


@pytest.mark.parametrize("selector", [":is(.a,#b)", ":is(#b,.a)", ":where(b,.a)"])
def test_lists_in_brackets_need_no_blanks(selector):
    tree = parse(f"<style>{selector}{{display:none}}</style><p>雾<i class=a>江</i></p>")
    assert [element.text for element in all_hidden_elements(tree)] == ["江"]
