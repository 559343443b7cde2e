"""Dates as a rights holder meets them: which was there first, in which zone, and what it rests on."""

import csv
import io
import json
from datetime import datetime

import pytest
from support.commands import run_command
from support.webserver import article

pytestmark = pytest.mark.usefixtures("background_worker")
TITLE = "渡口的候鸟"
DATES = {  # of the copies; the work is of "2023-12-4 22:15:00"
    "later": "<p>2023-12-05 00:15 来源：转载网</p>",
    "earlier": "<p>2023-12-04 20:15 来源：转载网</p>",
    "same-day": "<p>2023年12月4日 来源：转载网</p>",
    "undated": "",
}


def copy_of(date):
    """A copy of the work with a line that holds its date."""
    return article(TITLE).replace(f"<h1>{TITLE}</h1>", f"<h1>{TITLE}</h1>{date}")


@pytest.fixture
def work(tmp_path):
    """A file with one work, whose date names no zone."""
    text = "\n".join(article(TITLE).split("<p>")[1:]).partition("</article>")[0].replace("</p>", "")
    path = tmp_path / "works.jsonl"
    row = {"title": TITLE, "text": text, "date": "2023-12-4 22:15:00"}
    path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    return path


def add_source(pindna, site, tmp_path, dates, *, more=""):
    """Let a site have copies with these dates, and add it as a source."""
    site.pages = {f"/{name}.html": copy_of(date) for name, date in dates.items()}
    urls = json.dumps([f"{site.url}{path}" for path in site.pages])
    path = tmp_path / "copies.toml"
    path.write_text(f'name = "copies"\nkind = "urls"\nurls = {urls}\n{more}\n', encoding="utf-8")
    pindna("source", "add", path)


def matches_of(pindna):
    """The matches by the names of their pages."""
    rows = map(json.loads, pindna("review", "list", "--json").stdout.splitlines())
    return {row["url"].rpartition("/")[2].removesuffix(".html"): row for row in rows}


def table_row(pindna, *options):
    """The one row of the report as CSV."""
    table = pindna("report", "--format", "csv", *options, "-o", "-").stdout.removeprefix("\ufeff")
    (row,) = csv.DictReader(io.StringIO(table))
    return row


def seen_to_the_second(moment):
    return datetime.fromisoformat(moment).replace(microsecond=0)


def older(pindna):
    return {name: row["page_older_by"] for name, row in matches_of(pindna).items()}


@pytest.mark.long
def test_later_copy_is_not_older_whatever_the_timezone_setting(pindna, environment, tmp_path, site, work):
    add_source(pindna, site, tmp_path, DATES)
    pindna("corpus", "add", work)
    pindna("scan", status=1)
    expected = {"later": None, "earlier": "claimed-date", "same-day": None, "undated": None}
    assert older(pindna) == expected

    def elsewhere(*arguments, **options):
        abroad = {**environment, "PINDNA_TRACKER__TIMEZONE": "America/New_York"}
        return run_command(*arguments, environment=abroad, folder=tmp_path, **options)

    before = matches_of(pindna)
    days = ("--from", "2026-01-01", "--until", "2026-12-31")
    assert "from 2026-01-01 +08:00" in pindna("licence", "add", TITLE, "b.example", *days).stdout
    (licence,) = map(json.loads, elsewhere("licence", "list", "--json").stdout.splitlines())
    assert (licence["from"], licence["until"]) == ("2026-01-01+08:00", "2026-12-31+08:00")
    elsewhere("corpus", "add", work)
    elsewhere("licence", "add", TITLE, "a.example")  # so that every page is compared anew
    elsewhere("scan", status=1)
    assert older(elsewhere) == expected
    for name, row in matches_of(elsewhere).items():
        assert (row["work_published"], row["page_published"]) == (
            "2023-12-04T22:15:00+08:00",
            before[name]["page_published"],
        )
    page = elsewhere("page", "show", f"{site.url}/later.html").stdout
    assert "Date on the page: 2023-12-05 00:15 +08:00" in page
    assert " -05:00 – " in page or " -04:00 – " in page
    assert "+08:00 – " in pindna("page", "show", f"{site.url}/later.html").stdout
    assert "+08:00" in pindna("source", "list").stdout


@pytest.mark.long
def test_timezone_of_a_source_applies_to_its_dates(pindna, tmp_path, site, work):
    """Half past ten in the evening in Tokyo is half past nine in China, before the work."""
    dates = {"tokyo": "<p>2023-12-04 22:30 来源：転載網</p>"}
    add_source(pindna, site, tmp_path, dates, more='timezone = "Asia/Tokyo"')
    pindna("corpus", "add", work)
    pindna("scan", status=1)
    (row,) = matches_of(pindna).values()
    assert (row["page_published"], row["page_older_by"]) == ("2023-12-04T22:30+09:00", "claimed-date")
    (listed,) = map(json.loads, pindna("source", "list", "--json").stdout.splitlines())
    assert listed["timezone"] == "Asia/Tokyo"
    (tmp_path / "page.html").write_text(copy_of(dates["tokyo"]), encoding="utf-8")
    for options, zone in ((("--source", "copies"), "+09:00"), ((), "+08:00")):
        extracted = json.loads(pindna("extract", "page.html", *options, "--json").stdout)
        assert extracted["published"] == f"2023-12-04T22:30{zone}"
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('name = "w"\nurls = ["http://a.cn/"]\ntimezone = "Mars"\n', encoding="utf-8")
    assert "timezone: “Mars” is not a time zone" in pindna("source", "add", wrong, status=2).stderr


@pytest.mark.long
def test_undated_page_shows_only_its_first_sight(pindna, tmp_path, site, work):
    work.write_text(work.read_text("utf-8").replace("2023-12-4 22:15:00", "2999-01-01"), "utf-8")
    add_source(pindna, site, tmp_path, {"undated": ""})
    pindna("corpus", "add", work)
    pindna("scan", status=1)

    (listed,) = matches_of(pindna).values()
    assert (listed["page_published"], listed["work_published"]) == (None, "2999-01-01+08:00")
    assert (listed["page_older"], listed["page_older_by"]) == (True, "first-sight")
    row = table_row(pindna, "--codes")
    assert (row["page_published"], row["work_published"]) == ("", "2999-01-01+08:00")
    assert (row["first_seen"], row["page_older_by"]) == (listed["first_seen"], "first-sight")
    readable = table_row(pindna)
    assert (readable["Publication date of the page"], readable["Publication date of the work"]) == (
        "",
        "2999-01-01 +08:00",
    )
    first_seen = readable["First seen (Asia/Shanghai)"]
    assert datetime.fromisoformat(f"{first_seen}+08:00") == seen_to_the_second(listed["first_seen"])
    assert "Last seen (Asia/Shanghai)" in readable
    report = json.loads(pindna("report", "--format", "json", "-o", "-").stdout)
    match = report["cases"][0]["matches"][0]
    assert match["match"]["page_published"] is match["page"]["published"] is None
    assert match["match"]["first_seen"] == match["page"]["first_seen"] == listed["first_seen"]
    document = pindna("report", "-o", "-").stdout
    assert "work: 2999-01-01 +08:00 · page: –" in document
    assert "By the first sight of pindna, the page is older than the work" in document
    assert f"{first_seen} +08:00" in document
