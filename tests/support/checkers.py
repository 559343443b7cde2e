"""Programs of others that check what deploy/ has for them."""

import os
import shutil

import pytest


def require_checker(program):
    """Skip a test on a machine without the program; in CI, which installs it, the test fails."""
    if shutil.which(program) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{program} is not installed")
