"""A run on servers of one's own begins only where it can be right."""

import os
import subprocess
import sys

import pytest

MONGO, REDIS = "mongodb://127.0.0.1:1/", "redis://127.0.0.1:1/0"


@pytest.mark.parametrize(
    ("urls", "options", "reason"),
    [
        ({"PINDNA_TEST_MONGO_URL": MONGO}, (), "or neither"),
        ({"PINDNA_TEST_REDIS_URL": REDIS}, (), "or neither"),
        ({"PINDNA_TEST_MONGO_URL": MONGO, "PINDNA_TEST_REDIS_URL": REDIS}, ("-n", "2"), "leave out -n"),
    ],
)
def test_servers_that_would_be_ignored_or_shared_are_refused(urls, options, reason):
    command = [sys.executable, "-m", "pytest", "--collect-only", *options, "tests/unit/test_version.py"]
    told = subprocess.run(command, env={**os.environ, **urls}, capture_output=True, text=True, check=False)
    assert told.returncode == pytest.ExitCode.USAGE_ERROR
    assert reason in told.stderr
