"""A browser for tests: an absent one skips a test locally and fails it in CI."""

import os

import psutil
import pytest

from crawler.browser.programs import browser_path, has_driver
from storage.settings import CrawlerSettings


def a_browser():
    """Return the browser's path."""
    found = browser_path(CrawlerSettings())
    if found is None or not has_driver():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no chromium, or no extra “browser”")
    return found


def browsers():
    """Return the ids of all processes of browsers and drivers that belong to crawls."""
    found = set()
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if "playwright" in line and ("chrom" in line or "run-driver" in line):
            found.add(process.pid)
    return found
