"""The texts of consecutive pages become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.joining import join_posts, join_texts
from storage.records import Post


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["一。\n二。", "三。"], "一。\n二。\n三。"),
        (["一。\n二。", "二。\n三。"], "一。\n二。\n三。"),
        (["题\n一。", "题\n二。"], "题\n一。\n二。"),
        (["他回头一", "看。\n三。"], "他回头一看。\n三。"),
        (["一。", "", "二。"], "一。\n二。"),
        (["", "一。"], "一。"),
    ],
)
def test_texts_of_pages_are_joined(texts, expected):
    assert join_texts(texts) == expected


@given(
    st.lists(st.integers(0, 999).map(lambda n: f"第{n}盏灯。"), min_size=1, max_size=30, unique=True),
    st.data(),
)
def test_joining_cut_and_overlapping_lines_gives_the_text_back(lines, data):
    cut = data.draw(st.integers(0, len(lines)))
    overlap = data.draw(st.integers(0, min(cut, 5)))
    parts = ["\n".join(lines[:cut]), "\n".join(lines[cut - overlap :])]
    assert join_texts(parts) == "\n".join(lines)


def test_at_most_twenty_lines_count_once():
    lines = [f"第{number}盏灯。" for number in range(21)]
    repeated = "\n".join(lines[1:])
    assert join_texts(["\n".join(lines), f"{repeated}\n完。"]) == "\n".join([*lines, "完。"])
    text = "\n".join(lines)
    assert join_texts(["前。\n" + text, text]) == f"前。\n{text}\n{text}"


@pytest.mark.parametrize("end", "。！？…”’」』）)》】!?.~—；;：:")
def test_sentence_that_ends_is_not_continued(end):
    assert join_texts([f"一{end}", "二。"]) == f"一{end}\n二。"


@pytest.mark.parametrize("end", "，、一az09(（“")
def test_sentence_that_does_not_end_is_continued(end):
    assert join_texts([f"一{end}", "二。"]) == f"一{end}二。"


def thread_page(first, *texts):
    """A page of posts by one member, numbered from a place."""
    posts, at = [], 0
    for place, text in enumerate(texts, first):
        posts.append(Post(start=at, end=at + len(text), place=place, author="阿七"))
        at += len(text) + (1 if text else 0)
    return "\n".join(filter(None, texts)), posts


def test_posts_of_consecutive_pages_are_joined_by_their_numbers():
    text, posts = join_posts([thread_page(1, "一。", "二"), thread_page(3, "三", "", "五。")])
    assert text == "一。\n二\n三\n五。"
    assert [text[post.start : post.end] for post in posts] == ["一。", "二", "三", "", "五。"]
    assert [post.place for post in posts] == [1, 2, 3, 4, 5]


def test_first_post_that_every_page_shows_is_kept_once_and_numbers_go_on():
    text, posts = join_posts([thread_page(1, "问。", "答一。"), thread_page(1, "问。", "答二。", "答三。")])
    assert text == "问。\n答一。\n答二。\n答三。"
    assert [post.place for post in posts] == [1, 2, 3, 4]
