"""The data folder and its locks."""

import os

import pytest

from deploy.stack import errors
from deploy.stack.folder import Membership, prepare, starting


def test_last_user_learns_that_it_was_the_last(tmp_path):
    folder = prepare(tmp_path / "data")
    first, second = Membership(folder), Membership(folder)
    assert first.join()
    assert not second.join()
    assert not first.leave()
    assert second.leave()
    assert not second.leave()


def test_second_starting_program_waits_for_the_lock(tmp_path):
    folder = prepare(tmp_path / "data")
    with (
        starting(folder),
        pytest.raises(errors.DataFolderLocked, match=f"start.lock.*process {os.getpid()}"),
        starting(folder, timeout_s=0.1),
    ):
        pass
    with starting(folder, timeout_s=0.1):
        pass


def test_data_folder_is_private_and_may_have_any_name(tmp_path):
    folder = prepare(tmp_path / "深 处" / "data dir")
    assert folder.path.stat().st_mode & 0o077 == 0
    assert folder.log("redis").parent.is_dir()


def test_file_instead_of_the_folder_is_named(tmp_path):
    place = tmp_path / "data"
    place.write_text("in the way")
    with pytest.raises(errors.DataFolderUnusable, match=str(place)) as raised:
        prepare(place)
    assert raised.value.exit_status == 2
    with pytest.raises(errors.DataFolderUnusable, match="not a directory"):
        prepare(place / "below")


def test_full_disk_is_reported_before_the_start(tmp_path):
    with pytest.raises(errors.DiskFull, match="MiB free"):
        prepare(tmp_path, needed_bytes=1 << 62)


def test_process_that_delays_a_command_is_named_once(monkeypatch, caplog, tmp_path):
    monkeypatch.setattr("deploy.stack.folder._FIRST_LINE_S", 0.05)
    place = prepare(tmp_path / "data")
    with (
        starting(place),
        pytest.raises(errors.DataFolderLocked),
        starting(place, timeout_s=0.3),
    ):
        pass
    assert caplog.messages == [f"Waiting for process {os.getpid()}, which starts or stops services."]


def test_user_of_a_folder_knows_whether_there_is_another(tmp_path):
    place = prepare(tmp_path / "data")
    first, second = Membership(place), Membership(place)
    assert first.join()
    assert first.is_alone()
    assert not second.join()
    assert not first.is_alone()
    assert not second.leave()
    assert first.is_alone()
    assert first.leave()
