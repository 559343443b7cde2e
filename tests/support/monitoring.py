"""What stands in deploy/monitoring: expressions of rules and dashboard, and the metrics that they name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

FOLDER = Path("deploy") / "monitoring"
RULES, DASHBOARD = FOLDER / "rules.yml", FOLDER / "dashboard.json"
_METRIC = re.compile(r"\bpindna_\w+")


def rules() -> list[dict]:
    """Return the alert rules."""
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def expressions() -> Iterator[str]:
    """Yield what rules and dashboard ask Prometheus."""
    for rule in rules():
        yield rule["expr"]
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


def metrics_asked_for() -> set[str]:
    """Return the names of the metrics that rules and dashboard need."""
    return {name for expression in expressions() for name in _METRIC.findall(expression)}
