"""What the commands of backups tell; what they do is held by the contract tests."""

import json
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis.accounts.permissions import local_identity
from deploy.cli.backup import backup
from deploy.cli.user import person
from deploy.stack import folder
from storage.backup.archive import BackupManifest
from storage.collections.schema import VERSION
from storage.settings import Settings

MANIFEST = BackupManifest(
    format=1,
    pindna="1",
    schema=1,
    taken="2026-11-23T08:00:00+00:00",
    point="snapshot",
    corpus_id="c",
    corpus_version=1,
    corpus_mark="m",
    log_entries=0,
    left_out=[],
    collections={},
)


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """Settings whose keys are not in the data folder; nothing is opened."""
    own = Settings.model_validate(
        {
            "storage": {"data_dir": tmp_path / "data"},
            "analysis": {
                "server": {"one_time_key_file": tmp_path / "keys"},
                "evidence": {"key_file": tmp_path / "signing.pem"},
            },
        }
    )
    monkeypatch.setattr(backup, "load_settings", lambda: own)
    monkeypatch.setattr(backup, "services", nullcontext)
    monkeypatch.setattr(backup, "refuse_other_users", lambda *_, **__: None)
    monkeypatch.setattr(backup, "open_stores", lambda _: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(backup, "note_upkeep", lambda *_: None)


@pytest.mark.usefixtures("quiet")
def test_files_next_to_a_backup_are_listed_with_their_paths(tmp_path, monkeypatch, capsys):
    target = tmp_path / "b.tar"
    target.touch()
    (tmp_path / "keys").touch()
    (tmp_path / "signing.pem").touch()
    monkeypatch.setattr(backup, "take_backup", lambda *_, **__: MANIFEST)
    backup.create(out=target, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["beside"] == [str(tmp_path / "signing.pem"), str(tmp_path / "keys")]
    backup.create(out=target)
    told = "".join(capsys.readouterr().err.split())
    assert f"{tmp_path}/signing.pem,{tmp_path}/keys" in told


def test_files_next_to_a_backup_may_be_in_a_data_folder(tmp_path):
    settings = Settings.model_validate({"storage": {"data_dir": tmp_path}})
    names = {path.name for path in backup.files_beside(settings)}
    assert names <= folder._OWN_FILES
    assert {path.parent for path in backup.files_beside(settings)} == {tmp_path}


@pytest.mark.usefixtures("quiet")
def test_declined_restore_prints_an_object_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(backup, "BackupArchive", lambda _: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(backup, "is_confirmed", lambda *_, **__: False)
    backup.restore(tmp_path / "b.tar", replace=True, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"restored": False}
    runtime = SimpleNamespace(stores=None, settings=Settings())
    user = local_identity("an", "administrator")
    monkeypatch.setattr(person, "user_session", lambda _by: nullcontext((user, runtime)))
    monkeypatch.setattr(person, "data_of", lambda *_: ["a record"])
    monkeypatch.setattr(person, "is_confirmed", lambda *_, **__: False)
    person.erase_person("li", as_json=True)
    assert json.loads(capsys.readouterr().out) == {"pseudonym": "", "changed": {}}


@pytest.fixture
def restored(quiet, tmp_path, monkeypatch):  # noqa: ARG001 - nothing is opened
    """A function that restores a backup of a schema; returns what was done, in order."""

    def restore(schema, **options):
        steps = []
        manifest = replace(MANIFEST, schema=schema)
        (tmp_path / "b.tar").touch()
        guard = SimpleNamespace(index=lambda: steps.append("index"))
        runtime = SimpleNamespace(guard=guard, stores=None, close=lambda: None)
        opened = SimpleNamespace(manifest=manifest, close=lambda: None)
        monkeypatch.setattr(backup, "BackupArchive", lambda _: opened)
        monkeypatch.setattr(backup, "open_runtime", lambda _: runtime)
        monkeypatch.setattr(backup, "refuse_other_users", lambda *_, **__: steps.append("company"))
        monkeypatch.setattr(backup, "note_upkeep", lambda *_: steps.append("audit log"))
        monkeypatch.setattr(backup, "_restore", lambda *_, **given: steps.append(given))
        monkeypatch.setattr(backup, "is_confirmed", lambda *_, **__: steps.append("asked") or True)
        backup.restore(tmp_path / "b.tar", **options)
        return steps

    return restore


def test_other_users_are_refused_before_the_confirmation(restored):
    assert restored(VERSION, replace=True) == ["company", "asked", {"replace": True}, "index", "audit log"]


def test_empty_database_needs_no_confirmation(restored):
    assert restored(VERSION) == ["company", {"replace": False}, "index", "audit log"]


@pytest.mark.parametrize(("schema", "is_told"), [(VERSION, False), (VERSION - 1, True)])
def test_index_of_an_earlier_backup_waits_for_the_upgrade_as_reported(restored, capsys, schema, is_told):
    assert ("index" in restored(schema)) is not is_told
    assert ("pindna upgrade" in capsys.readouterr().err) is is_told


def test_restore_prints_an_object(restored, tmp_path, capsys):
    restored(VERSION, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert (answer["restored"], answer["path"], answer["schema"]) == (True, f"{tmp_path}/b.tar", VERSION)


def test_backup_in_a_folder_is_named_after_the_time(tmp_path):
    assert backup.backup_place(tmp_path).parent == tmp_path
    assert backup.backup_place(tmp_path).name == backup.backup_place(None).name
    assert backup.backup_place(tmp_path / "b.tar") == tmp_path / "b.tar"
