"""The scorer of extraction, the ways of sending a page, and what they say of pindna."""

import pytest

from benchmarks.encodings import PAGES, is_right, measure, sendings
from benchmarks.extraction import REAL, STORED, StoredPage, Taken, pages, score
from benchmarks.extraction import measure as measure_extraction
from benchmarks.page_tables import encoding_table, extraction_tables
from benchmarks.transplants import transplants
from crawler.extraction.parsing import decode_page


def test_the_score_counts_five_grams_once_each():
    assert score("雾从江心漫过来", "雾从江心漫过来") == (1.0, 1.0, pytest.approx(1.0))
    precision, recall, _ = score("雾从江心漫过来雾从江心漫过来", "雾从江心漫过来")
    assert (precision, recall) == (0.3, 1.0)
    assert score("ＡＢＣ １２\u200b３", "ABC123")[2] == pytest.approx(1.0)
    assert score("", "雾从江心漫过来")[1] == 0


def test_every_extractor_is_scored_on_the_same_pages():
    stored = [
        StoredPage("a", "news", "<p>雾从江心漫过来</p>".encode(), None, "雾从江心漫过来"),
        StoredPage("b", "list", b"<p>x</p>", None, None),
        StoredPage("c", "novel", "<p>雾</p>".encode(), None, "雾", is_garbled=True),
    ]
    extractors = {"all": lambda html: Taken(html, is_text=True), "none": lambda _: Taken("", is_text=False)}
    qualities, paces = measure_extraction(stored, extractors)
    assert {(quality.extractor, quality.group, quality.pages) for quality in qualities} == {
        (name, group, 1) for name in extractors for group in ("news", "news, human gold", "short")
    }
    assert [(pace.lists_taken, pace.texts_kept, pace.garbled_kept) for pace in paces] == [
        (1, 1, 1),
        (0, 0, 0),
    ]
    assert all(table.markdown() for table in extraction_tables("pages", qualities, paces))


def test_the_stored_pages_have_texts_and_lists():
    stored = pages(STORED)
    assert {page.kind for page in stored} >= {"news", "novel", "list"}
    assert all((page.gold is None) == (page.kind == "list") for page in stored)


def test_transplants_are_the_same_for_a_seed():
    assert transplants(seed=3, count=2) == transplants(seed=3, count=2)
    assert transplants(seed=3, count=2) != transplants(seed=4, count=2)


def own_pages():
    stored = [page for page in pages(STORED) if page.gold is not None]
    htmls = [decode_page(page.data, declared=None).text for page in stored]
    return [*htmls, *(page.data.decode() for page in transplants(count=PAGES - len(htmls)))]


def test_four_hundred_and_forty_ways_of_sending_own_pages():
    rows = measure(own_pages())
    assert sum(row.pages for row in rows) == 440
    assert [row for row in rows if row.right < row.pages] == []
    assert "440 of 440" in encoding_table(rows).markdown()


@pytest.mark.skipif(not REAL.is_dir(), reason="the real pages are not here")
@pytest.mark.parametrize("first", [0, 20, 40, 60, 80])
def test_four_hundred_and_forty_ways_of_sending_real_pages(first):
    stored = [page for page in pages() if page.gold is not None][first : first + PAGES]
    rows = measure([decode_page(page.data, declared=page.declared).text for page in stored])
    assert [row for row in rows if row.right < row.pages] == []


def test_a_decoder_that_trusts_the_label_fails():
    rows = measure(
        own_pages()[:2], decoder=lambda sent: sent.data.decode(sent.declared or "utf-8", "replace")
    )
    assert sum(row.right for row in rows) < 0.6 * sum(row.pages for row in rows)


def test_damage_is_forgiven_where_it_is_and_nowhere_else():
    sent = next(sent for sent in sendings(own_pages()[0]) if sent.way == "gb18030 with a bad byte")
    assert is_right(sent, sent.text)
    assert not is_right(sent, sent.text[: len(sent.text) // 2])
    assert not is_right(sent, "\ufffd" * len(sent.text))
