"""Licences, reviews, dismissals and profiles on the command line, over a real scan of the sample sites."""

import json

import pytest

from deploy.demo.plan import sources
from deploy.demo.samples import SAMPLES, load_samples

NOVEL = SAMPLES / "novels" / "青灯渡.txt"
CHAPTER = load_samples()["青灯渡:2"].text
STRANGER = load_samples()["竹坞旧事:1"].text


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.usefixtures("background_worker")
def test_analysts_day(pindna, stores, sites):
    for source in sources(sites.base_urls):
        if source.name == "demo-novels":
            stores.sources.save(source)
    pindna("corpus", "add", NOVEL)
    pindna("profile", "evaluate", status=2)  # nothing reviewed yet
    pindna("scan", status=1)
    matches = lines(pindna("review", "list", "--json"))
    assert len(matches) >= 6
    assert {row["review"] for row in matches} == {"open"}
    assert f" {matches[0]['name']} " in pindna("review", "list").stdout

    pindna("review", "confirm", matches[0]["id"])
    done = pindna("dismiss", matches[1]["id"], "no-such-match", "--because", "作者本人授权", status=4)
    assert "Dismissed" in done.stdout
    assert done.stderr.count("\n") == 1
    states = {row["id"]: row for row in lines(pindna("review", "list", "--json"))}
    assert states[matches[0]["id"]]["review"] == "confirmed"
    dismissed = states[matches[1]["id"]]
    assert (dismissed["review"], dismissed["because"]) == ("dismissed", "作者本人授权")
    dismissals = lines(pindna("dismissals", "list", "--json"))
    assert {row["because"] for row in dismissals} == {"作者本人授权"}
    assert "作者本人授权" in pindna("dismissals", "list").stdout

    report = json.loads(pindna("report", "--format", "json", "-o", "-").stdout)
    assert [match["because"] for match in report["dismissed"]] == ["作者本人授权"]
    shown = [match["match"]["id"] for case in report["cases"] for match in case["matches"]]
    assert matches[1]["id"] not in shown
    assert matches[0]["id"] in shown
    assert "作者本人授权" in pindna("report", "-o", "-").stdout
    assert "作者本人授权" in pindna("report", "--format", "csv", "-o", "-").stdout

    figures = json.loads(pindna("profile", "evaluate", "--set", "copy_coverage=1.0", "--json").stdout)
    assert (figures["items"], figures["left_out"]) == (2, 0)
    assert figures["present"] == {
        "precision": 0.5,
        "recall": 1.0,
        "found_rightly": 1,
        "found_wrongly": 1,
        "missed": 0,
        "left_rightly": 0,
    }
    assert "precision" in pindna("profile", "evaluate").stdout

    ids = [row["id"] for row in dismissals]
    pindna("dismissals", "remove", *ids, "--yes")
    pindna("dismissals", "remove", *ids, "--yes", status=2)
    assert lines(pindna("review", "list", "--state", "dismissed", "--json")) == []
    pindna("review", "reopen", matches[0]["id"])
    assert lines(pindna("review", "list", "--state", "confirmed", "--json")) == []

    _licences(pindna, matches[0]["site"])


def _licences(pindna, site):
    granted = pindna("licence", "add", "青灯渡", site, "--until", "2020-01-31", "--attribution")
    assert "2020-01-31" in granted.stdout
    (licence,) = lines(pindna("licence", "list", "青灯渡", "--json"))
    assert licence == {
        "work_id": 1,
        "work": "青灯渡",
        "site": site,
        "from": None,
        "until": "2020-01-31+08:00",
        "attribution": True,
        "share": None,
    }
    pindna("scan", status=1)
    assert {row["licence"] for row in lines(pindna("review", "list", "--json"))} == {"expired"}
    assert "The licence has expired" in pindna("report", "-o", "-").stdout
    pindna("licence", "add", "青灯渡", site, "--replace")
    pindna("scan", status=4)  # nothing but licensed pages, and an incomplete one
    assert {row["verdict"] for row in lines(pindna("review", "list", "--json"))} == {"licensed"}
    assert pindna("review", "next").stdout == "0 matches are open.\n"
    assert lines(pindna("review", "list", "--state", "open", "--json")) == []
    assert "No decision" in pindna("review", "list", "--verdict", "licensed").stdout  # in two lines
    assert "without terms" in pindna("licence", "list").stdout
    pindna("licence", "remove", "青灯渡", site, "--yes")
    pindna("licence", "remove", "青灯渡", site, status=2)
    pindna("licence", "add", "青灯渡", "not a site", status=2)
    backwards = "--from", "2026-02-01", "--until", "2026-01-01"
    pindna("licence", "add", "青灯渡", site, *backwards, status=2)


def test_profiles_are_listed_shown_and_tried_on_labelled_texts(pindna, tmp_path):
    (tmp_path / "pindna.toml").write_text(
        '[tracker]\nnovel_profile = "strict"\n\n'
        '[tracker.profiles.strict]\nbase = "novel"\nversion = 2\n'
        "partial_chars = 80\npartial_coverage = 0.01\n",
        encoding="utf-8",
    )
    rows = {row["profile"]: row for row in lines(pindna("profile", "list", "--json"))}
    assert {name: row["used_for"] for name, row in rows.items()} == {
        "news@6": ["news"],
        "novel@6": [],
        "strict@2": ["novel"],
    }
    assert "strict@2" in pindna("profile", "list").stdout
    assert "partial_chars = 80" in pindna("profile", "show", "strict").stdout
    assert json.loads(pindna("profile", "show", "novel", "--json").stdout)["partial_chars"] == 240
    assert json.loads(pindna("profile", "show", "novel@2", "--json").stdout)["partial_chars"] == 300
    pindna("profile", "show", "none", status=2)

    for verdict, text in (("copy", CHAPTER), ("clear", STRANGER), ("quote", STRANGER + CHAPTER[:130])):
        (tmp_path / "labelled" / verdict).mkdir(parents=True)
        (tmp_path / "labelled" / verdict / "a.txt").write_text(text, encoding="utf-8")
    tried = pindna(
        "profile", "evaluate", "novel", "--folder", "labelled", "--corpus", str(NOVEL.parent), "--json"
    )
    figures = json.loads(tried.stdout)
    assert (figures["present"]["precision"], figures["tried"]["precision"]) == (0.5, 1.0)
    assert [(change["before"], change["after"]) for change in figures["changed"]] == [("partial", "quote")]
    earlier = pindna(
        *("profile", "evaluate", "novel", "--against", "novel@2", "--against", "news@2", "--set"),
        *("partial_chars=130", "--folder", "labelled", "--corpus", str(NOVEL.parent)),
    )
    assert "news@2, novel@2" in earlier.stdout
    assert "verdict before" in earlier.stdout
    pindna("profile", "evaluate", "--set", "copy_coverage=7", "--folder", "labelled", status=2)
    pindna("profile", "evaluate", "--set", "nonsense", "--folder", "labelled", status=2)

    (tmp_path / "page.txt").write_text(STRANGER + CHAPTER[:130], encoding="utf-8")
    (checked,) = lines(pindna("check", "--corpus", str(NOVEL.parent), "page.txt", "--json", status=1))
    assert checked["verdict"] == "partial"


DISGUISED = {
    "pinyin": CHAPTER.replace("的", "de").replace("一", "yi").replace("不", "bu"),
    "noise": "\u200b".join(CHAPTER),
    "slogans": CHAPTER[:400] + "天才一秒记住本站地址，全文字无弹窗！" + CHAPTER[400:],
    "shuffled": "".join(CHAPTER[start : start + 200] for start in (600, 400, 200, 0)),
}


@pytest.mark.parametrize("name", DISGUISED)
def test_disguises_are_named_by_check(pindna, tmp_path, name):
    (tmp_path / "page.txt").write_text(DISGUISED[name], encoding="utf-8")
    (result,) = lines(pindna("check", "--corpus", str(NOVEL.parent), "page.txt", "--json", status=1))
    (match,) = result["matches"]
    assert match["verdict"] == "copy"
    assert name in match["disguises"]
    assert match["passage"] == "第二章 半本账"


def test_page_that_is_older_than_the_work_and_has_no_attribution_says_so(pindna, tmp_path):
    work = {"title": "半本账", "text": CHAPTER, "author": "沈渡", "date": "2026-03-02"}
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "news.jsonl").write_text(json.dumps(work, ensure_ascii=False), encoding="utf-8")
    body = "".join(f"<p>{line.strip()}</p>" for line in CHAPTER.splitlines() if line.strip())
    (tmp_path / "page.html").write_text(
        "<html><head><meta charset='utf-8'><title>别的题目</title>"
        "<meta property='article:published_time' content='2026-01-05T08:00:00+08:00'></head>"
        f"<body><article><h1>别的题目</h1>{body}</article></body></html>",
        encoding="utf-8",
    )
    (result,) = lines(pindna("check", "--corpus", "works", "page.html", "--json", status=1))
    assert result["matches"][0]["page_older"] is True
    assert "older than the work" in pindna("check", "--corpus", "works", "page.html", status=1).stdout
