"""What a look sees: what is said of a page that is not what it was, and what is not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.strategies import story

from crawler.extraction.notices import says_gone
from crawler.pages.looks import (
    is_elsewhere,
    look_of,
    next_presence,
    observation_of,
    sort_of_answer,
    still_holds,
)
from crawler.pages.outcomes import FetchedPart, Text, UnchangedText
from crawler.pages.page_records import PageRecord
from crawler.pages.reading import failed_outcome
from storage.records import Page, TextPart, Visit

URL = "http://x.example/b/1.html"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
KNOWN = Visit(
    url=URL, source="s", page_id="id a", content_hash="a", whole_hash="whole a",
    parts=(TextPart(url=URL, sha256="body a"),),
)  # fmt: skip


def answer(text="a", *, url=URL, kind="article", title="", body="", whole=""):
    state = "fetched" if kind in {"article", "chapter"} else "failed"
    page = Page(
        id=f"id {text}" if url == URL else f"{url} {text}", url=url, host="x.example", source="s",
        kind=kind, title=title, text=text, content_hash=text, state=state,
        reason="" if state == "fetched" else kind,
    )  # fmt: skip
    text_part = TextPart(url=url, sha256=body or f"body {text}")
    return Text(PageRecord(page, whole=whole), URL, (FetchedPart(text_part, None),))


def seen(outcome):
    sight = observation_of(outcome, KNOWN)
    return sight.state, sight.reason


def failure(reason):
    status = int(reason.removeprefix("http-")) if reason.startswith("http-") else 0
    return failed_outcome(URL, source="s", scan_id="scan", reason=reason, status=status)


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        *((f"http-{status}", "gone") for status in (404, 410, 451)),
        ("soft-404", "gone"),
        *((f"http-{status}", "restricted") for status in (401, 402)),
        *((f"http-{status}", "unreachable") for status in (304, 400, 403, 405, 429, 500, 502, 503)),
        ("robots", "unreachable"),
        *((reason, "unreachable") for reason in ("dns", "timeout", "refused", "too-large", "redirects")),
        *((reason, "unreachable") for reason in ("robots-unreachable", "site-refuses", "wait", "proxy")),
        *((reason, "unreachable") for reason in ("inner-address", "gave-up", "internal-error", "other: x")),
    ],
)
def test_only_statements_about_the_page_are_more_than_unreachable(reason, state):
    assert seen(failure(reason)) == (state, reason)


def test_unchanged_page_is_up():
    assert seen(UnchangedText(KNOWN, URL, (), not_modified=True)) == ("up", "")
    assert seen(answer("a")) == ("up", "")


def test_text_reread_by_a_new_version_is_up():
    assert seen(answer("b", body="body a")) == ("up", "")
    stored = replace(KNOWN, whole_hash=answer("b", whole="a whole text").record.whole_hash)
    assert observation_of(answer("b", whole="a whole text"), stored).state == "up"
    assert seen(answer("b", whole="another text")) == ("changed", "")


@pytest.mark.parametrize(
    "notice",
    [
        "此页已删除",
        "您访问的章节不存在",
        "該文章已被刪除",
        "没有找到您要的页面",
        "本书已下架",
        "Page not found",
    ],
)
def test_textless_page_that_says_it_is_missing_is_gone(notice):
    assert seen(answer(notice, kind="empty")) == ("gone", "soft-404")
    assert seen(answer("", kind="list", title=notice)) == ("gone", "soft-404")
    assert seen(answer(notice, kind="article")) == ("gone", "soft-404")
    assert seen(answer(story(300, 1), kind="article", title=notice)) == ("changed", "")


@pytest.mark.parametrize("kind", ["empty", "list"])
def test_other_textless_page_is_a_change_and_not_gone(kind):
    assert seen(answer("首页 新闻 论坛", kind=kind)) == ("changed", kind)


def test_long_text_about_deleted_pages_is_not_gone():
    assert not says_gone("", "此页已删除" + "候鸟沿着河谷一路向南。" * 30)


def test_wall_is_restricted_and_an_unreadable_page_is_unreachable():
    assert seen(answer("请先登录", kind="blocked")) == ("restricted", "blocked")
    for kind in ("obfuscated", "incomplete", "unreadable"):
        assert seen(answer("", kind=kind)) == ("unreachable", kind)


def test_redirect_means_moved_except_to_the_front_page_or_a_wall():
    target = "http://x.example/c/1.html"
    sight = observation_of(answer("a", url=target), KNOWN)
    assert (sight.state, sight.moved_to) == ("moved", target)
    there = replace(KNOWN, url=target)
    assert observation_of(UnchangedText(there, URL, (), not_modified=True), KNOWN).moved_to == target
    assert seen(answer("", url="http://x.example/", kind="list")) == ("gone", "front-page")
    assert seen(answer("", url="http://y.example/", kind="list")) == ("changed", "redirect")
    assert seen(answer("", url="http://x.example/c/", kind="list")) == ("changed", "redirect")
    assert seen(answer("b", url=target)) == ("changed", "redirect")
    assert observation_of(answer("b", url=target), KNOWN, held=True).state == "moved"
    assert seen(answer("请登录", url="http://x.example/login", kind="blocked")) == ("restricted", "blocked")
    assert seen(answer("", url="http://x.example/user/login.php", kind="empty")) == (
        "restricted",
        "wants-login",
    )
    assert seen(answer("页面不存在", url="http://x.example/404.html", kind="empty")) == ("gone", "soft-404")


def test_requested_front_page_and_other_spellings_are_no_redirects():
    front = "http://x.example/"
    stored = replace(KNOWN, url=front)
    assert (
        observation_of(replace(answer("", url=front, kind="list"), requested_url=front), stored).state
        == "changed"
    )
    assert seen(answer("a", url=URL.replace("http:", "https:"), body="new")) == ("up", "")


@pytest.mark.parametrize(
    ("answered", "elsewhere"),
    [
        ("https://x.example/b/1.html", False),
        ("http://www.x.example/b/1.html", False),
        ("http://x.example/b/1.html/", False),
        ("http://x.example:8080/b/1.html", True),
        ("http://m.x.example/b/1.html", True),
        ("http://x.example/b/1.html?p=2", True),
    ],
)
def test_other_spellings_of_an_address_are_the_same_page(answered, elsewhere):
    assert is_elsewhere(URL, answered) is elsewhere


@pytest.mark.parametrize("kind", ["empty", "list", "blocked", "incomplete", "obfuscated", "unreadable"])
def test_page_with_the_copied_text_is_up_whatever_its_kind(kind):
    notice = "此页已删除，请先登录"
    assert seen(answer("a", kind=kind, title=notice)) == ("up", "")
    assert observation_of(answer("b", kind=kind, title=notice), KNOWN, held=True).state == "up"
    assert observation_of(answer("b", kind=kind, title=notice), KNOWN).state != "up"


def test_same_article_without_the_copied_rest_is_not_up():
    assert observation_of(answer("a"), KNOWN, held=False).state == "changed"


def test_pages_without_an_article_are_the_same_only_when_their_rest_is():
    stored = replace(KNOWN, page_id="id", content_hash="")
    assert observation_of(answer("", body="b"), stored).state == "changed"


@pytest.mark.parametrize(
    ("kind", "title", "text", "sort"),
    [
        ("empty", "", "", "nothing"),
        ("empty", "", "短", "words"),
        ("empty", "图集", "", "words"),
        ("list", "", "", "words"),
        ("chapter", "请输入验证码", "", "words"),
        ("blocked", "", "请输入验证码", "wall"),
        ("blocked", "", "请先登录", "request"),
    ],
)
def test_only_a_page_without_words_or_with_those_of_a_wall_may_be_a_ban(kind, title, text, sort):
    page = replace(answer(text, kind=kind, title=title).record.page, state="fetched")
    assert sort_of_answer(page) == sort


def test_wordless_wall_is_a_wall_but_a_form_outside_the_article_is_not():
    page = answer("", kind="blocked").record.page
    assert sort_of_answer(page) == "wall"
    assert sort_of_answer(replace(page, state="fetched", rest="用户名 密码 验证码")) == "request"


def test_copied_stretches_are_held_while_half_of_them_remain():
    copied, other = story(400, 1), story(400, 2)
    assert still_holds(f"{copied[:120]}广告，本站首发！{copied[120:]}", [copied])
    assert still_holds(copied[:240] + other, [copied])
    assert not still_holds(copied[:160] + other, [copied])
    assert not still_holds(other, [copied])
    assert not still_holds(copied, [])


def test_absence_begins_with_its_first_look_and_ends_when_the_text_is_back():
    days = ["up", "unreachable", "gone", "unreachable", "gone", "moved", "up", "gone"]
    presence, story_of = None, []
    for day, state in enumerate(days):
        sight = replace(observation_of(answer("a"), KNOWN), state=state)
        presence = next_presence(sight, presence, now=NOW + day * DAY)
        absent = None if presence.absent_since is None else (presence.absent_since - NOW).days
        story_of.append((presence.state, (presence.checked - NOW).days, (presence.seen - NOW).days, absent))
    assert story_of == [
        ("up", 0, 0, None),
        ("unreachable", 1, 0, None),
        ("gone", 2, 0, 2),
        ("unreachable", 3, 0, 2),
        ("gone", 4, 0, 2),
        ("moved", 5, 0, 2),
        ("up", 6, 6, None),
        ("gone", 7, 6, 7),
    ]


def test_look_names_the_expected_version_and_the_version_that_answered():
    look = look_of(
        observation_of(answer("b"), KNOWN), URL, page_id="id a", source="s", scan_id="scan", now=NOW
    )
    assert (look.url, look.page_id, look.answer_id, look.state) == (URL, "id a", "id b", "changed")
    sight = observation_of(failure("http-404"), KNOWN)
    lost = look_of(sight, URL, page_id="id a", source="s", scan_id="scan", now=NOW)
    assert (lost.page_id, lost.answer_id, lost.status, lost.reason) == ("id a", "", 404, "http-404")
    assert look.id == lost.id  # of one address in one scan


def test_older_version_is_changed_where_another_version_is_up():
    visit = replace(KNOWN, presence=next_presence(observation_of(answer("a"), KNOWN), None, now=NOW))
    assert visit.presence_of("id a").state == "up"
    assert (visit.presence_of("older").state, visit.presence_of("older").seen) == ("changed", None)


def test_visit_without_a_stored_presence_gives_a_presence():
    gone = replace(KNOWN, state="gone", last_checked=NOW + DAY, last_changed=NOW)
    presence = gone.presence_of("id a")
    assert (presence.state, presence.checked, presence.absent_since) == ("gone", NOW + DAY, NOW)
    assert KNOWN.presence_of("id a").state == "up"
