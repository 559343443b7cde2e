"""The file of the keys for one-time passwords: made when it is needed, and used as it is when it is there."""

import errno
from datetime import UTC, datetime
from types import SimpleNamespace

import pyotp
import pytest
from cryptography.fernet import Fernet

from analysis.accounts.one_time import new_secret
from analysis.accounts.otp_keys import OneTimeKeys, OneTimeKeyUnusable
from analysis.accounts.signing_in import use_code
from storage.records import Account
from system import key_ring

NOW = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


@pytest.fixture
def keys(tmp_path, monkeypatch):
    """Keys in a folder that cannot be written to; nobody has enrolled a device."""

    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(key_ring, "write_new_private", refuse)
    return OneTimeKeys(tmp_path / "keys", SimpleNamespace(listed=list))


def test_read_only_key_file_encrypts_the_first_secret(keys):
    with pytest.raises(OneTimeKeyUnusable, match="Read-only"):
        keys.encrypt("li", "SECRET")
    keys.path.write_bytes(Fernet.generate_key())
    keys.path.chmod(0o600)
    stored = keys.encrypt("li", "SECRET")
    assert keys.decrypt(Account(name="li", role="analyst", otp_secret=stored)) == "SECRET"


def test_correct_code_is_accepted_though_its_secret_cannot_be_encrypted(keys, caplog):
    secret = new_secret()
    account = Account(name="li", role="analyst", otp_secret=secret)
    stores = SimpleNamespace(accounts=SimpleNamespace(change=lambda changed: changed))
    assert use_code(account, "000000x", stores, keys, NOW) is None
    taken = use_code(account, pyotp.TOTP(secret).at(NOW), stores, keys, NOW)
    assert (taken.otp_secret, taken.otp_step) == (secret, int(NOW.timestamp()) // 30)
    assert "of li stays unencrypted" in caplog.text
    assert secret not in caplog.text
