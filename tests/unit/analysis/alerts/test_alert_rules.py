"""Who is told of an occasion, by the rules; and which settings are refused."""

from datetime import UTC, datetime

import pytest

from analysis.alerts.rules import addressees_of, deliveries_of
from storage.records import Occasion
from storage.settings import load_settings
from storage.settings.alerts import AlertSettings
from system.errors import BadSettings

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
COPY = Occasion(
    id="new-copy:c7:http://a.example.cn/1",
    kind="new-copy",
    at=NOW,
    work_id=3,
    work="青灯渡",
    holder="某某出版社",
    site="example.cn",
    url="http://a.example.cn/1",
    verdict="partial",
    copied_chars=500,
    case="c7",
    state="new",
)
SCAN = Occasion(id="scan-failed:1", kind="scan-failed", at=NOW, scan_id="1")
PEOPLE = {name: {"address": "${PINDNA_SECRET_A}"} for name in ("lin", "wang", "ops")}


def settings(*rules, **more):
    return AlertSettings.model_validate({"addressees": PEOPLE, "rules": rules, **more})


@pytest.mark.parametrize(
    ("rule", "copy", "scan"),
    [
        ({}, True, True),
        ({"events": ["new-copy"]}, True, False),
        ({"events": ["scan-failed", "removed"]}, False, True),
        ({"works": ["青灯渡"]}, True, False),
        ({"works": ["3"]}, True, False),
        ({"works": ["青*"]}, True, False),
        ({"works": ["青"]}, False, False),
        ({"holders": ["某某*"]}, True, False),
        ({"holders": ["别家"]}, False, False),
        ({"sites": ["other.cn", "EXAMPLE.cn"]}, True, False),
        ({"sites": ["*.cn"], "works": ["别的书"]}, False, False),
        ({"verdicts": ["copy"]}, False, True),
        ({"verdicts": ["partial"]}, True, True),
        ({"min_chars": 500}, True, True),
        ({"min_chars": 501}, False, True),
        ({"states": ["new"]}, True, False),
        ({"states": ["confirmed"]}, False, False),
    ],
)
def test_rule_applies_if_all_its_conditions_match(rule, copy, scan):
    alert_settings = settings({"to": ["lin"], **rule})
    assert bool(addressees_of(COPY, alert_settings)) == copy
    assert bool(addressees_of(SCAN, alert_settings)) == scan


def test_title_with_brackets_matches_itself_as_a_pattern():
    book = Occasion(id="1", kind="removed", at=NOW, work="[全本]青灯渡")
    assert addressees_of(book, settings({"to": ["lin"], "works": ["[全本]青灯渡"]}))


def test_soonest_of_several_rules_counts_and_no_addressee_is_doubled():
    alert_settings = settings(
        {"to": ["all"], "when": "weekly"},
        {"to": ["lin", "all"], "works": ["青灯渡"], "when": "daily"},
        {"to": ["lin"], "min_chars": 100},
        groups={"all": ["lin", "wang"]},
    )
    assert addressees_of(COPY, alert_settings) == {"lin": "at-once", "wang": "daily"}
    rows = deliveries_of([COPY, COPY], alert_settings, UTC, NOW)
    assert len({row.id for row in rows}) == 2  # one for each, however often it is found


@pytest.mark.parametrize(
    ("alerts", "words"),
    [
        ({"addressees": {"a": {"address": "dingtalk://token"}}}, "PINDNA_SECRET_NAME"),
        ({"addressees": {"a": {"address": "${HOME}"}}}, "PINDNA_SECRET_NAME"),
        ({"addressees": {"a": {}}}, "either address or webhook"),
        ({"addressees": {"a": {"webhook": "${PINDNA_SECRET_A}"}}}, "needs a secret"),
        ({"addressees": {"a": {"address": "${PINDNA_SECRET_A}", "quiet": "22:00"}}}, "not a pair of times"),
        ({"addressees": {"a b": {"address": "${PINDNA_SECRET_A}"}}}, "is not a name"),
        ({"rules": [{"to": ["nobody"]}]}, "nobody"),
        ({"addressees": PEOPLE, "rules": [{"to": []}]}, "1 or more entries"),
        ({"groups": {"g": ["nobody"]}}, "nobody"),
        ({"addressees": PEOPLE, "groups": {"lin": ["lin"]}}, "lin"),
        ({"rules": [{"to": ["lin"], "events": ["new-copies"]}], "addressees": PEOPLE}, "new-copy"),
        ({"rules": [{"to": ["lin"], "states": ["remvoed"]}], "addressees": PEOPLE}, "removed"),
        ({"quiet": "25:00-07:00"}, "not a time of day"),
        ({"quiet": "07:00-07:00"}, "cannot end when they begin"),
        ({"daily_at": "8:00"}, "not a time of day"),
        ({"weekly_on": "Mon"}, "monday"),
    ],
)
def test_contradictory_alert_settings_are_refused(alerts, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadSettings, match=r"analysis\.alerts") as caught:
        load_settings(analysis={"alerts": alerts})
    assert words in str(caught.value)
    assert "dingtalk" not in str(caught.value)
