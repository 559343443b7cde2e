"""What is said of the browser, for root and for others."""

from pathlib import Path

import pytest

from analysis.health.machine import browser_finding
from analysis.words.i18n import translator
from storage.settings import CrawlerSettings


@pytest.mark.parametrize(("user", "state"), [(0, "alert"), (1000, "good")])
def test_a_browser_without_its_sandbox_is_told(monkeypatch, tmp_path, user, state):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o700)
    monkeypatch.setattr("analysis.health.machine.has_driver", lambda: True)
    monkeypatch.setattr("analysis.health.machine.rendering_problem", lambda: "")
    monkeypatch.setattr("os.geteuid", lambda: user)
    finding = browser_finding(CrawlerSettings(browser_path=Path(browser)), translator("en"))
    assert finding.state == state
    assert str(browser) in finding.text
    assert ("sandbox" in finding.text) is (user == 0)
