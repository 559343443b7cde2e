"""Styles that hide, and styles that only seem to; each was compared with Chromium 156."""

import pytest

from crawler.extraction import extract

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口，一盏不少。"
JUNK = "彩票中奖，快来投注！"


def text_of(body, css="", head=""):
    whole = f"<!DOCTYPE html><html><head><title>渡口</title>{head}<style>{css}</style></head><body>{body}"
    result = extract(whole.encode(), url="http://x.example/1.html")
    assert result.failed_steps == ()
    return result.text


def around(junk):
    return f"<div><p>{PROSE}</p>{junk}<p>{PROSE}</p><p>{PROSE}</p></div>"


HIDES = [
    "height:1px;overflow:hidden",
    "height:0;overflow-y:hidden",
    "height:0;overflow:clip",
    "max-height:0;overflow:auto",
    "block-size:0;overflow:hidden",
    "width:0;overflow:hidden",
    "height:calc(1px - 1px);overflow:hidden",
    "line-height:0;overflow:hidden",
    "clip-path:inset(50%)",
    "clip-path:circle(0 at 10px 10px)",
    "clip-path:polygon(0 0, 0 0, 0 0)",
    "-webkit-clip-path:inset(0 100% 0 0)",
    "position:absolute;clip:rect(1px 1px 1px 1px)",
    "position:relative;left:-5000px",
    "position:relative;inset-inline-start:-5000px",
    "position:absolute;inset:auto auto auto -999em",
    "position:relative;top:-9999px",
    "position:absolute;top:-999px",
    "position:fixed;left:100vw",
    "margin-left:-9999px",
    "transform:translateX(-9999px)",
    "transform:translate3d(-100em,0,0)",
    "transform:matrix(1,0,0,1,-9999,0)",
    "translate:-9999px 0",
    "transform:scale(1,0)",
    "transform:rotateY(90deg)",
    "scale:0",
    "filter:blur(1px) opacity(0%)",
    "opacity:0%",
    "content-visibility:hidden",
    "zoom:.01",
    "font:0/0 a",
    "color:#fff",
    "color:rgb(100%,100%,100%)",
    "color:hsl(0 0% 0% / 0)",
    "color:hsl(0,0%,100%)",
    "color:hsla(120deg 40% 100% / 1)",
    "display:ruby-text",
    "color:#0000",
    "-webkit-text-fill-color:transparent",
    "text-indent:-9999px",
    "text-indent:100%;white-space:nowrap;overflow:hidden",
    "--d:none;display:var(--d)",
    "display:none;display:nonee",
    "visibility:hidden;visibility:shown",
    "display:none!important;display:block",
]
SHOWS = [
    "height:0",
    "height:0%;overflow:hidden",
    "height:0;overflow:hidden;min-height:2em",
    "height:0;overflow:hidden;padding-bottom:3em",
    "width:0;min-width:100%;overflow:hidden",
    "height:-1px;overflow:hidden",
    "display:inline;height:0;overflow:hidden",
    "clip-path:inset(1px)",
    "clip-path:circle(50% at 0 0)",
    "clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(0,0,0,0,0)",
    "left:-5000px",
    "position:absolute;left:50%;margin-left:-520px",
    "position:absolute;left:-600px;padding-left:700px",
    "position:absolute;right:-9999px",
    "display:inline;transform:scale(0)",
    "transform:rotate(90deg)",
    "transform:translateX(-100%)",
    "scale:1 1",
    "filter:alpha(opacity=0)",
    "filter:opacity(50%)",
    "opacity:none",
    "content-visibility:auto",
    "zoom:0",
    "font-size:-5px",
    "font-size:0;font-size:1rem",
    "line-height:0",
    "visibility:hiden",
    "display:nonee",
    "display:none;display:block",
    "color:#ddd",
    "color:#fff;background:#333",
    "color:#fff;background:linear-gradient(#222,#222)",
    "color:#fff;border-top:40px solid #900",
    "color:#fff;position:absolute",
    "color:transparent;text-shadow:0 0 0 #000",
    "color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text",
    "color:transparent;-webkit-text-fill-color:#000",
    "text-indent:-9999px;padding-left:9999px",
    "text-indent:-9999px;text-indent:2em",
    "display:var(--nothing)",
    "--d:none;--d:block;display:var(--d,block)",
    "--x:{;display:none;}",
    "color:/*;display:none;*/#000",
    "background:url(a;display:none;b)",
    "font-family:';display:none'",
    "all:initial",
    "display:none;all:unset",
]


@pytest.mark.parametrize("style", HIDES)
def test_line_that_a_browser_hides_is_not_in_the_text(style):
    assert text_of(around(f'<p style="{style}">{JUNK}</p>')) == "\n".join([PROSE] * 3)
    assert text_of(around(f"<p class=j>{JUNK}</p>"), f".j{{{style}}}") == "\n".join([PROSE] * 3)


@pytest.mark.parametrize("style", SHOWS)
def test_line_that_a_browser_shows_is_read(style):
    assert JUNK in text_of(around(f'<p style="{style}">{JUNK}</p>'))
    assert JUNK in text_of(around(f"<p class=j>{JUNK}</p>"), f".j{{{style}}}")


@pytest.mark.parametrize(
    ("css", "is_shown"),
    [
        (".j{display:none}@media(min-width:300px){.j{display:block}}", True),
        ("@media(max-width:2000px){.j{display:none}}", False),
        ("@media(width>=1000px) and (hover){.j{display:none}}", False),
        ("@media print,(orientation:portrait){.j{display:none}}", True),
        ("@media not all{.j{display:none}}", True),
        (".j{display:none}@supports(display:grid){.j{display:block}}", True),
        ("@supports(display:grid) and (color:red){.j{display:none}}", False),
        ("@supports(frobs:1){.j{display:none}}", True),
        (".j{opacity:0;animation:f .2s forwards}@keyframes f{to{opacity:1}}", True),
        (".j{opacity:0;animation:f 1s}@keyframes f{to{color:red}}", False),
        (".j{visibility:hidden;animation:f 1s both}@-webkit-keyframes f{from{visibility:visible}}", True),
        (".j{opacity:0;animation:none}@keyframes f{to{opacity:1}}", False),
        (".x{.j{display:none}}", True),
        ("div{.j{display:none}}", False),
        ("div{& > .j{display:none}}", False),
        (".j{display:none}p.j{display:block}", True),
        (".j{display:none!important}p.j{display:block}", False),
        (".j{display:block!important}#j{display:none}", True),
        ("@import url('data:text/css,.j%7Bdisplay:block!important%7D');.j{display:none}", True),
        ("<!-- .j{display:none} -->", False),
        (".x{background:url(a}.j{display:none}.y{b)}", True),
        (".x::after{content:'}'}.j{display:none}", False),
        (".x{content:'{'} .j{display:none}", False),
        ("@layer a{.j{display:none}} .j{display:block}", True),
        ("@layer b,a; @layer a{.j{display:none}} @layer b{.j{display:block}}", False),
        ("@starting-style{.j{display:none}}", True),
        (":root{--d:none}.j{display:var(--d)}", False),
        (":root{--d:none}.x{--d:block}.j{display:var(--d)}", True),
        (".j{height:0}.j{overflow:hidden}", False),
        (".j{height:0;overflow:hidden}p{min-height:2em}", True),
        (".j{position:absolute}p.j{left:-9999px}", False),
        (".j{color:#fff}div{background:#000}", True),
        (".j{color:#fff}body{background:#222}", True),
        (".j{color:#222}body{background:#222}", False),
        (".j{color:#fff}body{background:url(a.png)}", True),
        (".j{color:#fff}div{text-shadow:0 0 2px #000}", True),
    ],
)
def test_rules_count_as_in_a_browser(css, is_shown):
    assert (JUNK in text_of(around(f"<p class=j id=j>{JUNK}</p>"), css)) is is_shown


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("visibility:hidden", "visibility:visible"),
        ("visibility:hidden", "visibility:initial"),
        ("font-size:0", "font-size:16px"),
        ("color:transparent", "color:#000"),
        ("color:#fff", "background:#333"),
        ("position:absolute;left:-9999px", "position:relative;left:9999px"),
        ("position:absolute;left:-9999px", "position:fixed;left:0"),
        ("height:0;overflow:hidden", "position:absolute"),
        ("text-indent:-9999px", "text-indent:0"),
    ],
)
def test_elements_that_show_themselves_again_are_read(outer, inner):
    box = f'<div style="{outer}">{JUNK}<i>{JUNK}</i><p style="{inner}">灯来了，雾散了。</p></div>'
    text = text_of(around(box))
    assert "灯来了，雾散了。" in text
    if "absolute" not in outer + inner and "indent" not in outer:
        assert JUNK not in text
    by_class = f"<div class=o>{JUNK}<p class=i>灯来了，雾散了。</p></div>"
    assert "灯来了" in text_of(around(by_class), f".o{{{outer}}} .i{{{inner}}}")


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("display:none", "display:block;visibility:visible"),
        ("opacity:0", "opacity:1"),
        ("visibility:hidden", "visibility:inherit"),
        ("transform:scale(0)", "transform:scale(1)"),
        ("height:0;overflow:hidden;position:relative", "position:absolute"),
        ("content-visibility:hidden", "content-visibility:visible"),
    ],
)
def test_elements_that_cannot_show_themselves_again_are_not_read(outer, inner):
    assert JUNK not in text_of(around(f'<div style="{outer}"><p style="{inner}">{JUNK}</p></div>'))


@pytest.mark.parametrize(
    ("css", "is_shown"),
    [("", False), ("[hidden]{display:block}", True), (".j{display:flex}", True), (".j{color:red}", False)],
)
def test_attribute_hidden_is_overridden_by_any_display(css, is_shown):
    assert (JUNK in text_of(around(f"<p class=j hidden>{JUNK}</p>"), css)) is is_shown


def test_long_text_indented_by_less_than_its_length_stays_visible():
    assert text_of(around(f'<p style="text-indent:-600px">{PROSE * 3}</p>')).count(PROSE) == 6
    broken = f'<p style="text-indent:-9999px">{JUNK}<br>灯来了，雾散了。</p>'
    assert "灯来了" in text_of(around(broken))


def test_white_text_stays_if_style_sheets_are_missing():
    link = "<link rel=stylesheet href=http://x.example/a.css>"
    assert JUNK in text_of(around(f'<p style="color:#fff">{JUNK}</p>'), head=link)
    assert JUNK not in text_of(around(f'<p style="color:#fff">{JUNK}</p>'))


def test_white_text_that_is_most_of_a_page_stays():
    white = "".join(f'<p style="color:#fff">{PROSE}</p>' for _ in range(3))
    assert text_of(f"<div>{white}</div>").count(PROSE) == 3


def test_colours_of_font_elements_count():
    assert JUNK not in text_of(around(f"<p>{PROSE}<font color=white>{JUNK}</font></p>"))
    assert JUNK in text_of(around(f"<p>{PROSE}<font color=red>{JUNK}</font></p>"))


@pytest.mark.parametrize(
    "markup",
    [
        "老<ruby>船<rp>(</rp><rt>chuán</rt><rp>)</rp></ruby>{0}",
        "老<ruby>船<rt>ㄔㄨㄢˊ</ruby>{0}",
        "老<ruby><rb>船</rb><rtc><rt>chuán</rt></rtc></ruby>{0}",
        "老<ruby>船<rt>大舟</rt></ruby>{0}",
    ],
)
def test_ruby_readings_are_not_text(markup):
    rest = "匠把最后一块木板刨平，放在院子里晾着，他的徒弟从河边提水回来。"
    assert text_of(around(f"<p>{markup.format(rest)}</p>")).split("\n")[1] == f"老船{rest}"
