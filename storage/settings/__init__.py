"""Settings: ``pindna.toml``, overridden by ``PINDNA_…`` environment variables."""

from storage.settings.installation import (
    CrawlerSettings,
    Settings,
    StorageSettings,
    TrackerSettings,
    load_settings,
    shown_settings,
    time_of_schedule,
)

__all__ = [
    "CrawlerSettings",
    "Settings",
    "StorageSettings",
    "TrackerSettings",
    "load_settings",
    "shown_settings",
    "time_of_schedule",
]
