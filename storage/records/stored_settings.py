"""Settings and secrets that administrators stored in the database. One record contains all of them.

One record means that two changes at once cannot contradict each other: the second one is refused or checked
together with the first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """A stored setting or secret.

    Attributes:
        name: the setting, such as ``analysis.alerts.quiet``, or the secret, such as ``PINDNA_SECRET_SMTP``.
        value: JSON of the setting, or ciphertext of the secret; None: reset, so the default is used.
        revision: revision of the record that last changed it.
        by: who changed it.
        at: when.
    """

    name: str
    value: str | None
    revision: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedEntry:
    """An entry that cannot be read. It is kept until a setting or secret of its name is stored.

    Attributes:
        name: its name, if it has one.
        is_secret: whether it is among the secrets.
        row: as it is stored.
    """

    name: str
    is_secret: bool
    row: object


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSettings:
    """All stored settings and secrets.

    Attributes:
        revision: grows with every change; 0: nothing was ever stored.
        values, secrets: entries by name.
        damaged: entries that cannot be read.
    """

    revision: int = 0
    values: tuple[StoredEntry, ...] = ()
    secrets: tuple[StoredEntry, ...] = ()
    damaged: tuple[DamagedEntry, ...] = ()

    @property
    def in_use(self) -> Mapping[str, str]:
        """The stored values by setting."""
        return {entry.name: entry.value for entry in self.values if entry.value is not None}

    @property
    def ciphertexts(self) -> Mapping[str, str]:
        """The stored ciphertexts by secret."""
        return {entry.name: entry.value for entry in self.secrets if entry.value is not None}

    def entry(self, name: str) -> StoredEntry | None:
        """Return the entry of a setting or secret, also a reset one; None if there never was one."""
        return next((entry for entry in (*self.values, *self.secrets) if entry.name == name), None)


NO_STORED_SETTINGS = StoredSettings()
