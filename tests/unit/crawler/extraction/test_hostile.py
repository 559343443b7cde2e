"""Hostile pages: the time grows linearly with the page, and the memory is bounded."""

import gzip
import time

import pytest

from benchmarks.hostile import FAMILIES, IN_SCRIPTS, READERS, STORY, cost_of, make_page, measure
from benchmarks.page_tables import hostile_table
from crawler.extraction import extract

URL = "http://x.example/1.html"
# Pages for which another article is correct: a longer text, or a list.
OTHERS = {
    "nested lists",
    "one string",
    "base64 in base64",
    "sections",
    "text areas",
    "short sentences",
    "lines",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_page_takes_long(family):
    data = make_page(family, 120_000)
    extract(make_page(family, 1_000), url=URL)
    started = time.process_time()
    result = extract(data, url=URL)
    assert time.process_time() - started < 6  # all but few take less than 0.3 s
    assert STORY in result.text or family in OTHERS
    assert set(result.failed_steps) <= {"markup", "opinions", "sheets"}


@pytest.mark.parametrize("family", ["rules that match everything", "nested headings"])
def test_no_page_takes_much_memory(family):
    cost = cost_of(family, 1_000_000)
    assert cost.is_finished
    assert cost.megabytes < 200  # it took gigabytes


def test_compressed_pages_are_read_in_little_memory():
    packed = gzip.compress(make_page("rules that match everything", 1_000_000))
    assert len(packed) < 30_000
    assert STORY in extract(packed, url=URL).text


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("family", FAMILIES)
def test_largest_pages_are_read(family):
    cost = cost_of(family, 8_000_000)
    assert cost.is_finished
    assert cost.megabytes < 1_000


def test_libraries_are_measured_for_comparison():
    costs = measure("open tags", 1_000)
    assert set(costs.of) == set(READERS)
    table = hostile_table([costs])
    assert table.rows[0][0] == "open tags"
    assert len(table.rows[0]) == len(table.head)
    assert set(FAMILIES) >= IN_SCRIPTS
