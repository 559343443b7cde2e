"""Record when a browser last rendered a page on this machine, because a trial takes seconds.

The record is a file in the data folder. It is valid for a day, and only for the same browser, driver, user,
settings and version of pindna. Only a successful trial is recorded.
"""

import hashlib
import json
import os
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.metadata import version as version_of
from pathlib import Path

from storage.records import utc_now
from storage.settings import CrawlerSettings
from system.errors import PindnaError
from system.local_files import read_file
from system.private_files import write_private
from system.version import VERSION

NAME = "browser-trial.json"
_LASTS = timedelta(days=1)
_MAX_BYTES = 1_000


def mark_of(path: Path, version: str, settings: CrawlerSettings) -> str:
    """Return an id of a browser and everything that its trial depends on.

    Args:
        path: path of the browser.
        version: version that it prints.
        settings: settings of the trial.
    """
    status = path.stat()
    parts = [
        *(str(path), version, status.st_size, status.st_mtime_ns, os.geteuid(), VERSION),
        *(version_of("playwright"), settings.model_dump(mode="json")),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def last_rendered(folder: Path, mark: str) -> datetime | None:
    """Return when the browser of this mark last rendered a page; None: not within a day.

    Args:
        folder: the data folder.
        mark: the result of :func:`mark_of`.
    """
    try:
        record = json.loads(read_file(folder / NAME, max_bytes=_MAX_BYTES))
        rendered = datetime.fromisoformat(record["rendered"])
        is_fresh = timedelta() <= utc_now() - rendered < _LASTS
    except (PindnaError, OSError, ValueError, TypeError, KeyError):
        return None
    return rendered if is_fresh and record["mark"] == mark else None


def record_rendered(folder: Path, mark: str) -> None:
    """Record that the browser of this mark rendered a page now, if the data folder is writable."""
    if folder.is_dir():
        with suppress(OSError):
            record = {"mark": mark, "rendered": utc_now().isoformat()}
            write_private(folder / NAME, json.dumps(record).encode())
