"""Any page: reading raises nothing, loses no text, and gives a result that can be stored."""

import itertools
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

import bson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.mutations import (
    PARAGRAPHS,
    SEEDS,
    STORY,
    bodies,
    fields,
    mutate,
    sheets,
    splinters,
    whole_fields,
)

from crawler.addresses import MAX_ADDRESS_CHARS
from crawler.extraction import PageContext, extract
from crawler.extraction.result import MAX_NAME_CHARS, MAX_TEXT_CHARS, MAX_TITLE_CHARS
from crawler.extraction.stylesheets import kept_rules
from crawler.pages.page_records import PagePart, page_of, snapshot_of

URL = "http://x.example/b/7.html"
STORED = Path(__file__).parents[3] / "pages"
PAGES = [*(seed.encode() for seed in SEEDS), *(path.read_bytes() for path in sorted(STORED.rglob("*.html")))]
MUTATED = 400
LONG_S = float(os.environ.get("PINDNA_FUZZ_SECONDS", "600"))
BOUNDS = {
    "title": MAX_TITLE_CHARS,
    "chapter_title": MAX_TITLE_CHARS,
    "author": MAX_NAME_CHARS,
    "site_name": MAX_NAME_CHARS,
    "next_page": MAX_ADDRESS_CHARS,
    "next_chapter": MAX_ADDRESS_CHARS,
    "text": MAX_TEXT_CHARS,
    "encoding": 40,
    "published": 40,
}
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Steps that may fail on a small page: those with simplified markup, and libraries.
MAY_FAIL = {"markup", "opinions"}


def read_and_check(data, **options):
    """Read a page and check that the result can be stored and that no step failed."""
    result = extract(data, url=URL, **options)
    values = result.as_dict()
    assert bson.encode(values)
    assert json.dumps(values, ensure_ascii=False).encode("utf-8")
    for name, max_chars in BOUNDS.items():
        text = values[name] or ""
        assert len(text) <= max_chars, name
        assert not CONTROL.search(text), name
        assert name == "text" or "\n" not in text, name
    page_part = PagePart(snapshot_of(url=URL, status=200, headers=b"", body=data), result)
    assert page_of([page_part], source="s", scan_id="s").page.kind == result.kind
    assert set(result.failed_steps) <= MAY_FAIL
    return result


def page(head, body):
    return f"<html><head>{head}</head><body><div>{PARAGRAPHS}</div>{body}</body></html>".encode(
        "utf-8", "replace"
    )


@settings(max_examples=150)
@given(sheets, sheets)
def test_sheets_never_lose_text(sheet, other):
    head = f"<style>{sheet}</style><link rel=stylesheet href=a.css>"
    context = PageContext(sheets=(("http://x.example/b/a.css", kept_rules(other)),))
    assert read_and_check(page(head, "<p class=z>彩票</p>"), context=context).text.count(STORY) == 3


@settings(max_examples=150)
@given(whole_fields)
def test_fields_never_lose_text(head):
    assert read_and_check(page(head, "")).text.count(STORY) == 3


@settings(max_examples=200)
@given(fields, sheets, bodies)
def test_any_page_gives_a_storable_result(head, sheet, body):
    assert read_and_check(page(f"{head}<style>{sheet}</style>", body)).kind


@settings(max_examples=200)
@given(
    st.lists(splinters, max_size=30).map("".join), st.sampled_from([None, "gbk", "utf-16", "\0", "x" * 99])
)
def test_any_text_gives_a_storable_result(text, declared):
    assert read_and_check(text.encode("utf-8", "surrogatepass"), declared=declared).kind


def test_damaged_pages_give_a_storable_result():
    assert sum(bool(read_and_check(mutate(PAGES, seed)).kind) for seed in range(MUTATED)) == MUTATED


@pytest.mark.long
@pytest.mark.timeout(0)
def test_damaged_pages_for_ten_minutes(capsys):
    end, kinds = time.monotonic() + LONG_S, Counter()
    first = int(os.environ.get("PINDNA_FUZZ_SEED", "1000000"))
    for seed in itertools.count(first):
        result = read_and_check(mutate(PAGES, seed))
        kinds.update((result.kind, *result.failed_steps))
        if time.monotonic() > end:
            break
    with capsys.disabled():
        sys.stdout.write(f"\n{seed + 1 - first} damaged pages: {dict(kinds.most_common())}\n")
