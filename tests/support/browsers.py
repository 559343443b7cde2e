"""A browser for tests: an absent one skips a test locally and fails it in CI."""

import os

import pytest

from crawler.download.browser.chromium import browser_path, has_driver
from storage.settings import CrawlerSettings


def require_browser():
    """Return its path."""
    path = browser_path(CrawlerSettings())
    if path is None or not has_driver():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no chromium, or no extra “browser”")
    return path
