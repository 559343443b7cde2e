"""No kind of record outgrows a document of MongoDB, which has at most 16 MB: the largest of each is stored.

What a person writes and is too large is refused in a line that says so.
"""

import random
from contextlib import closing
from dataclasses import replace

import bson
import pytest
from pydantic import SecretStr
from pymongo import InsertOne, MongoClient, UpdateOne
from support.exchanges import NOW, received_with, sha256_of
from support.matches import match_with
from support.strict_mongo import strict_mongo

from analysis.alerts.packing import MAX_TOGETHER
from crawler.extraction.repeats import MAX_CHARS, MAX_SENTENCES, MIN_SHARE, MIN_TEXTS, SAMPLE_TEXTS
from crawler.pages.learning import Learner
from crawler.pages.warc import response_record
from crawler.sources.definition import _LISTED_BYTES, MAX_LIST_BYTES
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import MAX_FIELD_CHARS, MAX_SPANS, Unstorable, mongo_errors
from storage.collections.pages import MAX_BACKGROUND_SPANS, page_id
from storage.collections.repeats import Repeat, repeat_id
from storage.collections.sizes import MAX_BYTES, TooLarge
from storage.collections.stores import open_stores
from storage.records import (
    MAX_PLACE_CHARS,
    MAX_POSTS,
    MAX_REST_PIECES,
    MAX_TEXT_CHARS,
    UNREAD_UNITS,
    Background,
    ClaimedDate,
    Mailing,
    MatchDecision,
    Page,
    PageResult,
    Post,
    RestPiece,
    Scan,
    Snapshot,
    Source,
    Span,
    SuppressedSpan,
    utc_now,
)
from storage.settings import CrawlerSettings

pytestmark = pytest.mark.services


def sized(size, key="a"):
    """Return a document of so many bytes."""
    around = len(bson.encode({"_id": key, "value": b""}))
    return {"_id": key, "value": bytes(size - around)}


WRITES = {
    "insert_one": lambda rows, document: rows.insert_one(document),
    "insert_new": lambda rows, document: rows.insert_new([{"_id": "small"}, document]),
    "insert_in_order": lambda rows, document: rows.insert_in_order([document]),
    "insert_or_replace": lambda rows, document: rows.insert_or_replace([document]),
    "replace_many": lambda rows, document: rows.replace_many([document]),
    "replace_one": lambda rows, document: rows.replace_one({"_id": "a"}, document, upsert=True),
    "bulk_write": lambda rows, document: rows.bulk_write([InsertOne(document)]),
    "bulk of updates": lambda rows, document: rows.bulk_write(
        [UpdateOne({"_id": "a"}, {"$set": {"value": document["value"]}}, upsert=True)]
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_document_over_16_mb_is_refused_before_it_is_sent(name):
    """No server is queried for an empty request."""
    with (
        MongoClient("mongodb://127.0.0.1:9", connect=False, serverSelectionTimeoutMS=1) as client,
        pytest.raises(TooLarge, match=f"more than the {MAX_BYTES} bytes"),
    ):
        WRITES[name](CheckedDatabase(client["d"])["anything"], sized(MAX_BYTES + 20))


@pytest.mark.parametrize("name", ["insert_new", "replace_many"])
def test_document_of_16_mb_is_stored(stores, name):
    rows = CheckedDatabase(stores.database)["anything"]
    WRITES[name](rows, sized(MAX_BYTES))
    assert len(rows.find_one({"_id": "a"})["value"]) > MAX_BYTES - 100
    stores.database["anything"].drop()


def test_size_error_of_the_server_is_about_the_document(stores, running_services, settings):
    """MongoDB has another code for an insert than SecantusDB; an update may make a document too large."""
    with strict_mongo(stores.address) as proxy:
        url = SecretStr(proxy.url_of(running_services.mongo_url))
        with closing(open_stores(settings.storage.model_copy(update={"mongo_url": url}))) as strict:
            raw, rows = strict.database["anything"], CheckedDatabase(strict.database)["anything"]
            with pytest.raises(Unstorable), mongo_errors(strict.database):
                raw.insert_many([sized(MAX_BYTES + 1), {"_id": "b"}], ordered=False)
            rows.insert_one(sized(MAX_BYTES - 100))
            with pytest.raises(Unstorable):
                rows.update_one({"_id": "a"}, {"$set": {"more": bytes(200)}})
            assert sorted(row["_id"] for row in raw.find({}, {"_id": 1})) == ["a", "b"]
    stores.database["anything"].drop()


def spans(count):
    return tuple(
        Span(
            page_start=30 * number,
            page_end=30 * number + 12,
            passage_start=2 * number,
            passage_end=2 * number + 12,
            char_identity=0.5,
            sound_identity=0.5,
            disguises=("homophones", "traditional", "noise"),
        )
        for number in range(count)
    )


def test_page_with_the_longest_text_posts_and_background_is_stored(stores, taken):
    dated = ClaimedDate(at=utc_now(), precision="second", offset_minutes=480)
    posts = tuple(
        Post(start=number, end=number + 1, place=number, author="作" * 100, published=dated)
        for number in range(MAX_POSTS)
    )
    page = Page(
        id=page_id("http://a.cn/1", "x"),
        url="http://a.cn/1",
        host="a.cn",
        source="x",
        kind="thread",
        title="题" * MAX_FIELD_CHARS,
        text="雾" * MAX_TEXT_CHARS,
        posts=posts,
    )
    assert stores.pages.see_many([page]) == [True]
    token = taken(page.id)
    background = tuple(
        Background(work_id=work_id, work="论语" * 100, passage="学而" * 100, spans=spans(500))
        for work_id in range(200)
    )
    result = PageResult(
        verdict="clear",
        coverage=0.0,
        copied_chars=0,
        low_confidence=False,
        unaligned=0,
        background=background,
    )
    (closing,) = stores.pages.mark_compared([(page, result)], token=token, corpus_version=1)
    assert (closing.closed, closing.lost) == ([page.id], set())
    stored = stores.pages.get(page.id)
    assert (stored.state, len(stored.posts), len(stored.text)) == ("compared", MAX_POSTS, MAX_TEXT_CHARS)
    assert [len(shared.spans) for shared in stored.background] == [MAX_BACKGROUND_SPANS // 200] * 200


def test_page_with_the_longest_text_and_rest_is_stored(stores, taken):
    """Text and rest together have as much room as the text alone."""
    dated = ClaimedDate(at=utc_now(), precision="second", offset_minutes=480)
    posts = tuple(
        Post(start=number, end=number + 1, place=number, author="作" * 100, published=dated)
        for number in range(MAX_POSTS)
    )
    most = CrawlerSettings.model_fields["max_rest_chars"].metadata[1].le
    step = most // (2 * MAX_REST_PIECES)
    pieces = tuple(
        RestPiece(start=at, end=at + step, reason="attribute", place="层" * 2 * MAX_PLACE_CHARS)
        for at in range(0, most, step)
    )
    page = Page(
        id=page_id("http://a.cn/1", "x"),
        url="http://a.cn/1",
        host="a.cn",
        source="x",
        kind="thread",
        title="题" * MAX_FIELD_CHARS,
        text="雾" * (MAX_TEXT_CHARS - most),
        posts=posts,
        rest="港" * most,
        rest_pieces=pieces,
        unread=dict.fromkeys(UNREAD_UNITS, 2**31),
    )
    assert stores.pages.see_many([page]) == [True]
    token = taken(page.id)
    background = tuple(
        Background(work_id=work_id, work="论语" * 100, passage="学而" * 100, spans=spans(500))
        for work_id in range(200)
    )
    result = PageResult(
        verdict="clear",
        coverage=0.0,
        copied_chars=0,
        low_confidence=False,
        unaligned=0,
        background=background,
    )
    (closing,) = stores.pages.mark_compared(
        [(stores.pages.get(page.id), result)], token=token, corpus_version=1
    )
    stored = stores.pages.get(page.id)
    assert (closing.closed, len(stored.rest), len(stored.rest_pieces)) == ([page.id], most, MAX_REST_PIECES)
    assert (stored.rest_pieces[0].end, stored.rest_pieces[-1].end) == (step, most)
    assert {len(piece.place) for piece in stored.rest_pieces} == {MAX_PLACE_CHARS}
    # If the text is longer, the rest gets only the remaining space.
    longer = replace(page, id="longer", url="http://a.cn/2", text="雾" * MAX_TEXT_CHARS)
    assert stores.pages.see_many([longer]) == [True]
    kept = stores.pages.get("longer")
    assert (kept.rest, kept.rest_pieces, kept.unread["limit"]) == ("", (), 2**31 + most)


def test_match_with_every_stretch_dismissed_for_a_long_reason_is_stored(stores):
    reason = "公" * 2_000
    many = spans(MAX_SPANS)
    decided = tuple(
        MatchDecision(
            decision_id=f"d{number}" * 10,
            state="dismissed",
            start=number,
            end=number + 1,
            because=reason,
            by="lin",
            made=utc_now(),
            page_id="p" * 64,
            page_seen=utc_now(),
            url="http://a.cn/" + "x" * 1_000,
        )
        for number in range(4_000)
    )
    match = match_with(
        spans=many,
        common=many,
        suppressed=tuple(SuppressedSpan(span=span, dismissal_id="d" * 64, because=reason) for span in many),
        decided=decided,
        undecided=tuple((number, number + 1) for number in range(MAX_SPANS)),
    )
    stores.matches.replace_for_pages({"p": [match]})
    (stored,) = stores.matches.of_page("p")
    assert stored.copied_chars == match.copied_chars
    assert min(map(len, (stored.spans, stored.common, stored.suppressed, stored.decided))) > 1_000
    places = [dismissed.span.page_start for dismissed in stored.suppressed]
    assert places == sorted(places)


def test_repeats_of_a_site_with_novel_sized_pages_fit_a_document(stores):
    learner, slogan = Learner(), "望江书屋的书友们都在这里等着您回来呢。"
    for number in range(MIN_TEXTS):
        sentences = (f"第{number}卷第{line}行的正文" for line in range(3 * MAX_SENTENCES))
        learner.add("novels.example", "\n".join([*sentences, slogan]))
    held = learner._samples["novels.example"].values()  # in the memory of the crawl
    assert {len(text.sentences) for text in held} == {MAX_SENTENCES}
    learner.store(stores.repeats)
    learnt = stores.repeats.of_host("novels.example")
    assert [repeat.text for repeat in learnt.repeats] == [slogan]
    assert {len(hashes) for hashes in learnt.sample.values()} == {MAX_SENTENCES}


def test_largest_sample_of_repeats_is_stored(stores):
    numbers = random.Random(1)
    sample = {
        key: [numbers.getrandbits(63) for _ in range(MAX_SENTENCES)]
        for key in (numbers.getrandbits(63) for _ in range(SAMPLE_TEXTS))
    }
    most = int(SAMPLE_TEXTS * MAX_SENTENCES / (SAMPLE_TEXTS * MIN_SHARE))
    repeats = [
        Repeat(id=repeat_id(number), hash=number, text="文" * MAX_CHARS, texts=SAMPLE_TEXTS)
        for number in range(most)
    ]
    stores.repeats.learn("a.cn", sample=sample, repeats=repeats, books=dict.fromkeys(sample, 1 << 62))
    ids = [repeat.id for repeat in repeats]
    stores.repeats.record_check("a.cn", protected=ids, checked=dict.fromkeys(ids, 1 << 40))
    assert len(stores.repeats.of_host("a.cn").repeats) == most


def test_source_with_the_most_addresses_is_stored(stores):
    shortest = "http://x.cn/"
    urls = (shortest,) * (MAX_LIST_BYTES // (len(shortest) + _LISTED_BYTES))
    stores.sources.save(Source(name="s", kind="urls", start_urls=urls))
    assert stores.sources.get("s").start_urls == urls


def test_longest_response_is_stored_as_evidence(stores):
    """The response cannot be compressed, came over TLS and has headers of the largest size."""
    limit = CrawlerSettings.model_fields["max_response_bytes"].metadata[1].le
    body = random.Random(1).randbytes(limit)
    received = replace(
        received_with(body, headers=[(b"Content-Type", b"text/html"), *[(b"X-Own", b"x" * 16_000)] * 32]),
        certificates=tuple(random.Random(2).randbytes(4_000) for _ in range(5)),
    )
    snapshot = Snapshot(
        sha256=sha256_of(body),
        url=received.url,
        status=200,
        headers=received.header_block,
        body=b"",
        fetched=NOW,
        warc=response_record(received),
    )
    assert len(snapshot.warc) > limit
    assert stores.snapshots.save(snapshot)
    assert stores.snapshots.get(snapshot.sha256) == snapshot


def test_mailing_with_the_most_deliveries_is_stored(stores):
    now = utc_now()
    mailing = Mailing(
        id="m",
        addressee="desk",
        cadence="daily",
        deliveries=tuple(f"{number:064x}" for number in range(MAX_TOGETHER)),
        made=now,
        since=now,
        due=now,
    )
    stores.outbox.pack(mailing)
    assert [delivery.id for delivery in stores.outbox.interrupted_packings("desk")] == []


def test_scan_of_ten_thousand_sources_is_stored(stores):
    names = tuple(f"{number:05}".rjust(100, "源") for number in range(10_000))
    scan = Scan(id="s", trigger="hand", sources=names, started=utc_now())
    stores.scans.open(scan)
    assert stores.scans.get("s").sources == names


def test_largest_match_survives_removal_and_return_of_its_work(stores, save_work):
    work = save_work(1, {1: "文"})
    stores.matches.replace_for_pages(
        {"p": [match_with(spans=spans(MAX_SPANS), because="公" * MAX_FIELD_CHARS)]}
    )
    before = stores.matches.of_page("p")
    stores.removed.archive_findings(work)
    assert stores.matches.of_page("p") == []
    stores.removed.restore_findings(work.id)
    assert stores.matches.of_page("p") == before
