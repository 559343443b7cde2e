"""What `pindna upgrade` asks for, and when."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from pymongo.collection import Collection
from pymongo.errors import OperationFailure

from deploy.cli import upgrade
from deploy.cli.files import CannotWrite
from storage.collections.documents import StorageFailed
from storage.collections.stores import open_stores
from storage.settings import Settings, StorageSettings


@pytest.fixture
def database(monkeypatch):
    """A database of some schema; the current folder cannot be written to."""

    def refuse(path):
        raise CannotWrite(path=str(path), problem="Permission denied")

    own = SimpleNamespace(
        older_schema=lambda: own.found,
        document_counts=lambda names: dict.fromkeys(names, 0),
        close=lambda: None,
    )
    monkeypatch.setattr(upgrade, "load_settings", Settings)
    monkeypatch.setattr(upgrade, "services", nullcontext)
    monkeypatch.setattr(upgrade, "open_stores", lambda _: own)
    monkeypatch.setattr(upgrade, "refuse_no_file", refuse)
    return own


@pytest.mark.parametrize(("found", "dry_run"), [(0, False), (3, True)])
def test_a_place_for_the_backup_is_asked_for_only_where_one_is_made(database, found, dry_run):
    database.found = found
    upgrade.upgrade(dry_run=dry_run)
    database.found = 3
    with pytest.raises(CannotWrite, match="Permission denied"):
        upgrade.upgrade()


def test_what_the_server_refuses_is_an_error_of_ours(monkeypatch):
    def refuse(_collection):
        raise OperationFailure("no such view", code=26)

    stores = open_stores(StorageSettings(mongo_url="mongodb://127.0.0.1:1/?connect=false"))
    monkeypatch.setattr(Collection, "estimated_document_count", refuse)
    with pytest.raises(StorageFailed):
        stores.document_counts(["works"])
    stores.close()
