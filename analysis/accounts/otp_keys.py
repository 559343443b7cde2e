"""Keys that encrypt the secrets of one-time passwords, so the database alone reveals no secret.

The file ``analysis.server.one_time_key_file``, by default ``one-time-keys`` in the data folder, contains one
Fernet key per line (AES-128-CBC, HMAC-SHA-256: https://github.com/fernet/spec). The first key encrypts; the
earlier keys after it only decrypt. The file is made when the first device is enrolled, is readable by
pindna's user only, and is never stored in the database. All machines of an installation share the file. Keys
that cannot decrypt the stored secrets are not used to encrypt, so there is never a second set. A file that an
administrator made in advance may be read-only.

A ciphertext contains the name of its account, so it is invalid for other accounts. Secrets that earlier
versions stored unencrypted are encrypted at the next accepted one-time password.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from storage.collections.accounts import AccountStore
from storage.records import Account
from storage.settings import Settings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import MissingFile
from system.messages import N_
from system.private_files import KeyFile, write_new_private, write_private

_FILE = "one-time-keys"
_PLAIN = re.compile(r"[A-Z2-7]+")  # base 32; ciphertexts begin with a small letter


class OneTimeKeyElsewhere(PindnaError):
    """The secrets of one-time passwords are encrypted with a key that is not on this machine."""

    template = (
        "One-time passwords are encrypted with a key that is not on this machine. Copy the file "
        "of analysis.server.one_time_key_file from a machine that has it. If it is lost, users "
        "can sign in with recovery codes, and `pindna user reset NAME` restores access without a "
        "device."
    )
    exit_status = ExitStatus.UNUSABLE


class OneTimeKeyUnusable(PindnaError):
    """The key file cannot be used.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = (
        "{path} is not a usable key file for one-time passwords: {problem}. Replace it with a "
        "copy of the right file."
    )
    exit_status = ExitStatus.UNUSABLE


@dataclass(frozen=True, slots=True)
class OneTimeKeys:
    """Encrypts and decrypts the secrets of one-time passwords. The file is read each time.

    Args:
        path: the file.
        accounts: the accounts whose secrets the keys must decrypt.
    """

    path: Path
    accounts: AccountStore

    @classmethod
    def of(cls, settings: Settings, accounts: AccountStore) -> "OneTimeKeys":
        """Return the keys of an installation."""
        return cls(one_time_key_path(settings), accounts)

    def encrypt(self, name: str, secret: str) -> str:
        """Encrypt the secret of an account; make the first key if there is none.

        Args:
            name: name of the account.
            secret: in base 32.

        Raises:
            OneTimeKeyElsewhere: the installation uses keys that are not on this machine.
            OneTimeKeyUnusable: the file contains no keys, can be read by other users, or cannot be written.
        """
        witness = next(filter(_is_encrypted, self.accounts.listed()), None)
        if witness is not None:
            self.decrypt(witness)
        elif not self._keys():
            self._write_file(write_new_private, Fernet.generate_key())
        return self._cipher().encrypt(f"{name}:{secret}".encode()).decode()

    def decrypt(self, account: Account) -> str:
        """Return the secret of an account in base 32.

        Raises:
            OneTimeKeyElsewhere: it is encrypted with a key that is not on this machine.
            OneTimeKeyUnusable: the file contains no keys, or other users can read it.
        """
        if not _is_encrypted(account):
            return account.otp_secret
        try:
            name, _, secret = self._cipher().decrypt(account.otp_secret).decode().partition(":")
        except InvalidToken as error:
            raise OneTimeKeyElsewhere from error
        if name != account.name:
            raise OneTimeKeyElsewhere
        return secret

    def add_key(self) -> None:
        """Add a new key that encrypts from now on. Earlier keys still decrypt, also for backups.

        Raises:
            OneTimeKeyUnusable: the file contains no keys, can be read by other users, or cannot be written.
        """
        self._write_file(write_private, b"\n".join([Fernet.generate_key(), *self._keys()]))

    def _cipher(self) -> MultiFernet:
        """Return the cipher.

        Raises:
            OneTimeKeyElsewhere: there is no key.
            OneTimeKeyUnusable: the file contains no keys.
        """
        keys = self._keys()
        if not keys:
            raise OneTimeKeyElsewhere
        return MultiFernet([Fernet(key) for key in keys])

    def _keys(self) -> list[bytes]:
        """Return the keys in the file, the encrypting one first; empty if there is no file.

        Raises:
            OneTimeKeyUnusable: the file contains no keys, or other users can read it.
        """
        try:
            keys = self._key_file.read().split()
        except MissingFile:
            return []
        try:
            for key in keys:
                Fernet(key)
        except ValueError as error:
            raise OneTimeKeyUnusable(path=self.path, problem=N_("a line is not a key")) from error
        return keys

    def _write_file(self, write: Callable[[Path, bytes], None], data: bytes) -> None:
        with self._key_file.reporting_errors():
            write(self.path, data + b"\n")

    @property
    def _key_file(self) -> KeyFile:
        return KeyFile(self.path, OneTimeKeyUnusable)


def one_time_key_path(settings: Settings) -> Path:
    """Return the path of an installation's keys."""
    return settings.analysis.server.one_time_key_file or settings.storage.data_dir / _FILE


def _is_encrypted(account: Account) -> bool:
    return bool(account.otp_secret) and _PLAIN.fullmatch(account.otp_secret) is None
