"""The language that settings ask for, read without checking the rest: `pindna --help` needs no more."""

import os
import tomllib
from pathlib import Path

_VARIABLE = "PINDNA_ANALYSIS__LANGUAGE"


def settings_file() -> Path:
    """Return the path of the settings file, which need not exist."""
    return Path(os.environ.get("PINDNA_CONFIG", "pindna.toml"))


def chosen_language() -> str | None:
    """Return ``analysis.language`` of environment or settings file; None where it cannot be had.

    What is wrong with the settings is told when they are loaded.
    """
    variable = next(
        (value for name, value in os.environ.items() if name.upper() == _VARIABLE and value), None
    )
    return variable or _language_of(settings_file())


def _language_of(path: Path) -> str | None:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    section = values.get("analysis")
    language = section.get("language") if isinstance(section, dict) else None
    return language if isinstance(language, str) else None
