"""The publication date of a page, anywhere on it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from support.pages import PROSE, page

from crawler.extraction import NO_CONTEXT, extract
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.publication import Clock, publication_date

FETCHED = datetime(2026, 3, 5, 2, 30, tzinfo=UTC)
MENU = "".join(f"<li><a href='/{n}.html'>频道{n}</a></li>" for n in range(80))
TITLE = "渡口的七盏灯火"
STORY = f"<h1>{TITLE}</h1>{{}}<div>{''.join(f'<p>{PROSE}</p>' for _ in range(3))}</div>"


def published(body, *, head="", url="", fetched=None):
    data = page(body, title=f"{TITLE} - 江岸日报", head=head)
    date = extract(data, url=url, context=replace(NO_CONTEXT, fetched=fetched)).published
    return date and date.iso()


@pytest.mark.parametrize(
    "line",
    [
        "发布时间：2024-03-05浏览次数：作者：许文来源：",
        "2024年3月5日 10:22 来源：江岸日报",
        "二〇二四年三月五日",
        "作者：许文</div><div>发表于 2024-3-5 11:42",
    ],
)
def test_date_below_the_heading_anywhere_on_the_page(line):
    assert published(f"<ul>{MENU}</ul>{STORY.format(f'<div>{line}</div>')}").startswith("2024-03-05")


@pytest.mark.parametrize("box", ["<p>05</p><p>2024-03</p>", "<div>03-05</div><div>2024</div>"])
def test_boxed_date_next_to_the_heading(box):
    assert published(f"<ul>{MENU}</ul>{box}{STORY.format('')}") == "2024-03-05+08:00"


def test_todays_date_above_every_page_is_ignored():
    assert published(f"<div>今天是 2026年3月5日 星期四</div>{STORY.format('')}", fetched=FETCHED) is None


def test_letter_is_dated_below_its_text():
    letter = (
        f"<ul>{MENU}</ul>{STORY.format('')}{f'<p>{PROSE}</p>' * 20}<p>渡口管理处</p><p>二〇二四年三月五日</p>"
    )
    assert published(letter) == "2024-03-05+08:00"
    assert published(f"{letter}<p>2024年4月5日</p>") is None  # two letters, or a list


def test_label_of_publication_comes_before_a_change():
    lines = "<div>更新于 2025-01-01</div><div>发布于 2024-03-05</div>"
    assert published(STORY.format(lines)) == "2024-03-05+08:00"
    assert published(STORY.format("<div>更新于 2025-01-01</div>")) == "2025-01-01+08:00"


def test_date_in_the_story_is_ignored():
    assert published(STORY.format(f"<p>2019年1月1日，{PROSE}</p>")) is None


@pytest.mark.parametrize(
    "head",
    [
        '<script>var ct = "1709604000";</script>',
        "<script>var svr = '1', oriCreateTime = '1709604000', createTime = '2024-03-05 10:00';</script>",
        '<script type="application/ld+json">{"title": "灯", "pubDate": "2024-03-05T10:00:00"}</script>',
        '<script>window.state = {"publishTime":1709604000000}</script>',
        "<meta name=PubDate content='2024-03-05 10:00'>",
        "<meta property='article:published_time' content='2024-03-05T02:00:00Z'>",
    ],
)
def test_machine_readable_dates_are_read(head):
    assert published(STORY.format(""), head=head).startswith("2024-03-05T10:00")


def test_time_elements_give_the_date():
    time = "<time itemprop='datePublished' datetime='2024-03-04T16:00:00.000Z'>前日</time>"
    assert published(STORY.format(time)) == "2024-03-05+08:00"


def test_dates_after_the_fetch_are_ignored():
    body = STORY.format("<div>2026-03-12 开幕</div>")
    assert published(body, fetched=FETCHED) is None
    assert published(body, fetched=FETCHED, url="http://x.example/20260301/1.html") == "2026-03-01+08:00"
    assert published(body, url="http://x.example/20260301/1.html") == "2026-03-12+08:00"
    ahead = "<meta name=pubdate content='2027-01-01'>"
    assert published(STORY.format("<div>2026-03-04</div>"), head=ahead, fetched=FETCHED) == "2026-03-04+08:00"


def test_yesterday_is_relative_to_the_fetch():
    body = STORY.format("<div>昨天 22:15 江岸日报</div>")
    assert published(body, fetched=FETCHED) == "2026-03-04+08:00"
    assert published(body) is None


def date_among(lines, *, heading=0, head="", fetched=FETCHED):
    """Return the date of a page with these lines and this number of the title's line."""
    body = "".join(f"<p>{line}</p>" for line in lines)
    tree = parse(f"<html><head>{head}</head><body>{body}</body></html>")
    page, clock = outline(tree.find("body")), Clock(fetched=fetched)
    date = publication_date(tree, page, fields=(), heading=heading, url="", clock=clock)
    return date and date.iso()


def among(position, line):
    """Return meaningless lines with one line at a position."""
    return ["标签"] * position + [line] + ["标签"] * (90 - position)


@pytest.mark.parametrize(("heading", "first", "last"), [(20, 15, 35), (2, 0, 17), (0, 1, 15), (None, 1, 15)])
def test_date_without_a_year_is_near_the_heading(heading, first, last):
    places = [position for position in range(40) if position != (heading or 0)]
    read = [position for position in places if date_among(among(position, "昨天 22:15"), heading=heading)]
    assert read == [position for position in range(first, last + 1) if position != heading]


@pytest.mark.parametrize(("chars", "is_read"), [(40, True), (41, False)])
def test_date_without_a_year_is_nearly_all_of_its_line(chars, is_read):
    line = "昨天 22:15 " + "江" * (chars - 9)
    assert (date_among(among(3, line)) is not None) is is_read


def test_date_of_any_line_but_a_sentence_counts_among_the_first_sixty():
    read = [position for position in range(1, 91) if date_among(among(position, "2024-3-5"))]
    assert read == list(range(1, 60))
    assert date_among(among(30, "2024-3-5，灯灭了。")) is None


@pytest.mark.parametrize(("chars", "is_read"), [(99, True), (100, False)])
def test_line_of_a_hundred_characters_is_no_label(chars, is_read):
    line = "2024-3-5 " + "江" * (chars - 8)
    assert (date_among(among(30, line)) is not None) is is_read


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        (f"{'江' * 98}发布 2024-3-5", True),  # the label ends with the hundredth character
        (f"{'江' * 99}发布 2024-3-5", False),
        (f"发布于{'江' * 89}2024-3-5", True),  # so does what follows it
        (f"发布于{'江' * 90}2024-3-5", False),
        (f"发布于 2024-3-5{'江' * 300}", True),
    ],
)
def test_label_begins_its_line_and_the_date_follows_soon(line, is_read):
    assert (date_among(among(80, line)) is not None) is is_read


def test_page_may_be_a_day_ahead_of_the_clock():
    assert date_among(among(3, "2026-03-06 10:30")) == "2026-03-06T10:30+08:00"
    assert date_among(among(3, "2026-03-06 10:31")) is None


@pytest.mark.parametrize(("chars", "is_read"), [(499_000, True), (500_000, False)])
def test_half_a_million_characters_of_scripts_are_searched(chars, is_read):
    scripts = f"<script></script><script>{'x' * chars}</script><script>publishTime='2024-03-05'</script>"
    assert (date_among(["渡口"], head=scripts) is not None) is is_read
