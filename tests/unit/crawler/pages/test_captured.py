"""Captured pages come out of every form of file with address, date and body; damage costs only itself."""

import json
import os
from datetime import UTC, datetime

import pytest
from support.captured_files import (
    CHUNKED,
    DATE,
    FILES,
    GZIPPED,
    HTML,
    SOFTWARE,
    URL,
    har,
    mhtml,
    single_file,
    wacz,
    warc,
)

from crawler.pages.captured import CapturedPage, SkippedRecord, checked
from crawler.pages.captured_documents import captured_form_of, read_captured
from crawler.pages.importing import body_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FORMS = {"warc.gz": "warc", "multi.wacz": "wacz", "single-file": "saved-page"}


def records_of(path, data):
    path.write_bytes(data)
    os.utime(path, (1_600_000_000, 1_600_000_000))
    form = captured_form_of(path)
    return form, [
        checked(item, NOW) if isinstance(item, CapturedPage) else item for item in read_captured(path, form)
    ]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.bin"


@pytest.mark.parametrize("name", FILES)
def test_page_has_address_date_and_body(name, path):
    form, records = records_of(path, FILES[name])
    (page,) = [record for record in records if isinstance(record, CapturedPage)]
    assert form == FORMS.get(name, name)
    assert page.url == URL
    assert "灯火".encode() in body_of(page)
    if name != "saved-page":  # its date is that of the file
        assert page.at == datetime.fromisoformat(DATE)


def test_warc_gives_request_program_and_the_other_records(path):
    _, (page, picture) = records_of(path, warc())
    assert page.request.startswith(b"GET /lamp/1.html")
    assert page.captured_by == SOFTWARE
    assert picture.reason == "not-page"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (CHUNKED, [("Transfer-Encoding", "chunked")]),
        (GZIPPED, [("Content-Encoding", "gzip")]),
        (HTML, [("Transfer-Encoding", "chunked")]),
    ],
)
def test_body_is_decoded_as_in_a_crawl(body, fields, path):
    _, (page, _) = records_of(path, warc(body=body, fields=fields))
    assert body_of(page) == HTML


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "404 Not Found"}, "status"),
        ({"url": "dns:copies.example"}, "no-address"),
        ({"date": "2999-01-01T00:00:00Z"}, "no-date"),
        ({"date": "1970-01-01T00:00:00Z"}, "no-date"),
        ({"date": "0001-01-01T00:00:00+23:00"}, "no-date"),
    ],
)
def test_record_that_is_no_page_has_a_reason(change, reason, path):
    _, (record, *_) = records_of(path, warc(**change))
    assert record.reason == reason


@pytest.mark.parametrize("name", ["warc", "warc.gz", "wacz", "har", "mhtml"])
def test_file_that_ends_early_reports_it_or_keeps_its_page(name, path):
    data = FILES[name]
    for end in (len(data) // 3, len(data) - 40):
        path.write_bytes(data[:end])
        form = captured_form_of(path)
        records = list(read_captured(path, form)) if form else [None]
        assert records


def test_har_entry_of_another_shape_is_damaged(path):
    data = json.loads(har())
    data["log"]["entries"] = [{"a": 1}, {"request": 5, "response": []}, *data["log"]["entries"]]
    _, records = records_of(path, json.dumps(data).encode())
    assert [getattr(record, "reason", "") for record in records] == ["damaged", "damaged", ""]


def test_nested_multi_wacz_ends(path):
    data = wacz()
    for _ in range(4):
        data = wacz(members={"inner.wacz": data})
    _, (record,) = records_of(path, data)
    assert (record.url, record.reason) == ("inner.wacz", "damaged")


@pytest.mark.parametrize(
    "line", [b"X-No: 1", b"Date: Fri, 31 Dec 9999 23:59:59 -0100", b"Date: Mon, 99 Jan 2001 0:00:00 +0200"]
)
def test_mhtml_without_a_usable_date_is_no_page(line, path):
    _, (record,) = records_of(path, mhtml().replace(b"Date: Thu, 6 May 2021 07:08:09 -0000", line))
    assert isinstance(record, SkippedRecord)
    assert record.reason == "no-date"


def test_mhtml_that_ends_early_reports_it_besides_its_page(path):
    _, (page, *problems) = records_of(path, mhtml()[:-40])
    assert page.url == URL
    assert [record.reason for record in problems] == ["damaged", "cut"]


def test_saved_page_with_an_impossible_date_has_that_of_its_file(path):
    date = b"Fri Dec 31 9999 23:00:00 GMT-0800"
    _, (page,) = records_of(path, single_file().replace(b"Thu May 06 2021 15:08:09 GMT+0800", date))
    assert page.at.year == 2020


@pytest.mark.parametrize(
    "damage",
    [(b'"status": 200', b'"status": Infinity'), (b'"text": "', b'"text": "!!'), (DATE.encode(), b"5")],
)
def test_har_entry_with_a_bad_value_is_reported(damage, path):
    _, (record,) = records_of(path, har().replace(*damage))
    assert record.reason in {"damaged", "no-date"}


def test_har_that_ends_between_entries_reports_it(path):
    data = har().replace(b"]}}", b", ")
    _, (page, record) = records_of(path, data)
    assert (page.url, record.reason) == (URL, "damaged")


def test_damaged_member_of_a_wacz_costs_only_itself(path):
    data = bytearray(
        wacz(members={"archive/1.warc": warc(compressed=False), "archive/2.warc.gz": warc()}, packed=True)
    )
    begin = data.index(b"archive/1.warc") + 200
    data[begin : begin + 50] = b"\xff" * 50
    _, records = records_of(path, bytes(data))
    assert [record.url for record in records if isinstance(record, CapturedPage)][-1] == URL
    assert "damaged" in {getattr(record, "reason", "") for record in records}


def test_member_of_a_wacz_in_an_unknown_form_is_reported(path):
    _, (record,) = records_of(path, wacz(members={"archive/a.warc.zst": b"x", "a.warc": b""}))
    assert (record.url, record.reason) == ("archive/a.warc.zst", "damaged")


@pytest.mark.parametrize(
    "data", [b"", b"<html>x", b"PK\x03\x04", b"\x1f\x8b", b'{"a": 1}', b"From: a@b\r\n\r\nx"]
)
def test_other_files_have_no_captured_form(data, path):
    path.write_bytes(data)
    assert captured_form_of(path) is None
