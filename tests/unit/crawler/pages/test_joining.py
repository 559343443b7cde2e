"""Parts to one page, failures to their reasons, jobs to their outcome."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest

from crawler.extraction import Extracted
from crawler.failures import PrivateAddress, failure_reason, failure_status
from crawler.pages.joining import Part, failed_page, join_texts, page_of, snapshot_of

LONG = "江水拍着木桩，一下，又一下。" * 10


def part(number, text, kind="chapter"):
    url = f"http://www.x.example/1_{number}.html#top"
    snapshot = snapshot_of(url=url, status=200, headers=b"", body=text.encode())
    return Part(
        snapshot, Extracted(kind=kind, encoding="utf-8", text=text, published="2026-03-02T08:15:00+08:00")
    )


def joined(*parts):
    return page_of(parts, source="s", scan_id="1").page


def test_parts_become_one_page_under_the_first_address():
    seen = page_of((part(1, f"甲{LONG}"), part(2, f"乙{LONG}")), source="s", scan_id="1")
    assert (seen.page.url, seen.page.site) == ("http://www.x.example/1_1.html", "x.example")
    assert seen.page.text == f"甲{LONG}\n乙{LONG}"
    assert seen.page.snapshots == tuple(each.sha256 for each in seen.snapshots)
    assert (seen.page.state, seen.page.published.isoformat()) == ("fetched", "2026-03-02T08:15:00+08:00")
    assert "江水" not in repr(seen)


def test_short_last_parts_do_not_spoil_a_chapter():
    assert joined(part(1, LONG), part(2, "完。", "list")).kind == "chapter"


@pytest.mark.parametrize("kind", ["incomplete", "obfuscated", "blocked"])
def test_an_obstacle_in_any_part_counts(kind):
    page = joined(part(1, LONG), part(2, LONG, kind))
    assert (page.kind, page.state, page.reason) == (kind, "failed", kind)


def test_pages_without_text_are_failures():
    page = joined(part(1, "", "empty"))
    assert (page.state, page.reason, page.content_hash) == ("failed", "empty", "")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["一。\n二。", "三。"], "一。\n二。\n三。"),
        (["一。\n二。", "二。\n三。"], "一。\n二。\n三。"),
        (["题\n一。", "题\n二。"], "题\n一。\n二。"),
        (["他回头一", "看。\n三。"], "他回头一看。\n三。"),
        (["一。", "", "二。"], "一。\n二。"),
        (["", "一。"], "一。"),
    ],
)
def test_joining(texts, expected):
    assert join_texts(texts) == expected


@given(
    st.lists(st.integers(0, 999).map(lambda n: f"第{n}盏灯。"), min_size=1, max_size=30, unique=True),
    st.data(),
)
def test_joining_cut_and_overlapping_lines_gives_the_text_back(lines, data):
    cut = data.draw(st.integers(0, len(lines)))
    overlap = data.draw(st.integers(0, min(cut, 5)))
    parts = ["\n".join(lines[:cut]), "\n".join(lines[cut - overlap :])]
    assert join_texts(parts) == "\n".join(lines)


def test_failures_have_names():
    assert failure_reason(PrivateAddress()) == "inner-address"
    assert failure_reason(IgnoreRequest("Forbidden by robots.txt")) == "robots"
    assert failure_reason(IgnoreRequest("max redirections reached")) == "redirects"
    assert failure_reason(DownloadTimeoutError()) == "timeout"
    assert failure_reason(DownloadCancelledError()) == "too-large"
    assert failure_reason(KeyError()) == "other: KeyError"
    assert failure_status(KeyError()) == 0
    page = failed_page("http://x.example/a#b", source="s", scan_id="1", reason="dns", status=0).page
    assert (page.kind, page.state, page.reason, page.content_hash) == ("error", "failed", "dns", "")


def test_a_text_longer_than_can_be_stored_is_cut_and_says_by_how_much(monkeypatch):
    monkeypatch.setattr("crawler.pages.joining.MAX_TEXT_CHARS", 150)
    page = page_of((part(1, "甲" * 140), part(2, "乙" * 40)), source="s", scan_id="1").page
    assert (len(page.text), page.cut_chars) == (150, 30)
    assert page_of((part(1, "甲" * 150),), source="s", scan_id="1").page.cut_chars == 0
    short = part(1, "甲" * 140)
    cut_before = replace(short, extracted=replace(short.extracted, dropped={"too_long": 7, "slogan": 1}))
    assert page_of((cut_before,), source="s", scan_id="1").page.cut_chars == 7


def test_steps_that_failed_on_any_part_are_told_once():
    first, second = part(1, LONG), part(2, LONG + "乙")
    first = replace(first, extracted=replace(first.extracted, failed_steps=("hidden",)))
    second = replace(second, extracted=replace(second.extracted, failed_steps=("hidden", "links")))
    assert page_of((first, second), source="s", scan_id="1").failed_steps == ("hidden", "links")
