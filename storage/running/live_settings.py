"""The settings of a running process: those of file and environment, and those stored in the database.

A program reads the stored ones again at most every :data:`FOLLOW_S` seconds, so it follows changes without a
restart. While the database does not answer, the last known settings stay in use.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from storage.collections.stored_settings import StoredSettingsStore
from storage.records.stored_settings import NO_STORED_SETTINGS, StoredEntry, StoredSettings
from storage.settings import Settings
from storage.settings.editable import SettingProblem, with_stored_values
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.key_ring import KeyRing, UndecipherableText
from system.messages import N_
from system.secrets import StoredSecrets

log = logging.getLogger(__name__)

FOLLOW_S = 15.0  # a change reaches every process within this time
_KEY_FILE = "one-time-keys"
_ATTEMPTS = 5  # to encrypt secrets again while others change settings
_UNREADABLE = N_("the stored entry is damaged")


class SecretKeyUnusable(PindnaError):
    """The key file of stored secrets cannot be used.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = (
        "{path} is not a usable key file for stored secrets: {problem}. Replace it with a copy of the right "
        "file. The stored secrets are unchanged."
    )
    exit_status = ExitStatus.UNUSABLE


class SecretKeyElsewhere(PindnaError):
    """A stored secret is encrypted with a key that is not on this machine.

    Attributes:
        name: the secret.
        path: the key file.
    """

    template = (
        "The stored secret {name} is encrypted with a key that is not in {path}. Copy this file from a "
        "machine that has it. If it is lost, remove the stored secrets and store them again."
    )
    exit_status = ExitStatus.UNUSABLE


def secret_key_path(settings: Settings) -> Path:
    """Return the path of the keys that encrypt one-time passwords and stored secrets."""
    return settings.analysis.server.one_time_key_file or settings.storage.data_dir / _KEY_FILE


def decrypted_secret(settings: Settings, name: str, ciphertext: str) -> str:
    """Return the value of a stored secret.

    Raises:
        SecretKeyElsewhere: its key is not on this machine.
        SecretKeyUnusable: the key file is damaged, or other users can read it.
    """
    return _decrypted(KeyRing(secret_key_path(settings), SecretKeyUnusable), name, ciphertext)


def _decrypted(ring: KeyRing, name: str, ciphertext: str) -> str:
    try:
        return ring.decrypt(name, ciphertext)
    except UndecipherableText as error:
        raise SecretKeyElsewhere(name=name, path=str(ring.path)) from error


def encrypt_secrets_again(path: Path, store: StoredSettingsStore) -> int:
    """Encrypt the stored secrets with the newest key of a file; return their number.

    While other users change the settings again and again, the secrets keep an earlier key.

    Raises:
        SecretKeyElsewhere, SecretKeyUnusable: as :func:`decrypted_secret`.
        ServiceDown, StorageFailed: the database refused.
    """
    ring = KeyRing(path, SecretKeyUnusable)
    for _ in range(_ATTEMPTS):
        before = store.get()
        secrets = tuple(_encrypted_again(ring, entry) for entry in before.secrets)
        if not before.ciphertexts or store.replace(
            replace(before, secrets=secrets), expected=before.revision
        ):
            return len(before.ciphertexts)
    return 0


def _encrypted_again(ring: KeyRing, entry: StoredEntry) -> StoredEntry:
    if entry.value is None:
        return entry
    return replace(entry, value=ring.encrypt(entry.name, _decrypted(ring, entry.name, entry.value)))


@dataclass(frozen=True, slots=True)
class SettingsState:
    """The settings at one moment.

    Attributes:
        settings: the settings in force.
        stored: the stored settings that they contain.
        problems: the stored settings that are not used.
    """

    settings: Settings
    stored: StoredSettings = NO_STORED_SETTINGS
    problems: tuple[SettingProblem, ...] = ()


class LiveSettings:
    """The settings of a process, which follow the stored ones.

    Args:
        base: the settings of file, environment and command, whose values win.
        read: returns the stored settings.

    Attributes:
        is_read: whether the stored settings were ever read; an outage may prevent it.
    """

    def __init__(self, base: Settings, read: Callable[[], StoredSettings]) -> None:
        self.base = base
        self._read = read
        self._lock = threading.Lock()
        self._checked_at: float | None = None
        self.is_read = False
        self._state = SettingsState(base)

    @property
    def state(self) -> SettingsState:
        """The last known settings; never waits."""
        return self._state

    def follow(self, *, max_age_s: float = FOLLOW_S, is_quiet: bool = False) -> None:
        """Read the stored settings again if the last reading is older. An outage is logged, not raised.

        Args:
            max_age_s: seconds.
            is_quiet: log no outage, because the caller's next step reports it.
        """
        with self._lock:
            if not self._is_due(max_age_s):
                return
            self._checked_at = time.monotonic()
            try:
                stored = self._read()
            except PindnaError as error:
                if not is_quiet:
                    log.warning(
                        "the stored settings cannot be read now, the last ones stay in use: %s", error
                    )
                return
            self.is_read = True
            if stored != self._state.stored:
                self._state = state_of(self.base, stored)
                for problem in self._state.problems:
                    log.warning("the stored setting %s is not used: %s", problem.name, problem.problem)

    def follow_later(self) -> None:
        """Do the same in a thread, for a caller that must not wait for the database."""
        if self._is_due(FOLLOW_S) and not self._lock.locked():
            threading.Thread(target=self.follow, name="pindna-settings", daemon=True).start()

    def _is_due(self, max_age_s: float) -> bool:
        return self._checked_at is None or time.monotonic() - self._checked_at >= max_age_s

    def find_secret(self, name: str) -> str | None:
        """Return the value of a stored secret; None if there is none.

        Raises:
            SecretKeyElsewhere, SecretKeyUnusable: it cannot be decrypted on this machine.
        """
        ciphertext = self._state.stored.ciphertexts.get(name)
        return None if ciphertext is None else decrypted_secret(self.base, name, ciphertext)

    def serve_secrets(self) -> None:
        """Let this process use the stored secrets."""
        StoredSecrets.find = self.find_secret


def state_of(base: Settings, stored: StoredSettings) -> SettingsState:
    """Return the settings in force for stored ones."""
    settings, problems = with_stored_values(base, stored.in_use)
    damaged = tuple(SettingProblem(entry.name, _UNREADABLE) for entry in stored.damaged)
    return SettingsState(settings, stored, (*problems, *damaged))
