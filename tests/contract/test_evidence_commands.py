"""The commands of the evidence log, the key and personal data, as a user types them."""

import json

import pytest
from support.captures import keep_captures
from support.commands import run_command
from support.processes import environment_of

from analysis.evidence.keys import key_path
from storage.records import Event, utc_now

pytestmark = pytest.mark.services


@pytest.fixture
def pindna(stores, settings, tmp_path):  # noqa: ARG001 - the schema is there
    environment = environment_of(settings)

    def run(*arguments, status=0, stdin=b""):
        return run_command(*arguments, environment=environment, folder=tmp_path, status=status, stdin=stdin)

    return run


def test_log_is_shown_and_verified(pindna, stores, tmp_path):
    keep_captures(stores, 3)
    assert json.loads(pindna("evidence", "log", "status", "--json").stdout)["unlogged"] == 3
    assert "3" in pindna("evidence", "log", "verify").stdout
    rows = pindna("evidence", "log", "show", "--limit", 2, "--json").stdout.splitlines()
    assert [json.loads(row)["entry"] for row in rows] == [2, 1]
    root = tmp_path / "root.txt"
    root.write_text(pindna("evidence", "log", "show", "--root").stdout)
    pindna("evidence", "log", "verify", "--kept", root)
    stores.database["captures"].delete_one({})
    told = pindna("evidence", "log", "verify", "--kept", root, "--json", status=1).stdout.splitlines()
    assert json.loads(told[0])["problem"] == "record-deleted"
    assert json.loads(told[-1])["problems"] == 1
    root.write_text(root.read_text().replace("\n3\n", "\n4\n"))
    assert "root.txt" in pindna("evidence", "log", "verify", "--kept", root, status=1).stdout
    root.write_text("not a root")
    assert "not a signed root" in pindna("evidence", "log", "verify", "--kept", root, status=2).stderr
    stores.database["evidence_log"].delete_one({"_id": "head"})
    stores.database["evidence_log"].insert_one({"_id": "head", "size": "x"})
    for command in ("status", "verify"):
        done = pindna("evidence", "log", command, status=1)
        assert "Traceback" not in done.stdout + done.stderr


def test_key_is_shown_and_rotated(pindna, settings):
    before = json.loads(pindna("evidence", "key", "show", "--json").stdout)["fingerprint"]
    assert before in pindna("evidence", "key", "show").stdout
    after = json.loads(pindna("evidence", "key", "rotate", "--as", "me", "--json").stdout)["fingerprint"]
    shown = json.loads(pindna("evidence", "key", "show", "--json").stdout)
    assert shown["fingerprint"] == after != before
    assert [(key["fingerprint"], key["by"]) for key in shown["keys"]] == [(before, ""), (after, "me")]
    key_path(settings).unlink()
    told = pindna("evidence", "key", "rotate", status=2).stderr
    assert len(told.splitlines()) == 1
    assert "--lost" in told
    pindna("evidence", "key", "rotate", "--lost")


def test_person_is_exported_and_erased(pindna, stores):
    stores.events.add_many([Event(id="e", case=1, kind="noted", at=utc_now(), by="王小明")])
    row = json.loads(pindna("person", "export", "王小明").stdout)
    assert (row["collection"], row["id"], row["fields"]) == ("events", "e", {"by": "王小明"})
    pindna("person", "erase", "王小明", status=2, stdin=b"n\n")
    assert "person-" in pindna("person", "erase", "王小明", "--yes").stdout
    assert pindna("person", "export", "王小明").stdout == ""
    assert "No stored record contains this name" in pindna("person", "erase", "王小朋", "--yes").stdout
    assert "王" in pindna("person", "export", "王", status=2).stderr
    pindna("evidence", "log", "verify")
