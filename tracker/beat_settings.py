"""The settings of beat, which follow the stored ones, such as the time of the daily scan."""

from functools import cache

from storage.collections.stores import Stores, open_stores
from storage.records.stored_settings import StoredSettings
from storage.running.live_settings import LiveSettings
from storage.settings import load_settings


@cache
def beat_settings() -> LiveSettings:
    """Return the settings of this process; the database is opened when they are read first."""
    return LiveSettings(load_settings(), _read_stored)


@cache
def _stores() -> Stores:
    return open_stores(load_settings().storage)


def _read_stored() -> StoredSettings:
    return _stores().stored_settings.get()
