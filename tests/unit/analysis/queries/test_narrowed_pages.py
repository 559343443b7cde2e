"""What a rights holder sees of a page: only what the holder's matches say."""

from support.matches import match_with

from analysis.queries.pages import narrowed_page
from storage.records import Page

PAGE = Page(
    id="p",
    url="http://a.cn/1",
    host="a.cn",
    source="s",
    kind="article",
    verdict="copy",
    coverage=0.9,
    copied_chars=900,
    rest_verdict="partial",
    is_doubtful=True,
)
ARTICLE = match_with(verdict="quote", coverage=0.1, copied_chars=100)
REST = match_with(id="r", part="rest", verdict="partial", coverage=0.4, copied_chars=400)


def test_page_takes_the_graver_verdict_of_both_texts():
    page = narrowed_page(PAGE, [ARTICLE, REST])
    assert (page.verdict, page.rest_verdict, page.is_doubtful) == ("partial", "partial", True)
    assert (page.coverage, page.copied_chars) == (0.1, 100)


def test_page_without_a_match_in_the_rest_is_not_doubtful():
    page = narrowed_page(PAGE, [ARTICLE])
    assert (page.verdict, page.rest_verdict, page.is_doubtful) == ("quote", "clear", False)


def test_page_with_a_match_in_the_rest_alone_has_no_share_of_the_article():
    page = narrowed_page(PAGE, [REST])
    assert (page.verdict, page.rest_verdict, page.is_doubtful) == ("partial", "partial", True)
    assert (page.coverage, page.copied_chars) == (0.0, 0)
