"""WARC records out and in: what was received comes back, whatever it was."""

import gzip
import io
import zlib
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.exchanges import NOW, URL, received_with, sha256_of
from warcio.archiveiterator import ArchiveIterator

from crawler.download.header_blocks import REDACTED, header_block
from crawler.pages.warc import (
    archive,
    capture_of,
    response_record,
    revisit_record,
)
from crawler.pages.warc_reading import read_back


def records(data):
    return [
        (item.rec_type, item.rec_headers, item.content_stream().read())
        for item in ArchiveIterator(io.BytesIO(data))
    ]


def test_response_and_request_are_recorded():
    warc = response_record(received_with())
    (first, head, body), (second, request, _) = records(warc)
    assert (first, second, body) == ("response", "request", b"<p>x</p>")
    assert head.get_header("WARC-Target-URI") == URL
    assert head.get_header("WARC-Date") == "2026-03-01T08:30:15.123Z"
    assert head.get_header("WARC-IP-Address") == "93.184.216.34"
    assert request.get_header("WARC-Concurrent-To") == head.get_header("WARC-Record-ID")
    exchange = read_back(warc, sha256=sha256_of(b"<p>x</p>"))
    assert exchange.request.startswith(b"GET /a/1.html HTTP/1.1\r\nHost: x.example\r\n")
    assert exchange.headers.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", partial(gzip.compress, mtime=0)),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("gzip, br", lambda data: brotli.compress(gzip.compress(data, mtime=0))),
    ],
)
def test_packed_body_is_kept_packed_and_read_unpacked(encoding, pack):
    body = "青灯".encode() * 500
    answer = received_with(pack(body), headers=[(b"Content-Encoding", encoding.encode())])
    exchange = read_back(response_record(answer), sha256=sha256_of(body))
    assert (exchange.body, exchange.payload) == (body, pack(body))


@given(
    st.binary(max_size=300),
    st.lists(st.tuples(st.binary(min_size=1, max_size=9), st.binary(max_size=30)), max_size=4),
)
def test_any_bytes_come_back_and_no_header_begins_another_record(body, headers):
    named = [(b"X-" + name.hex().encode(), value) for name, value in headers]
    warc = response_record(received_with(body, headers=named))
    assert read_back(warc, sha256=sha256_of(body)).body == body
    assert [kind for kind, *_ in records(warc)] == ["response", "request"]


def test_hostile_addresses_and_headers_stay_in_their_lines():
    evil = received_with(
        url="http://x.example/%0d%0aWARC-Type:%20x", headers=[(b"X\r\nEvil", b"a\r\n\r\nWARC/1.0\r\nb\0")]
    )
    assert [kind for kind, *_ in records(response_record(evil))] == ["response", "request"]


RAW = st.one_of(
    st.binary(max_size=80),
    st.sampled_from(
        [b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b"\r\n\r\n", b"\r\n \r\n", b"\xa0", b"\xc2\x85"]
    ),
    st.sampled_from(
        [b"Transfer-Encoding: chunked\r\n", b"Content-Length: 3\r\n", b"WARC/1.0\r\n", b"X-\xc3\xa9: v\r\n"]
    ),
    st.text(max_size=30).map(lambda text: text.encode("gb18030", "replace")),
    st.text(max_size=30).map(lambda text: text.encode("latin-1", "replace")),
).map(lambda part: part.replace(b"ncoding: g", b"ncoding; g"))  # a body that is packed has tests of its own


@given(
    st.lists(RAW, max_size=10).map(b"".join),
    st.binary(max_size=200),
    st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n"]),
)
def test_unusual_headers_do_not_prevent_recording(raw, body, status):
    """A record with any header bytes is written and read back, also by other tools."""
    answer = replace(received_with(body), header_block=status + raw, request=b"GET / HTTP/1.1\r\n" + raw)
    warc = response_record(answer)
    exchange = read_back(warc, sha256=sha256_of(body))
    assert (exchange.body, exchange.payload) == (body, body)
    assert exchange.headers.count(b"\r\n\r\n") == exchange.request.count(b"\r\n\r\n") == 1
    (first, _, read), (second, *_) = records(warc)
    assert (first, second, read) == ("response", "request", body)
    revisit = revisit_record(answer, sha256="ab", first_url=URL, first_fetched=NOW)
    assert [(kind, rest) for kind, _, rest in records(revisit)] == [("revisit", b""), ("request", b"")]


@pytest.mark.parametrize(
    "line", ["X-é: v", "Content-Disposition: attachment; 文件=a.txt", "X-名: 值", "X-Title: 渡口"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_headers_are_recorded_byte_for_byte(line, encoding):
    answer = replace(received_with(), header_block=b"HTTP/1.1 200 OK\r\n" + line.encode(encoding))
    exchange = read_back(response_record(answer), sha256=sha256_of(b"<p>x</p>"))
    assert exchange.headers == b"HTTP/1.1 200 OK\r\n" + line.encode(encoding) + b"\r\n\r\n"
    assert records(response_record(answer))[0][1].get_header("X-Pindna-Rewritten-Lines") is None


def test_record_names_omitted_and_rewritten_fields():
    head = header_block(b"HTTP/1.1 200 OK", [(b"Set-Cookie", REDACTED), (b"Transfer-Encoding", b"chunked")])
    answer = replace(received_with(), header_block=head, request=b"GET / HTTP/1.1\r\nX-Api-Key: " + REDACTED)
    (_, told, _), (_, request, _) = records(response_record(answer))
    assert (told.get_header("X-Pindna-Left-Out"), told.get_header("X-Pindna-Rewritten-Lines")) == (
        "Set-Cookie",
        "1",
    )
    assert request.get_header("X-Pindna-Left-Out") == "X-Api-Key"


def test_revisit_names_its_original_and_has_no_body():
    warc = revisit_record(
        received_with(b"long body" * 99), sha256="ab", first_url="http://x.example/old", first_fetched=NOW
    )
    (kind, head, body), (request, *_) = records(warc)
    assert (kind, body, request) == ("revisit", b"", "request")
    assert head.get_header("WARC-Refers-To-Target-URI") == "http://x.example/old"
    assert head.get_header("WARC-Payload-Digest") == "sha256:ab"
    not_modified = revisit_record(
        received_with(b"", status=304), sha256="ab", first_url=URL, first_fetched=NOW
    )
    assert "server-not-modified" in records(not_modified)[0][1].get_header("WARC-Profile")


def test_archive_of_records_is_a_warc_file():
    both = [
        response_record(received_with()),
        revisit_record(received_with(), sha256="a", first_url=URL, first_fetched=NOW),
    ]
    assert [kind for kind, *_ in records(archive(both))] == [
        "warcinfo",
        "response",
        "request",
        "revisit",
        "request",
    ]


def test_archive_begins_with_the_software_record():
    (kind, _, fields), *_ = records(archive([]))
    assert kind == "warcinfo"
    assert fields == b"software: pindna\r\nformat: WARC File Format 1.1\r\n"
    assert archive([]).startswith(gzip.compress(b"")[:2])


def test_server_without_an_address_has_no_field_for_it():
    (_, fields, _), *_ = records(response_record(replace(received_with(), address="")))
    assert fields.get_header("WARC-IP-Address") is None


def test_complete_record_mentions_no_omissions():
    for _, fields, _ in records(response_record(received_with())):
        assert fields.get_header("X-Pindna-Left-Out") is None
        assert fields.get_header("X-Pindna-Rewritten-Lines") is None


def test_record_id_depends_only_on_the_exchange():
    def id_of(exchange):
        return records(response_record(exchange))[0][1].get_header("WARC-Record-ID")

    assert id_of(received_with()) == id_of(received_with())
    later = replace(received_with(), at=NOW.replace(microsecond=0))
    others = [received_with(b"other"), received_with(url=f"{URL}?2"), later]
    assert len({id_of(exchange) for exchange in [received_with(), *others]}) == 4


def test_revisit_says_when_its_body_was_fetched_first():
    first = NOW.replace(year=2025)
    revisit = revisit_record(received_with(), sha256="ab", first_url=URL, first_fetched=first)
    (_, fields, _), (_, request, _) = records(revisit)
    assert fields.get_header("WARC-Refers-To-Date") == "2025-03-01T08:30:15.123Z"
    assert fields.get_header("WARC-Profile").endswith("/revisit/identical-payload-digest")
    assert fields.get_header("WARC-Date") == request.get_header("WARC-Date") == "2026-03-01T08:30:15.123Z"
    assert request.get_header("WARC-Concurrent-To") == fields.get_header("WARC-Record-ID")


def test_capture_names_its_exchange():
    job = SimpleNamespace(source=SimpleNamespace(name="s"), scan_id="7", session_id="e")
    capture = capture_of(job, received_with(), "ab", warc=b"w")
    assert (capture.url, capture.source, capture.scan_id, capture.fetched) == (URL, "s", "7", NOW)
    assert (capture.status, capture.sha256, capture.warc, capture.kind) == (200, "ab", b"w", "response")
