"""Soft 404s are recognised by their words, or by the site's answer for an address that cannot exist."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support.crawl_parts import memory_job
from support.strategies import story

from crawler.pages.outcomes import Text
from crawler.pages.page_records import PageRecord
from crawler.spiders.error_pages import ErrorPages
from fingerprint.exact import content_hash, letters_hash
from storage.collections.pages import page_id
from storage.records import Page, Visit

NOTICE = "抱歉，您访问的章节不存在，可能已经被删除，请返回目录重新选择章节阅读。"
LOST = "这一页好像飘到了别的星球，我们的小编正在坐火箭去找它，您可以先看看别的故事，感谢您的耐心等待。"


def answer(text, *, number=1, kind="article", title="书屋"):
    url = f"http://x.example/b/{number}.html"
    digest = content_hash(text) if text else ""
    page = Page(
        id=page_id(url, digest), url=url, host="x.example", source="a", kind=kind, title=title, text=text,
        content_hash=digest,
    )  # fmt: skip
    return Text(PageRecord(page), url, ())


def error_pages(missing=None, *, asked=None, job=None):
    """Return the detector of soft 404s for a site that answers one page for all that does not exist."""

    async def answer_of(url):
        if asked is not None:
            asked.append(url)
        return missing

    return ErrorPages(job or memory_job(), answer_of)


def is_error(pages, outcome):
    return asyncio.run(pages.is_error_page(outcome))


def test_explicit_error_page_is_recognised_without_a_request():
    requested = []
    assert is_error(error_pages(asked=requested), answer(NOTICE, title="提示信息"))
    assert requested == []


def test_long_text_with_an_error_title_is_no_error_page():
    assert not is_error(error_pages(), answer(story(400, 1), title="第五章 消失的页面已被删除"))
    assert not is_error(error_pages(), answer(story(260, 1), title="页面不存在"))
    hidden = answer("", kind="empty", title="页面不存在")
    prose = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。\n" * 30
    page = replace(hidden.record.page, rest=prose, rest_hash=content_hash(prose))
    assert not is_error(error_pages(), replace(hidden, record=PageRecord(page)))


def test_page_without_an_article_may_say_so_in_its_rest():
    outcome = answer("", kind="empty")
    page = replace(outcome.record.page, rest=NOTICE, rest_hash=letters_hash(NOTICE))
    assert is_error(error_pages(), replace(outcome, record=PageRecord(page)))


def test_short_page_is_an_error_page_if_a_missing_address_answers_alike():
    requested = []
    pages = error_pages(answer(LOST, number=999), asked=requested)
    assert is_error(pages, answer(LOST, number=1))
    assert is_error(pages, answer(LOST, number=2))
    assert not is_error(pages, answer(story(150, 1), number=3))
    assert len(requested) == 1  # for the folder


def test_short_text_on_a_site_with_real_404s_is_none():
    pages = error_pages(None)
    assert not any(is_error(pages, answer(LOST, number=number)) for number in range(20))


@pytest.mark.parametrize(("chars", "asks"), [(240, 1), (260, 0)])
def test_site_is_queried_only_for_a_short_page(chars, asks):
    requested = []
    is_error(error_pages(asked=requested), answer(story(chars, 1)))
    assert len(requested) == asks


@pytest.mark.parametrize(("chars", "found"), [(390, True), (420, False)])
def test_longer_page_is_suspicious_once_another_address_answers_with_it(chars, found):
    text = story(chars, 1)
    pages = error_pages(answer(text, number=999))
    assert not is_error(pages, answer(text, number=1))
    assert not is_error(pages, answer(text, number=1))
    assert is_error(pages, answer(text, number=2)) is found


@pytest.mark.parametrize("kind", ["blocked", "incomplete", "obfuscated", "unreadable"])
def test_partially_read_page_is_no_error_page(kind):
    assert not is_error(error_pages(answer(LOST)), answer(NOTICE, kind=kind))


def test_wordless_page_is_worth_a_request_only_where_a_copy_is_expected():
    outcome = answer("", kind="empty", title="书屋")
    empty = replace(outcome, record=PageRecord(replace(outcome.record.page, state="failed")))
    requested = []
    assert not is_error(error_pages(empty, asked=requested), empty)
    assert requested == []
    looking = memory_job(expected_versions={empty.requested_url: "before"})
    assert is_error(error_pages(empty, asked=requested, job=looking), empty)


def test_host_is_queried_five_times_at_most():
    requested = []
    pages = error_pages(asked=requested)
    for folder in range(9):
        outcome = answer(LOST)
        is_error(pages, replace(outcome, requested_url=f"http://x.example/{folder}/1.html"))
    assert len(requested) == 5


def matching_job(held, *, has_match=True, visit=True):
    """Return a job that knows a version with a match at the address."""
    stored = answer(story(300, 1)).record.page
    before = replace(stored, id="before", text=held, content_hash=content_hash(held))
    span = SimpleNamespace(page_start=0, page_end=len(held))
    match = SimpleNamespace(review="open", part="article", spans=(span,))
    stores = SimpleNamespace(
        visits=SimpleNamespace(
            get=lambda url: Visit(url=url, source="a", page_id="before") if visit else None
        ),
        pages=SimpleNamespace(get=lambda _: before),
        matches=SimpleNamespace(
            of_page=lambda _: [match] if has_match else [],
            pages_with_matches=lambda ids: set(ids) if has_match else set(),
        ),
    )
    return memory_job(stores=stores)


def test_page_that_still_shows_the_copy_is_no_error_page():
    copied = story(60, 3)
    outcome = answer(f"{NOTICE}{copied}")
    assert not is_error(error_pages(job=matching_job(copied)), outcome)
    assert is_error(error_pages(job=matching_job(story(60, 4))), answer(NOTICE))
    assert is_error(error_pages(job=matching_job(copied, visit=False)), answer(NOTICE))


def test_version_with_the_match_is_no_error_page():
    outcome = answer(NOTICE)
    page = replace(outcome.record.page, id="before")
    stored = replace(outcome, record=PageRecord(page))
    assert not is_error(error_pages(job=matching_job("")), stored)
    assert is_error(error_pages(job=matching_job("", has_match=False)), stored)
