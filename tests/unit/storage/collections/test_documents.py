"""Records to documents and back: nothing is lost, and a document of another shape is refused."""

import dataclasses
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args, get_type_hints

import bson
import pydantic
import pytest
from bson.codec_options import CodecOptions
from hypothesis import given
from hypothesis import strategies as st
from support.matches import PAIR, match_with

from storage import records
from storage.collections.documents import MAX_FIELD_CHARS, StorageFailed, from_document, to_document
from storage.collections.matches import match_id
from storage.collections.pages import page_id
from storage.records import (
    FREE,
    Case,
    Crawl,
    Lease,
    Match,
    Page,
    Passage,
    Scan,
    Source,
    Span,
    Work,
    utc_now,
)

RECORDS = (Work, Passage, Page, Match, Case, Crawl, Scan)
KEYS = dict.fromkeys(RECORDS, "id") | {Source: "name"}
AWARE = CodecOptions(tz_aware=True)

encodable = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
times = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1)).map(  # noqa: DTZ001
    lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000, tzinfo=UTC)
)


def records_of(kind):
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: st.from_type(hint) for name, hint in hints.items()})


@pytest.fixture(autouse=True, scope="module")
def what_the_database_can_hold():
    """Strategies of the plain types; names of counts are words, never empty and without NUL."""
    st.register_type_strategy(datetime, times)
    st.register_type_strategy(str, encodable)
    st.register_type_strategy(int, st.integers(min_value=-(2**53), max_value=2**53))
    st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
    st.register_type_strategy(dict, named_values)


def named_values(kind):
    """Dictionaries of the type's values, under some names where it takes any."""
    key, value = get_args(kind)
    names = st.sampled_from(["pages", "dna", "state:failed"]) if key is str else st.from_type(key)
    return st.dictionaries(names, st.from_type(value))


def through_bson(document):
    return bson.decode(bson.encode(document), AWARE)


@pytest.mark.parametrize("kind", KEYS, ids=lambda kind: kind.__name__)
def test_every_record_survives_the_database_format(kind):
    @given(records_of(kind))
    def check(record):
        document = to_document(record, key=KEYS[kind])
        assert document["_id"] == getattr(record, KEYS[kind])
        assert KEYS[kind] not in document
        assert from_document(kind, through_bson(document), key=KEYS[kind]) == record

    check()


def test_nested_records_become_documents_and_come_back():
    span = Span(
        page_start=1, page_end=5, passage_start=2, passage_end=6, char_identity=0.5, sound_identity=1.0
    )
    lease = Lease(token="t" * 32, until=utc_now(), taken=True)
    work = Work(id=1, key="k", title="t", kind="novel", origin="o", passage_ids=(3, 1, 2), lease=lease)
    document = through_bson(to_document(work))
    assert document["lease"] == {"token": "t" * 32, "until": lease.until, "taken": True}
    assert document["passage_ids"] == [3, 1, 2]
    again = from_document(Work, document)
    assert (again.lease, again.passage_ids) == (lease, (3, 1, 2))
    assert dataclasses.asdict(span)["disguises"] == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "poem"),
        ("status", "lost"),
        ("passage_ids", ["one"]),
        ("lease", {"token": "t"}),
        ("lease", None),
        ("added", "yesterday"),
        ("title", None),
        ("_id", "seven"),
    ],
)
def test_document_of_another_shape_is_refused(field, value):
    document = to_document(Work(id=1, key="k", title="t", kind="novel", origin="o"))
    with pytest.raises(pydantic.ValidationError):
        from_document(Work, {**document, field: value})


def test_document_without_a_needed_field_is_refused():
    document = to_document(Passage(id=1, work_id=1, ordinal=0, title="", text="青灯", sha256=""))
    del document["text"]
    with pytest.raises(pydantic.ValidationError, match="text"):
        from_document(Passage, document)


def test_document_of_an_older_version_takes_the_defaults():
    page = from_document(Page, {"_id": "p", "url": "u", "host": "s", "source": "x", "kind": "article"})
    assert (page.state, page.corpus_version, page.lease, page.snapshots) == ("fetched", -1, FREE, ())


def test_time_is_kept_to_the_millisecond_in_utc():
    now = utc_now()
    assert now.tzinfo is UTC
    assert now.microsecond % 1000 == 0
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)
    document = through_bson({"at": now.astimezone(timezone(timedelta(hours=8)))})
    assert document["at"] == now


def test_verdicts_are_ranked_completely():
    assert sorted(records.VERDICTS) == sorted(records.Verdict.__args__)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_records_are_frozen_and_keyword_only(kind):
    assert kind.__dataclass_params__.frozen
    with pytest.raises(TypeError):
        kind(1, 2, 3)


def test_records_have_natural_keys():
    """Both are in databases and must never change."""
    assert page_id("http://a/1", "f" * 64) == "8f6b341ee5a451823978d8799f7bc527"
    assert page_id("http://a/1", "") != page_id("http://a/", "1")
    assert match_id("abc", 7, "novel@1") == match_id("abc", 7, "novel@2") == "abc:7:novel"


def test_failure_of_the_database_says_why():
    assert str(StorageFailed(problem="disk full")) == "MongoDB could not carry out an operation: disk full."


def test_strings_in_lists_and_parts_of_a_document_are_bounded_too():
    source = Source(
        name="x",
        kind="urls",
        start_urls=("\ud800" * 30_000,),
        cookies={"k": "v" * 30_000},
        user_agent="é\ud900",
    )
    document = to_document(source, key="name")
    assert document["start_urls"] == ["\ufffd" * MAX_FIELD_CHARS]
    assert document["cookies"] == {"k": "v" * MAX_FIELD_CHARS}
    assert document["user_agent"] == "é\ufffd"


@given(st.text(st.characters(exclude_categories=())))
def test_any_title_can_be_encoded_and_keeps_its_length(title):
    stored = to_document(Page(id="p", url="u", host="s", source="x", kind="article", title=title))["title"]
    stored.encode()
    assert len(stored) == min(len(title), MAX_FIELD_CHARS)


def test_match_of_an_older_version_has_no_homophones():
    document = through_bson(to_document(match_with(homophones=(PAIR,))))
    assert from_document(Match, document) == match_with(homophones=(PAIR,))
    del document["homophones"]
    assert from_document(Match, document) == match_with()
