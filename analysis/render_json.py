"""A report as JSON: everything that the report holds, texts as they are, times in ISO 8601."""

import json
from dataclasses import asdict
from datetime import datetime

from analysis.report_records import Report

FORMAT = "pindna-report/1"


def render_json(report: Report) -> str:
    """Return the report as one indented JSON object that ends with a line feed."""
    content = {"format": FORMAT, "gravest": report.gravest, **asdict(report)}
    return json.dumps(content, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(value: object) -> str:
    """Return times as ISO 8601.

    Raises:
        TypeError: the report holds something that JSON and we do not know.
    """
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)
