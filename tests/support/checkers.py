"""Programs of others that check what deploy/ has for them."""

import os
import shutil

import pytest


def require_checker(program):
    """Return where a program is; without it a test is skipped, but fails in CI, which installs it."""
    path = shutil.which(program)
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{program} is not installed")
    return path
