"""Damage in a WARC file costs only the records that it is in, and no damage is silent."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.captured_files import DATE, HTML, warc

from crawler.pages import captured_records
from crawler.pages.captured import CapturedPage
from crawler.pages.captured_archives import read_warc

HEADER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def record(number, *, length=None, kind=b"response", block=HEADER + HTML, end=b"\r\n\r\n", fields=b""):
    """Return a record; its length may be wrong."""
    length = b"%d" % len(block) if length is None else length
    head = b"WARC/1.0\r\nWARC-Type: %b\r\nWARC-Target-URI: https://copies.example/%d\r\nWARC-Date: %b\r\n" % (
        kind,
        number,
        DATE.encode(),
    )
    return head + fields + b"Content-Length: " + length + b"\r\n\r\n" + block + end


def read(data):
    """Return the numbers of the pages in a file with whole texts, and the reasons of skipped records."""
    records = list(read_warc(io.BytesIO(data)))
    pages = [item for item in records if isinstance(item, CapturedPage)]
    whole = [int(page.url.rpartition("/")[2]) for page in pages if page.payload.rstrip() == HTML.rstrip()]
    return whole, [item.reason for item in records if not isinstance(item, CapturedPage)]


def test_whole_file_has_no_problem():
    assert read(record(1) + record(2)) == ([1, 2], [])
    assert read(gzip.compress(record(1)) + gzip.compress(record(2))) == ([1, 2], [])
    assert read(gzip.compress(record(1) + record(2))) == ([1, 2], [])


@pytest.mark.parametrize("length", [b"abc", b"", b"-1", b"9" * 400, b"99999", b"5000000000", b"20", b"0"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_wrong_length_costs_no_record_and_is_reported(length, pack):
    pages, reasons = read(pack(record(1)) + pack(record(2, length=length)) + pack(record(3)))
    assert {1, 3} <= set(pages)
    assert len(reasons) == 1
    assert reasons[0] in {"damaged", "cut"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_file_cut_in_the_middle_reports_it(pack):
    whole = record(1)
    for end in (len(whole) // 3, len(whole) - 100):
        pages, reasons = read(pack(record(7)) + pack(whole[:end]))
        assert (pages, reasons) == ([7], ["damaged" if end < 200 else "cut"])
    packed = gzip.compress(whole)
    assert read(gzip.compress(record(7)) + packed[:-20])[1] == ["cut"]


def test_damaged_gzip_member_costs_only_its_record():
    members = [gzip.compress(record(number)) for number in (1, 2, 3)]
    damaged = members[1][:60] + b"\xff" * 40 + members[1][100:]
    pages, reasons = read(members[0] + damaged + members[2])
    assert (pages, reasons) == ([1, 3], ["damaged"])


def test_bytes_between_records_are_reported():
    assert read(record(1) + b"junk\r\n" + record(2)) == ([1, 2], ["damaged"])
    assert read(gzip.compress(record(1)) + b"junk" + gzip.compress(record(2))) == ([1, 2], ["damaged"])
    assert read(gzip.compress(record(1)) + bytes(512)) == ([1], [])


def test_heads_with_bare_line_feeds_are_read():
    block = HEADER.replace(b"\r", b"") + HTML
    data = record(1, block=block).replace(b"\r\n", b"\n")
    assert read(data) == ([1], [])


def test_response_without_an_end_of_its_fields_is_damaged():
    assert read(record(1, block=HEADER.rstrip() + b" " + HTML.replace(b"\n", b" "))) == ([], ["damaged"])


def test_endless_head_is_reported_in_bounded_memory():
    endless = b"WARC/1.0\r\n" + b"X: y\r\n" * 50_000
    assert read(record(1) + endless + record(2)) == ([1, 2], ["damaged"])
    assert read(b"WARC/1.0\r\nX: y\r\n" + record(2)) == ([2], ["damaged"])


def test_gap_longer_than_the_limit_ends_the_file(monkeypatch):
    monkeypatch.setattr(captured_records, "MAX_RECORD_BYTES", 10_000)
    data = record(1) + b"x" * 300_000 + record(2)
    assert read(data) == ([1], ["damaged"])


def test_head_within_a_page_is_no_record_while_lengths_are_right():
    inner = HEADER + b"\r\n" + record(9)
    pages, reasons = read(record(1, block=inner) + record(2))
    assert (pages, reasons) == ([2], [])


def test_many_wrong_lengths_cost_no_more_than_the_file(monkeypatch):
    monkeypatch.setattr(captured_records, "_MAX_WRONG_LENGTHS", 2)
    data = b"".join(record(number, length=b"900000000") for number in range(9))
    pages, reasons = read(data)
    assert pages == list(range(9))
    assert len(reasons) == 9


def test_record_cut_by_its_crawler_and_its_continuation_are_reported():
    cut = record(1, fields=b"WARC-Truncated: length\r\n")
    assert read(cut + record(2, kind=b"continuation")) == ([1], ["cut", "cut"])


def test_record_over_two_members_of_gzip_is_whole():
    data = record(1)
    assert read(gzip.compress(data[:500]) + gzip.compress(data[500:] + record(2))) == ([1, 2], [])


@given(st.integers(0, 3_000), st.binary(max_size=40), st.booleans())
def test_any_damage_ends_with_records_and_never_an_error(position, noise, is_packed):
    data = warc(compressed=is_packed)
    position %= len(data)
    damaged = data[:position] + noise + data[position + len(noise) :]
    assert isinstance(list(read_warc(io.BytesIO(damaged))), list)


def test_status_with_endless_digits_is_no_error():
    assert read(record(1, block=HEADER.replace(b"200", b"2" * 5_000) + HTML)) == ([1], [])
