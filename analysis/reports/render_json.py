"""Render a report as JSON with all its data, unchanged texts, and times and dates in ISO 8601."""

import json
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from analysis.reports.records import Report
from storage.records import ClaimedDate

FORMAT = "pindna-report/1"


def render_json(report: Report) -> str:
    """Return the report as one indented JSON object that ends with a line feed."""
    content = {"format": FORMAT, "gravest": report.gravest, "counts": report.counts, **_fields(report)}
    return json.dumps(content, ensure_ascii=False, indent=2, default=_json_value) + "\n"


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _json_value(value: object) -> object:
    """Return a time, a date or a record as a value that JSON supports.

    Raises:
        TypeError: the type of the value is unknown.
    """
    if isinstance(value, date):  # a datetime is a date too
        return value.isoformat()
    if isinstance(value, ClaimedDate):
        return value.iso()
    if is_dataclass(value):
        return _fields(value)
    raise TypeError(type(value).__name__)
