"""One browser for all pages of a session."""

import pytest
from support.browsers import require_browser
from support.differential.browser import opened_screen


@pytest.fixture(scope="session")
def screen():
    """A screen whose only font can be read back. An absent browser skips a test, and fails it in CI."""
    with opened_screen(require_browser()) as opened:
        yield opened
