"""The scorer of extraction, the ways of sending a page, and what they say of pindna."""

import pytest
from support.forms.transplants import transplants

from benchmarks.encodings import PAGES, encoded_variants, is_decoded_correctly, measure
from benchmarks.extraction import (
    REAL,
    STORED,
    UNSEEN,
    ExtractedText,
    StoredPage,
    groups_by_kind,
    load_pages,
    remove_names,
    score,
)
from benchmarks.extraction import measure as measure_extraction
from benchmarks.extraction_quality import calibrate, measure_fields
from benchmarks.page_tables import (
    calibration_table,
    encoding_table,
    extraction_tables,
    fields_table,
    group_table,
)
from crawler.extraction.parsing import decode_page


def test_score_counts_every_five_gram_once():
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
    extractors = {
        "all": lambda html: ExtractedText(html, is_text=True),
        "none": lambda _: ExtractedText("", is_text=False),
    }
    qualities, paces = measure_extraction(stored, extractors)
    assert {(quality.extractor, quality.group, quality.pages) for quality in qualities} == {
        (name, group, 1) for name in extractors for group in ("news", "news, human gold", "short")
    }
    assert [(pace.lists_taken, pace.texts_kept, pace.garbled_kept) for pace in paces] == [
        (1, 1, 1),
        (0, 0, 0),
    ]
    assert all(table.markdown() for table in extraction_tables("pages", qualities, paces))


def test_pages_are_scored_by_group_and_half_and_without_names():
    html = "<div class='a' id=b><p>雾从江心漫过来</p></div>".encode()
    stored = [StoredPage(str(number), "forum", html, None, "雾从江心漫过来") for number in range(9)]
    unseen = sum(page.is_unseen for page in stored)
    bare = remove_names(stored)
    assert "<div><p>雾从江心漫过来</p></div>".encode() == bare[0].data
    extractors = {"all": lambda html: ExtractedText(html[8:-10], is_text=True)}
    qualities, _ = measure_extraction(bare, extractors, groups_of=groups_by_kind)
    assert [(quality.group, quality.pages, quality.f1) for quality in qualities] == [
        ("forum", 9, pytest.approx(1.0)),
        ("all", 9, pytest.approx(1.0)),
        (UNSEEN, unseen, pytest.approx(1.0)),
    ]
    assert "| forum | 9 | 1.000 |" in group_table("x", qualities).markdown()


def test_fields_equal_the_visible_text():
    body = "<h1>渡口的灯火</h1><div>2024-03-05 10:00</div><p>雾，从江心漫过来。</p>"
    html = f"<title>渡口的灯火</title>{body}".encode()
    right = {"title": "渡口的灯火", "published": "2024-03-05", "author": "-", "next_page": "-"}
    stored = [
        StoredPage("a", "blog", html, None, "文", fields=right),
        StoredPage("b", "blog", html, None, "文", fields={**right, "author": "许文"}),
        StoredPage("c", "blog", html, None, "文"),
    ]
    rights = measure_fields(stored)
    counts = {score.field: (score.right, score.judged) for score in rights}
    assert counts == {"title": (2, 2), "author": (1, 2), "published": (2, 2), "next_page": (2, 2)}
    assert "1 of 2" in fields_table("x", rights).markdown()


def test_stored_pages_have_texts_and_lists():
    stored = load_pages(STORED)
    assert {page.kind for page in stored} >= {"news", "novel", "list"}
    assert all((page.gold is None) == (page.kind == "list") for page in stored)


def test_transplants_are_the_same_for_a_seed():
    assert transplants(seed=3, count=2) == transplants(seed=3, count=2)
    assert transplants(seed=3, count=2) != transplants(seed=4, count=2)


def own_pages():
    stored = [page for page in load_pages(STORED) if page.gold is not None]
    htmls = [decode_page(page.data, declared=None).text for page in stored]
    return [*htmls, *(page.data.decode() for page in transplants(count=PAGES - len(htmls)))]


def test_all_440_encodings_of_built_in_pages_are_read():
    rows = measure(own_pages())
    assert sum(row.pages for row in rows) == 440
    assert [row for row in rows if row.right < row.pages] == []
    assert "440 of 440" in encoding_table(rows).markdown()


@pytest.mark.skipif(not REAL.is_dir(), reason="the real pages are not here")
@pytest.mark.parametrize("first", [0, 20, 40, 60, 80])
def test_four_hundred_and_forty_ways_of_sending_real_pages(first):
    stored = [page for page in load_pages() if page.gold is not None][first : first + PAGES]
    rows = measure([decode_page(page.data, declared=page.declared).text for page in stored])
    assert [row for row in rows if row.right < row.pages] == []


def test_decoder_that_trusts_the_label_fails():
    rows = measure(
        own_pages()[:2], decoder=lambda encoded: encoded.data.decode(encoded.declared or "utf-8", "replace")
    )
    assert sum(row.right for row in rows) < 0.6 * sum(row.pages for row in rows)


def test_damage_is_forgiven_where_it_is_and_nowhere_else():
    encoded = next(
        encoded for encoded in encoded_variants(own_pages()[0]) if encoded.way == "gb18030 with a bad byte"
    )
    assert is_decoded_correctly(encoded, encoded.text)
    assert not is_decoded_correctly(encoded, encoded.text[: len(encoded.text) // 2])
    assert not is_decoded_correctly(encoded, "\ufffd" * len(encoded.text))


def test_confidence_is_held_against_the_gold_text():
    lines = [f"第{number}盏灯还亮着，雾从江心慢慢漫过来，渡口没有人说话。" for number in range(12)]
    head = "<title>渡口的七盏灯火</title><h1>渡口的七盏灯火</h1>"
    html = f"<html>{head}<body><div><p>{'</p><p>'.join(lines)}</p></div></body></html>".encode()
    gold = "\n".join(lines)
    stored = [
        StoredPage("right", "news", html, None, gold),
        StoredPage("wrong", "news", html, None, "另一篇文章的正文在这里"),
        StoredPage("list", "list", html, None, None),
        StoredPage("garbled", "news", html, None, gold, is_garbled=True),
        StoredPage("empty", "news", b"<p></p>", None, gold),
    ]
    (score_bin,) = calibrate(stored)
    assert (score_bin.low, score_bin.high, score_bin.pages) == (0.95, 0.99, 3)
    assert (score_bin.f1, score_bin.good) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    unseen = sum(page.is_unseen for page in stored[:3])
    assert score_bin.unseen_pages == unseen
    assert calibration_table("pages", [score_bin]).rows[0][:4] == ("0.95 to 0.99", "3", "0.333", "33%")
