"""Every wait ends: answers that do not come, and majorities that do not confirm, are reported."""

import time
from contextlib import closing

import pytest
from pydantic import SecretStr
from pymongo import UpdateOne
from support.strict_mongo import strict_mongo

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import connect
from storage.collections.stores import open_stores
from storage.settings import StorageSettings
from system.errors import NoAnswer, NoMajority

pytestmark = pytest.mark.services
OPTIONS = "retryWrites=false&retryReads=false&heartbeatFrequencyMS=500"


@pytest.fixture(scope="module")
def proxy(running_services):
    with strict_mongo(running_services.mongo_url.rpartition("@")[2].partition("/")[0]) as proxy:
        yield proxy


@pytest.fixture
def rows(proxy, running_services, settings):
    """An empty collection behind the proxy, of a client that waits for half a second."""
    separator = "&" if "?" in running_services.mongo_url else "?"
    url = f"{proxy.url_of(running_services.mongo_url)}{separator}{OPTIONS}&socketTimeoutMS=500"
    storage = settings.storage.model_copy(update={"mongo_url": SecretStr(url), "timeout_s": 5})
    with closing(open_stores(storage)) as stores:
        stores.ping()
        yield CheckedDatabase(stores.database)["anything"]
        proxy.clear()
        stores.database.client.drop_database(stores.database.name)


def documents(count):
    return [{"_id": number, "value": 1} for number in range(count)]


@pytest.mark.parametrize("is_done", [True, False])
def test_write_without_an_answer_ends_and_can_be_repeated(rows, proxy, is_done):
    writes = (
        ("insert", lambda: rows.insert_new(documents(3)), [not is_done] * 3),
        ("insert", lambda: rows.insert_in_order([{"_id": 7, "value": 1}]), not is_done),
        ("update", lambda: rows.replace_many(documents(3)), None),
        (
            "update",
            lambda: rows.bulk_write([UpdateOne({"_id": 7}, {"$max": {"value": 2}})]).matched_count,
            1,
        ),
        ("delete", lambda: rows.delete_one({"_id": 7}).deleted_count, 0 if is_done else 1),
    )
    for command, write, repeated in writes:
        proxy.fail(command, form="silence", is_done=is_done)
        begun = time.monotonic()
        with pytest.raises(NoAnswer):
            write()
        assert time.monotonic() - begun < 5
        assert write() == repeated
    assert [row["_id"] for row in rows.find({}, sort=[("_id", 1)])] == [0, 1, 2]


def test_read_without_an_answer_ends(rows, proxy):
    rows.insert_new(documents(3))
    for command, read in (
        ("find", lambda: list(rows.find({}))),
        ("aggregate", lambda: rows.count({"value": 1})),
    ):
        proxy.fail(command, form="silence")
        with pytest.raises(NoAnswer):
            read()
        assert read()


def test_majority_that_does_not_confirm_in_time_is_reported(rows, proxy):
    proxy.fail("insert", code=64, form="confirmation", message="waiting for replication timed out")
    with pytest.raises(NoMajority, match="A majority of the replica set of MongoDB"):
        rows.insert_new(documents(3))
    assert rows.insert_new(documents(3)) == [False] * 3


def test_every_write_says_how_long_a_majority_may_take(rows):
    assert rows.raw.write_concern.document == {"w": "majority", "j": True, "wtimeout": 15_000}
    assert rows.without_journal().raw.write_concern.document["wtimeout"] == 15_000


@pytest.mark.parametrize(
    ("options", "answer_s", "confirmation_ms"),
    [
        ("", 300.0, 30_000),
        ("?wtimeoutMS=100", 300.0, 100),
        ("?socketTimeoutMS=7000", 7.0, 30_000),
        ("?sockettimeoutms=0", None, 30_000),
        ("?timeoutMS=9000", None, 30_000),
    ],
)
def test_address_may_say_how_long_is_waited(options, answer_s, confirmation_ms):
    database = connect(StorageSettings(mongo_url=SecretStr(f"mongodb://127.0.0.1:9/{options}")))
    with closing(database.client) as client:
        assert client.options.pool_options.socket_timeout == answer_s
        assert client.options.timeout == (9.0 if "timeoutMS=9000" in options else None)
    assert database.write_concern.document["wtimeout"] == confirmation_ms
