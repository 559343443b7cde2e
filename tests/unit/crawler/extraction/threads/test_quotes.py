"""Quotes of earlier posts, signatures and notes of the forum: what is removed, and how much is trusted."""

import pytest
from support.pages import page

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.threads.quotes import (
    EarlierPosts,
    TrustedPassages,
    common_endings,
    marked_passages,
    without_notes,
)

LINE = "渡口的灯老许点的"  # eight characters
LONG = "渡口的灯是老许点的一共七盏从石阶底下一直"  # twenty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("发自我的手机", ""),
        ("本帖最后由 甲 于 2024-3-5 20:11 编辑", ""),
        (f"本帖最后由 甲 于 2024-3-5 20:11 编辑 {LINE}", LINE),
        ("举报 回复 | 12", ""),
        ("灯.jpg (12.5 KB, 下载次数: 7)", ""),
        (LINE, LINE),
        (f"{LINE} 回复", f"{LINE} 回复"),
        ("回复" * 60, ""),
        ("回复" * 60 + "·", "回复" * 60 + "·"),  # 121 characters
    ],
)
def test_forum_additions_to_a_post_are_removed(text, expected):
    assert without_notes(text) == expected


def marks(body):
    """Return the lines of a page inside quotes, and those inside signatures."""
    page_outline = outline(parse(page(body).decode()).find("body"))
    passages = marked_passages(page_outline)
    return tuple(
        [line.text[:4] for line in page_outline.lines if blocks[line.block]]
        for blocks in (passages.quotes, passages.signatures)
    )


def test_elements_say_that_they_are_quotes_and_signatures():
    body = (
        "<div class='reply-to'><p>引文甲</p></div><blockquote>引文乙</blockquote>"
        "<div id=quote_title>引文丙</div><div class='user-sign'>签名甲</div>"
        "<p class=signs>正文甲</p><p class='unquoted'>正文乙</p>"
    )
    assert marks(body) == (["引文甲", "引文乙", "引文丙"], ["签名甲"])


def test_signature_is_two_hundred_characters_long_at_most():
    assert marks(f"<div class=sign>{'灯' * 200}</div>")[1] == ["灯灯灯灯"]
    assert marks(f"<div class=sign>{'灯' * 201}</div>")[1] == []
    assert marks(f"<div class=sign><p>{'灯' * 100}</p><p>{'船' * 100}</p></div>")[1] == []


def test_trusted_passages_are_bounded_in_total():
    trusted = TrustedPassages()
    for number in range(5):
        assert trusted.accept_omission(f"{number}" * 200)
    assert trusted.accept_omission("4" * 200)  # again
    assert not trusted.accept_omission("x")
    assert not TrustedPassages().accept_omission("x" * 201)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ([LINE], True),
        ([LINE, "灯灭"], True),  # eight characters of ten
        ([LINE, "灯灭了"], False),
        ([LONG + "下下下下下"], True),  # twenty of twenty-five
        ([LONG + "下下下下下下"], False),
        (["灯　亮　着　呢"], True),  # the same letters otherwise spaced
        (["甲走了"], False),  # too short to be known again
        (["四个字的"], True),
        (["没有人说过"], False),
        ([], False),
    ],
)
def test_quote_has_four_fifths_in_earlier_posts(quote, expected):
    earlier = EarlierPosts()
    earlier.add([LINE, LONG, "灯 亮 着 呢", "甲走了", "四个字的"])
    assert earlier.contain(quote) is expected


def test_longest_line_with_the_same_beginning_counts():
    earlier = EarlierPosts()
    earlier.add([LONG + "排到茶棚门口", LONG])
    assert earlier.contain([LONG + "排到茶棚门口"])


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        (["老许 发表于 昨天", "灯是谁点的？"], True),
        (["昨天", "老许写道", "灯是谁点的？"], True),
        (["昨天", "渡口", "老许写道", "灯是谁点的？"], False),  # its author is in the first two lines
        (["灯是谁点的？"], False),
        (["老许写道：", LINE], True),
        (["老许写道：", "灯" * 200], False),
    ],
)
def test_short_passage_that_names_its_author_is_trusted(quote, expected):
    earlier = EarlierPosts()
    earlier.add([LINE])
    assert earlier.is_quote(quote) is expected


@pytest.mark.parametrize(
    ("posts", "expected"),
    [
        ([("甲", ["灯", "船"])] * 3, [True] * 3),
        ([("甲", ["灯", "船"])] * 2, [False] * 2),
        ([("甲", ["灯", "船"])] * 3 + [("甲", ["灯", "渡口"])], [False] * 4),
        ([("甲", ["灯", "船"])] * 3 + [("乙", ["灯", "船"])], [True] * 3 + [False]),
        ([("甲", ["船"])] * 3, [False] * 3),  # a post is not its signature
        ([(None, ["灯", "船"])] * 3, [False] * 3),
        ([("甲", ["灯", "---", "船"])], [True]),
        ([("甲", ["灯", "--", "船"])], [False]),
        ([("甲", ["---", "船", "灯"])], [False]),
        ([("甲", ["灯", "船" * 201])] * 3, [False] * 3),
        ([], []),
    ],
)
def test_last_line_is_a_signature_if_dashed_or_repeated(posts, expected):
    assert common_endings(posts) == expected
