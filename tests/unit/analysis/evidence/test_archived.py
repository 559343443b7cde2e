"""Bodies in WARC records: found by their SHA-256, with every address and charset that they came with."""

import io
import zipfile
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType, SimpleNamespace

import pytest
from support.exchanges import NOW, URL, received_with, sha256_of

from analysis.evidence.archived import ArchiveQuestion, Sighting, bodies_in, is_logged
from crawler.exchange import RenderedAnswer
from crawler.pages.warc import capture_of, response_record, revisit_record, seen_again_record

TEXT = "青灯照壁，夜雨敲窗。"
BODY = f"<p>{TEXT}</p>".encode("gbk")
GBK = ((b"Content-Type", b"text/html; charset=GBK"),)
SIGHTING = Sighting(URL, "gb18030", content_type="text/html")


def archived(*records, body=BODY, logged=MappingProxyType({})):
    return bodies_in([io.BytesIO(b"".join(records))], frozenset({sha256_of(body)}), logged)


def found(*records, body=BODY):
    return archived(*records, body=body).by_sha256[sha256_of(body)]


def sightings(held):
    return tuple(replace(sighting, digest="") for sighting in held.sightings)


def test_body_comes_with_the_charset_that_was_declared_for_it():
    assert sightings(found(response_record(received_with(BODY, headers=GBK)))) == (SIGHTING,)


def test_revisit_record_adds_the_address_that_the_same_body_had_too():
    full = response_record(received_with(BODY, headers=GBK))
    again = revisit_record(
        received_with(BODY, url="http://x.example/b"),
        sha256=sha256_of(BODY),
        first_url=URL,
        first_fetched=NOW,
    )
    held = found(full, again)
    assert held.body == BODY
    assert sightings(held) == (SIGHTING, Sighting("http://x.example/b", None, content_type="text/html"))


def test_revisit_record_alone_has_no_body():
    record = revisit_record(received_with(BODY), sha256=sha256_of(BODY), first_url=URL, first_fetched=NOW)
    assert found(record).body == b""


def test_body_of_a_revisited_rendered_page_is_its_dom():
    dom = f"<p>{TEXT}</p>".encode()
    first = replace(received_with(b"<script>1</script>"), rendered=RenderedAnswer(dom, b"", "Chromium"))
    later = replace(received_with(b"<script>2</script>", url="http://x.example/b"), rendered=first.rendered)
    again = seen_again_record(later, sha256=sha256_of(dom), first_url=URL, first_fetched=NOW)
    held = found(response_record(first), again, body=dom)
    assert held.body == dom
    assert sightings(held) == (
        Sighting(URL, "utf-8", is_rendered=True),
        Sighting("http://x.example/b", "utf-8", is_rendered=True),
    )


SHOWN = RenderedAnswer(BODY, b"", "Chromium")
TLS = (b"the server's", b"the authority's")
JOB = SimpleNamespace(source=SimpleNamespace(name="s"), scan_id="1", session_id="")


def stored_capture(kind):
    """An exchange, its records, and the digest that was logged for it."""
    exchange = received_with(BODY, headers=GBK)
    exchange = replace(exchange, certificates=TLS if kind == "tls" else ())
    exchange = replace(exchange, rendered=SHOWN if "rendered" in kind else None)
    first = {"sha256": sha256_of(BODY), "first_url": "http://x.example/first", "first_fetched": NOW}
    own = seen_again_record(exchange, **first) if "again" in kind else b""
    capture = capture_of(JOB, exchange, sha256_of(BODY), warc=own)
    return exchange, own or response_record(exchange), capture.digest


@pytest.mark.parametrize("kind", ["new", "tls", "again", "rendered", "rendered again"])
def test_capture_is_logged_only_with_its_address_date_and_headers(kind):
    exchange, records, digest = stored_capture(kind)
    logged = {sha256_of(BODY): {digest}}
    held = archived(records, logged=logged)
    assert any(is_logged(sha256_of(BODY), seen, logged) for seen in held.by_sha256[sha256_of(BODY)].sightings)
    assert held.unlogged == ()
    for changed in (
        replace(exchange, url="http://other.example/a"),
        replace(exchange, at=NOW + timedelta(days=9)),
        replace(exchange, header_block=exchange.header_block + b"\r\nLast-Modified: yesterday"),
        replace(exchange, request=exchange.request + b"\r\nReferer: http://other.example/"),
    ):
        forged = archived(response_record(changed), logged=logged)
        seen = forged.by_sha256[sha256_of(BODY)].sightings
        assert not any(is_logged(sha256_of(BODY), sighting, logged) for sighting in seen)
        assert forged.unlogged == (changed.url,)


def test_capture_without_a_digest_in_the_log_counts_as_logged():
    exchange, records, _ = stored_capture("new")
    assert archived(records, logged={sha256_of(BODY): {""}}).unlogged == ()
    assert archived(records).unlogged == (exchange.url,)


@pytest.mark.parametrize("encoding", [b"gzip", b"br", b"zstd", b"deflate"])
def test_body_that_cannot_be_unpacked_hides_no_other(encoding):
    broken = received_with(b"no such stream", headers=((b"Content-Encoding", encoding),))
    assert found(response_record(broken), response_record(received_with(BODY))).body == BODY


def test_compressed_inner_archive_is_refused(tmp_path):
    path = tmp_path / "package.zip"
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", compression) as wacz:
            wacz.writestr("archive/pindna.warc.gz", response_record(received_with(BODY)))
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("a.wacz", inner.getvalue())
        question = ArchiveQuestion(str(path), "a.wacz", frozenset({sha256_of(BODY)}), {})
        if compression == zipfile.ZIP_STORED:
            assert question.answer().by_sha256[sha256_of(BODY)].body == BODY
        else:
            with pytest.raises(ValueError, match="compressed twice"):
                question.answer()
