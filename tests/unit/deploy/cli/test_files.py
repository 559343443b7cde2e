"""Files that commands write: whole and on the disk before they have their name, and devices as they are."""

import os
from pathlib import Path

import pytest

from deploy.cli.files import CannotWrite, open_output, whole_file, write, write_data


@pytest.mark.parametrize(
    "put", [lambda path: write(path, "新"), lambda path: write_data(path, "新".encode())]
)
def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch, put):
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
def test_a_pipe_stays_one(tmp_path, put):
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
def test_what_breaks_off_leaves_the_older_file(tmp_path, opened):
    target = tmp_path / "r"
    target.write_text("旧")
    with pytest.raises(KeyError), opened(target):
        raise KeyError
    assert [path.read_text() for path in tmp_path.iterdir()] == ["旧"]


@pytest.mark.parametrize("name", ["folder", "file/below"])
def test_what_is_in_the_way_is_told(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match=name[:4]):
        write_data(tmp_path / name, b"")
