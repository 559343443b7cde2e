"""Text behind a button is read, and junk next to the button is not."""

import pytest

from crawler.extraction import extract

LINES = [
    "渡口的石阶被水磨得发亮，卖藕的女人把担子搁在最下面一级。",
    "摆渡的老人没有抬头，只把篙子在船舷上轻轻敲了三下。",
    "对岸的磨坊停了半个月，轮子上结满了青苔和细小的螺蛳。",
    "他说等到桃花水下来，这条河就再也不是现在的样子了。",
    "女人点点头，从担子底下摸出一封信，信封上的字已经洇开了。",
    "信是三年前写的，写信的人说秋天就回来，可是秋天过了三个。",
]
TEXT = "\n".join(LINES)
JUNK = "此处为防盗内容，请到首发网站阅读正确的章节。"


def paragraphs(lines):
    return "".join(f"<p>{line}</p>" for line in lines)


FIRST, REST = paragraphs(LINES[:4]), paragraphs(LINES[4:])


def text_of(body, css=""):
    head = f"<!DOCTYPE html><title>第七章 渡口</title><style>{css}</style>"
    return extract(f"{head}<body><h1>第七章 渡口</h1><div>{body}</div>".encode()).text


@pytest.mark.parametrize(
    "body",
    [
        f"{FIRST}<div id=rest style='display:none'>{REST}</div><a onclick='rest.style={{}}'>展开阅读全文</a>",
        f"{FIRST}<div style='display:none'>{REST}</div><button>阅读全文</button>",
        f"{FIRST}<div style='display:none'>{REST}</div><p><span>点击展开全部内容 ↓</span></p>",
        f"{FIRST}<a href='#m'>余下全文</a><div id=m hidden>{REST}</div>",
        f"{FIRST}<div class=more>{REST}</div><div class=tool><a>查看剩余内容</a></div>",
        f"{FIRST}<input type=checkbox id=c><label for=c>展开全文</label><div class=more>{REST}</div>",
        f"{FIRST}<div style='height:0;overflow:hidden'>{REST}</div><a>繼續閱讀</a>",
        f"{FIRST}{REST.replace('<p>', '<p class=more>')}<a>显示全部(剩余40%)</a>",
        f"<div>{FIRST}<div class=more>{REST}</div></div><p><button>查看剩余67%内容</button></p>",
        f"<div>{FIRST}<div class=more>{REST}</div></div><div>打开APP阅读全文</div>",
        f"<div>{FIRST}<p class=more>{LINES[4]}<p class=more>{LINES[5]}</div><a>登录后阅读全文</a>",
        f"<details><summary>展开全文</summary>{FIRST}{REST}</details>",
        f"<div>{FIRST}</div><div id=r2 style='display:none'>{REST}</div><hr><a data-target='#r2'>展开</a>",
    ],
)
def test_text_behind_a_button_is_read(body):
    assert text_of(body, ".more{display:none}") == TEXT


def test_whole_text_that_repeats_its_beginning_is_read_once():
    short = f"<div class=short>{FIRST}<a>展开全文</a></div>"
    full = f"<div class=full style='display:none'>{FIRST}{REST}<a>收起</a></div>"
    assert text_of(f"{short}{full}<a>展开全文</a>").count(LINES[0]) == 1
    assert LINES[5] in text_of(f"{short}{full}<a>展开全文</a>")


@pytest.mark.parametrize(
    "body",
    [
        f"{FIRST}<p style='display:none'>{JUNK}</p>{REST}",
        f"{FIRST}<p style='display:none'>{JUNK}</p>{REST}<a href=/more>更多</a>",
        f"<div>{FIRST}{REST}<p style='display:none'>{JUNK}</p></div><div><a href=/x>查看更多</a></div>",
        f"<div>{FIRST}{REST}<p style='display:none'>{JUNK}</p></div><div><a>展开全部评论</a></div>",
        f"{FIRST}<p style='display:none'>{JUNK}</p>{REST}<a href=/b/>返回目录</a>",
        f"{FIRST}{REST}<div><p style='display:none'>{JUNK}</p><a href=/x>展开菜单</a></div>",
    ],
)
def test_junk_without_a_button_is_not_read(body):
    assert text_of(body) == TEXT or JUNK not in text_of(body)
    assert JUNK not in text_of(body)
