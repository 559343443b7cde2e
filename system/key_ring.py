"""The file with the keys that encrypt secrets in the database, so the database alone reveals no secret.

The file contains one Fernet key per line (AES-128-CBC, HMAC-SHA-256: https://github.com/fernet/spec). The
first key encrypts; the earlier keys after it only decrypt. It is readable by pindna's user only, and is never
stored in the database. All machines of an installation share the file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from system.errors import PindnaError
from system.local_files import MissingFile
from system.messages import N_
from system.private_files import KeyFile, write_new_private, write_private

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


class UndecipherableText(Exception):
    """No key of the file decrypts a ciphertext, or the ciphertext belongs to another owner."""


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Encrypts and decrypts secrets. The file is read each time.

    A ciphertext contains the name of its owner, so it is invalid for other owners.

    Args:
        path: the file.
        unusable: class of the error if the file contains no keys, can be read by other users, or cannot be
            written. Its template has the placeholders ``path`` and ``problem``.
    """

    path: Path
    unusable: type[PindnaError]

    def encrypt(self, owner: str, secret: str) -> str:
        """Encrypt the secret of an owner; the owner's name contains no colon.

        Raises:
            UndecipherableText: there is no key.
            PindnaError: the file cannot be used.
        """
        return self._cipher().encrypt(f"{owner}:{secret}".encode()).decode()

    def decrypt(self, owner: str, ciphertext: str) -> str:
        """Return the secret of an owner.

        Raises:
            UndecipherableText: no key decrypts it, or it belongs to another owner.
            PindnaError: the file cannot be used.
        """
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - for who has secrets

        try:
            name, _, secret = self._cipher().decrypt(ciphertext.encode()).decode().partition(":")
        except InvalidToken as error:
            raise UndecipherableText from error
        if name != owner:
            raise UndecipherableText
        return secret

    def has_keys(self) -> bool:
        """Return whether the file exists and contains keys.

        Raises:
            PindnaError: the file cannot be used.
        """
        return bool(self._keys())

    def create(self) -> None:
        """Make the file with a first key; an existing file stays unchanged.

        Raises:
            PindnaError: the file cannot be written.
        """
        self._write_file(write_new_private, _new_key())

    def add_key(self) -> None:
        """Add a new key that encrypts from now on. Earlier keys still decrypt, also for backups.

        Raises:
            PindnaError: the file cannot be used, or cannot be written.
        """
        self._write_file(write_private, b"\n".join([_new_key(), *self._keys()]))

    def _cipher(self) -> "MultiFernet":
        from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415 - for who has secrets

        keys = self._keys()
        if not keys:
            raise UndecipherableText
        return MultiFernet([Fernet(key) for key in keys])

    def _keys(self) -> list[bytes]:
        from cryptography.fernet import Fernet  # noqa: PLC0415 - for who has secrets

        try:
            keys = self._key_file.read().split()
        except MissingFile:
            return []
        try:
            for key in keys:
                Fernet(key)
        except ValueError as error:
            raise self.unusable(path=self.path, problem=N_("a line is not a key")) from error
        return keys

    def _write_file(self, write: Callable[[Path, bytes], None], data: bytes) -> None:
        with self._key_file.reporting_errors():
            write(self.path, data + b"\n")

    @property
    def _key_file(self) -> KeyFile:
        return KeyFile(self.path, self.unusable)


def _new_key() -> bytes:
    from cryptography.fernet import Fernet  # noqa: PLC0415 - for who has secrets

    return Fernet.generate_key()
