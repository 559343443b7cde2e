"""Which folders are refused, and how files are written."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.strangers import NOBODY, require_root

from deploy.stack import errors, passwords, state
from deploy.stack.folder import DataFolder, existing, prepare
from deploy.stack.state import State
from deploy.stack.trust import (
    private_umask,
    refuse_foreign,
    refuse_foreign_parents,
)
from system.private_files import open_private, write_private


def _folder(place, mode=0o700):
    place.mkdir()
    place.chmod(mode)
    return place


@pytest.fixture
def victim(tmp_path):
    """A file of ours that has nothing to do with pindna."""
    path = tmp_path / "authorized_keys"
    path.write_text("keep me")
    yield path
    assert path.read_text() == "keep me"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o720, 0o702, 0o1777])
def test_folder_that_other_users_can_write_is_refused(tmp_path, mode):
    place = _folder(tmp_path / "data", mode)
    with pytest.raises(errors.FolderOpen, match=f"chmod g?o-[rwx]+ {place}") as raised:
        prepare(place)
    assert raised.value.exit_status == 2
    assert list(place.iterdir()) == []


def test_root_uses_only_folders_that_no_other_user_can_reach(tmp_path):
    require_root()
    place = _folder(tmp_path / "data", 0o755)
    (place / "letters.txt").touch()  # not pindna's folder alone, so its mode is not pindna's to change
    with pytest.raises(errors.FolderOpen, match="chmod go-rwx"):
        prepare(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o755


@pytest.mark.parametrize("names", [(), ("demo",), ("stack.json", "users.lock")])
def test_folder_with_only_pindna_files_is_made_private(tmp_path, names):
    place = _folder(tmp_path / "data", 0o755)
    for name in names:
        (place / name).touch()
    assert existing(place).path == place
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    prepare(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_all_files_in_a_prepared_folder_are_recognised(tmp_path):
    prepare(tmp_path / "new" / "data")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert prepare(tmp_path / "new" / "data").is_nothing_else


def test_reading_a_folder_refuses_the_same_as_using_it(tmp_path, victim):
    prepare(tmp_path / "data")
    (tmp_path / "data" / "stack.json").symlink_to(victim)
    with pytest.raises(errors.LinkInFolder):
        existing(tmp_path / "data")
    assert not existing(tmp_path / "none").path.exists()


def test_folder_below_a_world_writable_folder_is_refused(tmp_path):
    _folder(tmp_path / "open", 0o777)
    with pytest.raises(errors.FolderOpen, match=f"chmod o-w {tmp_path}/open`"):
        prepare(tmp_path / "open" / "data")
    assert list((tmp_path / "open").iterdir()) == []
    (tmp_path / "open").chmod(0o1777)  # as /tmp is
    prepare(tmp_path / "open" / "data")


def test_link_to_a_folder_below_a_world_writable_folder_is_refused(tmp_path):
    _folder(tmp_path / "open", 0o777)
    _folder(tmp_path / "open" / "data")
    (tmp_path / "link").symlink_to(tmp_path / "open" / "data")
    with pytest.raises(errors.FolderOpen, match=f"chmod o-w {tmp_path}/open`"):
        prepare(tmp_path / "link")


@pytest.mark.parametrize("whose", ["data", "data/secantusd.toml", "data/mongo", "data/redis/appendonly.aof"])
def test_folder_of_another_user_is_refused(tmp_path, whose):
    require_root()
    prepare(tmp_path / "data")
    (tmp_path / whose).touch()
    os.chown(tmp_path / whose, NOBODY, NOBODY)
    with pytest.raises(errors.FolderOfOthers, match=f"{tmp_path}/{whose} belongs to nobody.*chown"):
        prepare(tmp_path / "data")


def test_folder_inside_a_folder_of_another_user_is_refused(tmp_path):
    require_root()
    prepare(_folder(tmp_path / "theirs") / "data")
    os.chown(tmp_path / "theirs", NOBODY, NOBODY)
    with pytest.raises(errors.FolderOfOthers, match=f"{tmp_path}/theirs belongs to nobody"):
        prepare(tmp_path / "theirs" / "data")


def test_link_made_by_another_user_is_refused(tmp_path):
    require_root()
    prepare(tmp_path / "data")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "data")
    assert prepare(link).path == tmp_path / "data"
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(errors.FolderOfOthers, match=f"{link} belongs to nobody"):
        prepare(link)


@pytest.mark.parametrize(
    "name",
    [
        *("secantusd.toml", "stack.json", "passwords.json", "start.lock", "users.lock", "redis-users.conf"),
        *("account.pem", "stack.json.new", "logs/redis.log", "redis/appendonly.aof", "beat/pid"),
    ],
)
def test_link_in_the_folder_is_refused(tmp_path, victim, name):
    prepare(tmp_path / "data")
    (tmp_path / "data" / name).symlink_to(victim)
    with pytest.raises(errors.LinkInFolder, match=f"{tmp_path}/data/{name} is a link"):
        prepare(tmp_path / "data")


@pytest.mark.parametrize("name", ["mongo", "redis", "logs", "beat"])
def test_link_instead_of_a_service_folder_is_refused(tmp_path, name):
    _folder(tmp_path / "elsewhere")
    _folder(tmp_path / "data")
    (tmp_path / "data" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(errors.LinkInFolder, match=f"{tmp_path}/data/{name} is a link"):
        prepare(tmp_path / "data")


def test_folders_of_services_are_private(tmp_path):
    prepare(tmp_path / "data")
    (tmp_path / "data" / "redis").chmod(0o755)  # as earlier versions left it
    folder = prepare(tmp_path / "data")
    assert {part.stat().st_mode & 0o777 for part in folder.parts} == {0o700}


def test_nothing_is_written_through_a_link(tmp_path, victim):
    for name in ("note", f"note.{os.getpid()}.new"):
        (tmp_path / name).symlink_to(victim)
    write_private(tmp_path / "note", b"mine")
    assert (tmp_path / "note").read_bytes() == b"mine"
    assert not (tmp_path / "note").is_symlink()
    (tmp_path / "log").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        open_private(tmp_path / "log", os.O_WRONLY)
    (tmp_path / "passwords.json").symlink_to(victim)
    with pytest.raises(errors.DataFolderUnusable, match=r"passwords\.json"):
        passwords.load(DataFolder(tmp_path))


def test_written_files_are_readable_only_by_the_owner(tmp_path):
    before = os.umask(0)
    try:
        write_private(tmp_path / "a", b"x")
        os.close(open_private(tmp_path / "b", os.O_WRONLY))
        state.save(tmp_path / "c", State())
        with private_umask():
            subprocess.run([sys.executable, "-c", f"open({str(tmp_path / 'd')!r}, 'w')"], check=True)
        (tmp_path / "e").touch()
    finally:
        os.umask(before)
    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    assert modes == {"a": 0o600, "b": 0o600, "c": 0o600, "d": 0o600, "e": 0o666}


def test_file_is_on_the_disk_before_it_replaces_another(tmp_path, monkeypatch):
    path = tmp_path / "note"
    path.write_bytes(b"old")
    real, steps = os.fsync, []

    def fsync(descriptor):
        status = os.fstat(descriptor)
        steps.append(("folder" if stat.S_ISDIR(status.st_mode) else status.st_size, path.read_bytes()))
        real(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    write_private(path, b"longer")
    assert steps == [(6, b"old"), ("folder", b"longer")]
    assert [entry.name for entry in tmp_path.iterdir()] == ["note"]


def test_folders_of_root_above_a_folder_are_safe(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 54321)
    refuse_foreign_parents(Path("/"))


def test_user_without_a_name_is_named_by_number(tmp_path):
    require_root()
    place = _folder(tmp_path / "theirs")
    os.chown(place, 54321, 54321)
    with pytest.raises(errors.FolderOfOthers, match="belongs to 54321"):
        refuse_foreign_parents(place)


def test_group_readable_folder_of_another_user_is_accepted(tmp_path, monkeypatch):
    require_root()
    place = _folder(tmp_path / "data", 0o750)
    (place / "letters.txt").touch()
    os.chown(place, 54321, 54321)
    os.chown(place / "letters.txt", 54321, 54321)
    os.chown(tmp_path, 54321, 54321)
    monkeypatch.setattr("os.geteuid", lambda: 54321)
    refuse_foreign(place, within=(), may_close=False)
    place.chmod(0o770)
    with pytest.raises(errors.FolderOpen, match="chmod go-w "):
        refuse_foreign(place, within=(), may_close=True)
