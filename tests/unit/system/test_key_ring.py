"""The key file of stored secrets: what it encrypts, and how it fails."""

import pytest

from system.errors import PindnaError
from system.key_ring import KeyRing, UndecipherableText


class Unusable(PindnaError):
    """The file cannot be used."""

    template = "{path}: {problem}"


@pytest.fixture
def ring(tmp_path):
    """A key ring with its first key."""
    made = KeyRing(tmp_path / "folder" / "keys", Unusable)
    made.create()
    return made


def test_secret_returns_to_its_owner_only(ring):
    ciphertext = ring.encrypt("PINDNA_SECRET_A", "密码:1")
    assert ring.decrypt("PINDNA_SECRET_A", ciphertext) == "密码:1"
    assert "密码" not in ciphertext
    with pytest.raises(UndecipherableText):
        ring.decrypt("PINDNA_SECRET_B", ciphertext)


def test_added_key_encrypts_and_earlier_ones_still_decrypt(ring):
    early = ring.encrypt("a", "1")
    ring.add_key()
    assert ring.decrypt("a", early) == "1"
    assert len(ring.path.read_text().split()) == 2


def test_existing_file_is_never_replaced(ring):
    before = ring.path.read_bytes()
    ring.create()
    assert ring.path.read_bytes() == before


def test_missing_file_has_no_keys_and_decrypts_nothing(ring):
    ciphertext = ring.encrypt("a", "1")
    ring.path.unlink()
    assert not ring.has_keys()
    for use in (lambda: ring.encrypt("a", "1"), lambda: ring.decrypt("a", ciphertext)):
        with pytest.raises(UndecipherableText):
            use()


@pytest.mark.parametrize(("content", "mode"), [("no key\n", 0o600), (None, 0o644)])
def test_damaged_or_open_file_is_reported_with_its_path(ring, content, mode):
    if content is not None:
        ring.path.write_text(content)
    ring.path.chmod(mode)
    with pytest.raises(Unusable, match=str(ring.path)):
        ring.has_keys()


@pytest.mark.parametrize("ciphertext", ["", "x", "密文", "gAAAAA=="])
def test_text_that_is_no_ciphertext_is_undecipherable(ring, ciphertext):
    with pytest.raises(UndecipherableText):
        ring.decrypt("a", ciphertext)
