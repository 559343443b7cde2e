"""What people read of an alert: bounded, in their language, and markup nowhere."""

from datetime import UTC, datetime

import pytest
from apprise.conversion import convert_between
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analysis.alerts.wording import KINDS, MAX_TITLE_CHARS, plain, text_of
from analysis.words.i18n import translator
from analysis.words.visible import HIDDEN
from storage.records import Occasion
from system.messages import Message

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOSTILE = (
    "<img src=x onerror=alert(1)>@all <!channel> [点我](http://evil.cn) **粗** `x`"
    "\r\nBcc: a@b.cn\u202e\x1b[31m"
)


def copy(number=1, **fields):
    common_fields = {"work_id": 1, "work": "青灯渡", "site": "example.cn", "verdict": "copy"}
    numbered_fields = {"copied_chars": number, "case": f"c{number}"}
    return Occasion(
        id=f"o{number}", kind="new-copy", at=NOW, **{**common_fields, **numbered_fields, **fields}
    )


def words(occasions, *, language="en", cadence="at-once", max_bytes=8000):
    return text_of(
        occasions,
        cadence=cadence,
        mailing_id="5f" * 12,
        texts=translator(language),
        zone=UTC,
        max_bytes=max_bytes,
    )


def test_single_copy_is_described_by_work_site_verdict_and_case():
    text = words([copy(812)])
    assert text.title == "pindna: New copy · 青灯渡 · example.cn"
    assert text.body.splitlines() == [
        "New copy: 青灯渡 · example.cn · Copy · 812 characters copied · case c812",
        f"Alert ID: {'5f' * 12}",
    ]


def test_copies_of_a_case_share_a_line_and_urgent_lines_come_first():
    copies = [copy(number, case="c7", verdict="partial") for number in (10, 30)]
    text = words([*copies, copy(5), Occasion(id="i", kind="index-unhealthy", at=NOW)], cadence="daily")
    assert text.title == "pindna, daily digest: Index problem, New copy (3) · 青灯渡 · example.cn"
    assert [line.partition(":")[0] for line in text.body.splitlines()[1:3]] == ["New copy", "New copy (2)"]


def test_subject_names_the_first_works_and_sites():
    sites = ["a.cn", "b.cn", "c.cn"]
    copies = [copy(9 - number, site=site, verdict="copy") for number, site in enumerate(sites)]
    title = words([*copies, copy(1, work="雾港来信" * 9)], language="zh").title
    assert title == f"pindna：新增雷同内容（4） · 青灯渡、{('雾港来信' * 9)[:19]}… · a.cn、b.cn、…"


@pytest.mark.parametrize("field", ["work", "site", "source"])
def test_foreign_text_in_alerts_is_neither_markup_nor_a_mention(field):
    occasion = copy(1, **{field: HOSTILE, "message": Message("{error}", {"error": HOSTILE})})
    text = words([occasion])
    assert len(text.body.splitlines()) == 2
    assert "\n" not in text.title
    assert not HIDDEN.search(text.title + text.body)
    assert not set("@<>[]*_`&|~#") & set(text.body)
    html = MarkdownIt("commonmark", {"linkify": False}).render(text.body)
    assert html.count("<") == 2  # one paragraph and nothing in it
    assert "<" not in convert_between("text", "html", text.body).replace("<br/>", "").replace("<br />", "")


@given(st.text())
def test_plain_returns_a_single_short_line(text):
    line = plain(text)
    assert len(line) <= 80
    assert len(line.splitlines()) <= 1
    assert not HIDDEN.search(line)
    assert not set("@<>[]*_`&|~#!") & set(line)


@pytest.mark.parametrize("max_bytes", [600, 2048, 8000])
def test_digest_of_thousands_is_bounded_and_counts_its_omissions(max_bytes):
    occasions = [copy(number, work="很长的书名" * 40, site="s" * 90) for number in range(1, 5001)]
    text = words(occasions, cadence="weekly", max_bytes=max_bytes)
    lines = text.body.splitlines()
    assert len((text.title + "\r\n" + text.body.replace("\n", "\r\n")).encode()) <= max_bytes
    shown = sum(line.startswith("New copy") for line in lines)
    assert lines[-2] == f"… and {5000 - shown} more"
    assert shown >= 1
    assert "New copy (5000)" in text.title


def test_title_is_short_whatever_the_occasions():
    text = words([Occasion(id=kind, kind=kind, at=NOW) for kind in KINDS])
    assert len(text.title) <= MAX_TITLE_CHARS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_words(kind):
    assert words([Occasion(id="x", kind=kind, at=NOW)]).body.startswith(KINDS[kind])
