"""The blocks of posts: adjacent, of the same kind, each with a stamp."""

import pytest

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.stamps import is_stamp
from crawler.extraction.threads.records import RecordPage, class_names

STAMP = "<p>2024-3-5 20:11</p>"


def record_page(body):
    page = outline(parse(f"<html><body>{body}</body></html>").find("body"))
    return RecordPage(page, [at for at, line in enumerate(page.lines) if is_stamp(line)])


def texts(contents):
    """Return the lines of each post of each group."""
    lines = contents.outline.lines
    return [
        [[line.text for line in lines[record.start : record.end]] for record in group.records]
        for group in contents.groups()
    ]


def boxes(*sizes):
    return "".join(f"<div class=post>{STAMP}<p>{'灯' * size}</p></div>" for size in sizes)


def test_post_is_its_block():
    record_outline = record_page(f"<p>渡口</p>{boxes(10, 12)}<p>返回</p>")
    assert texts(record_outline) == [[["2024-3-5 20:11", "灯" * size] for size in (10, 12)]]
    (group,) = record_outline.groups()
    assert (group.start, group.end, group.parent) == (1, 5, 0)
    assert [record.stamp for record in group.records] == [1, 3]


def test_single_block_is_not_a_group():
    assert record_page(boxes(10)).groups() == []


@pytest.mark.parametrize(
    ("chars", "ends"),
    [(10, [2, 5]), (9, [3, 6])],  # with less, the text is next to the blocks with the stamps
)
def test_post_reaches_to_the_next_stamp_where_its_block_has_no_text(chars, ends):
    rows = "".join(f"<dt>{STAMP}<p>{'灯' * chars}</p></dt><dd>{'船' * 50}</dd>" for _ in range(2))
    (group,) = record_page(f"<dl>{rows}</dl>").groups()
    assert [record.end for record in group.records] == ends


def test_last_post_is_as_long_as_the_longest_before_it():
    rows = f"<dt>{STAMP}</dt><dd>甲</dd><dd>乙</dd><dt>{STAMP}</dt>" + "<dd>丙</dd>" * 9
    (group,) = record_page(f"<dl>{rows}</dl>").groups()
    assert [(record.start, record.end) for record in group.records] == [(0, 3), (3, 6)]


def test_adjacent_stamps_have_separate_records():
    record_outline = record_page(f"<dl><dt>{STAMP}</dt><dt>{STAMP}</dt><dd>丙</dd><dd>丁</dd></dl>")
    (group,) = record_outline.groups()
    assert [(record.start, record.end) for record in group.records] == [(0, 1), (1, 2)]


@pytest.mark.parametrize(("names", "posts"), [("qqrs", 4), ("qqqr", 5)])
def test_shared_class_adds_a_block_to_the_group(names, posts):
    def post(name, stamp):
        return f"<div class={name}>{stamp}<p>{'灯' * 20}</p></div>"

    first = post("q", f"<div><div>{STAMP}</div></div>")
    record_outline = record_page(first + "".join(post(name, STAMP) for name in names))
    assert [len(group) for group in texts(record_outline)] == [posts]


def test_four_hundred_characters_of_a_post_count():
    record_outline = record_page(boxes(399, 400, 401, 4000))
    (group,) = record_outline.groups()
    assert record_outline.weight(group) == 399 + 3 * 400


def test_first_post_may_have_its_stamp_elsewhere():
    first = f"<div class='post p1'><div><div>{STAMP}</div></div><p>{'船' * 20}</p></div>"
    assert [len(group) for group in texts(record_page(first + boxes(20, 20)))] == [3]
    assert [len(group) for group in texts(record_page(first.replace("post p1", "head") + boxes(20, 20)))] == [
        2
    ]


def test_numbers_in_class_names_are_dropped():
    page_outline = record_page("<div class='post-12 even odd2'><p>灯</p></div>").outline
    assert class_names(page_outline, 1) == ["post-", "even", "odd"]
