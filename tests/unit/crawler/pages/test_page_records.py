"""Parts become one page, a failure a page that says so."""

from dataclasses import replace

import pytest

from crawler.extraction import ExtractedPage
from crawler.pages.page_records import (
    PagePart,
    PageRecord,
    failed_page,
    has_prose,
    page_of,
    snapshot_of,
    text_hash,
)
from fingerprint.exact import content_hash, letters_hash
from storage.collections.pages import page_id
from storage.records import Page, RestPiece
from storage.records.dates import parse_date

LONG = "江水拍着木桩，一下，又一下。" * 10


def part(number, text, kind="chapter"):
    url = f"http://www.x.example/1_{number}.html#top"
    snapshot = snapshot_of(url=url, status=200, headers=b"", body=text.encode())
    date = parse_date("2026-03-02 08:15")
    return PagePart(snapshot, ExtractedPage(kind=kind, encoding="utf-8", text=text, published=date))


def with_rest(original, *lines, unread=None):
    """Return a part with a rest of these lines, each a piece."""
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    pieces = tuple(
        RestPiece(start=start, end=start + len(line), reason="outside", place=f"p{number}")
        for number, (start, line) in enumerate(zip(starts, lines, strict=True))
        if line
    )
    extracted = replace(original.extracted, rest="\n".join(lines), rest_pieces=pieces, unread=unread or {})
    return replace(original, extracted=extracted)


def joined(*parts):
    return page_of(parts, source="s", scan_id="1").page


def test_joined_pages_are_stored_under_the_first_address():
    record = page_of((part(1, f"甲{LONG}"), part(2, f"乙{LONG}")), source="s", scan_id="1")
    assert (record.page.url, record.page.site) == ("http://www.x.example/1_1.html", "x.example")
    assert record.page.text == f"甲{LONG}\n乙{LONG}"
    assert record.page.snapshots == tuple(item.sha256 for item in record.snapshots)
    assert (record.page.state, record.page.published.iso()) == ("fetched", "2026-03-02T08:15+08:00")
    assert "江水" not in repr(record)


def test_short_last_parts_do_not_spoil_a_chapter():
    assert joined(part(1, LONG), part(2, "完。", "list")).kind == "chapter"


@pytest.mark.parametrize(
    ("kind", "unread"),
    [
        ("incomplete", {"incomplete": 1}),
        ("blocked", {"blocked": 1}),
        ("unreadable", {"failed": 1}),
        ("obfuscated", {"font": 2 * len(LONG) + 1}),
    ],
)
def test_obstacle_on_any_joined_page_counts_and_its_words_are_compared(kind, unread):
    page = joined(part(1, LONG), part(2, f"乙{LONG}", kind))
    assert (page.kind, page.state, page.reason, page.unread) == (kind, "fetched", "", unread)


def test_obstacle_without_words_is_a_failure():
    page = joined(part(1, "", "blocked"))
    assert (page.kind, page.state, page.reason, page.unread) == (
        "blocked",
        "failed",
        "blocked",
        {"blocked": 1},
    )


def test_unread_counts_are_summed_over_joined_pages():
    first = with_rest(part(1, LONG), "", unread={"frames": 2, "font": 7})
    second = with_rest(part(2, LONG, "obfuscated"), "", unread={"frames": 1})
    assert joined(first, second).unread == {"frames": 3, "font": 7}


def test_pages_without_text_are_failures():
    page = joined(part(1, "", "empty"))
    assert (page.state, page.reason, page.content_hash) == ("failed", "empty", "")


def test_text_longer_than_can_be_stored_is_cut_and_says_by_how_much(monkeypatch):
    monkeypatch.setattr("crawler.pages.page_records.MAX_TEXT_CHARS", 150)
    page = page_of((part(1, "甲" * 140), part(2, "乙" * 40)), source="s", scan_id="1").page
    assert (len(page.text), page.cut_chars) == (150, 30)
    assert page_of((part(1, "甲" * 150),), source="s", scan_id="1").page.cut_chars == 0
    short = part(1, "甲" * 140)
    cut_before = replace(short, extracted=replace(short.extracted, dropped={"too_long": 7, "slogan": 1}))
    assert page_of((cut_before,), source="s", scan_id="1").page.cut_chars == 7


def test_failed_steps_of_joined_pages_are_listed_once():
    first, second = part(1, LONG), part(2, LONG + "乙")
    first = replace(first, extracted=replace(first.extracted, failed_steps=("hidden",)))
    second = replace(second, extracted=replace(second.extracted, failed_steps=("hidden", "links")))
    assert page_of((first, second), source="s", scan_id="1").failed_steps == ("hidden", "links")


def test_whole_text_has_a_separate_hash_only_if_it_differs():
    page = Page(id="1", url="u", host="x", source="s", kind="article", text="甲", content_hash="h")
    assert PageRecord(page).whole_hash == "h"
    assert PageRecord(page, whole="甲").whole_hash == "h"
    assert PageRecord(page, whole="甲乙").whole_hash == content_hash("甲乙") != "h"


@pytest.mark.parametrize(
    ("kind", "text", "state", "reason"),
    [
        *((kind, "甲" * 20, "fetched", "") for kind in ("article", "chapter", "list", "empty", "blocked")),
        *((kind, "甲" * 19 + "abc" * 50, "failed", kind) for kind in ("list", "incomplete")),
        ("article", "甲" * 19 + "abc" * 5, "failed", "article"),
        ("article", "geng chen nian jiu yue " * 9, "fetched", ""),  # Latin pinyin has no Han characters
        ("empty", "", "failed", "empty"),
    ],
)
def test_every_page_with_a_sentence_is_compared_whatever_its_kind(kind, text, state, reason):
    page = joined(part(1, text, kind))
    assert (page.kind, page.state, page.reason) == (kind, state, reason)


def test_article_and_rest_together_have_the_words_that_are_compared():
    assert joined(with_rest(part(1, "甲" * 10), "乙" * 10)).state == "fetched"
    assert joined(with_rest(part(1, "甲" * 10), "乙" * 9)).state == "failed"


def test_page_without_an_article_is_named_after_its_rest():
    page = joined(with_rest(part(1, "", "list"), LONG))
    assert (page.content_hash, page.rest_hash) == ("", letters_hash(LONG))
    assert page.id == page_id(page.url, page.rest_hash)
    assert text_hash(page) == page.rest_hash
    same_article = joined(with_rest(part(1, LONG), LONG))
    assert same_article.id == joined(part(1, LONG)).id
    assert text_hash(same_article) == same_article.content_hash


@pytest.mark.parametrize(
    ("article", "rest", "expected"),
    [
        (("甲" * 29 + "。\n") * 21, "", True),
        (("甲" * 29 + "。\n") * 10, ("乙" * 29 + "！\n") * 11, True),
        (("甲" * 29 + "。\n") * 20, "", False),
        ("甲" * 900, "", False),  # names of chapters
        ("甲" * 18 + "。\n", ("乙" * 18 + "。\n") * 90, False),  # teasers
    ],
)
def test_page_of_links_with_many_sentences_may_hold_a_text(article, rest, expected):
    page = joined(with_rest(part(1, article, "list"), *rest.split("\n")))
    assert has_prose(page) is expected


def test_rests_are_joined_and_a_shared_menu_is_kept_once():
    parts = [
        with_rest(part(number, f"{number}{LONG}"), "首页 排行", f"第{number}条评论") for number in (1, 2)
    ]
    page = joined(*parts)
    assert page.rest == "首页 排行\n第1条评论\n第2条评论"
    assert [page.rest[piece.start : piece.end] for piece in page.rest_pieces] == page.rest.split("\n")
    assert [piece.place for piece in page.rest_pieces] == ["p0", "p1", "p1"]


@pytest.mark.parametrize(
    ("limit", "kept", "cut"), [(8, "首页排行\n评论一", 3), (6, "首页排行\n评", 5), (4, "首页排行", 6)]
)
def test_joined_rest_is_bounded_and_the_cut_is_counted(limit, kept, cut):
    parts = (with_rest(part(1, LONG), "首页排行"), with_rest(part(2, f"乙{LONG}"), "评论一", "评论二"))
    page = page_of(parts, source="s", scan_id="1", max_rest_chars=limit).page
    assert (page.rest, page.unread) == (kept, {"limit": cut})
    assert [page.rest[piece.start : piece.end] for piece in page.rest_pieces] == kept.split("\n")


def test_rest_of_a_single_page_is_bounded_too():
    page = page_of((with_rest(part(1, LONG), "首页排行"),), source="s", scan_id="1", max_rest_chars=3).page
    assert (page.rest, page.unread, page.rest_pieces[0].end) == ("首页排", {"limit": 1}, 3)


def test_pieces_beyond_the_bound_are_joined_with_the_last(monkeypatch):
    monkeypatch.setattr("crawler.pages.joining.MAX_REST_PIECES", 2)
    page = joined(with_rest(part(1, LONG), "甲", "乙", "丙", "丁"))
    assert [page.rest[piece.start : piece.end] for piece in page.rest_pieces] == ["甲", "乙\n丙\n丁"]


@pytest.mark.parametrize(("length", "kind"), [(49, "chapter"), (48, "list")])
def test_parts_that_are_too_short_alone_are_a_chapter_together(length, kind):
    assert joined(part(1, "甲" * 49 + "。", "list"), part(2, "乙" * length, "list")).kind == kind


def test_joined_page_has_the_fields_of_its_first_and_least_confidence():
    first, second = part(1, LONG), part(2, f"乙{LONG}")
    first = replace(first, etag="e1", last_modified="m1")
    first = replace(first, extracted=replace(first.extracted, title="题", author="人", confidence=0.9))
    second = replace(second, etag="e2", extracted=replace(second.extracted, title="二", confidence=0.4))
    page = joined(first, second)
    assert (page.title, page.author, page.etag, page.last_modified) == ("题", "人", "e1", "m1")
    assert (page.confidence, page.encoding, page.status, page.scan_id) == (0.4, "utf-8", 200, "1")
    assert page.id == page_id(page.url, page.content_hash)
    assert page.content_hash == content_hash(page.text)


def test_failed_page_is_stored_once_for_every_address():
    page = failed_page(
        "http://www.x.example/a#b", source="s", scan_id="1", reason="http-404", status=404
    ).page
    assert (page.id, page.url) == (page_id("http://www.x.example/a", ""), "http://www.x.example/a")
    assert (page.site, page.source, page.scan_id, page.status) == ("x.example", "s", "1", 404)
    assert (page.kind, page.state, page.reason) == ("error", "failed", "http-404")


def test_sentences_that_a_site_repeats_are_kept_in_the_whole_text():
    first = part(1, LONG)
    first = replace(first, extracted=replace(first.extracted, whole=f"{LONG}口号。"))
    record = page_of((first,), source="s", scan_id="1")
    assert (record.whole, record.page.text) == (f"{LONG}口号。", LONG)
