"""Unread parts of a page are counted; honest pages have none."""

import json

import pytest

from crawler.extraction import extract
from tests.support.rest_pages import DECOY, SENTENCES, page, read

TEXT = "".join(SENTENCES)
FRAMES = {
    '<iframe src="/chapter.html"></iframe>': 1,
    '<iframe src="https://other.example.net/c.html" width="100%" height="900"></iframe>': 1,
    '<frameset><frame src="a.html"><frame src="b.html"></frameset>': 2,
    '<object data="c.html" type="text/html"></object>': 1,
    '<embed src="c.html">': 1,
    '<iframe width=1 height=1 src="c.html"></iframe><style>iframe{width:900px;height:900px}</style>': 1,
    '<iframe src="about:blank"></iframe>': 0,
    '<iframe src="javascript:;"></iframe>': 0,
    '<iframe srcdoc="<p>x</p>" src="c.html"></iframe>': 0,
    '<iframe src="https://googleads.g.doubleclick.net/pagead/ads?x"></iframe>': 0,
    '<iframe src="https://pos.baidu.com/wh/o.htm"></iframe>': 0,
    '<iframe src="/beacon.html" style="display:none"></iframe>': 0,
    '<iframe src="/banner.html" width="300" height="250"></iframe>': 0,
    '<embed src="/film.swf">': 0,
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_that_show_another_document_are_counted(frame: str) -> None:
    assert read(page(frame)).unread.get("frames", 0) == FRAMES[frame]


WRITING = (
    "fetch('/c').then(r=>r.text()).then(t=>{box.innerHTML=t})",
    "function show(t){box.innerHTML=t} $.get('/c',show)",
    "$('#box').load('/c.html #text')",
    "var x=new XMLHttpRequest();x.onload=function(){box.insertAdjacentHTML('beforeend',x.responseText)}",
    "document.write(String.fromCharCode(26611,21494,28193))",
    "document.write(decodeURIComponent(key+rest))",
    "box.textContent=s.split('').reverse().join('')",
    "box.innerHTML=CryptoJS.AES.decrypt(data,key)",
    "eval(function(p,a,c,k,e,d){return p}('0 1'))",
    "box['innerHTML']=atob(parts.join(''))",
    "new Function('return '+atob(x))();p.innerText=y",
    "new WebSocket('/c').onmessage=e=>box.append(e.data)",
)


@pytest.mark.parametrize("script", WRITING)
def test_scripts_that_write_text_of_no_string_are_counted(script: str) -> None:
    assert read(page(f"<script>{script}</script>")).unread.get("scripts") == 1


CODES = ",".join(str(ord(char)) for char in "".join(SENTENCES) * 40)


@pytest.mark.parametrize(
    "script",
    [
        f"box.innerHTML=[{CODES}].map(c=>String.fromCharCode(c)).join('')",
        f"box.innerHTML=decode('{'x1y2' * 900}',t=>atob(t))",
    ],
)
def test_data_in_a_script_does_not_separate_writing_and_computing(script: str) -> None:
    assert read(page(f"<script>{script}</script>")).unread.get("scripts") == 1


HONEST = (
    'var _hmt=[];(function(){var h=document.createElement("script");h.src="https://hm.example.com/h.js";})();',
    "document.write(unescape(\"%3Cscript src='https://s.example.com/s.js'%3E%3C/script%3E\"))",
    "document.getElementById('year').innerHTML=new Date().getFullYear()",
    "fetch('/visit',{method:'POST'})",
    "box.innerHTML='<b>收藏本站</b>'",
    "$.ajax({url:'/hits',success:function(r){$('#hits').text(r.count);$('#all').html(r.data.total)}})",
    "$.getJSON('/visits',function(data){$('.views').html(data+'次阅读')})",
    "$.get('/ok',function(){box.innerHTML='';$('#follow').text('已关注')})",
    "function see(src){$.get('/ad');$('body').append('<img src=\"'+src+'\" width=\"1\"/>')}",
    "window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}",
)


@pytest.mark.parametrize("script", HONEST)
def test_scripts_that_write_no_text_are_not_counted(script: str) -> None:
    assert read(page(f"<script>{script}</script>")).unread == {}


def test_script_that_makes_a_frame_is_counted() -> None:
    script = "var f=document.createElement('iframe');f.src='/c.html';document.body.appendChild(f)"
    assert read(page(f"<script>{script}</script>")).unread == {"frames": 1}
    hidden = script.replace("f.src", "f.style.display='none';f.src")
    assert read(page(f"<script>{hidden}</script>")).unread == {}


def test_images_count_where_a_page_has_hardly_a_sentence() -> None:
    pictures = "".join(f'<img src="/p/{n}.jpg">' for n in range(4))
    short = f"<html><head><title>第一章</title></head><body><h1>第一章</h1>{pictures}</body></html>"
    assert read(short).unread["images"] == 4
    assert "images" not in read(page(pictures)).unread


def test_icons_are_not_counted_as_images() -> None:
    icons = '<img src="/logo.png"><img src="/a.gif" width=16 height=16><img>'
    short = f"<html><head><title>第一章</title></head><body><h1>第一章</h1>{icons}</body></html>"
    assert "images" not in read(short).unread


def test_external_scripts_count_on_a_page_without_text() -> None:
    script = '<script src="/app.js"></script>'
    short = f"<html><head><title>第一章</title>{script}</head><body><div id=app></div></body></html>"
    assert read(short).unread["scripts"] == 1
    assert "scripts" not in read(page(script)).unread


def test_bytes_that_no_encoding_explains_are_counted() -> None:
    data = page("<p>" + "坏" * 40 + "</p>").encode().replace("坏".encode(), b"\xff\xfe\xfd")
    assert extract(data).unread["encoding"] >= 40


def test_login_is_counted() -> None:
    blocked = "<html><head><title>登录</title></head><body><p>请登录后才能阅读本章内容。</p></body></html>"
    assert read(blocked).unread["blocked"] == 1


def test_text_that_ends_early_is_counted() -> None:
    body = "".join(f"<p>{line}</p>" for line in (*DECOY, *SENTENCES))
    end = "<p>本章未完，请翻页</p>"
    markup = f"<html><head><title>第一章</title></head><body><h1>第一章</h1>{body}{end}</body></html>"
    assert read(markup).unread == {"incomplete": 1}


def test_hundred_thousand_frames_are_counted() -> None:
    result = read(page("<iframe src=a.html></iframe>" * 100_000))
    assert result.unread["frames"] >= 90_000


def test_many_inner_documents_are_bounded_and_counted() -> None:
    frames = "".join(f"<iframe srcdoc='<p>第{n}个框里有一句很短的话。</p>'></iframe>" for n in range(2_000))
    result = read(page(frames))
    assert result.unread["limit"] > 10_000


def _mixed_up(text: str) -> str:
    """Return the characters of a text in an unnatural, reproducible order."""
    return "".join(text[(7 * number) % len(text)] for number in range(len(text)))


LONG = "".join(SENTENCES)[:197]  # a prime number of characters, so that each comes once
FONT = "<style>@font-face{font-family:f;src:url(f.woff)}p{font-family:f}</style>"


def test_unnatural_lines_are_counted_on_pages_with_fonts() -> None:
    assert len(LONG) == 197
    assert read(page(f"{FONT}<p>{_mixed_up(LONG)}</p>")).unread["font"] >= 150


def test_unnatural_lines_without_styles_are_not_counted() -> None:
    assert "font" not in read(page(f"<p>{_mixed_up(LONG)}</p>")).unread
    assert "order" not in read(page(f"<p>{_mixed_up(LONG)}</p>")).unread


CODES = ",".join(str(ord(character)) for character in SENTENCES[0])
COMPUTED = f"[{CODES}].map(c=>String.fromCharCode(c)).join('')"


@pytest.mark.parametrize(
    "markup",
    [
        f'<img src="x" onerror="this.parentNode.innerHTML={COMPUTED}">',
        f'<svg onload="this.parentNode.innerHTML={COMPUTED}"></svg>',
        f'<style onload="this.parentNode.innerHTML={COMPUTED}">b{{}}</style>',
        f'<b style="animation:q 1ms" onanimationstart="this.innerText={COMPUTED}">x</b>',
        f'<iframe src="javascript:{COMPUTED}"></iframe>',
        f"<script>document['wri'+'teln']({COMPUTED})</script>",
        f'<script>box["inner" + "HTML"]={COMPUTED}</script>',
        '<div id="k3"></div><script src="/k3.js"></script>',
        '<script type="module" src="//cdn.example.net/a.js"></script><div class="Chapter-Content"> </div>',
    ],
)
def test_scripts_that_hide_their_output_are_counted(markup: str) -> None:
    assert read(page(markup)).unread["scripts"] == 1


@pytest.mark.parametrize(
    "markup",
    [
        '<a onmouseover="this.title = box.innerHTML + 1; decodeURIComponent(location); more(1)">x</a>',
        '<img src="x" onerror="this.src=decodeURIComponent(this.dataset.fallback);this.onerror=null;void 0">',
        '<a href="javascript:document.write(decodeURIComponent(location.search).substring(12))">x</a>',
        '<div id="ad7"></div><script src="//ads.example.net/7.js"></script>',
        '<div id="content">x</div><script src="/a.js"></script>',
        '<div id="content"></div>',
        '<div class="line"></div><script src="/a.js"></script>',
    ],
)
def test_handlers_and_containers_without_a_text_are_not_counted(markup: str) -> None:
    assert "scripts" not in read(page(markup)).unread


def private(text: str) -> str:
    """Return a text in private-use characters, which only a font shows."""
    return "".join(chr(0xE000 + number) for number in range(len(text)))


@pytest.mark.parametrize(
    "markup",
    [
        f"<p>{private(TEXT)}</p>",
        "".join(f"<i>&#x{ord(char):x};</i>" for char in private(TEXT)),
        f"<iframe srcdoc='<p>{private(TEXT)}</p>'></iframe>",
        f"<script>box.innerHTML={json.dumps(private(TEXT))}</script>",
    ],
)
def test_private_use_text_next_to_an_article_is_counted(markup: str) -> None:
    assert read(page(f"<div>{markup}</div>")).unread["font"] >= len(TEXT)


def test_private_use_icons_are_not_counted() -> None:
    icons = "".join(f"<i>{chr(0xE000 + number % 40)}</i>" for number in range(400))
    assert not read(page(f"<div>{icons}</div>")).unread
