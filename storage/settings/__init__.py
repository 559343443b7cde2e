"""Settings: one ``pindna.toml``, with ``PINDNA_…`` environment variables over it."""

from storage.settings.installation import (
    CrawlerSettings,
    Settings,
    StorageSettings,
    TrackerSettings,
    load_settings,
    shown_settings,
)

__all__ = [
    "CrawlerSettings",
    "Settings",
    "StorageSettings",
    "TrackerSettings",
    "load_settings",
    "shown_settings",
]
