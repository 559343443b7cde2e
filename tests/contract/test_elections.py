"""Servers that are not pindna's own: an election or a cut connection neither loses nor doubles anything.

What is sent to a replica set is sent again by the driver, once, and the server knows it; what is sent to a
single server is sent again by whoever wanted it, and is written so that this changes nothing.
"""

from contextlib import closing

import pytest
from pydantic import SecretStr
from pymongo import ReadPreference
from support.faults.ways import way_to
from support.replica_set import replica_set

from deploy.cli.backup.backup import take_backup
from storage.backup import writing
from storage.backup.archive import BackupArchive
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import connect
from storage.collections.stores import open_stores
from storage.records import Page
from storage.settings import StorageSettings
from system.errors import ServiceDown

pytestmark = pytest.mark.services
NOT_PRIMARY, SHUT_DOWN = 10107, 91
AGAIN = ["RetryableWriteError"]


def pages(count):
    return [
        Page(
            id=f"p{n}",
            url=f"u{n}",
            host="h",
            source="s",
            kind="article",
            text="灯" * 900,
            content_hash=str(n),
        )
        for n in range(count)
    ]


def storage_of(url, **fields):
    return StorageSettings(mongo_url=SecretStr(url), timeout_s=5, **fields)


@pytest.fixture(scope="module")
def members(services, tmp_path_factory):  # noqa: ARG001 - skips or fails where there are no servers
    with replica_set(tmp_path_factory.mktemp("set")) as server:
        yield server


@pytest.fixture(scope="module")
def on_set(members):
    """Stores on it."""
    with closing(open_stores(storage_of(members.url))) as stores:
        stores.ensure_schema()
        yield stores


@pytest.mark.parametrize(
    "how",
    [
        {"errorCode": NOT_PRIMARY, "errorLabels": AGAIN},
        {"errorCode": SHUT_DOWN, "errorLabels": AGAIN},
        {"closeConnection": True},
    ],
    ids=["not the primary any more", "shutting down", "cut"],
)
def test_an_election_neither_loses_nor_doubles(members, on_set, how):
    before = on_set.versions.current()
    on_set.database["pages"].delete_many({})
    members.fail("findAndModify", **how)
    on_set.versions.raise_version()
    members.fail("insert", **how)
    assert on_set.pages.see_many(pages(9)) == [True] * 9
    members.fail("update", **how)
    on_set.pages.see_many(pages(9))
    members.fail("find", **how)
    assert {page.id for page in on_set.pages.all()} == {page.id for page in pages(9)}
    assert on_set.versions.current() == before + 1


def test_an_election_that_lasts_is_told_and_what_was_sent_may_be_sent_again(members, on_set):
    on_set.database["pages"].delete_many({})
    members.fail("insert", times=9, errorCode=NOT_PRIMARY, errorLabels=AGAIN)
    with pytest.raises(ServiceDown, match="electing a primary"):
        on_set.pages.see_many(pages(9))
    members.fail("insert", times=0)
    assert on_set.pages.see_many(pages(9)) == [True] * 9
    assert on_set.database["pages"].count_documents({}) == 9


@pytest.mark.parametrize(
    ("after", "answers"), [(40_000, False), (1, True)], ids=["what is sent is cut", "the answer is cut"]
)
def test_a_socket_cut_within_many_writes(stores, settings, after, answers):
    """Of a single server, which knows nothing of what was sent before."""
    url = settings.storage.mongo_url.get_secret_value()
    host, port = stores.address.split(":")
    with way_to(host, int(port)) as way:
        place, _, _ = url.replace(stores.address, f"127.0.0.1:{way.port}").partition("/?")
        direct = f"{place.rstrip('/')}/?directConnection=true"  # a set would name its own address
        detour = {"mongo_url": SecretStr(direct), "timeout_s": 5}
        with closing(open_stores(settings.storage.model_copy(update=detour))) as cut_off:
            assert cut_off.versions.current() == 0  # connected
            way.cut_within(after, answers=answers)
            with pytest.raises(ServiceDown):
                cut_off.pages.see_many(pages(60))
            way.join()
            cut_off.pages.see_many(pages(60))
    assert sorted(page.id for page in stores.pages.all()) == sorted(page.id for page in pages(60))


def test_what_an_address_says_goes_to_the_driver(members):
    """A set by its name, TLS by a private authority, writes that a majority has unless it says otherwise."""
    database = connect(storage_of(members.url))
    with closing(database.client) as client:
        assert client.admin.command("ping")["ok"]
        assert client.options.replica_set_name == "secantus"
        assert (client.options.retry_writes, client.options.retry_reads) == (True, True)
        assert database.write_concern.document == {"w": "majority", "j": True, "wtimeout": 15_000}
    for url, concern in ((f"{members.url}&w=1&retryWrites=false", 1), (f"{members.url}&w=2", 2)):
        database = connect(storage_of(url))
        with closing(database.client) as client:
            assert database.write_concern.document == {"w": concern, "j": True, "wtimeout": 15_000}
            assert client.options.retry_writes == (concern == 2)
    without = members.url.partition("&tlsCAFile")[0].replace("//", "//me:pass-word@")
    stores = open_stores(storage_of(without).model_copy(update={"timeout_s": 1}))
    with closing(stores), pytest.raises(ServiceDown) as told:
        stores.versions.current()
    assert "pass-word" not in str(told.value)
    assert f"127.0.0.1:{members.port}" in str(told.value)


@pytest.mark.parametrize("preference", ["secondary", "secondaryPreferred", "nearest"])
def test_a_member_that_lags_behind_is_never_read(members, preference):
    """It would not know a work of the corpus version that another one tells."""
    stores = open_stores(storage_of(f"{members.url}&readPreference={preference}"))
    with closing(stores):
        raw = CheckedDatabase(stores.database)["works"]
        for collection in (raw, raw.without_journal()):
            assert collection.raw.read_preference == ReadPreference.PRIMARY


@pytest.mark.usefixtures("on_set")
@pytest.mark.parametrize("point", ["snapshot", "transaction"])
def test_a_backup_of_a_set_is_a_snapshot_where_there_are_any(members, settings, tmp_path, monkeypatch, point):
    """SecantusDB takes a snapshot session for MongoDB's sake, and reads in it what is newest."""
    if point == "snapshot":
        monkeypatch.setattr(writing, "_supports_snapshots", lambda _: True)
    own = settings.model_copy(update={"storage": storage_of(members.url)})
    assert take_backup(own, tmp_path / "b.tar").point == point
    with closing(BackupArchive(tmp_path / "b.tar")) as archive:
        assert sum(archive.verify()) == archive.manifest.documents > 0
