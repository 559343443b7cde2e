"""Files that commands write: whole and on the disk before they have their name, and devices as they are."""

import os
from pathlib import Path

import pytest

from deploy.cli.backup.backup import take_backup
from deploy.cli.files import CannotWrite, open_output, refuse_no_file, whole_file, write, write_data
from storage.settings import Settings


@pytest.mark.parametrize(
    "put", [lambda path: write(path, "新"), lambda path: write_data(path, "新".encode())]
)
def test_file_is_on_the_disk_before_it_replaces_another(tmp_path, monkeypatch, put):
    target, synced, sync = tmp_path / ("很" * 85), [], os.fsync
    target.write_text("旧")

    def fsync(descriptor):
        synced.append((str(Path(f"/proc/self/fd/{descriptor}").readlink()), target.read_text()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    put(target)
    (part, before), (folder, after) = synced
    assert (part != str(target), before, folder, after) == (True, "旧", str(tmp_path), "新")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("put", [write_data, lambda path, data: write(path, data.decode())])
def test_pipe_stays_a_pipe(tmp_path, put):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        put(pipe, b"rows")
        assert os.read(reader, 10) == b"rows"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("opened", [open_output, whole_file])
def test_interrupted_write_keeps_the_older_file(tmp_path, opened):
    target = tmp_path / "r"
    target.write_text("旧")
    with pytest.raises(KeyError), opened(target):
        raise KeyError
    assert [path.read_text() for path in tmp_path.iterdir()] == ["旧"]


@pytest.mark.parametrize("name", ["folder", "file/below"])
def test_obstacle_is_reported(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match=name[:4]):
        write_data(tmp_path / name, b"")


def test_file_target_replaces_no_device_and_is_no_stream(tmp_path):
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for path in (pipe, link, Path("/dev/null"), Path("-")):
        with pytest.raises(CannotWrite, match="cannot be written here"):
            refuse_no_file(path)
    file.touch()
    for path in (file, tmp_path / "new" / "file"):
        refuse_no_file(path)
    with pytest.raises(CannotWrite, match="directory"):
        refuse_no_file(tmp_path)


def test_backup_leaves_a_device_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(CannotWrite):
        take_backup(Settings(), pipe)
    assert pipe.is_fifo()
