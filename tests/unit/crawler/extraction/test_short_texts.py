"""Short pages are texts, and repeated sentences never make a page empty."""

import pytest

from crawler.extraction import PageContext, extract
from crawler.extraction.repeats import sentence_hash, sentences
from crawler.extraction.short_texts import confidence_in, count_han, is_text

VERSES = [
    "旧渡头前风满袖，一灯如豆照归舟。",
    "谁家夜织声声慢，数到三更月未收。",
    "山外行人问路迟，桥边卖酒挂新旗。",
    "老翁醉指云深处，说有桃花十里溪。",
]
OTHERS = [
    "芦花白过小洲东，野水无人自向空。",
    "借问前村谁掌灯，隔江犹有打渔翁。",
]
REPLIES = ["楼主写得真好，收藏了慢慢看。", "顶一下，希望楼主继续更新下去。", "路过留个脚印，谢谢分享给大家。"]


def page(*lines, title="旧渡头", after=""):
    body = "".join(f"<p>{line}</p>" for line in lines)
    return (
        f"<html><title>{title}</title><body><h1>{title}</h1><div>{body}</div>{after}</body></html>".encode()
    )


def test_han_characters_make_a_text():
    assert count_han("灯abc，。𠀀 1") == 2
    assert is_text("灯" * 20)
    assert not is_text("灯" * 19 + "，" * 50)


def test_short_text_is_less_sure():
    assert confidence_in("灯" * 100, 0.8) == 0.8
    assert confidence_in("灯" * 50, 0.8) == pytest.approx(0.4)
    assert confidence_in("灯" * 3, 0.8) == pytest.approx(0.24)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_verse_or_two_are_an_article(count):
    result = extract(page(*VERSES[:count]))
    assert (result.kind, result.text) == ("article", "\n".join(VERSES[:count]))
    assert 0 < result.confidence < 0.8


def test_line_of_twenty_characters_is_a_text_and_a_shorter_line_is_not():
    assert extract(page("渡口的灯一盏一盏地亮了起来，照着空空的石阶。")).kind == "article"
    assert extract(page("渡口的灯亮了。")).kind == "empty"


def thread(number):
    poem = [*VERSES[number % 2 :: 2], *OTHERS][:4]
    posts = [
        f"<div class=post><a class=author href=/u/{number}{at}>渔翁{at}</a>"
        f"<em>2024-03-0{at + 1} 10:2{at}</em><div class=content>{text}</div></div>"
        for at, text in enumerate(["<br>".join(poem), *REPLIES])
    ]
    return page(title=f"旧渡头杂咏第{number}首", after="".join(posts))


def hashes(texts):
    return frozenset(sentence_hash(sentence) for text in texts for sentence in sentences(text))


def test_threads_of_repeated_replies_keep_their_text():
    context = PageContext(repeated=hashes(REPLIES))
    for number in range(12):
        before, after = extract(thread(number)), extract(thread(number), context=context)
        assert is_text(before.text)
        assert after.kind == before.kind
        assert is_text(after.text)
        assert OTHERS[0] in after.text


def test_page_of_only_repeated_sentences_keeps_its_text():
    whole = extract(page(*VERSES))
    result = extract(page(*VERSES), context=PageContext(repeated=hashes(VERSES)))
    assert (result.kind, result.text) == (whole.kind, whole.text)
    assert result.dropped.get("repeated", 0) == 0


def test_repeated_sentences_are_omitted_while_text_remains():
    result = extract(page(*VERSES, *REPLIES), context=PageContext(repeated=hashes(REPLIES)))
    assert result.text == "\n".join(VERSES)
    shortened = extract(page(VERSES[0], *REPLIES), context=PageContext(repeated=hashes(REPLIES)))
    assert shortened.text == "\n".join([VERSES[0], *REPLIES])  # fourteen characters are no text


def test_short_list_of_links_is_a_list():
    items = "".join(
        f"<li><a href=/b/{number}/>{name}</a> 作者：<a>周南</a></li>"
        for number, name in enumerate(
            ["山外青灯", "渡口旧事", "雪夜行", "北窗", "石桥记", "远山来信", "长堤", "水车巷", "秋声", "灯下"]
        )
    )
    form = "<form><input name=u><input type=password name=p><button>登录</button></form><a>注册</a>"
    document = f"<title>排行 - 小书屋</title><body>{form}<ul>{items}</ul>"
    assert extract(document.encode()).kind == "list"
    login = f"<title>用户登录 - 小书屋</title><body><p>用户登录</p>{form}"
    assert extract(login.encode()).kind == "blocked"
