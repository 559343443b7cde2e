"""The folder of a notice: whole or not there, and nobody else's on the machine."""

import pytest

from analysis.notices.files import CannotKeep, new_folder


def test_complete_folder_is_moved_into_position_and_is_private(tmp_path):
    with new_folder(tmp_path / "notices", "n1") as (unfinished, target):
        (unfinished / "letter.txt").write_text("x")
        assert not target.exists()
    assert (target / "letter.txt").read_text() == "x"
    assert [path.stat().st_mode & 0o077 for path in (target, target.parent)] == [0, 0]


def test_interrupted_folder_leaves_nothing(tmp_path):
    def broken():
        with new_folder(tmp_path, "n1"):
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert list(tmp_path.iterdir()) == []


def test_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotKeep), new_folder(tmp_path / "file", "n1"):
        pass
