"""The digest of a capture is the one that docs/evidence.md says how to compute."""

import gzip
import hashlib
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.exchanges import NOW, URL, received_with, sha256_of

from crawler.exchange import RenderedAnswer
from crawler.pages.capture_digests import capture_digest, moment
from crawler.pages.warc import capture_of, response_record, screenshot_record, seen_again_record

FIELDS = {"date": "d", "address": "a", "request": b"r", "headers": b"h", "body": b"b", "sha256": "s"}


def test_digest_follows_the_documented_computation():
    parts = [b"pindna-capture-1", b"d", b"a", b"r", b"h", b"b", b"s"]
    expected = hashlib.sha256(b"".join(len(item).to_bytes(8, "big") + item for item in parts)).hexdigest()
    assert capture_digest(**FIELDS) == expected


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_counts_and_none_runs_into_the_next(name):
    longer = {name: FIELDS[name] * 2}
    assert capture_digest(**FIELDS) != capture_digest(**{**FIELDS, **longer})
    texts = list(FIELDS)
    after = texts[(texts.index(name) + 1) % len(texts)]
    moved = {name: FIELDS[name][:0], after: FIELDS[after][:0]}
    assert capture_digest(**{**FIELDS, **moved, name: FIELDS[name]}) != capture_digest(**{**FIELDS, **moved})


def test_certificate_is_a_further_field_of_another_format():
    parts = [b"pindna-capture-2", b"d", b"a", b"r", b"h", b"b", b"s", b"c"]
    expected = hashlib.sha256(b"".join(len(item).to_bytes(8, "big") + item for item in parts)).hexdigest()
    assert capture_digest(**FIELDS, certificate="c") == expected


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("kind", ["new", "packed", "revisit", "rendered", "rendered again", "screenshot"])
def test_digest_can_be_recomputed_from_the_records(kind, secure):
    body, shown = "青灯".encode() * 99, "<p>候鸟".encode()
    answer = received_with(body)
    if kind == "packed":
        answer = received_with(gzip.compress(body), headers=[(b"Content-Encoding", b"gzip")])
    if "rendered" in kind or kind == "screenshot":
        answer = replace(answer, rendered=RenderedAnswer(dom=shown, screenshot=b"PNG", browser="x"))
    if secure:
        answer = replace(answer, certificates=(b"the server's", b"the authority's"))
    read = {"screenshot": b"PNG"}.get(kind, shown if "rendered" in kind else body)
    known = {"sha256": sha256_of(read), "first_url": URL, "first_fetched": NOW}
    own = seen_again_record(answer, **known) if kind in ("revisit", "rendered again") else b""
    job = SimpleNamespace(source=SimpleNamespace(name="s"), scan_id="1", session_id="")
    capture = capture_of(
        job, answer, sha256_of(read), warc=own, kind="screenshot" if kind == "screenshot" else "response"
    )
    stored = own or (screenshot_record(answer, b"PNG") if kind == "screenshot" else response_record(answer))
    recipe: dict = {}
    text = (Path(__file__).parents[4] / "docs" / "evidence.md").read_text(encoding="utf-8")
    exec(text.partition("```python\n")[2].partition("```")[0], recipe)  # noqa: S102 - our own document
    assert recipe["digest_of"](io.BytesIO(stored), sha256_of(read)) == capture.digest


def test_address_invalid_in_unicode_has_a_digest():
    surrogate = {**FIELDS, "address": "a\ud800"}
    assert capture_digest(**surrogate) == capture_digest(**{**FIELDS, "address": "a?"})


def test_moment_is_utc_and_cut_to_milliseconds():
    east = timezone(timedelta(hours=8))
    assert moment(datetime(2026, 3, 1, 7, 5, 9, 1999, tzinfo=east)) == "2026-02-28T23:05:09.001Z"
    assert moment(datetime(2026, 3, 1, 7, 5, 9, 999_999, tzinfo=UTC)) == "2026-03-01T07:05:09.999Z"
