"""Read the language setting without loading the other settings, because `pindna --help` needs only this."""

import os
import tomllib
from pathlib import Path

_VARIABLE = "PINDNA_ANALYSIS__LANGUAGE"


def settings_file() -> Path:
    """Return the path of the settings file, which may not exist."""
    return Path(os.environ.get("PINDNA_CONFIG", "pindna.toml"))


def chosen_language() -> str | None:
    """Return ``analysis.language`` from the environment or the settings file, or None.

    Wrong settings are ignored here; loading the settings reports them.
    """
    variable = next(
        (value for name, value in os.environ.items() if name.upper() == _VARIABLE and value), None
    )
    return variable or _language_in_file(settings_file())


def _language_in_file(path: Path) -> str | None:
    """Return the language in a settings file, or None if it has none or cannot be read."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    section = values.get("analysis")
    language = section.get("language") if isinstance(section, dict) else None
    return language if isinstance(language, str) else None
