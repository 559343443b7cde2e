"""What killed exports left in a folder."""

import os

from analysis.evidence.staging import folder_beside


def test_files_of_a_killed_export_are_removed_a_day_later(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").write_text("kept")
    for name in (".PD-1.x.files", ".PD-2.x.files"):
        (tmp_path / name / "data").mkdir(parents=True)
    for name in (".PD-1.part", ".PD-2.part", ".PD-notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / ".PD-3.files").symlink_to(elsewhere)
    for name in (".PD-1.x.files", ".PD-1.part", ".PD-notes.txt"):
        os.utime(tmp_path / name, (1, 1))
    os.utime(tmp_path / ".PD-3.files", (1, 1), follow_symlinks=False)
    with folder_beside(tmp_path / "package.zip", "PD-4") as folder:
        assert folder.stat().st_mode & 0o077 == 0
    leftovers = {path.name for path in tmp_path.iterdir()} - {"elsewhere"}
    assert leftovers == {".PD-2.x.files", ".PD-2.part", ".PD-notes.txt", ".PD-3.files"}
    assert (elsewhere / "kept.txt").read_text() == "kept"
