"""Archived exchanges are read back as they were, or refused as damaged."""

import gzip
import io
from dataclasses import replace

import pytest
from support.exchanges import NOW, URL, received_with, sha256_of
from warcio.archiveiterator import ArchiveIterator

from crawler.pages.warc import response_record, revisit_record
from crawler.pages.warc_reading import SnapshotDamaged, exchange_of, read_back


@pytest.mark.parametrize(
    "spoil",
    [lambda _: b"", lambda w: w[: len(w) // 3], lambda _: b"no gzip", lambda w: w[:60] + b"\0" + w[61:]],
)
def test_damaged_snapshot_is_reported(spoil):
    with pytest.raises(SnapshotDamaged, match="is damaged"):
        read_back(spoil(response_record(received_with())), sha256=sha256_of(b"<p>x</p>"))


def test_wrong_body_is_reported():
    with pytest.raises(SnapshotDamaged, match="SHA-256 differs"):
        read_back(response_record(received_with()), sha256=sha256_of(b"other"))


def test_archived_exchange_has_its_address_and_its_date():
    record = response_record(received_with())
    exchange = read_back(record, sha256=sha256_of(b"<p>x</p>"))
    assert (exchange.url, exchange.at) == (URL, "2026-03-01T08:30:15.123Z")
    assert (exchange.body, exchange.document) == (b"<p>x</p>", b"<p>x</p>")
    revisit = revisit_record(received_with(), sha256="ab", first_url=f"{URL}?old", first_fetched=NOW)
    again = exchange_of(revisit, sha256="ab")
    assert (again.url, again.at, again.payload) == (URL, "2026-03-01T08:30:15.123Z", b"")
    assert again.headers.startswith(b"HTTP/1.1 200 OK\r\n")
    assert again.request.startswith(b"GET /a/1.html HTTP/1.1\r\n")


def record_of(*fields, block=b"HTTP/1.1 200 OK\r\n\r\nx"):
    lines = ["WARC/1.1", *fields, f"Content-Length: {len(block)}"]
    return gzip.compress("\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n")


def test_record_without_address_date_request_and_digests_is_read():
    exchange = exchange_of(record_of("WARC-Type: response"), sha256="ab")
    assert (exchange.url, exchange.at, exchange.request, exchange.body) == ("", "", b"", b"x")


@pytest.mark.parametrize("field", ["WARC-Block-Digest", "WARC-Payload-Digest"])
def test_record_with_a_wrong_digest_is_damaged(field):
    with pytest.raises(SnapshotDamaged) as raised:
        exchange_of(record_of("WARC-Type: response", f"{field}: sha1:ABC"), sha256="ab")
    assert raised.value.data == {"sha256": "ab", "problem": "ValueError", "part": "records"}


def test_payload_digest_of_a_revisit_is_that_of_another_body():
    record = record_of("WARC-Type: revisit", "WARC-Payload-Digest: sha256:ab")
    assert exchange_of(record, sha256="ab").payload == b"x"


def test_damage_is_reported_with_its_section():
    with pytest.raises(SnapshotDamaged) as raised:
        read_back(response_record(received_with()), sha256="ab")
    assert raised.value.data["part"] == "body"
    assert str(raised.value) == (
        "Snapshot ab is damaged (its SHA-256 differs). Restore it from a backup of MongoDB."
    )


CERTIFICATE = b"the server's certificate"


@pytest.mark.parametrize("chain", [(CERTIFICATE,), (CERTIFICATE, b"the authority's")])
def test_certificate_is_read_back_with_the_exchange(chain):
    received = replace(received_with(), certificates=chain)
    exchange = read_back(response_record(received), sha256=sha256_of(b"<p>x</p>"))
    assert exchange.certificate == sha256_of(CERTIFICATE)
    revisit = revisit_record(received, sha256="ab", first_url=URL, first_fetched=NOW)
    assert exchange_of(revisit, sha256="ab").certificate == sha256_of(CERTIFICATE)
    records = [record.rec_type for record in ArchiveIterator(io.BytesIO(revisit))]
    assert "metadata" not in records  # it is kept with the body


def test_wrong_certificate_is_reported():
    own = response_record(replace(received_with(), certificates=(CERTIFICATE,)))
    other = response_record(replace(received_with(), certificates=(b"another",)))
    mixed = b"".join(piece for piece, kind in members(own) if kind != "metadata")
    mixed += b"".join(piece for piece, kind in members(other) if kind == "metadata")
    with pytest.raises(SnapshotDamaged, match="ValueError"):
        read_back(mixed, sha256=sha256_of(b"<p>x</p>"))


def members(warc):
    """The gzip members of records, each with the type of its record."""
    records = ArchiveIterator(io.BytesIO(warc))
    for record in records:
        kind, start = record.rec_type, records.get_record_offset()
        yield warc[start : start + records.get_record_length()], kind
