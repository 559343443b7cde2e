"""A collection raises our errors: at a call, while a cursor is read, and whatever the driver says."""

import pytest
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import AutoReconnect, BulkWriteError, OperationFailure
from pymongo.results import BulkWriteResult

from storage.collections.checked import CheckedCollection, _with_retries_and_pindna_errors
from storage.collections.documents import StorageFailed, Unstorable
from system.errors import ConnectionLost, LoginRefused

GONE = AutoReconnect("connection reset")


class Failing(Collection):
    """A collection of a server that answers some documents and then an error."""

    def answer(self, error, rows=()):
        self.__dict__.update(error=error, rows=rows, queries=[])
        return CheckedCollection(self)

    def find(self, query, projection=None, *, sort=None, limit=0, **_):
        self.queries.append((query, projection, sort, limit))
        yield from self.rows
        if self.error:
            raise self.error

    def insert_many(self, documents, *, ordered):  # noqa: ARG002 - as the driver calls it
        raise self.error

    def bulk_write(self, requests, *, ordered):
        self.queries.append((requests, ordered))
        return BulkWriteResult({"nMatched": len(requests)}, acknowledged=True)

    def _raise(self, *_, **__):
        raise self.error

    create_indexes = find_one_and_update = _raise


@pytest.fixture
def collection():
    with MongoClient("mongodb://u:secret@h.example:27", connect=False) as client:
        yield Failing(client["d"], "c")


def test_error_in_the_middle_of_a_cursor_follows_the_earlier_rows(collection):
    rows = collection.answer(GONE, [{"_id": 1}, {"_id": 2}]).find({})
    assert [next(rows), next(rows)] == [{"_id": 1}, {"_id": 2}]
    with pytest.raises(ConnectionLost) as raised:
        next(rows)
    assert raised.value.data["address"] == "h.example:27"
    assert "secret" not in str(raised.value)


def test_cursor_sends_no_query_before_its_first_document(collection):
    checked = collection.answer(None)
    rows = checked.find({"a": 1}, {"_id": 1})
    assert collection.queries == []
    assert list(rows) == []
    assert collection.queries == [({"a": 1}, {"_id": 1}, None, 0)]


@pytest.mark.parametrize(
    "call",
    [
        lambda checked: checked.create_index("a", unique=True),
        lambda checked: checked.find_one_and_update({}, {"$set": {"a": 1}}, upsert=True),
        lambda checked: checked.insert_or_replace([{"_id": 1}]),
        lambda checked: list(checked.find_among("a", [1])),
    ],
)
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (GONE, ConnectionLost),
        (OperationFailure("no", 18), LoginRefused),
        (OperationFailure("no", 121), Unstorable),
        (OperationFailure("no", 2), StorageFailed),
        (OverflowError("8-byte ints"), Unstorable),
    ],
)
def test_every_call_raises_pindna_errors(collection, call, error, kind):
    with pytest.raises(kind) as raised:
        call(collection.answer(error))
    assert type(raised.value) is kind
    assert raised.value.__cause__ is error


def test_driver_method_keeps_its_answer_and_raises_pindna_errors(collection):
    divide = _with_retries_and_pindna_errors(lambda raw, number, *, by: (raw.name, number // by))
    assert divide(CheckedCollection(collection), 6, by=3) == ("c", 2)
    refuse = _with_retries_and_pindna_errors(Failing._raise)
    with pytest.raises(ConnectionLost):
        refuse(collection.answer(GONE))


@pytest.mark.parametrize("count", [0, 1, 50, 51, 120])
def test_fifty_values_are_queried_at_a_time(collection, count):
    checked = collection.answer(None)
    assert list(checked.find_among("key", range(count), {"a": 1}, {"b": 2})) == []
    assert [query["key"]["$in"] for query, *_ in collection.queries] == [
        list(range(start, min(start + 50, count))) for start in range(0, count, 50)
    ]
    assert all(query["b"] == 2 and projection == {"a": 1} for query, projection, *_ in collection.queries)


def duplicates(*numbers, code=11000):
    return BulkWriteError({"writeErrors": [{"index": number, "code": code} for number in numbers]})


def test_existing_documents_are_replaced_on_insert(collection):
    documents = [{"_id": number} for number in range(4)]
    collection.answer(duplicates(1, 3)).insert_or_replace(documents)
    ((requests, ordered),) = collection.queries
    assert [request._filter for request in requests] == [{"_id": 1}, {"_id": 3}]
    assert all(request._upsert for request in requests)
    assert not ordered


def test_another_refusal_than_of_duplicates_replaces_nothing(collection):
    error = BulkWriteError(
        {"writeErrors": [*duplicates(0).details["writeErrors"], {"index": 1, "code": 121}]}
    )
    with pytest.raises(StorageFailed):
        collection.answer(error).insert_or_replace([{"_id": 0}, {"_id": 1}])
    assert collection.queries == []


def test_empty_list_of_documents_sends_no_request(collection):
    collection.answer(GONE).insert_or_replace([])


def test_writes_that_may_be_lost_wait_for_no_journal(collection):
    checked = CheckedCollection(collection.with_options())
    assert checked.without_journal().raw.write_concern.document["j"] is False
    assert "j" not in checked.raw.write_concern.document
