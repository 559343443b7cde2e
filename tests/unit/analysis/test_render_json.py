"""Reports as JSON hold everything, and the same as tables."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from analysis.render_csv import render_csv
from analysis.render_json import render_json
from analysis.report_records import LeftAddresses, NotAligned
from storage.records import Suppressed

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def test_json_holds_everything_as_it_is(build):
    content = json.loads(render_json(build(title="<b>\u202e")))
    (match,) = content["cases"][0]["matches"]
    assert content["format"] == "pindna-report/1"
    assert content["gravest"] == "copy"
    assert match["match"]["page_title"] == "<b>\u202e"
    assert match["match"]["spans"][0]["page_start"] == 2
    assert match["texts"]["excerpts"][0]["rows"][0][1] == {"kind": "homophone", "page": "东", "passage": "冬"}
    assert datetime.fromisoformat(content["generated"]).utcoffset().total_seconds() == 0


def flagged_report(build):
    """A report of a match with everything that must be known beside its figures, and of a dismissed one."""
    report = build()
    (case,) = report.cases
    (entry,) = case.matches
    span = entry.match.spans[0]
    match = replace(
        entry.match,
        licence="expired",
        page_older=True,
        work_published=NOON,
        page_published=NOON - timedelta(days=3),
        review="confirmed",
        reviewed=NOON,
        common=(span, span),
        suppressed=(Suppressed(span=span, dismissal_id="d1", because="合理<i>引用"),),
    )
    gone = replace(match, id="gone", review="dismissed", because="=授权", licence="")
    return replace(
        report,
        cases=(replace(case, matches=(replace(entry, match=match),)),),
        dismissed=(gone,),
        not_aligned=(NotAligned(url="https://copy.example/long", unaligned=77, capped=1234, cut_chars=555),),
        left=(LeftAddresses(source="a<i>", scan_id="s1", reason="time", addresses=4321),),
    )


def test_tables_and_json_hold_the_same(build):
    report = flagged_report(build)
    rows = list(csv.DictReader(io.StringIO(render_csv(report).removeprefix("\ufeff"))))
    assert [(row["licence"], row["page_older"], row["review"]) for row in rows] == [
        ("expired", "1", "confirmed"),
        ("", "1", "dismissed"),
    ]
    assert [row["dismissed_because"] for row in rows] == ["合理<i>引用"] * 2
    assert (rows[0]["common_stretches"], rows[0]["work_published"]) == ("2", NOON.isoformat())
    content = json.loads(render_json(report))
    assert content["not_aligned"] == [
        {"url": "https://copy.example/long", "unaligned": 77, "capped": 1234, "cut_chars": 555}
    ]
    assert content["left"] == [{"source": "a<i>", "scan_id": "s1", "reason": "time", "addresses": 4321}]
    assert content["dismissed"][0]["because"] == "=授权"
    (case,) = content["cases"]
    assert case["matches"][0]["match"]["page_older"] is True
