"""What is kept of bugs: a bounded number of files."""

import tempfile

from system import bugs
from system.bugs import MAX_FILES, record_bug


def test_process_writes_a_bounded_number_of_files(monkeypatch, tmp_path):
    """Every request may trigger the same bug, and anyone may send many."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(bugs, "_files", [])
    paths = [record_bug(ValueError(number)).data["path"] for number in range(MAX_FILES + 5)]
    assert len(list(tmp_path.iterdir())) == MAX_FILES == len(set(paths))
    assert paths[-1] == paths[MAX_FILES - 1]
