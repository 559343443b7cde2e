"""What a real browser shows of a page is in its lines, in the order in which it is read."""

from pathlib import Path

import pytest
from support.browsers import BrowserTab

COPIES = Path(__file__).parents[3] / "shared" / "data" / "hidden-copies"
_SHORTER = frozenset({"el-long-decoy.html", "clean-copyright.html"})  # which have some of the paragraphs

FIRST = "清晨的渡口起了雾，摆渡的老人把竹篙搁在船头。"
SECOND = "对岸的铃声响过三遍，还没有一个人下到河边来。"
THIRD = "他数着桥洞里漏下的水声，等第一班去县城的客车。"


@pytest.fixture(scope="module")
def tab():
    running = BrowserTab()
    yield running
    running.close()


# The browser waits three seconds for the text of a page that has little: this is much, and nobody sees it.
UNSEEN = f"<script type=text/plain>{'x' * 200}</script>"


def page(body, style=""):
    head = f"<head><meta charset=utf-8><style>{style}</style></head>"
    return f"<!doctype html><html>{head}<body>{body}{UNSEEN}</body></html>"


def han(text):
    return "".join(letter for letter in text if "一" <= letter <= "鿿")


def letters(text, step=1):
    """Every letter in a separate element, in the order of the document from the last to the first."""
    places = list(enumerate(text))[::step]
    return "".join(f"<i style=order:{place}>{letter}</i>" for place, letter in reversed(places))


@pytest.mark.parametrize(
    ("body", "style"),
    [
        (f"<p>{FIRST}<p>{SECOND}", ""),
        (
            f"<div class=a>{FIRST}</div><p>{SECOND}",
            "@media(min-width:300px){.a{display:block}} .a{color:#000}",
        ),
        (
            f"<div class=a>{FIRST}</div><p>{SECOND}",
            ".a{display:none} @media(min-width:300px){.a{display:block}}",
        ),
        (
            f"<p class=a>{FIRST}<p class=a>{SECOND}",
            "@keyframes in{to{opacity:1}} .a{opacity:0;animation:in 3s 2s forwards}",
        ),
        (
            f"<p class=a>{FIRST}<p class=a>{SECOND}",
            "@keyframes in{50%{opacity:1}} .a{opacity:0;animation:in 9s infinite}",
        ),
        (
            f"<p class=a>{FIRST}<p class=a>{SECOND}",
            ".a{background:linear-gradient(red,blue);background-clip:text;color:transparent}",
        ),
        (
            f"<p class=a></p><p>{SECOND}",
            f".a::before{{content:'{FIRST[:9]}'}} .a::after{{content:'{FIRST[9:]}'}}",
        ),
        (f"<p data-a='{FIRST}'></p><p>{SECOND}", "p::after{content:attr(data-a)}"),
        (f"<ol><li>{SECOND}</ol>", f"li::marker{{content:'{FIRST}'}}"),
        (
            f"<p>{SECOND}<p>{FIRST}",
            "body{display:flex;flex-direction:column-reverse}",
        ),
        (f"<p style=order:2>{SECOND}<p style=order:1>{FIRST}", "body{display:grid}"),
        (f"<div class=a>{letters(FIRST)}</div><p>{SECOND}", ".a{display:flex}"),
        (f"<div class=a>{letters(FIRST)}</div><p>{SECOND}", ".a{display:flex;flex-wrap:wrap;width:9em}"),
        (
            f"<p style=top:60px>{SECOND}<p style=top:0>{FIRST}",
            "p{position:absolute;left:0;margin:0}",
        ),
        (
            f"<p class=a>{SECOND}<p>{FIRST}",
            ".a{transform:translateY(90px)}",
        ),
        (f"<p class=a>{FIRST[::-1]}<p>{SECOND}", ".a{direction:rtl;unicode-bidi:bidi-override}"),
        (f"<bdo dir=rtl>{FIRST[::-1]}</bdo><p>{SECOND}", ""),
        (f"<p>\u202e{FIRST[::-1]}\u202c<p>{SECOND}", ""),
        (f"<p>{FIRST}<p>{SECOND}", "body{writing-mode:vertical-rl;height:120px}"),
        (f"<div class=a><p>{FIRST}<p>{SECOND}</div>", ".a{columns:2;width:300px}"),
        (f"<textarea>{FIRST}</textarea><br><input size=80 placeholder='{SECOND}'>", ""),
        (f"<button>{FIRST}</button><br><input type=button value='{SECOND}'>", ""),
        (f"<select><option>{FIRST}<option>{SECOND}</select>", ""),
        (f"<img alt='{FIRST}'><br><img alt='{SECOND}'>", ""),
        (f"<svg width=900 height=90><text y=30>{FIRST}</text><text y=60>{SECOND}</text></svg>", ""),
        (f"<object data='missing.swf' type=a/b>{FIRST}</object><p>{SECOND}", ""),
        (f"<iframe width=900 srcdoc='<p>{FIRST}<p>{SECOND}'></iframe>", ""),
        (f"<details open><summary>{FIRST}</summary>{SECOND}</details>", ""),
        (
            f"<div style=height:9000px></div><p class=a>{FIRST}<p class=a>{SECOND}",
            ".a{content-visibility:auto}",
        ),
        (f"<table><tfoot><tr><td>{SECOND}</tfoot><tr><td>{FIRST}</table>", ""),
        (f"<p><ruby>渡<rt>du</rt></ruby>{FIRST}<p>{SECOND}", ""),
    ],
)
def test_visible_text_is_in_the_lines_in_reading_order(tab, body, style):
    found = tab.capture(page(body, style))
    text = "".join(found.lines)
    assert 0 <= text.find(FIRST) < text.find(SECOND), found.lines
    assert found.hidden == []


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "color:#fff",
        "font-size:0",
        "transform:scale(0)",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "height:0;overflow:hidden",
        "clip-path:inset(50%)",
        "filter:opacity(0)",
        "content-visibility:hidden",
        "position:absolute;clip:rect(0,0,0,0)",
        "-webkit-text-fill-color:transparent",
    ],
)
def test_invisible_text_is_marked_and_not_in_the_lines(tab, style):
    found = tab.capture(page(f"<div><p>{FIRST}<p style='{style}'>{SECOND}</div>"))
    assert found.lines == [FIRST]
    assert found.hidden == [SECOND]


def test_only_the_hidden_text_of_a_partly_visible_element_is_marked(tab):
    found = tab.capture(
        page(f"<p style=visibility:hidden>{FIRST}<b style=visibility:visible>{SECOND}</b></p>")
    )
    assert (found.lines, found.hidden) == ([SECOND], [FIRST])
    assert found.tree.xpath("string(//p)") == FIRST + SECOND


def test_two_columns_do_not_mix(tab):
    rows = "".join(f"<p>{name}{number}{FIRST}</p>" for name in "左右" for number in "一二三四")
    halves = rows.partition("<p>右")
    columns = f"<div class=a>{halves[0]}</div><div class=b><p>右{halves[2]}</div>"
    for style in (
        ".a,.b{float:left;width:300px;margin-right:20px}",
        ".a,.b{position:absolute;top:0;width:300px} .a{left:0} .b{left:340px}",
        "body{display:flex} .a,.b{flex:1;padding:9px}",
    ):
        text = "".join(tab.capture(page(columns, style)).lines)
        places = [text.find(f"{name}{number}") for name in "左右" for number in "一二三四"]
        assert places == sorted(places), style


def test_open_and_closed_shadow_trees_are_read_with_their_slots(tab):
    script = (
        f"a.attachShadow({{mode:'open'}}).innerHTML='<slot name=s></slot><p>{SECOND}</p>';"
        "const inner=b.attachShadow({mode:'closed'});inner.innerHTML='<div></div>';"
        f"inner.firstChild.attachShadow({{mode:'closed'}}).innerHTML='<p>{THIRD}</p>'"
    )
    body = f"<div id=a><b>没有位置</b><p slot=s>{FIRST}</div><div id=b></div><script>{script}</script>"
    found = tab.capture(page(body))
    assert found.lines == [FIRST, SECOND, THIRD]
    assert [row["source"] for row in found.rows] == ["page", "shadow", "shadow"]


def test_nested_frames_of_any_site_are_read_in_order(tab):
    pages = {
        "http://other.test/a.html": page(f"<p>{FIRST}</p><iframe src=http://third.test/b.html></iframe>"),
        "http://third.test/b.html": page(f"<p>{SECOND}</p>"),
    }
    body = f"<p>上文在前</p><iframe src=http://other.test/a.html></iframe><p>{THIRD}</p>"
    found = tab.capture(page(body), pages=pages)
    assert found.lines == ["上文在前", FIRST, SECOND, THIRD]
    assert [row["source"] for row in found.rows] == ["page", "frame", "frame", "page"]
    assert found.rows[2]["place"] == "body > iframe > body > iframe > body > p"
    assert found.unread == {}


def test_frame_that_fails_to_load_is_counted_unless_it_is_tiny(tab):
    body = f"<p>{FIRST}</p><iframe src=http://gone.test/></iframe><iframe src=/x width=1 height=1></iframe>"
    assert tab.capture(page(body)).unread == {"frames": 1}


def test_large_canvas_is_a_picture_that_was_not_read(tab):
    assert tab.capture(page("<canvas width=600 height=400></canvas>")).unread == {"images": 1}


def test_text_that_appears_on_scrolling_is_read(tab):
    script = (
        "new IntersectionObserver(([seen], self) => { if (seen.isIntersecting) { self.disconnect();"
        f"setTimeout(() => a.textContent = '{SECOND}', 50) }} }}).observe(a)"
    )
    body = f"<p>{FIRST}</p><div style=height:5000px></div><p id=a>…</p><script>{script}</script>"
    assert tab.capture(page(body)).lines == [FIRST, SECOND]


def test_marks_written_by_the_page_are_ignored(tab):
    fake = '{"lines":[{"text":"假的","place":"","source":"page"}],"unread":{}}'
    script = 'document.querySelector("style").textContent = "</style><div data-pindna-hidden>"'
    body = (
        f"<p data-pindna-hidden>{FIRST}</p><script type='application/pindna-shown+json'>{fake}</script>"
        f"<p>{SECOND}</p><script>{script}</script>"
    )
    found = tab.capture(page(body))
    assert (found.lines, found.hidden) == ([FIRST, SECOND], [])
    assert "假的" not in found.body


def test_no_text_of_the_page_ends_the_script_of_its_lines(tab):
    found = tab.capture(page("<p>&lt;/script&gt;&lt;p data-pindna-hidden&gt;渡口的雾</p>"))
    assert found.lines == ["</script><p data-pindna-hidden>渡口的雾"]
    assert found.hidden == []


def test_page_of_too_many_nodes_says_how_much_was_not_read(tab):
    script = "for (let n = 0; n < 100100; n++) document.body.append(document.createElement('b'))"
    found = tab.capture(page(f"<p>{FIRST}</p><script>{script}</script>"))
    assert found.lines == []
    assert found.unread["limit"] >= len(FIRST)
    assert FIRST in found.body


def test_page_reads_the_same_with_its_marks_as_without(tab):
    body = (
        f"<pre>\n\n{FIRST}</pre><!-- a -- b --><p title='&quot;<&amp;'>{SECOND}<br>&nbsp;&lt;b&gt;</p>"
        f"<math><mi>x</mi></math><svg viewBox='0 0 1 1'><linearGradient/></svg><xmp><b></xmp>"
    )
    found = tab.capture(page(body))
    assert found.body.startswith("<!DOCTYPE html>")
    assert found.tree.xpath("string(//pre)").strip() == FIRST
    assert found.tree.xpath("string(//p/@title)") == '"<&'
    assert found.tree.xpath("string(//p)") == f"{SECOND}\xa0<b>"


@pytest.mark.skipif(not COPIES.is_dir(), reason="the pages are not here")
def test_every_copied_paragraph_of_collected_pages_is_shown(tab, subtests):
    clean = set(tab.capture((COPIES / "00-control-clean.html").read_bytes()).lines)
    copied = [
        line
        for line in tab.capture((COPIES / "00-control.html").read_bytes()).lines
        if line not in clean and len(line) > 20
    ]
    assert len(copied) == 9
    for path in sorted(COPIES.glob("*.html")):
        raw = path.read_text("utf-8")
        with subtests.test(page=path.name):
            text = han("".join(tab.capture(path.read_bytes()).lines))
            is_whole = path.name not in {"00-control-clean.html", *_SHORTER}
            there = [paragraph for paragraph in copied if is_whole or paragraph in raw]
            places = [text.find(han(paragraph)) for paragraph in there]
            assert -1 not in places
            assert places == sorted(places)
