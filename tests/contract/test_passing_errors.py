"""Only an error of MongoDB about a page loses the page; transient errors are retried, then reported."""

from contextlib import closing

import pytest
from pymongo import UpdateOne
from support.strict_mongo import strict_mongo

from storage.collections import retrying
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import StorageFailed, Unstorable
from storage.collections.stores import open_stores
from system.errors import MissingPermission, NoMajority, ServerFault, ServiceDown, StillLoading

pytestmark = pytest.mark.services
PASSING = (6, 7, 43, 50, 89, 112, 133, 134, 202, 262, 365, 9001, 11601)
UNCERTAIN = {6, 7, 89, 202, 9001}  # a router passes them on; the write may have been done or not
UNKNOWN = 777_777
MAJORITY = (64, 100)
OPTIONS = "retryWrites=false&retryReads=false&heartbeatFrequencyMS=500"  # the driver repeats nothing
ALWAYS = 1_000
ATTEMPTS = len(retrying.WAITS_S) + 1


@pytest.fixture(scope="module")
def proxy(running_services):
    with strict_mongo(running_services.mongo_url.rpartition("@")[2].partition("/")[0]) as proxy:
        yield proxy


@pytest.fixture
def rows(proxy, running_services, settings, monkeypatch):
    """An empty collection behind the proxy; retries do not wait."""
    monkeypatch.setattr(retrying, "WAITS_S", (0.0,) * (ATTEMPTS - 1))
    separator = "&" if "?" in running_services.mongo_url else "?"
    url = f"{proxy.url_of(running_services.mongo_url)}{separator}{OPTIONS}"
    storage = {"mongo_url": type(settings.storage.mongo_url)(url), "timeout_s": 5}
    with closing(open_stores(settings.storage.model_copy(update=storage))) as stores:
        yield CheckedDatabase(stores.database)["anything"]
        proxy.clear()
        stores.database.client.drop_database(stores.database.name)


def numbers(rows):
    return sorted(row["_id"] for row in rows.find({}))


def documents(count):
    return [{"_id": number} for number in range(count)]


@pytest.mark.parametrize("code", [*PASSING, UNKNOWN])
def test_read_is_repeated_after_a_passing_error(rows, proxy, code):
    rows.insert_one({"_id": 1})
    for command, read in (
        ("find", lambda: [row["_id"] for row in rows.find({})]),
        ("aggregate", lambda: [row["_id"] for row in rows.aggregate({"$match": {}})]),
        ("find", lambda: [rows.find_one({})["_id"]]),
        ("distinct", lambda: rows.distinct("_id")),
    ):
        proxy.fail(command, code=code, times=2)
        assert read() == [1]


@pytest.mark.parametrize("code", [*PASSING, UNKNOWN])
def test_lasting_error_is_reported_as_a_server_fault(rows, proxy, code):
    for command, ask in (
        ("find", lambda: list(rows.find({}))),
        ("insert", lambda: rows.insert_one({"_id": 1})),
        ("update", lambda: rows.update_one({"_id": 1}, {"$set": {"a": 1}})),
        ("insert", lambda: rows.insert_new(documents(3))),
    ):
        proxy.clear()
        proxy.fail(command, code=code, times=ALWAYS, message="told { secret: 1 }")
        with pytest.raises(ServerFault) as raised:
            ask()
        assert "secret" not in str(raised.value)
        is_repeated = command == "find" or code not in UNCERTAIN
        assert proxy.count(command) == (ATTEMPTS if is_repeated else 1)


@pytest.mark.parametrize("code", [*PASSING, UNKNOWN])
def test_write_that_was_not_executed_is_repeated(rows, proxy, code):
    proxy.fail("insert", code=code)
    if code in UNCERTAIN:
        with pytest.raises(ServiceDown):
            rows.insert_one({"_id": 1})
        rows.insert_one({"_id": 1})
    else:
        rows.insert_one({"_id": 1})
    assert numbers(rows) == [1]


@pytest.mark.parametrize("code", [*PASSING, UNKNOWN])
@pytest.mark.parametrize("form", ["command", "write"])
def test_unordered_bulk_is_completed(rows, proxy, code, form):
    proxy.fail("insert", code=code, form=form, at=2)
    if code in UNCERTAIN:
        with pytest.raises(ServerFault):
            rows.insert_new(documents(5))
        assert rows.insert_new(documents(5)).count(True) == (5 if form == "command" else 1)
    else:
        assert rows.insert_new(documents(5)) == [True] * 5
    assert numbers(rows) == list(range(5))


@pytest.mark.parametrize("code", [code for code in (*PASSING, UNKNOWN) if code not in UNCERTAIN])
@pytest.mark.parametrize("ordered", [True, False])
def test_bulk_of_updates_repeats_only_updates_that_were_not_executed(rows, proxy, code, ordered):
    rows.insert_new(documents(5))
    proxy.fail("update", code=code, form="write", at=2)
    updates = [UpdateOne({"_id": number}, {"$inc": {"value": 1}}) for number in range(5)]
    assert rows.bulk_write(updates, ordered=ordered).matched_count == 5
    assert [row["value"] for row in rows.find({})] == [1] * 5


@pytest.mark.parametrize("code", [code for code in (*PASSING, UNKNOWN) if code not in UNCERTAIN])
def test_ordered_insert_goes_on_where_it_stopped(rows, proxy, code):
    proxy.fail("insert", code=code, form="write", at=2, times=2)
    assert rows.insert_in_order(documents(6))
    assert numbers(rows) == list(range(6))
    assert not rows.insert_in_order([{"_id": 9}, {"_id": 3}, {"_id": 10}])
    assert numbers(rows) == [*range(6), 9]


@pytest.mark.parametrize("code", [*PASSING, *MAJORITY, UNKNOWN])
def test_write_that_no_majority_confirms_is_reported_and_may_be_repeated(rows, proxy, code):
    for write in (
        lambda: rows.insert_new(documents(3)),
        lambda: rows.insert_in_order([{"_id": 7}, {"_id": 8}]),
        lambda: rows.replace_many(documents(3)),
        lambda: rows.update_one({"_id": 1}, {"$set": {"a": 1}}),
    ):
        proxy.fail("insert", "update", code=code, form="confirmation")
        with pytest.raises(NoMajority, match="majority of the replica set"):
            write()
    assert rows.insert_new(documents(3)) == [False] * 3
    assert numbers(rows) == [0, 1, 2, 7, 8]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (121, Unstorable),
        (10334, Unstorable),
        (17419, Unstorable),
        (9, StorageFailed),
        (13, MissingPermission),
    ],
)
@pytest.mark.parametrize("form", ["command", "write"])
def test_other_errors_are_not_repeated(rows, proxy, code, kind, form):
    proxy.fail("insert", code=code, form=form, times=ALWAYS)
    for write in (lambda: rows.insert_one({"_id": 1}), lambda: rows.insert_new(documents(3))):
        proxy.commands.clear()
        with pytest.raises(kind) as raised:
            write()
        assert type(raised.value) is kind
        assert proxy.count("insert") == 1


def test_refused_document_is_reported_after_the_rest_is_stored(rows, proxy):
    """The valid documents are stored first."""
    proxy.fail("insert", code=121, form="write", at=1)
    with pytest.raises(Unstorable):
        rows.insert_new(documents(4))
    assert numbers(rows) == [0, 2, 3]


@pytest.mark.parametrize("code", [91, 189, 10107, 11600, 11602, 13435, 13436])
@pytest.mark.parametrize("form", ["command", "write"])
def test_election_during_a_bulk_is_not_a_document_error(rows, proxy, code, form):
    proxy.fail("insert", code=code, form=form, at=1, times=ALWAYS)
    with pytest.raises(StillLoading):
        rows.insert_new(documents(3))
