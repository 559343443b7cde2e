"""Files that a user names: nothing that waits, never ends or fills the memory is read."""

import os
import socket
from pathlib import Path

import pytest

from system.local_files import (
    FileTooLarge,
    IsFolder,
    MissingFile,
    NotRegular,
    RegularFile,
    UnreadableFile,
    read_file,
)

_BIG = 30 * 10**9


@pytest.fixture(params=["fifo", "socket", "device", "link to a device", "endless device"])
def special(request, tmp_path):
    path = tmp_path / "work.txt"
    if request.param == "fifo":
        os.mkfifo(path)
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    elif request.param == "link to a device":
        path.symlink_to("/dev/zero")
    else:
        path = Path("/dev/null" if request.param == "device" else "/dev/zero")
    return path


def test_irregular_file_is_refused_without_waiting(special):
    with pytest.raises(NotRegular) as raised:
        read_file(special)
    assert str(special) in str(raised.value)


def test_sparse_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "sparse.txt"
    with path.open("wb") as file:
        file.truncate(_BIG)
    with pytest.raises(FileTooLarge, match="67108864"):
        read_file(path)


@pytest.mark.parametrize(("size", "fits"), [(1024, True), (1025, False)])
def test_limit_is_the_longest_file_that_is_read(tmp_path, size, fits):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * size)
    if fits:
        assert read_file(path, max_bytes=1024) == b"x" * size
    else:
        with pytest.raises(FileTooLarge):
            read_file(path, max_bytes=1024)


def test_later_growth_of_a_file_is_not_read(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"a" * 100_000)
    with RegularFile(path) as file, path.open("ab") as more:
        more.write(b"b" * 1_000_000)
        more.flush()
        assert file.readall() == b"a" * 100_000
        assert file.position == file.size == 100_000


def test_file_that_shrinks_ends_where_it_ends(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a" * 100_000)
    with RegularFile(path) as file:
        os.truncate(path, 10)
        assert file.readall() == b"a" * 10


def test_opened_file_is_read_even_if_its_name_changes(tmp_path):
    """The name may refer to a pipe a moment later."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    with RegularFile(path) as file:
        path.unlink()
        os.mkfifo(path)
        assert file.readall() == b"text"


def test_links_to_files_are_followed(tmp_path):
    (tmp_path / "outside.txt").write_bytes(b"text")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "link.txt").symlink_to(tmp_path / "outside.txt")
    assert read_file(tmp_path / "a" / "link.txt") == b"text"
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    with pytest.raises(UnreadableFile):
        read_file(tmp_path / "loop.txt")
    (tmp_path / "broken.txt").symlink_to(tmp_path / "none")
    with pytest.raises(MissingFile):
        read_file(tmp_path / "broken.txt")


@pytest.mark.parametrize("name", ["none.txt", "nul\0.txt"])
def test_missing_file_is_reported(tmp_path, name):
    with pytest.raises(MissingFile):
        read_file(tmp_path / name)


def test_folder_and_a_name_that_is_too_long_are_reported(tmp_path):
    with pytest.raises(IsFolder):
        read_file(tmp_path)
    with pytest.raises(UnreadableFile, match="too long"):
        read_file(tmp_path / ("a" * 300))


def test_no_descriptor_stays_open(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        with pytest.raises(NotRegular):
            RegularFile(tmp_path / "pipe")
    file = RegularFile(Path(__file__))
    file.close()
    file.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
