"""Whether posts are a thread or comments below an article, by signs on the page."""

import pytest

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.threads.evidence import Replies, is_discussion

FORUM = "http://bbs.x.example/thread-5"  # two signs: the host and the path
PATH = "http://x.example/thread-5"
PLAIN = "http://x.example/a/5"


def is_thread(
    *, url="", head="", body="<p>渡口的灯</p><p>甲</p>", own_chars=0, chars=100, is_numbered=False, **facts
):
    tree = parse(f"<html><head>{head}</head><body>{body}</body></html>")
    page = outline(tree.find("body"))
    start = len(page.lines) - 1
    replies = Replies(0 if own_chars else start, start, own_chars, chars, is_numbered, **facts)
    return is_discussion(tree, page, replies, url=url)


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ({"url": PLAIN}, False),
        ({"url": PLAIN, "is_numbered": True}, True),
        ({"url": PATH}, False),
        ({"url": PATH, "is_signed": True}, True),
        ({"url": PLAIN, "is_signed": True}, False),
        ({"url": FORUM}, True),
        ({"url": "http://x.example/read.php?tid=5"}, False),
        ({"url": PATH, "body": "<p>灯</p><div class=postlist><p>甲</p></div>"}, True),
        ({"url": PATH, "body": "<p>灯</p><div class=post-list><p>甲</p></div>"}, False),
        ({"url": PATH, "body": "<p>灯</p><p>5 个回答</p>"}, True),
        ({"head": "<link rel=canonical href='http://bbs.x.example/thread-5'>"}, True),
        ({"url": PLAIN, "head": "<link rel=canonical href='http://bbs.x.example/thread-5'>"}, False),
    ],
)
def test_posts_below_a_title_are_a_thread_with_numbers_or_signs(signs, expected):
    assert is_thread(**signs) is expected


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ({"url": PLAIN, "is_numbered": True}, False),
        ({"url": PATH}, True),  # one sign, and the posts are longer than the text above them
        ({"url": PATH, "chars": 51}, True),
        ({"url": PATH, "chars": 50}, False),
        (
            {"chars": 50, "head": "<title>灯怎么修？</title>", "body": "<p>最佳答案</p><p>灯</p><p>甲</p>"},
            True,
        ),
        ({"chars": 50, "head": "<title>灯怎么修？</title>", "body": "<p>评论</p><p>灯</p><p>甲</p>"}, False),
        ({"url": FORUM, "chars": 50}, True),
        ({"url": PATH, "body": "<div class=article><p>灯</p></div><p>甲</p>"}, False),
        ({"url": FORUM, "body": "<div class=article><p>灯</p></div><p>甲</p>"}, True),
        ({"url": PATH, "head": "<meta name=generator content='Hexo 6'>"}, False),
        ({"url": PATH, "head": "<meta name=generator content='Discuz! X3'>"}, True),
        (
            {"url": PATH, "head": '<script type="application/ld+json">{"@type": ["NewsArticle"]}</script>'},
            False,
        ),
    ],
)
def test_article_signs_count_against_a_thread_below_a_text(signs, expected):
    assert is_thread(own_chars=50, **signs) is expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>', True),
        ('<script type="application/ld+json">{"@type": "Thing"}</script>', False),
        (
            '<script type="application/ld+json">{"@type": "Article", "about": "QAPage"}</script>',
            False,
        ),
        ("<meta itemtype='https://schema.org/QAPage'>", True),
    ],
)
def test_machine_readable_types_decide_about_threads(head, expected):
    assert is_thread(url=PLAIN, head=head, own_chars=500) is expected


@pytest.mark.parametrize(("lines", "expected"), [(5, True), (6, False)])
def test_forum_words_count_near_the_posts(lines, expected):
    body = "<p>只看该作者</p>" + "<p>灯</p>" * (lines - 1) + "<p>甲</p>"
    assert is_thread(url=PATH, body=body) is expected


@pytest.mark.parametrize(
    ("outer", "inner", "expected"), [("article", "topic", True), ("topic", "article", False)]
)
def test_innermost_name_separates_articles_from_topics(outer, inner, expected):
    body = f"<div class={outer}><div class={inner}><p>灯</p></div><p>甲</p></div>"
    assert is_thread(url=PATH, body=body, own_chars=200) is expected


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("船板受潮了怎么办？", "<p>3个回答</p><p>甲</p>", True),
        ("船板受潮了怎么办？ - 江边问答", "<p>灯</p><p>甲</p>", True),
        ("船板受潮了怎么办？ - 江边网", "<p>灯</p><p>甲</p>", False),
        ("渡口的灯 - 江边论坛", "<p>灯</p><p>甲</p>", False),
    ],
)
def test_question_or_forum_in_the_title_is_a_sign_of_posts_alone(title, body, expected):
    head = f"<title>{title}</title>"
    assert is_thread(url=PLAIN, head=head, body=body) is expected
    assert not is_thread(url=PLAIN, head=head, body="<p>灯</p><p>甲</p>", own_chars=50, chars=50)
