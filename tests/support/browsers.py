"""A browser for tests: an absent one skips a test locally and fails it in CI."""

import os
import time
from contextlib import suppress

import psutil
import pytest

from crawler.download.browser.chromium import browser_path, has_driver
from storage.settings import CrawlerSettings


def a_browser():
    """Return the browser's path."""
    found = browser_path(CrawlerSettings())
    if found is None or not has_driver():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no chromium, or no extra “browser”")
    return found


def browsers(folder):
    """Return the processes with a folder for temporary files: of a crawl its driver and its browser."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = (*process.cmdline(), process.environ().get("TMPDIR", ""))
            if process.status() != psutil.STATUS_ZOMBIE and any(str(folder) in word for word in words):
                found.append(process)
    return found


def until(holds):
    """Wait until something holds."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("it did not come about")
