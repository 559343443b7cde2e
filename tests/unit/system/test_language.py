"""The language that settings ask for: environment over file, and nothing where it cannot be read."""

import pytest

from system.language import chosen_language


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PINDNA_CONFIG", "PINDNA_ANALYSIS__LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('[analysis]\nlanguage = "zh"\n', "zh"),
        ('analysis = "zh"\n', None),
        ("[analysis]\nlanguage = 3\n", None),
        ("[analysis\n", None),
        ("", None),
    ],
)
def test_language_is_read_from_the_file(own_folder, text, language):
    (own_folder / "pindna.toml").write_text(text)
    assert chosen_language() == language


def test_missing_or_binary_file_sets_no_language(own_folder):
    assert chosen_language() is None
    (own_folder / "pindna.toml").write_bytes(b"\xff\xfe")
    assert chosen_language() is None


def test_non_empty_environment_overrides_the_file(own_folder, monkeypatch):
    (own_folder / "other.toml").write_text('[analysis]\nlanguage = "zh"\n')
    monkeypatch.setenv("PINDNA_CONFIG", "other.toml")
    monkeypatch.setenv("PINDNA_ANALYSIS__LANGUAGE", "")
    assert chosen_language() == "zh"
    monkeypatch.setenv("PINDNA_ANALYSIS__LANGUAGE", "en")
    assert chosen_language() == "en"
