"""Names of uploaded files: none leads elsewhere, and every file system takes them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.reading.work_files import safe_name


@given(st.text(max_size=300))
def test_safe_name_is_a_file_name_in_its_folder(name):
    safe = safe_name(name)
    assert safe == Path(safe).name
    assert 0 < len(safe.encode()) <= 255
    assert not safe.startswith(".")


@pytest.mark.parametrize(
    "name", ["../../书.epub", "/etc/书.epub", "长" * 300 + "书.epub", "..书.epub", "a\0书.epub"]
)
def test_safe_name_keeps_its_extension(name):
    assert safe_name(name).endswith("书.epub")
