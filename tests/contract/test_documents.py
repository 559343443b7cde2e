"""Stored documents are limited and encodable; errors of refused documents do not quote them."""

import pytest
from pymongo import InsertOne, MongoClient, UpdateOne

from storage.collections.checked import CheckedCollection, CheckedDatabase
from storage.collections.documents import StorageFailed, Unstorable
from storage.collections.sizes import TooLarge
from storage.records import Page
from system.errors import MAX_MESSAGE_CHARS, ServiceDown

SAMPLE = "青灯渡口夜雨时"
services = pytest.mark.services


def page(**fields):
    return Page(**{"id": "p", "url": "u", "host": "s", "source": "x", "kind": "article", **fields})


@services
def test_lone_surrogates_are_replaced_and_the_page_is_stored(stores):
    broken = page(title="a\ud800b", author="\udfff", text="青\udc00灯")
    assert stores.pages.see_many([broken]) == [True]
    stored = stores.pages.get("p")
    assert (stored.title, stored.author, stored.text) == ("a\ufffdb", "\ufffd", "青\ufffd灯")


@services
@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"_id": "a", "value": SAMPLE + "\ud800"}, Unstorable),
        ({"_id": "a", "value": 2**70}, Unstorable),
        ({"_id": "a", "value": SAMPLE * 1_000_000}, TooLarge),
        ({"_id": "a", "value": {SAMPLE}}, Unstorable),
        ({"_id": "a", f"{SAMPLE}\0": 1}, Unstorable),
        ({"_id": SAMPLE}, StorageFailed),
    ],
)
def test_server_refusal_is_reported_without_the_document(stores, document, kind):
    collection = CheckedDatabase(stores.database)["anything"]
    collection.insert_one({"_id": SAMPLE})
    for write in (
        lambda: collection.insert_one(dict(document)),
        lambda: collection.bulk_write([InsertOne(dict(document))]),
    ):
        with pytest.raises(StorageFailed) as raised:
            write()
        assert type(raised.value) is kind
        assert SAMPLE not in str(raised.value)
        assert len(str(raised.value)) < MAX_MESSAGE_CHARS + 100


@services
def test_validator_refusal_concerns_the_document_and_quotes_none_of_it(stores):
    with pytest.raises(Unstorable, match="validation") as raised:
        CheckedDatabase(stores.database)["pages"].insert_one({"_id": SAMPLE, "state": SAMPLE})
    assert SAMPLE not in str(raised.value)


@pytest.mark.parametrize(
    "name",
    [
        "bulk_write",
        "delete_many",
        "delete_one",
        "find_one",
        "insert_new",
        "insert_one",
        "replace_one",
        "update_many",
        "update_one",
    ],
)
def test_every_driver_method_raises_pindna_errors(name):
    """The server does not answer, so every method fails."""
    with MongoClient("mongodb://127.0.0.1:9", serverSelectionTimeoutMS=1, connect=False) as client:
        checked = CheckedCollection(client["d"]["c"])
        arguments = {
            "bulk_write": ([UpdateOne({}, {"$set": {"a": 1}})],),
            "insert_new": ([{"_id": 1}],),
            "insert_one": ({"_id": 1},),
            "replace_one": ({}, {"a": 1}),
            "update_many": ({}, {"$set": {"a": 1}}),
            "update_one": ({}, {"$set": {"a": 1}}),
        }.get(name, ({},))
        with pytest.raises(ServiceDown):
            getattr(checked, name)(*arguments)
