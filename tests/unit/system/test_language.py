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
def test_of_the_file(own_folder, text, language):
    (own_folder / "pindna.toml").write_text(text)
    assert chosen_language() == language


def test_a_file_that_is_no_text_or_not_there_says_nothing(own_folder):
    assert chosen_language() is None
    (own_folder / "pindna.toml").write_bytes(b"\xff\xfe")
    assert chosen_language() is None


def test_the_environment_goes_over_the_file_unless_it_is_empty(own_folder, monkeypatch):
    (own_folder / "other.toml").write_text('[analysis]\nlanguage = "zh"\n')
    monkeypatch.setenv("PINDNA_CONFIG", "other.toml")
    monkeypatch.setenv("PINDNA_ANALYSIS__LANGUAGE", "")
    assert chosen_language() == "zh"
    monkeypatch.setenv("PINDNA_ANALYSIS__LANGUAGE", "en")
    assert chosen_language() == "en"
