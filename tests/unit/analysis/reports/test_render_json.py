"""Reports as JSON hold everything, and the same as tables."""

import csv
import io
import json
from datetime import UTC, datetime

from analysis.reports.render_csv import render_csv
from analysis.reports.render_json import render_json

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def test_json_contains_every_value_unchanged(build):
    content = json.loads(render_json(build(title="<b>\u202e")))
    (match,) = content["cases"][0]["matches"]
    assert content["format"] == "pindna-report/1"
    assert content["gravest"] == "copy"
    assert (content["counts"]["leads"], content["counts"]["lead_chars"]) == (1, 4)
    assert match["match"]["page_title"] == "<b>\u202e"
    assert match["match"]["spans"][0]["page_start"] == 2
    assert match["texts"]["excerpts"][0]["rows"][0][1] == {
        "kind": "homophone",
        "page": "东",
        "passage": "冬",
        "page_syllables": ["dōng"],
        "passage_syllables": ["dōng"],
    }
    assert datetime.fromisoformat(content["generated"]).utcoffset().total_seconds() == 0


def test_tables_and_json_agree(flagged_report):
    rows = list(csv.DictReader(io.StringIO(render_csv(flagged_report).removeprefix("\ufeff"))))
    assert [(row["licence"], row["page_older"], row["review"]) for row in rows] == [
        ("expired", "1", "confirmed"),
        ("", "1", "dismissed"),
    ]
    assert [row["dismissed_because"] for row in rows] == ["合理<i>引用"] * 2
    assert (rows[0]["common_stretches"], rows[0]["work_published"]) == ("2", "2025-03-01T12:00+08:00")
    content = json.loads(render_json(flagged_report))
    assert content["cases"][0]["matches"][0]["match"]["work_published"] == "2025-03-01T12:00+08:00"
    assert content["not_aligned"] == [
        {
            "url": "https://copy.example/long",
            "unaligned": 77,
            "capped": 1234,
            "cut_chars": 555,
            "confidence": 0.375,
        }
    ]
    assert content["left"] == [{"source": "a<i>", "scan_id": "s1", "reason": "time", "addresses": 4321}]
    assert content["dismissed"][0]["because"] == "=授权"
    (case,) = content["cases"]
    assert case["matches"][0]["match"]["page_older"] is True
