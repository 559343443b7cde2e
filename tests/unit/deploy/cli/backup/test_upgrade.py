"""What `pindna upgrade` asks for, and when."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from pymongo.collection import Collection
from pymongo.errors import OperationFailure

from deploy.cli.backup import upgrade
from deploy.cli.files import CannotWrite
from storage.collections.documents import StorageFailed
from storage.collections.schema import VERSION
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
def test_backup_folder_is_checked_only_if_a_backup_is_made(database, found, dry_run):
    database.found = found
    upgrade.upgrade(dry_run=dry_run)
    database.found = 3
    with pytest.raises(CannotWrite, match="Permission denied"):
        upgrade.upgrade()


def test_server_error_is_a_pindna_error(monkeypatch):
    def refuse(_collection):
        raise OperationFailure("no such view", code=26)

    stores = open_stores(StorageSettings(mongo_url="mongodb://127.0.0.1:1/?connect=false"))
    monkeypatch.setattr(Collection, "estimated_document_count", refuse)
    with pytest.raises(StorageFailed):
        stores.document_counts(["works"])
    stores.close()


@pytest.fixture
def steps(database, monkeypatch):
    """What an upgrade of schema 3 does, in order."""
    done = []
    database.found = 3
    monkeypatch.setattr(database, "require_rights", lambda: done.append("rights"), raising=False)
    monkeypatch.setattr(upgrade, "refuse_no_file", lambda _: done.append("place"))
    monkeypatch.setattr(upgrade, "refuse_other_users", lambda *_, **__: done.append("company"))
    monkeypatch.setattr(upgrade, "take_backup", lambda *_, **how: done.append(("backup", how)))
    monkeypatch.setattr(upgrade, "bring_up_to_date", lambda *_: done.append("documents"))
    monkeypatch.setattr(upgrade, "note_upkeep", lambda *_: done.append("audit log"))
    return done


def test_documents_change_after_the_checks_and_the_backup(steps, capsys):
    upgrade.upgrade()
    assert steps == ["place", "company", "rights", ("backup", {"stopped": True}), "documents", "audit log"]
    shown = capsys.readouterr()
    assert "--replace" in shown.err
    for part in (f"Schema 3 → {VERSION}", "0 works · 0 pages", f"has schema {VERSION} now"):
        assert part in shown.out


def test_named_backup_path_is_checked_before_the_database(steps, tmp_path):
    upgrade.upgrade(out=tmp_path / "b.tar")
    assert steps[:3] == ["place", "place", "company"]


def test_disabled_backup_is_neither_made_nor_mentioned(steps, tmp_path, capsys):
    upgrade.upgrade(out=tmp_path / "b.tar", backup=False)
    assert steps == ["company", "rights", "documents", "audit log"]
    assert "--replace" not in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [False, True])
def test_dry_run_changes_nothing(steps, tmp_path, capsys, as_json):
    upgrade.upgrade(dry_run=True, out=tmp_path / "b.tar", as_json=as_json)
    assert steps == []
    assert capsys.readouterr().out


def test_changes_are_listed_from_the_stored_schema(steps, tmp_path, capsys):
    upgrade.upgrade(as_json=True, out=tmp_path / "b.tar")
    answer = json.loads(capsys.readouterr().out)
    assert (answer["found"], answer["known"], answer["backup"]) == (3, VERSION, f"{tmp_path}/b.tar")
    assert sorted(map(int, answer["changes"])) == list(range(4, VERSION + 1))
    upgrade.upgrade(dry_run=True)
    shown = capsys.readouterr().out
    assert "  4: " in shown
    assert "  3: " not in shown
    assert steps


@pytest.mark.parametrize("as_json", [False, True])
def test_up_to_date_database_is_unchanged(database, steps, capsys, as_json):
    database.found = 0
    upgrade.upgrade(as_json=as_json)
    assert steps == []
    shown = capsys.readouterr().out
    if as_json:
        assert json.loads(shown) == {
            "found": VERSION,
            "known": VERSION,
            "changes": {},
            "documents": dict.fromkeys(("works", "pages", "matches", "cases", "captures"), 0),
            "backup": None,
        }
    else:
        assert f"schema {VERSION} already" in shown
