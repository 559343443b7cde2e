"""Keys that encrypt the secrets of one-time passwords, so the database alone reveals no secret.

The file ``analysis.server.one_time_key_file``, by default ``one-time-keys`` in the data folder
(:mod:`system.key_ring`), is made when the first device is enrolled or the first secret of a setting is
stored. Keys that cannot decrypt what is stored are not used to encrypt, so there is never a second set. A
file that an administrator made in advance may be read-only.

Secrets that earlier versions stored unencrypted are encrypted at the next accepted one-time password.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from storage.collections.accounts import AccountStore
from storage.collections.stores import Stores
from storage.records import Account
from storage.running.live_settings import secret_key_path
from storage.settings import Settings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.key_ring import KeyRing, UndecipherableText

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
        other_ciphertexts: returns the ciphertexts of other stored secrets, by their owner.
    """

    path: Path
    accounts: AccountStore
    other_ciphertexts: Callable[[], Mapping[str, str]] = dict

    @classmethod
    def of(cls, settings: Settings, stores: Stores) -> "OneTimeKeys":
        """Return the keys of an installation."""
        return cls(
            secret_key_path(settings), stores.accounts, lambda: stores.stored_settings.get().ciphertexts
        )

    def encrypt(self, name: str, secret: str) -> str:
        """Encrypt the secret of an account; make the first key if there is none.

        Args:
            name: name of the account.
            secret: in base 32.

        Raises:
            OneTimeKeyElsewhere: the installation uses keys that are not on this machine.
            OneTimeKeyUnusable: the file contains no keys, can be read by other users, or cannot be written.
        """
        witness = next(self._ciphertexts(), None)
        try:
            if witness is not None:
                self._ring.decrypt(*witness)
            elif not self._ring.has_keys():
                self._ring.create()
            return self._ring.encrypt(name, secret)
        except UndecipherableText as error:
            raise OneTimeKeyElsewhere from error

    def decrypt(self, account: Account) -> str:
        """Return the secret of an account in base 32.

        Raises:
            OneTimeKeyElsewhere: it is encrypted with a key that is not on this machine.
            OneTimeKeyUnusable: the file contains no keys, or other users can read it.
        """
        if not _is_encrypted(account):
            return account.otp_secret
        try:
            return self._ring.decrypt(account.name, account.otp_secret)
        except UndecipherableText as error:
            raise OneTimeKeyElsewhere from error

    def add_key(self) -> None:
        """Add a new key that encrypts from now on. Earlier keys still decrypt, also for backups.

        Raises:
            OneTimeKeyUnusable: the file contains no keys, can be read by other users, or cannot be written.
        """
        self._ring.add_key()

    def _ciphertexts(self) -> Iterator[tuple[str, str]]:
        """Yield the owner and the ciphertext of stored secrets."""
        yield from otp_ciphertexts(self.accounts)
        yield from self.other_ciphertexts().items()

    @property
    def _ring(self) -> KeyRing:
        return KeyRing(self.path, OneTimeKeyUnusable)


def otp_ciphertexts(accounts: AccountStore) -> Iterator[tuple[str, str]]:
    """Yield each account with an encrypted secret, and the ciphertext."""
    for account in filter(_is_encrypted, accounts.listed()):
        yield account.name, account.otp_secret


def _is_encrypted(account: Account) -> bool:
    return bool(account.otp_secret) and _PLAIN.fullmatch(account.otp_secret) is None
