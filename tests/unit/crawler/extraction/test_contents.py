"""Headings that a page's table of contents lists."""

from crawler.extraction.contents import links_within, section_headings
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse


def headings(body):
    page = outline(parse(f"<html><body>{body}</body></html>").find("body"))
    return [page.lines[number].text for number in sorted(section_headings(page, links_within(page)))]


def contents(*names, href="#s"):
    return "".join(f"<li><a href='{href}'>{name}</a></li>" for name in names)


def lines(*texts):
    return "".join(f"<p>{text}</p>" for text in texts)


def test_numbers_and_the_name_of_the_entry_may_be_added():
    body = contents("1 早年经历", "▪ 演艺经历", "3.1 获奖记录") + lines(
        "老许早年经历", "演艺经历", "获奖记录", "其他"
    )
    assert headings(body) == ["老许早年经历", "演艺经历", "获奖记录"]


def test_headings_may_have_numbers_that_differ():
    names = [f"{number} 第{number}部分" for number in (1, 2, 3)]
    assert headings(contents(*names) + lines(*(name[2:] for name in names))) == [name[2:] for name in names]


def test_two_headings_are_not_a_table_of_contents():
    assert headings(contents("早年经历", "演艺经历") + lines("早年经历", "演艺经历")) == []


def test_links_to_other_pages_are_not_a_table_of_contents():
    names = "早年经历", "演艺经历", "获奖记录"
    assert headings(contents(*names, href="/s") + lines(*names)) == []


def test_headings_above_the_contents_do_not_count():
    names = "早年经历", "演艺经历", "获奖记录"
    assert headings(lines(*names) + contents(*names)) == []


def test_sentences_with_the_same_ending_are_not_headings():
    names = "早年经历", "演艺经历", "获奖记录"
    long = "他在渡口守了四十年，从来没有见过哪一盏灯自己灭掉，人们后来把这一段时间叫做他的"
    assert headings(contents(*names) + lines(*(long + name for name in names))) == []


def test_only_a_single_name_may_be_added():
    body = contents("推荐", "热门", "评论")
    assert headings(body + lines("相关推荐", "本周热门", "最新评论")) == []
    assert headings(body + lines("老许推荐", "老许热门", "本周评论", "评论")) == [
        "老许推荐",
        "老许热门",
        "评论",
    ]
