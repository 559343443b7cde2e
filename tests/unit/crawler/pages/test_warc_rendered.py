"""WARC records of pages that a browser rendered."""

import hashlib
import io
from datetime import UTC, datetime

from warcio.archiveiterator import ArchiveIterator

from crawler.exchange import Exchange, RenderedAnswer
from crawler.pages.warc import response_record, screenshot_record, seen_again_record
from crawler.pages.warc_reading import read_back

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def exchange():
    return Exchange(
        url="https://a.example/1.html",
        request=b"GET /1.html HTTP/1.1\r\nHost: a.example",
        status=200,
        header_block=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Archive-Orig-Content-Encoding: gzip",
        payload=b"<script src=x></script>",
        at=AT,
        address="93.184.216.34",
        rendered=RenderedAnswer(dom="<p>候鸟".encode(), screenshot=b"\x89PNG", browser="Chromium 1"),
    )


def read(warc):
    return [
        (item.rec_type, item.rec_headers, item.raw_stream.read())
        for item in ArchiveIterator(io.BytesIO(warc))
    ]


def test_response_and_rendered_dom_are_read_back():
    received = exchange()
    sha256 = hashlib.sha256("<p>候鸟".encode()).hexdigest()
    result = read_back(response_record(received), sha256=sha256)
    assert (result.body, result.document) == ("<p>候鸟".encode(), b"<script src=x></script>")
    assert result.request.startswith(b"GET /1.html")


def test_records_of_an_exchange_are_linked():
    received = exchange()
    response, _, conversion = read(response_record(received))
    ((kind, headers, image),) = read(screenshot_record(received, b"\x89PNG"))
    assert (kind, image) == ("resource", b"\x89PNG")
    named = response[1].get_header("WARC-Record-ID")
    assert named == conversion[1].get_header("WARC-Refers-To") == headers.get_header("WARC-Concurrent-To")
    sha256 = hashlib.sha256(b"\x89PNG").hexdigest()
    assert read_back(screenshot_record(received, b"\x89PNG"), sha256=sha256).body == b"\x89PNG"


def test_page_that_looks_as_before_is_kept_as_it_came():
    warc = seen_again_record(exchange(), sha256="ab", first_url="https://a.example/0.html", first_fetched=AT)
    response, request, told = read(warc)
    assert [item[0] for item in (response, request, told)] == ["response", "request", "metadata"]
    assert response[2] == b"<script src=x></script>"
    assert told[1].get_header("WARC-Refers-To") == response[1].get_header("WARC-Record-ID")
    assert b"rendered: sha256:ab\r\nkept-with: https://a.example/0.html\r\nkept-since: 2026-05-01" in told[2]


def test_dom_and_screenshot_have_their_content_types():
    _, _, (kind, fields, dom) = read(response_record(exchange()))
    assert (kind, dom) == ("conversion", "<p>候鸟".encode())
    assert fields.get_header("WARC-Conversion-Software") == "Chromium 1"
    assert fields.get_header("Content-Type") == "text/html; charset=utf-8"
    ((_, image, _),) = read(screenshot_record(exchange(), b"PNG"))
    assert (image.get_header("Content-Type"), image.get_header("WARC-Target-URI")) == (
        "image/png",
        "https://a.example/1.html",
    )
    _, _, (_, metadata, _) = read(
        seen_again_record(exchange(), sha256="ab", first_url="https://a.example/0.html", first_fetched=AT)
    )
    assert metadata.get_header("Content-Type") == "application/warc-fields"
    for record in (fields, image, metadata):
        assert record.get_header("WARC-Date") == "2026-05-01T12:00:00.000Z"
