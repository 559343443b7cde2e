"""A part repeats a text when hardly anything of it is new."""

import pytest

from crawler.extraction import ExtractedPage
from crawler.pages.repeated_parts import ReadLines
from storage.records import Post, RestPiece


def part(*lines, rest="", posts=()):
    pieces = (RestPiece(start=0, end=len(rest), reason="outside"),) if rest else ()
    text = "\n".join(lines)
    return ExtractedPage(
        kind="chapter", encoding="utf-8", text=text, whole=text, rest=rest, rest_pieces=pieces, posts=posts
    )


def line(number):
    return f"渡口的灯第{number:03d}次亮起来了。"


def read(*parts):
    lines = ReadLines()
    for item in parts:
        lines.add(item)
    return lines


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (range(10), True),
        (range(5), True),
        ([*range(9), 10], True),
        ([*range(8), 10, 11], False),
        (range(10, 20), False),
    ],
)
def test_nine_tenths_of_repeated_lines_are_a_repetition(lines, expected):
    assert read(part(*map(line, range(10)))).has(part(*map(line, lines))) is expected


def test_short_lines_are_a_repetition_only_if_everything_is_the_same():
    lines = read(part("顶", "好", line(1)))
    assert not lines.has(part("顶", "好"))
    assert read(part("顶", "好")).has(part("顶", "好"))


def test_pages_without_an_article_are_distinguished_by_their_rest():
    menu = "首页 排行 玄幻 武侠 都市 历史"
    assert read(part(rest=menu)).has(part(rest=menu))
    assert not read(part(rest=menu)).has(part(rest=f"{menu}\n图说：第二幅壁画里的船夫撑着竹篙。"))


def test_new_line_of_a_repeated_page_is_a_piece_of_its_rest():
    lines = read(part(*map(line, range(10))))
    result = lines.without_text(part(*map(line, range(10)), "本页的新句子在这里", rest="首页 排行"))
    assert (result.text, result.whole, result.rest) == ("", "", "首页 排行\n本页的新句子在这里")
    assert [result.rest[piece.start : piece.end] for piece in result.rest_pieces] == result.rest.split("\n")
    assert [piece.reason for piece in result.rest_pieces] == ["outside", "repeated"]
    bare = lines.without_text(part(line(1), "新"))
    assert (bare.rest, bare.rest_pieces[0].start, bare.rest_pieces[0].end) == ("新", 0, 1)


def test_posts_are_kept():
    posts = (Post(start=0, end=len(line(1)), place=1),)
    thread = part(line(1), posts=posts)
    assert read(thread).without_text(thread) == thread
