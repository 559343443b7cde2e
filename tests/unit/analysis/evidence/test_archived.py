"""Bodies in WARC records: found by their SHA-256, with every address and charset that they came with."""

import io
import zipfile
from dataclasses import replace

import pytest
from support.exchanges import NOW, URL, received_with, sha256_of

from analysis.evidence.archived import ArchiveQuestion, Sighting, bodies_in
from crawler.exchange import RenderedAnswer
from crawler.pages.warc import response_record, revisit_record, seen_again_record

TEXT = "青灯照壁，夜雨敲窗。"
BODY = f"<p>{TEXT}</p>".encode("gbk")
GBK = ((b"Content-Type", b"text/html; charset=GBK"),)
SIGHTING = Sighting(URL, "gb18030", content_type="text/html")


def found(*records, body=BODY):
    return bodies_in([io.BytesIO(b"".join(records))], frozenset({sha256_of(body)}))[sha256_of(body)]


def test_body_comes_with_the_charset_that_was_declared_for_it():
    assert found(response_record(received_with(BODY, headers=GBK))).sightings == (SIGHTING,)


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
    assert held.sightings == (SIGHTING, Sighting("http://x.example/b", None, content_type="text/html"))


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
    assert held.sightings == (
        Sighting(URL, "utf-8", is_rendered=True),
        Sighting("http://x.example/b", "utf-8", is_rendered=True),
    )


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
        question = ArchiveQuestion(str(path), "a.wacz", frozenset({sha256_of(BODY)}))
        if compression == zipfile.ZIP_STORED:
            assert question.answer()[sha256_of(BODY)].body == BODY
        else:
            with pytest.raises(ValueError, match="compressed twice"):
                question.answer()
