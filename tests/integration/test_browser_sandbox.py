"""The browser shuts its pages off from the system, whoever starts it but root."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import Error, sync_playwright
from support.browsers import require_browser
from support.processes import children_with

from crawler.download.browser.chromium import launch_options

# The driver makes the profile's folder as root; the browser is another user's.
_AS_NOBODY = """#!/bin/sh
for word in "$@"; do case "$word" in --user-data-dir=*) chown -R nobody "${{word#*=}}";; esac; done
chown nobody "$HOME"
exec setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all {browser} "$@"
"""


@pytest.fixture
def another_users_browser(monkeypatch):
    """A browser that is not root's, and its home. Whoever runs the tests as another user has it already."""
    browser, folder = require_browser(), Path(tempfile.mkdtemp(prefix="pindna-shut-"))
    folder.chmod(0o755)
    (folder / "home").mkdir()
    if os.geteuid() == 0:
        wrapper = folder / "browser"
        wrapper.write_text(_AS_NOBODY.format(browser=browser))
        wrapper.chmod(0o755)
        monkeypatch.setattr("os.geteuid", lambda: 1000)  # what the options are chosen by
        browser = wrapper
    yield browser, folder / "home"
    shutil.rmtree(folder)


def _renderers():
    """Return the processes below this one that hold pages."""
    return children_with("--type=renderer")


def _status(process):
    lines = Path(f"/proc/{process.pid}/status").read_text("utf-8").splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def _namespace(pid, kind):
    return Path(f"/proc/{pid}/ns/{kind}").readlink()


def test_another_users_browser_runs_in_its_sandbox(another_users_browser):
    browser, home = another_users_browser
    options = launch_options(browser, proxy="http://127.0.0.1:9", folder=str(home), agent="pindna/0.2")
    with sync_playwright() as driver:
        try:
            running = driver.chromium.launch(**options)
        except Error as error:
            if "No usable sandbox" not in str(error):
                raise
            # Without user namespaces, as in some containers, there is none.
            told = f"the system has no sandbox to offer: {str(error).splitlines()[0]}"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(told)
        page = running.new_page()
        assert page.evaluate("6 * 7") == 42
        renderers = _renderers()
        assert renderers
        for each in renderers:
            assert each.uids().real != 0
            assert "--no-sandbox" not in each.cmdline()
            assert _status(each)["Seccomp"] == "2"  # its system calls are filtered
            for kind in ("user", "pid", "net"):
                assert _namespace(each.pid, kind) != _namespace(os.getpid(), kind)
        running.close()
