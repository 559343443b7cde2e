"""The schema: made in one step that may be repeated, never over a newer one; every query has its index."""

import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest
from pymongo.collection import Collection
from support.matches import match_with

from storage.collections import documents, schema
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import (
    MAX_SPANS,
    MAX_TEXT_CHARS,
    StorageFailed,
    to_document,
)
from storage.collections.schema import NewerSchema
from storage.collections.stores import open_stores
from storage.collections.validators import VALIDATORS
from storage.records import (
    Page,
    Span,
)

pytestmark = pytest.mark.services
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)
SPAN = Span(page_start=0, page_end=9, passage_start=0, passage_end=9, char_identity=1, sound_identity=1)


def version(stores):
    return stores.database["schema"].find_one({"_id": "schema"})["version"]


def validators(stores):
    collections = stores.database.command("listCollections")["cursor"]["firstBatch"]
    return {collection["name"]: collection["options"].get("validator") for collection in collections}


def test_step_may_be_repeated_and_by_many_at_once(settings):
    opened = [open_stores(settings.storage) for _ in range(4)]
    errors = []

    def make(stores):
        try:
            stores.ensure_schema()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails
            errors.append(error)

    threads = [threading.Thread(target=make, args=(stores,)) for stores in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for _ in range(2):
        opened[0].ensure_schema()
        assert version(opened[0]) == schema.VERSION
    stored = validators(opened[0])
    assert all(stored[name] == {"$jsonSchema": rules} for name, rules in VALIDATORS.items())
    opened[0].database.client.drop_database(opened[0].database.name)
    for opened_stores in opened:
        opened_stores.close()


@pytest.mark.db_admin  # an upgrade changes validators
def test_new_database_equals_an_upgraded_empty_database(stores, settings):
    name = f"{settings.storage.mongo_database}_empty"
    with closing(open_stores(settings.storage.model_copy(update={"mongo_database": name}))) as upgraded:
        upgraded.database.create_collection("works")  # so it is not new
        upgraded.ensure_schema()
        made = made_of(upgraded)
        upgraded.database.client.drop_database(name)
    assert made == made_of(stores)


def made_of(stores):
    """Return the validators, indexes and rows of a database's schema, without moments."""
    indexes = {name: stores.database[name].index_information() for name in validators(stores)}
    rows = {row["_id"]: row.get("version") for row in stores.database["schema"].find()}
    return {name: (validator, indexes[name]) for name, validator in validators(stores).items()}, rows


def test_only_indexes_that_are_missing_are_made(stores, monkeypatch):
    made = []
    real = Collection.create_indexes

    def create(self, indexes, **options):
        made.append((self.name, [index.document["name"] for index in indexes]))
        return real(self, indexes, **options)

    monkeypatch.setattr(Collection, "create_indexes", create)
    stores.ensure_schema()
    assert made == []
    stores.database["events"].drop_index("number_1")
    stores.database["evidence_leaves"].drop_index("kind_1_record_1")
    stores.ensure_schema()
    assert made == [("events", ["number_1"]), ("evidence_leaves", ["kind_1_record_1"])]


def test_index_with_other_options_is_reported(stores):
    stores.database["tokens"].drop_index("digest_1")
    stores.database["tokens"].create_index("digest")
    with pytest.raises(StorageFailed, match="same name"):
        stores.ensure_schema()


def test_newer_schema_is_refused_and_unchanged(stores):
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": schema.VERSION + 1}})
    before = validators(stores)
    with pytest.raises(NewerSchema, match=f"schema {schema.VERSION + 1}") as caught:
        stores.ensure_schema()
    assert caught.value.exit_status == 3
    assert version(stores) == schema.VERSION + 1
    assert validators(stores) == before


@pytest.mark.parametrize(
    ("collection", "document"),
    [
        ("works", {"_id": 1, "key": "k", "status": "stored"}),
        ("passages", {"_id": 1, "work_id": "one", "ordinal": 0, "text": "", "sha256": ""}),
        ("fingerprints", {"_id": "1:a", "hashes": "text", "positions": b""}),
        ("pages", {"_id": "p", "state": "lost"}),
        ("matches", {"_id": "m"}),
    ],
)
def test_invalid_record_is_refused(stores, collection, document):
    with pytest.raises(StorageFailed, match="validation"):
        CheckedDatabase(stores.database)[collection].insert_one(document)
    assert stores.database[collection].find_one({"_id": document["_id"]}) is None


def test_documents_are_inserted_or_replaced(stores):
    collection = CheckedDatabase(stores.database)["anything"]
    collection.insert_or_replace([{"_id": number, "value": 1} for number in range(5)])
    collection.insert_or_replace([{"_id": number, "value": 2} for number in range(3, 9)])
    collection.insert_or_replace([])
    assert {row["_id"]: row["value"] for row in collection.find({})} == {
        **dict.fromkeys(range(3), 1),
        **dict.fromkeys(range(3, 9), 2),
    }


def test_only_new_documents_are_inserted(stores):
    collection = CheckedDatabase(stores.database)["anything"]
    assert collection.insert_new([]) == []
    assert collection.insert_new([{"_id": 1, "value": 1}, {"_id": 1, "value": 2}]) == [True, False]
    assert collection.insert_new([{"_id": number, "value": 3} for number in (0, 1, 2)]) == [True, False, True]
    assert {row["_id"]: row["value"] for row in collection.find({})} == {0: 3, 1: 1, 2: 3}


def test_refused_document_next_to_an_existing_document_is_reported(stores):
    matches = CheckedDatabase(stores.database)["matches"]
    existing = to_document(match_with())
    assert matches.insert_new([existing]) == [True]
    with pytest.raises(StorageFailed, match="validation"):
        matches.insert_new([existing, {"_id": "m"}])


def test_refused_document_is_reported(stores):
    with pytest.raises(StorageFailed, match="validation"):
        CheckedDatabase(stores.database)["passages"].insert_or_replace([{"_id": 1}])


HUGE = 16 * 1024 * 1024


def test_page_of_any_length_is_stored(stores):
    page = Page(id="p", url="u", host="s", source="x", kind="article", text="\U00020000" * (HUGE // 4))
    assert stores.pages.see_many([page]) == [True]
    assert len(stores.pages.get("p").text) == MAX_TEXT_CHARS


def test_match_of_any_number_of_spans_is_stored(stores, monkeypatch):
    """The longest spans that fit into a document stay, in their order."""
    spans = tuple(
        Span(
            page_start=30 * number,
            page_end=30 * number + 10 + number % 7,
            passage_start=0,
            passage_end=10,
            char_identity=0.5,
            sound_identity=0.5,
            disguises=("homophones", "traditional", "noise"),
        )
        for number in range(MAX_SPANS + 30_000)
    )
    match = match_with(spans=spans)
    stores.matches.replace_for_pages({"p": [match]})
    (stored,) = stores.matches.of_page("p")
    assert len(stored.spans) == MAX_SPANS
    lengths = [span.page_end - span.page_start for span in stored.spans]
    assert min(lengths) == 14
    assert [span.page_start for span in stored.spans] == sorted(span.page_start for span in stored.spans)
    monkeypatch.setitem(documents._MAX_STRETCHES, "spans", 10**9)
    with pytest.raises(StorageFailed):
        stores.matches.replace_for_pages({"p": [match_with(spans=spans * 3)]})
