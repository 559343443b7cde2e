"""Editable settings: the mark, precedence over stored values, and stored values that are not valid."""

import json
from typing import Annotated

import pytest
from pydantic import create_model

from storage.settings import load_settings
from storage.settings.editable import (
    editable_settings,
    fixed_by,
    is_fixed,
    value_of,
    with_stored_values,
)
from storage.settings.section import GROUPS, Editable, Section

QUIET, RULES, ADDRESSEES = (f"analysis.alerts.{name}" for name in ("quiet", "rules", "addressees"))
SCHEDULE, PORT = "tracker.scan_schedule", "analysis.notices.smtp_port"


def overlay(**values):
    """Return settings with stored values; keys are the last parts of the names."""
    names = {name.rpartition(".")[2]: name for name in editable_settings()}
    stored = {names[key]: json.dumps(value) for key, value in values.items()}
    return with_stored_values(load_settings(), stored)


def test_editable_settings_have_a_label_and_a_valid_default():
    base = load_settings()
    for name, setting in editable_settings().items():
        assert setting.mark.label
        assert setting.mark.group in GROUPS
        settings, problems = with_stored_values(base, {name: json.dumps(value_of(base, name))})
        assert problems == ()
        assert value_of(settings, name) == value_of(base, name)


def test_mark_alone_makes_a_setting_editable(monkeypatch):
    mark = Editable(label="Depth", group="scans")
    section = create_model("Marked", __base__=Section, depth=(Annotated[int, mark], 3), other=(int, 4))
    monkeypatch.setattr("storage.settings.editable.Settings", create_model("All", made=(section, section())))
    editable_settings.cache_clear()
    try:
        assert {name: setting.mark for name, setting in editable_settings().items()} == {"made.depth": mark}
    finally:
        editable_settings.cache_clear()


def test_stored_value_replaces_the_default():
    settings, problems = overlay(quiet="22:00-07:30", smtp_port=587)
    assert (settings.analysis.alerts.quiet, settings.analysis.notices.smtp_port) == ("22:00-07:30", 587)
    assert problems == ()


def test_time_of_day_is_accepted_as_schedule():
    assert overlay(scan_schedule="04:30")[0].tracker.scan_schedule == "30 4 * * *"
    assert overlay(scan_schedule="25:30")[1][0].name == SCHEDULE


def test_file_and_environment_win_over_stored_values(tmp_path, monkeypatch):
    file = tmp_path / "pindna.toml"
    file.write_text('[analysis.alerts]\nquiet = "21:00-06:00"\n')
    monkeypatch.setenv("PINDNA_CONFIG", str(file))
    monkeypatch.setenv("PINDNA_ANALYSIS__NOTICES__SMTP_PORT", "2525")
    base, all_settings = load_settings(), editable_settings()
    settings, problems = overlay(quiet="22:00-07:30", smtp_port=587, daily_at="09:00")
    assert problems == ()
    alerts = settings.analysis.alerts
    assert (alerts.quiet, settings.analysis.notices.smtp_port, alerts.daily_at) == (
        "21:00-06:00",
        2525,
        "09:00",
    )
    assert [is_fixed(base, name) for name in (QUIET, PORT, RULES)] == [True, True, False]
    assert fixed_by(all_settings[QUIET]) == ("file", str(file))
    assert fixed_by(all_settings[PORT]) == ("environment", "PINDNA_ANALYSIS__NOTICES__SMTP_PORT")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PINDNA_ANALYSIS", '{"alerts": {"quiet": "21:00-06:00"}}'),
        ("PINDNA_ANALYSIS__ALERTS", '{"quiet": "21:00-06:00"}'),
    ],
)
def test_variable_of_a_whole_section_fixes_its_settings(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    assert is_fixed(load_settings(), QUIET)
    assert not is_fixed(load_settings(), RULES)
    assert fixed_by(editable_settings()[QUIET]) == ("environment", variable)


def test_invalid_stored_value_is_reported_and_not_used():
    settings, problems = overlay(quiet="late", smtp_port=587)
    assert settings.analysis.alerts.quiet == ""
    assert settings.analysis.notices.smtp_port == 587
    assert [problem.name for problem in problems] == [QUIET]
    assert "late" in str(problems[0].problem)


def test_rule_without_its_addressee_is_not_used_and_the_rest_is():
    lin = {"lin": {"address": "${PINDNA_SECRET_LIN}"}}
    settings, problems = overlay(addressees=lin, rules=[{"to": ["no one"]}], quiet="22:00-07:30")
    assert [problem.name for problem in problems] == [RULES]
    assert set(settings.analysis.alerts.addressees) == {"lin"}
    assert (settings.analysis.alerts.rules, settings.analysis.alerts.quiet) == ((), "22:00-07:30")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00", '"\\ud800"', "null", "1e999", "[1]"])
def test_no_stored_text_raises(text):
    settings, problems = with_stored_values(load_settings(), {QUIET: text, RULES: text, ADDRESSEES: text})
    assert settings.analysis.alerts.rules == ()
    assert {problem.name for problem in problems} == {QUIET, RULES, ADDRESSEES}


def test_unknown_and_uneditable_names_are_reported():
    stored = {"analysis.server.host": '"0.0.0.0"', "no.such": "1"}
    settings, problems = with_stored_values(load_settings(), stored)
    assert settings == load_settings()
    assert [problem.name for problem in problems] == list(stored)
