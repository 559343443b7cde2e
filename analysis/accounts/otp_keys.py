"""The keys that encrypt the secrets of one-time passwords, so that the database alone makes none.

The file ``analysis.server.one_time_key_file``, by default ``one-time-keys`` in the data folder, has a Fernet
key a line (AES-128-CBC, HMAC-SHA-256: https://github.com/fernet/spec). The first one encrypts; the others,
which it replaced, only decrypt. It is made when the first device is enrolled, is for pindna's user alone and
never goes into the database. All machines of an installation have the same file: keys that cannot read what
the installation has encrypted encrypt nothing, so there are never two sets. One that an administrator made
before may be mounted read-only.

A ciphertext names its account, so it is none of another account's. Secrets that earlier versions stored as
they are, are encrypted at the next one-time password that is taken.
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
    """The secrets of one-time passwords are encrypted with a key that this machine has not."""

    template = (
        "One-time passwords are encrypted with a key that is not on this machine. Copy the file of "
        "analysis.server.one_time_key_file from a machine that has it; if it is lost, recovery codes still "
        "sign in, and `pindna user reset NAME` lets somebody in without a device."
    )
    exit_status = ExitStatus.UNUSABLE


class OneTimeKeyUnusable(PindnaError):
    """The file of the keys cannot be used. Data: ``path``, ``problem``."""

    template = (
        "{path}: is no usable file of keys for one-time passwords ({problem}). "
        "Put a copy of the right one there."
    )
    exit_status = ExitStatus.UNUSABLE


@dataclass(frozen=True, slots=True)
class OneTimeKeys:
    """Encrypts and decrypts the secrets of one-time passwords; the file is read anew each time.

    Args:
        path: the file.
        accounts: whose secrets it must be able to read.
    """

    path: Path
    accounts: AccountStore

    @classmethod
    def of(cls, settings: Settings, accounts: AccountStore) -> "OneTimeKeys":
        """Return the keys of an installation."""
        return cls(one_time_key_path(settings), accounts)

    def encrypt(self, name: str, secret: str) -> str:
        """Return what is stored of an account's secret; makes the first key where there is none.

        Args:
            name: of the account.
            secret: in base 32.

        Raises:
            OneTimeKeyElsewhere: the installation has other keys than this machine.
            OneTimeKeyUnusable: the file is none of keys, open to others, or cannot be written.
        """
        witness = next(filter(_is_encrypted, self.accounts.listed()), None)
        if witness is not None:
            self.decrypt(witness)
        elif not self._keys():
            self._write(write_new_private, Fernet.generate_key())
        return self._fernet().encrypt(f"{name}:{secret}".encode()).decode()

    def decrypt(self, account: Account) -> str:
        """Return the secret of an account in base 32.

        Raises:
            OneTimeKeyElsewhere: it is encrypted with a key that is not here.
            OneTimeKeyUnusable: the file is none of keys, or open to others.
        """
        if not _is_encrypted(account):
            return account.otp_secret
        try:
            name, _, secret = self._fernet().decrypt(account.otp_secret).decode().partition(":")
        except InvalidToken as error:
            raise OneTimeKeyElsewhere from error
        if name != account.name:
            raise OneTimeKeyElsewhere
        return secret

    def add_key(self) -> None:
        """Let a new key encrypt from now on; the earlier ones still decrypt, backups too.

        Raises:
            OneTimeKeyUnusable: the file is none of keys, open to others, or cannot be written.
        """
        self._write(write_private, b"\n".join([Fernet.generate_key(), *self._keys()]))

    def _fernet(self) -> MultiFernet:
        """Raises OneTimeKeyElsewhere if there is no key, OneTimeKeyUnusable if the file is none of keys."""
        keys = self._keys()
        if not keys:
            raise OneTimeKeyElsewhere
        return MultiFernet([Fernet(key) for key in keys])

    def _keys(self) -> list[bytes]:
        """Return the keys in the file, the one that encrypts first; none if there is no file.

        Raises:
            OneTimeKeyUnusable: the file is none of keys, or open to others.
        """
        try:
            keys = self._file.read().split()
        except MissingFile:
            return []
        try:
            for key in keys:
                Fernet(key)
        except ValueError as error:
            raise OneTimeKeyUnusable(path=self.path, problem=N_("a line is no key")) from error
        return keys

    def _write(self, write: Callable[[Path, bytes], None], data: bytes) -> None:
        with self._file.writing():
            write(self.path, data + b"\n")

    @property
    def _file(self) -> KeyFile:
        return KeyFile(self.path, OneTimeKeyUnusable)


def one_time_key_path(settings: Settings) -> Path:
    """Return where the keys of an installation are."""
    return settings.analysis.server.one_time_key_file or settings.storage.data_dir / _FILE


def _is_encrypted(account: Account) -> bool:
    return bool(account.otp_secret) and _PLAIN.fullmatch(account.otp_secret) is None
