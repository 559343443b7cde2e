"""Which chapters are of one book."""

import pytest

from crawler.pages.learning import book_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.cn/b/12/1.html", "http://a.cn/b/12/345.html"),
        ("http://a.cn/12_1.html", "http://a.cn/12_345.html"),
        ("http://a.cn/read?bid=12&cid=1", "http://a.cn/read?bid=12&cid=345"),
        ("http://a.cn/jinghuayuan/yi.html", "http://a.cn/jinghuayuan/er.html"),
    ],
)
def test_chapters_of_a_book_have_the_same_book_address(one, other):
    assert book_of(one) == book_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.cn/b/12/1.html", "http://a.cn/b/13/1.html"),
        ("http://a.cn/12_1.html", "http://a.cn/13_1.html"),
        ("http://a.cn/read?bid=12&cid=1", "http://a.cn/read?bid=13&cid=1"),
        ("http://a.cn/jinghuayuan/yi.html", "http://a.cn/xiyouji/yi.html"),
        ("http://a.cn/b/12/1.html", "http://a.cn/b/12/1.htm"),
    ],
)
def test_chapters_of_two_books_have_different_book_addresses(one, other):
    assert book_of(one) != book_of(other)
