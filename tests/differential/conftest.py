"""One browser for all pages of a module."""

import pytest
from support.browsers import require_browser
from support.differential.browser import opened_screen


@pytest.fixture(scope="module")
def screen():
    """A screen whose only font can be read back. An absent browser skips a test, and fails it in CI.

    It is closed with its module: while Playwright's driver is open, no other test of the process can start
    an event loop.
    """
    with opened_screen(require_browser()) as opened:
        yield opened
