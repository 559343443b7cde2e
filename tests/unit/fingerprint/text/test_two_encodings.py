"""Pages of which one part is in UTF-8 and the other in an older encoding."""

import time

import pytest

from fingerprint.text.decoding import decode
from fingerprint.text.two_encodings import split_encodings

STORY = {
    "gb18030": "<p>雾从江心慢慢漫过来，渡口一共七盏灯。</p>\n<p><b>老许</b>守了四十年，没见过灯灭。</p>",
    "big5hkscs": "<p>霧從江心慢慢漫過來，渡口一共七盞燈。</p>\n<p><b>老許</b>守了四十年，沒見過燈滅。</p>",
}
FRAME = {
    "gb18030": "<div>版权所有：渡口文学网的编辑部</div><a href='/'>回到首页看更多的文章</a>",
    "big5hkscs": "<div>版權所有：渡口文學網的編輯部</div><a href='/'>回到首頁看更多的文章</a>",
}


@pytest.mark.parametrize("encoding", STORY)
@pytest.mark.parametrize("story_is_utf8", [True, False])
@pytest.mark.parametrize("times", [1, 40])
def test_every_section_is_decoded_with_its_encoding(encoding, story_is_utf8, times):
    story, frame = STORY[encoding] * times, FRAME[encoding]
    of_story, of_frame = ("utf-8", encoding) if story_is_utf8 else (encoding, "utf-8")
    data = frame.encode(of_frame) + story.encode(of_story) + frame.encode(of_frame)
    assert decode(data).text == frame + story + frame


@pytest.mark.parametrize("encoding", STORY)
def test_damaged_page_keeps_its_single_encoding(encoding):
    whole = STORY[encoding] * 20
    for page_encoding in ("utf-8", encoding):
        data = bytearray(whole.encode(page_encoding))
        data[50] = 0xFF
        text = decode(bytes(data)).text
        assert text.endswith(whole[-1000:])
        assert decode(bytes(data)).encoding == page_encoding


def test_words_that_look_like_utf8_by_chance_are_unchanged():
    page = STORY["gb18030"] + "<b>联通</b>" * 20
    assert decode(page.encode("gb18030")).text == page


def test_constantly_changing_encoding_is_decoded_in_bounded_time():
    pair = "<b>雾从江心漫过来</b>".encode() + "<b>渡口的灯</b>".encode("gb18030")
    data = pair * 100_000
    started = time.process_time()
    text = decode(data).text
    assert time.process_time() - started < 5
    assert text.startswith("<b>雾从江心漫过来</b><b>渡口的灯</b>" * 9_000)


def test_parts_are_all_of_the_bytes():
    data = b"<p>" + "雾".encode() + b"<i>1</i>" + "灯".encode("gbk") + b"\n" + "江".encode()
    result = list(split_encodings(data))
    assert b"".join(piece for piece, _ in result) == data
    assert [is_utf8 for _, is_utf8 in result] == [True, False, True]
    assert list(split_encodings(b"")) == []
