"""``pindna case`` from the first look to the closed case, typed as people type it."""

import json
from datetime import UTC, datetime, timedelta

from support.matches import match_with

from storage.records import Passage, Scan, Span, Work
from tracker.judgement.cases import refresh_cases

NOW = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
SITE = "a.cn"


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def store(stores, number, *, site=SITE, seen=NOW):
    text = "甲乙丙丁" * 100
    stores.passages.save_many(
        [Passage(id=number, work_id=1, ordinal=number, title="", text=text, sha256=str(number))]
    )
    span = Span(
        page_start=0, page_end=300, passage_start=0, passage_end=300, char_identity=1, sound_identity=1
    )
    match = match_with(
        id=f"p{number}",
        page_id=f"p{number}",
        passage_id=number,
        work_id=1,
        work_title="书",
        site=site,
        url=f"http://m.{site}/{number}",
        spans=(span,),
        copied_chars=300,
        coverage=0.9,
        first_seen=seen,
        last_seen=seen,
    )
    stores.matches.replace_for_pages({match.page_id: [match]})
    refresh_cases(stores, [(1, site)])


def test_case_from_the_first_look_to_its_end(pindna, stores):
    store(stores, 1)
    store(stores, 2, site="b.cn")
    stores.works.save(Work(id=1, key="书", title="书", kind="novel", origin="o", holder="某社"))
    assert [row["name"] for row in lines(pindna("case", "list", "--urgent", "--json"))] == ["c1", "c2"]
    assert "overdue" not in pindna("case", "list", "--overdue", "--json").stdout  # just found

    pindna("case", "confirm", "c1", "c9", "--because", "照抄", "--as", "林", status=4)
    pindna("case", "dismiss", "c2", status=2)  # needs a reason
    pindna("case", "dismiss", "c2", "--because", "引用", "--as", "林")
    done = pindna("case", "assign", "c1", "--to", "陈", "--deadline", "2020-01-02", "--json")
    (row,) = lines(done)
    assert (row["name"], row["assignee"], row["state"], row["overdue"]) == ("c1", "陈", "confirmed", True)
    assert pindna("case", "assign", "c1", status=2).stderr.count("\n") == 1
    (row,) = lines(pindna("case", "list", "--assignee", "陈", "--overdue", "--json"))
    assert (row["name"], row["state"], row["overdue"]) == ("c1", "confirmed", True)
    assert "overdue since" in pindna("case", "list").stdout

    pindna("case", "reply", "c1", "--answer", "accepted", status=2)  # nobody wrote to the site
    assert "is in the future" in pindna("case", "notify", "c1", "--on", "2999-01-01", status=2).stderr
    pindna("case", "notify", "c1", "--on", "2026-03-02", "--because", "挂号信", "--as", "陈")
    noted = pindna("case", "note", "c1", "--because", "\x1b[31m电话无人接", "--json")
    assert json.loads(noted.stdout)["state"] == "notified"
    pindna("case", "reply", "c1", "--answer", "refused", "--because", "称有授权", "--as", "陈")
    shown = json.loads(pindna("case", "show", "c1", "--json").stdout)
    assert (shown["state"], shown["deadline"] is not None, shown["hosts"]) == ("refused", True, ["m.a.cn"])
    assert shown["who_was_first"]["first_seen"] == NOW.isoformat()
    assert shown["priority"]["reasons"]["copied_chars"] == {"points": 20, "value": 300}
    for words in ("Publication order", "Priority", "Refused by the site"):
        assert words in pindna("case", "show", "c1").stdout

    pindna("case", "close", "c1", "--because", "已和解")
    assert lines(pindna("case", "list", "--json", "--state", "refused")) == []
    of = ("case", "list", "--all", "--json", "--holder", "某社", "--verdict", "copy")
    assert [row["holder"] for row in lines(pindna(*of))] == ["某社", "某社"]
    assert lines(pindna(*of[:-1], "quote")) == lines(pindna(*of[:-3], "别家")) == []
    assert len(lines(pindna("case", "list", "--all", "--json"))) == 2
    pindna("case", "reopen", "c1")
    pindna("case", "reopen", "c1", status=2)
    history = pindna("case", "history", "c1")
    assert "\x1b[31m" not in history.stdout
    assert [row["kind"] for row in lines(pindna("case", "history", "c1", "--json"))] == [
        "opened",
        "joined",
        "match-confirmed",
        "confirmed",
        "assigned",
        "deadline",
        "notified",
        "noted",
        "refused",
        "closed",
        "reopened",
    ]
    assert [row["kind"] for row in lines(pindna("case", "history", "c1", "--limit", "1", "--json"))] == [
        "reopened"
    ]


def test_new_matches_of_a_scan_are_decided_together_and_doubts_set_aside(pindna, stores):
    stores.scans.open(Scan(id="s1", trigger="hand", sources=(), started=NOW, finished=NOW, status="finished"))
    store(stores, 1)
    store(stores, 2, seen=NOW + timedelta(days=1))
    (first,) = lines(pindna("review", "dismiss", "--scan", "s1", "--because", "引用", "--yes", "--json"))
    (second,) = lines(pindna("review", "doubt", "m2", "--because", "待查授权", "--as", "林", "--json"))
    assert [(row["name"], row["review"]) for row in (first, second)] == [
        ("m1", "dismissed"),
        ("m2", "doubtful"),
    ]
    assert lines(pindna("review", "list", "--json")) == [first, second]
    assert [row["name"] for row in lines(pindna("review", "list", "--state", "doubtful", "--json"))] == ["m2"]
    assert "Doubtful" in pindna("review", "list").stdout
    pindna("review", "confirm", "--scan", "no-such-scan", "--yes", status=2)
