"""MongoDB's role ``readWrite`` is enough for daily work; commands that need more check it first."""

import threading
from contextlib import closing

import pytest
from pydantic import SecretStr
from support.strict_mongo import ALLOWED, HOUSEKEEPING, strict_mongo

from analysis.health.services import service_findings
from analysis.words.i18n import translator
from storage.backup.archive import BackupArchive
from storage.backup.restoring import restore_backup
from storage.backup.writing import write_backup
from storage.collections import schema, validators
from storage.collections.rights import ActionMissing, missing_rights
from storage.collections.stores import open_stores
from storage.records import Page
from system.errors import MissingPermission

pytestmark = pytest.mark.services
ADMIN = ALLOWED | HOUSEKEEPING | {"collMod"}


@pytest.fixture
def proxy(running_services):
    with strict_mongo(running_services.mongo_url.rpartition("@")[2].partition("/")[0]) as proxy:
        yield proxy


@pytest.fixture
def limited(proxy, running_services, settings):
    """Settings of an empty database and a user who may read and write it, and no more."""
    url = {"mongo_url": SecretStr(proxy.url_of(running_services.mongo_url))}
    storage = settings.storage.model_copy(update=url)
    yield settings.model_copy(update={"storage": storage})
    with closing(open_stores(storage)) as stores:
        stores.database.client.drop_database(stores.database.name)


@pytest.fixture
def opened(limited):
    with closing(open_stores(limited.storage)) as stores:
        yield stores


def described(stores):
    return {row["name"]: row["options"].get("validator") for row in stores.database.list_collections()}


def as_before(stores):
    """Let a database be of an earlier schema, where pages had another validator."""
    stores.ensure_schema()
    stores.database["pages"].drop()
    earlier = {"$jsonSchema": {"bsonType": "object", "required": ["site"]}}
    stores.database.create_collection("pages", validator=earlier, validationLevel="moderate")
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": schema.VERSION - 1}})
    return earlier


def test_new_database_is_made_ready_with_validators_and_used(opened, proxy):
    for _ in range(2):
        opened.open_schema()
    names = described(opened)
    assert all(names[name] == {"$jsonSchema": rules} for name, rules in validators.VALIDATORS.items())
    page = Page(id="p", url="u", host="h", source="s", kind="article")
    assert opened.pages.see_many([page]) == [True]
    assert proxy.count("collMod") == 0
    assert proxy.commands.index(("create", 0)) < proxy.commands.index(("createIndexes", 0))


def test_database_that_is_made_by_many_at_once_needs_no_more(limited, proxy):
    stores = [open_stores(limited.storage) for _ in range(4)]
    errors = []

    def make(opened_stores):
        try:
            opened_stores.ensure_schema()
        except Exception as error:  # noqa: BLE001 - any error fails the test
            errors.append(error)

    threads = [threading.Thread(target=make, args=(opened_stores,)) for opened_stores in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, proxy.count("collMod")) == ([], 0)
    for opened_stores in stores:
        opened_stores.close()


def test_first_start_that_was_broken_off_is_completed(opened, proxy):
    opened.ensure_schema()
    opened.database["schema"].delete_many({})
    opened.database["works"].drop()
    opened.ensure_schema()
    assert described(opened)["works"] == {"$jsonSchema": validators.VALIDATORS["works"]}
    assert (opened.schema_version(), proxy.count("collMod")) == (schema.VERSION, 0)


def test_upgrade_without_rights_changes_nothing_and_names_the_right(opened, proxy):
    earlier = as_before(opened)
    for check in (opened.ensure_schema, opened.require_rights):
        with pytest.raises(ActionMissing) as raised:
            check()
        assert raised.value.data["right"] == "collMod"
        line = str(raised.value)
        assert f'{{role: "dbAdmin", db: "{opened.database.name}"}}' in line
        assert "userAdmin" in line
    assert (opened.schema_version(), described(opened)["pages"]) == (schema.VERSION - 1, earlier)
    proxy.allowed = ADMIN
    opened.require_rights()
    opened.ensure_schema()
    assert described(opened)["pages"] == {"$jsonSchema": validators.VALIDATORS["pages"]}
    assert proxy.count("collMod") == 2  # once in vain


def test_upgrade_that_changes_no_validator_needs_no_more(opened, proxy):
    opened.ensure_schema()
    opened.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": schema.VERSION - 1}})
    opened.require_rights()
    opened.ensure_schema()
    assert (opened.schema_version(), proxy.count("collMod")) == (schema.VERSION, 0)


def test_restore_without_rights_changes_nothing(opened, proxy, tmp_path):
    opened.ensure_schema()
    with (tmp_path / "b.tar").open("wb") as file:
        write_backup(opened.database, file)
    opened.pages.see_many([Page(id="p", url="u", host="h", source="s", kind="article")])
    with closing(BackupArchive(tmp_path / "b.tar")) as archive:
        with pytest.raises(ActionMissing):
            restore_backup(archive, opened.database, replace=True)
        assert [page.id for page in opened.pages.all()] == ["p"]
        assert not opened.older_schema()
        proxy.allowed = ADMIN
        restore_backup(archive, opened.database, replace=True)
    assert list(opened.pages.all()) == []


def test_doctor_lists_rights_before_they_are_needed(opened, limited, proxy):
    def rights():
        findings = service_findings(opened, limited, translator("en"))
        return next((finding.state, finding.text) for finding in findings if finding.check == "rights")

    assert rights() == ("good", "enough for daily work; upgrades and restores need the role dbAdmin")
    as_before(opened)
    state, text = rights()
    assert (state, "collMod" in text) == ("wrong", True)
    proxy.allowed = ADMIN
    assert rights() == ("good", "enough for every command")


def test_read_only_user_is_reported(opened, limited, proxy, monkeypatch):
    monkeypatch.setattr("support.strict_mongo.ACTIONS", ("find", "listCollections"))
    proxy.allowed = proxy.allowed - {"create", "insert", "update"}
    assert missing_rights(opened.database, ["find", "insert"]) == ["insert"]
    with pytest.raises(ActionMissing, match='"readWrite"'):
        opened.require_rights()
    with pytest.raises(MissingPermission):
        opened.ensure_schema()
    states = {finding.check: finding.state for finding in service_findings(opened, limited, translator("en"))}
    assert states["rights"] == "wrong"
    proxy.allowed = ADMIN


@pytest.mark.parametrize(
    ("resource", "actions", "missing"),
    [
        ({"db": "", "collection": ""}, ["collMod"], []),
        ({"db": "d", "collection": ""}, ["find"], ["collMod"]),
        ({"db": "d", "collection": "pages"}, ["collMod"], ["collMod"]),
        ({"db": "other", "collection": ""}, ["collMod"], ["collMod"]),
        ({"anyResource": True}, ["anyAction"], []),
        (None, [], []),  # the server has no logins, or does not say
    ],
)
def test_right_counts_if_it_is_about_the_whole_database(resource, actions, missing):
    class Server:
        name = "d"

        def command(self, *_, **__):
            listed = [{"resource": resource, "actions": actions}] if resource else []
            return {"authInfo": {"authenticatedUserPrivileges": listed}}

    assert missing_rights(Server(), ["collMod"]) == missing
