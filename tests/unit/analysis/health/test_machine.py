"""What is said of the browser, for root and for others."""

from datetime import timedelta
from pathlib import Path

import pytest

from analysis.health.browser_record import NAME
from analysis.health.machine import browser_finding
from analysis.words.i18n import translator
from storage.records import utc_now
from storage.settings import CrawlerSettings


@pytest.mark.parametrize(("user", "state"), [(0, "alert"), (1000, "good")])
def test_browser_without_its_sandbox_is_reported(monkeypatch, tmp_path, user, state):
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


@pytest.fixture
def trials(monkeypatch, tmp_path):
    """Return how often the browser was tried, as a list that grows; it renders pages."""
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o700)
    tried = []
    monkeypatch.setattr("analysis.health.machine.has_driver", lambda: True)
    monkeypatch.setattr("analysis.health.machine.rendering_problem", lambda: tried.append(1) or "")
    return tried


def finding_in(folder, **settings):
    rules = CrawlerSettings(browser_path=folder / "chromium", **settings)
    return browser_finding(rules, translator("en"), folder=folder)


def test_browser_that_rendered_is_tried_once_a_day(trials, tmp_path, monkeypatch):
    first, second = finding_in(tmp_path), finding_in(tmp_path)
    assert first == second
    assert len(trials) == 1
    tomorrow = utc_now() + timedelta(days=1, seconds=1)
    monkeypatch.setattr("analysis.health.browser_record.utc_now", lambda: tomorrow)
    finding_in(tmp_path)
    assert len(trials) == 2


def test_browser_trial_is_repeated_after_any_change(trials, tmp_path):
    finding_in(tmp_path)
    finding_in(tmp_path, timeout_s=5)
    (tmp_path / "chromium").write_text("#!/bin/sh\n# a later version\n")
    finding_in(tmp_path, timeout_s=5)
    (tmp_path / NAME).write_text('["damaged"]')
    finding_in(tmp_path, timeout_s=5)
    assert len(trials) == 4


def test_browser_that_fails_to_render_is_tested_every_time(trials, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.health.machine.rendering_problem", lambda: trials.append(1) or "browser")
    assert [finding_in(tmp_path).state for _ in range(2)] == ["alert", "alert"]
    assert len(trials) == 2
    assert not (tmp_path / NAME).exists()


def test_browser_trial_without_a_data_folder_is_not_recorded(trials, tmp_path):
    rules = CrawlerSettings(browser_path=tmp_path / "chromium")
    for _ in range(2):
        browser_finding(rules, translator("en"), folder=tmp_path / "none")
        browser_finding(rules, translator("en"))
    assert len(trials) == 4
