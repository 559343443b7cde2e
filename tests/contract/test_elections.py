"""External servers: an election or a cut connection neither loses nor doubles any data.

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
def test_election_neither_loses_nor_doubles_documents(members, on_set, how):
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


def test_long_election_is_reported_and_writes_can_be_repeated(members, on_set):
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
def test_broken_connection_neither_loses_nor_doubles_writes(stores, settings, after, answers):
    """A single server has no record of the earlier request."""
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


def test_options_in_an_address_reach_the_driver(members):
    """The name of a replica set, a private TLS authority, and majority writes unless the address differs."""
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
def test_member_that_lags_behind_is_never_read(members, preference):
    """A lagging member would miss a work of the corpus version that another member reports."""
    stores = open_stores(storage_of(f"{members.url}&readPreference={preference}"))
    with closing(stores):
        raw = CheckedDatabase(stores.database)["works"]
        for collection in (raw, raw.without_journal()):
            assert collection.raw.read_preference == ReadPreference.PRIMARY


@pytest.mark.usefixtures("on_set")
@pytest.mark.parametrize("point", ["snapshot", "transaction"])
def test_backup_of_a_replica_set_uses_snapshots_if_supported(members, settings, tmp_path, monkeypatch, point):
    """SecantusDB accepts a snapshot session for compatibility and reads the newest data in it."""
    if point == "snapshot":
        monkeypatch.setattr(writing, "_supports_snapshots", lambda _: True)
    own = settings.model_copy(update={"storage": storage_of(members.url)})
    assert take_backup(own, tmp_path / "b.tar").point == point
    with closing(BackupArchive(tmp_path / "b.tar")) as archive:
        assert sum(archive.verify()) == archive.manifest.documents > 0
