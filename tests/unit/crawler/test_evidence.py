"""WARC records out and in: what was received comes back, whatever it was."""

import gzip
import hashlib
import io
import zlib
from datetime import UTC, datetime

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from crawler.evidence import SnapshotDamaged, archive, read_back, response_record, revisit_record
from crawler.heads import head_of
from crawler.outcomes import Received

NOW = datetime(2026, 3, 1, 8, 30, 15, 123000, tzinfo=UTC)
URL = "http://x.example/a/1.html"


def received(payload=b"<p>x</p>", *, status=200, headers=((b"Content-Type", b"text/html"),), url=URL):
    request = b"GET /a/1.html HTTP/1.1\r\nHost: x.example\r\nUser-Agent: pindna/0.1"
    head = head_of(f"HTTP/1.1 {status} OK".encode(), headers)
    return Received(url, request, status, head, payload, NOW, "93.184.216.34")


def sha(body):
    return hashlib.sha256(body).hexdigest()


def records(data):
    return [
        (each.rec_type, each.rec_headers, each.content_stream().read())
        for each in ArchiveIterator(io.BytesIO(data))
    ]


def test_a_response_with_its_request():
    warc = response_record(received())
    (first, head, body), (second, asked, _) = records(warc)
    assert (first, second, body) == ("response", "request", b"<p>x</p>")
    assert head.get_header("WARC-Target-URI") == URL
    assert head.get_header("WARC-Date") == "2026-03-01T08:30:15.123Z"
    assert head.get_header("WARC-IP-Address") == "93.184.216.34"
    assert asked.get_header("WARC-Concurrent-To") == head.get_header("WARC-Record-ID")
    exchange = read_back(warc, sha256=sha(b"<p>x</p>"))
    assert exchange.request.startswith(b"GET /a/1.html HTTP/1.1\r\nHost: x.example\r\n")
    assert exchange.headers.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
    ],
)
def test_a_packed_body_is_kept_packed_and_read_unpacked(encoding, pack):
    body = "青灯".encode() * 500
    answer = received(pack(body), headers=[(b"Content-Encoding", encoding.encode())])
    exchange = read_back(response_record(answer), sha256=sha(body))
    assert (exchange.body, exchange.payload) == (body, pack(body))


@given(
    st.binary(max_size=300),
    st.lists(st.tuples(st.binary(min_size=1, max_size=9), st.binary(max_size=30)), max_size=4),
)
def test_any_bytes_come_back_and_no_header_begins_a_record_of_its_own(body, headers):
    named = [(b"X-" + name.hex().encode(), value) for name, value in headers]
    warc = response_record(received(body, headers=named))
    assert read_back(warc, sha256=sha(body)).body == body
    assert [kind for kind, *_ in records(warc)] == ["response", "request"]


def test_hostile_addresses_and_headers_stay_in_their_lines():
    evil = received(
        url="http://x.example/%0d%0aWARC-Type:%20x", headers=[(b"X\r\nEvil", b"a\r\n\r\nWARC/1.0\r\nb\0")]
    )
    assert [kind for kind, *_ in records(response_record(evil))] == ["response", "request"]


def test_a_revisit_names_what_it_stands_for_and_holds_no_body():
    warc = revisit_record(
        received(b"long body" * 99), sha256="ab", first_url="http://x.example/old", first_fetched=NOW
    )
    (kind, head, body), (asked, *_) = records(warc)
    assert (kind, body, asked) == ("revisit", b"", "request")
    assert head.get_header("WARC-Refers-To-Target-URI") == "http://x.example/old"
    assert head.get_header("WARC-Payload-Digest") == "sha256:ab"
    not_modified = revisit_record(received(b"", status=304), sha256="ab", first_url=URL, first_fetched=NOW)
    assert "server-not-modified" in records(not_modified)[0][1].get_header("WARC-Profile")


@pytest.mark.parametrize(
    "spoil",
    [lambda _: b"", lambda w: w[: len(w) // 3], lambda _: b"no gzip", lambda w: w[:60] + b"\0" + w[61:]],
)
def test_a_damaged_snapshot_is_told(spoil):
    with pytest.raises(SnapshotDamaged, match="is damaged"):
        read_back(spoil(response_record(received())), sha256=sha(b"<p>x</p>"))


def test_another_body_under_the_same_name_is_told():
    with pytest.raises(SnapshotDamaged, match="SHA-256 is another"):
        read_back(response_record(received()), sha256=sha(b"other"))


def test_an_archive_of_records_is_a_warc_file():
    both = [
        response_record(received()),
        revisit_record(received(), sha256="a", first_url=URL, first_fetched=NOW),
    ]
    assert [kind for kind, *_ in records(archive(both))] == [
        "warcinfo",
        "response",
        "request",
        "revisit",
        "request",
    ]
