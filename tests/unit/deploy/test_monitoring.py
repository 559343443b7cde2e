"""Alert rules and dashboard are what Prometheus and Grafana read; metrics are told in the documentation."""

import json
import re
import subprocess
from pathlib import Path

import yaml
from support.checkers import require_checker
from support.monitoring import DASHBOARD, FOLDER, RULES, expressions, metrics_asked_for, rules

MONITORING = Path("docs") / "monitoring.md"


def promtool(*arguments, folder=FOLDER):
    program = require_checker("promtool")
    told = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_rules_fire_when_they_should_and_only_then():
    promtool("check", "rules", RULES.name)
    promtool("test", "rules", "rules_test.yml")
    promtool("check", "config", "--syntax-only", "prometheus.yml")


def test_prometheus_can_read_every_question_of_the_dashboard(tmp_path):
    asked = [{"record": f"a:{number}", "expr": text} for number, text in enumerate(expressions())]
    groups = {"groups": [{"name": "dashboard", "rules": asked}]}
    (tmp_path / "asked.yml").write_text(yaml.safe_dump(groups), encoding="utf-8")
    promtool("check", "rules", "asked.yml", folder=tmp_path)


def test_dashboard_has_room_for_its_panels_and_a_data_source_choice():
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    assert [choice["name"] for choice in dashboard["templating"]["list"]] == ["datasource"]
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        assert panel["datasource"]["uid"] == "${datasource}"


def test_every_metric_and_alert_is_documented():
    text = MONITORING.read_text(encoding="utf-8")
    assert set(re.findall(r"`(pindna_\w+)`", text)) >= metrics_asked_for()
    assert re.findall(r"^\| `(Pindna\w+)` \|", text, re.MULTILINE) == [rule["alert"] for rule in rules()]
