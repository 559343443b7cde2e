"""Collection ``settings``: one document with the settings and secrets that administrators stored."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records.stored_settings import NO_STORED_SETTINGS, DamagedEntry, StoredEntry, StoredSettings

_ID = "stored"
_ENTRY = TypeAdapter(StoredEntry)


class StoredSettingsStore:
    """The stored settings. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._settings = database["settings"]

    def get(self) -> StoredSettings:
        """Return the stored settings. Entries in another shape are reported, never an error."""
        row = self._settings.find_one({"_id": _ID})
        return NO_STORED_SETTINGS if row is None else _from_row(row)

    def replace(self, after: StoredSettings, *, expected: int) -> bool:
        """Store the settings with the next revision, unless they changed; returns whether they are stored.

        Args:
            after: the settings to store.
            expected: the revision that the caller read.
        """
        document: Document = {
            "_id": _ID,
            "revision": expected + 1,
            "values": [*map(asdict, after.values), *(bad.row for bad in after.damaged if not bad.is_secret)],
            "secrets": [*map(asdict, after.secrets), *(bad.row for bad in after.damaged if bad.is_secret)],
        }
        if expected == 0 and self._settings.insert_new([document])[0]:
            return True
        query = {"_id": _ID, "revision": expected}
        return self._settings.replace_one(query, document).matched_count > 0


def _from_row(row: Mapping[str, Any]) -> StoredSettings:
    damaged: list[DamagedEntry] = []

    def read(field: str) -> tuple[StoredEntry, ...]:
        rows, entries = row.get(field, []), dict[str, StoredEntry]()
        for item in rows if isinstance(rows, list) else [rows]:
            try:
                entry = _ENTRY.validate_python(item)
            except ValidationError:
                name = item.get("name") if isinstance(item, Mapping) else None
                name = name if isinstance(name, str) else field
                damaged.append(DamagedEntry(name=name, is_secret=field == "secrets", row=item))
            else:
                entries[entry.name] = entry
        return tuple(entries.values())

    values, secrets, revision = read("values"), read("secrets"), row.get("revision")
    return StoredSettings(
        revision=revision if isinstance(revision, int) else 0,
        values=values,
        secrets=secrets,
        damaged=tuple(damaged),
    )
