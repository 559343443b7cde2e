"""Text that style sheets add, reverse or reorder is read as a reader sees it."""

import pytest

from crawler.extraction import PageContext, extract
from crawler.extraction.stylesheets import kept_rules

LINES = [
    "渡口的石阶被水磨得发亮，卖藕的女人把担子搁在最下面一级。",
    "摆渡的老人没有抬头，只把篙子在船舷上轻轻敲了三下。",
    "对岸的磨坊停了半个月，轮子上结满了青苔和细小的螺蛳。",
    "他说等到桃花水下来，这条河就再也不是现在的样子了。",
]
TEXT = "\n".join(LINES)
URL = "http://x.example/b/7.html"


def text_of(body, css="", *, sheet=""):
    head = f"<title>第七章 渡口</title><style>{css}</style>"
    sheets = ()
    if sheet:
        head += "<link rel=stylesheet href=/a.css>"
        sheets = (("http://x.example/a.css", kept_rules(sheet)),)
    page = (
        f"<!DOCTYPE html><html><head>{head}</head><body><h1>第七章 渡口</h1><div>{body}</div></body></html>"
    )
    result = extract(page.encode(), url=URL, context=PageContext(sheets=sheets))
    assert result.failed_steps == ()
    return result.text


def paragraphs(lines):
    return "".join(f"<p>{line}</p>" for line in lines)


BY_CLASS = paragraphs(LINES).replace("的", "<i class=w1></i>").replace("了", "<u class='x w2'></u>")


@pytest.mark.parametrize(
    "css",
    [
        ".w1:before{content:'的'} .w2::after{content:'了'}",
        '.w1::before{content:"\\7684"} .w2::before{content:"\\004e86"}',
        ".w1::before{content:'错'} i.w1::before{content:'的'} .x.w2::before{content:'了'}",
        "@media screen{.w1::before,.w2::before{content:'了'}} p .w1::before{content:'的'}",
        ":root{--a:'的'} .w1::before{content:var(--a)} .w2::before{content:'' '了' ''}",
        ".w1::before{content:'的'!important} p>.w1::before{content:'x'} .w2::before{content:'了' / 'alt'}",
        ".w1,.w2{&::before{content:'的'}} .w2::before{content:'了'}",
    ],
)
def test_characters_from_a_sheet_are_in_the_text(css):
    assert text_of(BY_CLASS, css) == TEXT
    assert text_of(BY_CLASS, sheet=css) == TEXT


def test_attributes_that_a_sheet_shows_are_in_the_text():
    body = "".join(f"<p data-t='{line}'></p>" for line in LINES)
    assert text_of(body, "p[data-t]::before{content:attr(data-t)}") == TEXT
    split = "".join(f"<p data-t='{line[:9]}'>{line[9:]}</p>" for line in LINES)
    assert text_of(split, "p::before{content:attr(data-t)}") == TEXT
    assert text_of(split, "p::before{content:attr(data-t);display:block}").count("\n") == 7


def test_variables_of_inline_styles_are_in_the_text():
    marks = {"的": "<i style='--c:\"的\"'></i>", "了": "<b style=\"--c:'了'\"><i></i></b>"}
    body = paragraphs(LINES).replace("的", marks["的"]).replace("了", marks["了"])
    assert text_of(body, "i::before{content:var(--c)}") == TEXT


def test_variables_inside_variables_take_linear_time():
    levels = "".join(f"<div style='--{one}:{f'var(--{other})' * 100}'>" for one, other in ("cd", "bc", "ab"))
    body = f"{levels}<i style='--e:var(--f);--f:\"的\"'></i>"
    assert text_of(f"{paragraphs(LINES)}{body}", f"i::before{{content:{'var(--a)' * 100}}}") == TEXT


def test_rules_for_custom_elements_add_their_characters():
    body = paragraphs(LINES).replace("的", "<x-de></x-de>").replace("了", "<x-le></x-le>")
    assert text_of(body, "x-de::before{content:'的'} p x-le:after{content:'了'}") == TEXT


@pytest.mark.parametrize(
    "css",
    [
        "p::before{content:'\\e601'}",
        "p::before{content:counter(line)}",
        "p::after{content:url(a.png)}",
        "p::before{content:'»'}",
        "p::before{content:'首发';display:none}",
        "p::before{content:'首发';font-size:0}",
        "p::before{content:'首发';position:absolute;left:-999em}",
        "p::before{content:'首发'} p::before{content:none}",
        "@media print{p::before{content:'首发'}}",
        "p:hover::before{content:'首发'}",
    ],
)
def test_icons_counters_and_hidden_content_are_not_in_the_text(css):
    assert text_of(paragraphs(LINES), css) == TEXT


def backwards(line):
    return line[::-1]


def test_text_that_is_written_backwards_is_read_forwards():
    style = "direction:rtl;unicode-bidi:bidi-override"
    inline = "".join(f"<p style='{style}'>{backwards(line)}</p>" for line in LINES)
    assert text_of(inline) == TEXT
    by_class = "".join(f"<p class=r>{backwards(line)}</p>" for line in LINES)
    assert text_of(by_class, f".r{{{style}}}") == TEXT
    assert text_of(by_class, sheet=f".r{{{style}}}") == TEXT
    assert text_of("".join(f"<p><bdo dir=rtl>{backwards(line)}</bdo></p>" for line in LINES)) == TEXT
    assert text_of("".join(f"<p>\u202e{backwards(line)}\u202c</p>" for line in LINES)) == TEXT


def test_direction_is_inherited_and_applies_to_inner_parts():
    style = "unicode-bidi:isolate-override"
    line = LINES[0]
    inner = f"<b>{backwards(line[10:])}</b>{backwards(line[:10])}"
    body = f"<div dir=rtl><p style='{style}'>{inner}</p></div>{paragraphs(LINES[1:])}"
    assert text_of(body) == TEXT
    kept = f"<p dir=rtl style='{style}'>{backwards(line[10:])}<bdo dir=ltr>{line[:10]}</bdo></p>"
    assert text_of(kept + paragraphs(LINES[1:])) == TEXT


def test_lines_and_brackets_are_mirrored_separately():
    shown = ["他问（声音很低）：《渡口》是谁写的？", "没有人回答他，灯却一盏一盏地亮了。"]
    written = [line[::-1].translate(str.maketrans("（）《》", "）（》《")) for line in shown]
    body = f"<p style='direction:rtl;unicode-bidi:bidi-override'>{'<br>'.join(written)}</p>"
    assert text_of(body + paragraphs(LINES)) == "\n".join([*shown, *LINES])


@pytest.mark.parametrize(
    "css",
    [
        "p{direction:rtl}",
        "p{unicode-bidi:bidi-override}",
        "div{unicode-bidi:bidi-override;direction:rtl}",  # its paragraphs are no part of its lines
        "p{direction:rtl;unicode-bidi:bidi-override} p{unicode-bidi:normal}",
        "@media print{p{direction:rtl;unicode-bidi:bidi-override}}",
    ],
)
def test_direction_without_override_reverses_nothing(css):
    assert text_of(paragraphs(LINES), css) == TEXT


def mixed(line):
    """Return the numbers of a line's characters in another order."""
    return sorted(range(len(line)), key=lambda number: (number * 7 % 11, number))


def test_characters_in_a_flexible_box_are_read_by_their_order():
    body = "".join(
        "<p style='display:flex;flex-wrap:wrap'>"
        + "".join(f"<b style='order:{number}'>{line[number]}</b>" for number in mixed(line))
        + "</p>"
        for line in LINES
    )
    assert text_of(body) == TEXT
    by_class = "".join(
        "<p class=f>" + "".join(f"<b class=o{number}>{line[number]}</b>" for number in mixed(line)) + "</p>"
        for line in LINES
    )
    css = ".f{display:inline-flex}" + "".join(f".o{number}{{order:{number - 3}}}" for number in range(40))
    assert text_of(by_class, css) == TEXT
    assert text_of(by_class, sheet=css) == TEXT
    assert text_of(by_class, css.replace("inline-flex", "block")) != TEXT  # there it has no effect


def test_paragraphs_of_a_reversed_box_are_read_from_the_last():
    body = f"<div style='display:flex;flex-direction:column-reverse'>{paragraphs(LINES[::-1])}</div>"
    assert text_of(body) == TEXT


def test_positioned_characters_are_read_line_by_line():
    places = [(row, column, char) for row, line in enumerate(LINES) for column, char in enumerate(line)]
    places.sort(key=lambda place: (place[1] * 7 % 11, place[0] * 5 % 3, place[1]))
    body = "".join(
        f"<i style='position:absolute;left:{17 * column}px;top:{26 * row}px'>{char}</i>"
        for row, column, char in places
    )
    assert text_of(f"<div style='position:relative;height:200px'>{body}</div>") == "".join(LINES)


def test_positioned_menu_keeps_its_order():
    body = "<div>" + "".join(f"<div style='position:absolute'>{line}</div>" for line in LINES) + "</div>"
    assert text_of(body) == TEXT


def test_characters_are_added_by_names_with_escapes():
    body = paragraphs(LINES).replace("的", "<i class='w:1'></i>").replace("了", "<u class=w2></u>")
    css = r"i.w\:1::before{content:'的'} u:not(.w\:1)::after{content:'了'}"
    assert text_of(body, css) == TEXT
