"""The posts of a page as a whole."""

import pytest

from crawler.extraction.threads.thread import Thread, ThreadPost, spans
from storage.records import claim
from storage.records.times import utc_now

DATE = claim(utc_now())


@pytest.mark.parametrize(
    ("bylines", "confidence"),
    [
        ([("甲", DATE), ("乙", DATE)], 1.0),
        ([("甲", None), ("乙", DATE)], 0.875),
        ([("甲", None), (None, None)], 0.625),
        ([(None, None)], 0.5),
    ],
)
def test_confidence_rises_with_authors_and_dates(bylines, confidence):
    posts = tuple(ThreadPost(1, author, date, ("灯",)) for author, date in bylines)
    assert Thread(posts).confidence == confidence


def test_posts_have_spans_and_empty_posts_have_none():
    sections = [["渡口的灯", "灭了"], [], ["船"]]
    thread = Thread(tuple(ThreadPost(number, f"客{number}", DATE, ("灯",)) for number in (1, 2, 3)))
    posts = spans(thread, sections)
    text = "\n".join(line for lines in sections for line in lines)
    assert [text[post.start : post.end] for post in posts] == ["渡口的灯\n灭了", "", "船"]
    assert [(post.place, post.author, post.published) for post in posts] == [
        (number, f"客{number}", DATE) for number in (1, 2, 3)
    ]
    assert posts[-1].end == len(text)
