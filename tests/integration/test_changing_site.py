"""A site that changes between two scans: every figure that pindna shows counts each address once."""

import csv
import io
import json
import re
from collections import Counter
from urllib.parse import urlsplit

import pytest
from support.webserver import Reply, anchors, article

from analysis.reports.render_csv import COLUMNS
from analysis.reports.statistics import scan_summary
from deploy.demo.samples import SAMPLES, load_samples
from storage.records import Source

pytestmark = pytest.mark.usefixtures("background_worker")
NOVEL = SAMPLES / "novels" / "青灯渡.txt"
TEXTS = load_samples()
MATCH_ID = re.compile(r"[0-9a-f]{32}:\d+:novel")


def chapter(number, *, more=""):
    """A chapter of the novel as a page."""
    paragraphs = "".join(f"<p>{line}</p>" for line in TEXTS[f"青灯渡:{number}"].text.split("\n"))
    title = f"第{number}章 转载"
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><article><h1>{title}</h1>{paragraphs}{more}</article></body></html>"


def rows_of(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def paths(urls):
    return sorted(urlsplit(url).path for url in urls)


def figures(pindna, stores):
    """Every figure that counts pages, copies or matches, by where it stands; all but the first are equal."""
    newest = max(stores.scans.newest(99), key=lambda scan: scan.started)
    summary = scan_summary(stores, newest.id)
    shown = {"summary": (summary.pages, summary.compared, summary.verdicts.get("copy", 0), summary.matches)}
    stored = newest.counts
    shown["scan"] = (stored["pages"], stored["state:compared"], stored["verdict:copy"], summary.matches)
    for name, scope in (("report", ()), ("report of the scan", ("--scan", newest.id))):
        report = json.loads(pindna("report", "--format", "json", "-o", "-", *scope).stdout)
        pages = report["pages"]
        matches = [match for case in report["cases"] for match in case["matches"]]
        counts = (pages["total"], pages["states"]["compared"], pages["verdicts"].get("copy", 0))
        shown[name] = (*counts, len(matches))
    table = pindna("report", "--format", "csv", "-o", "-").stdout.removeprefix("\ufeff")
    _, *cells = csv.reader(io.StringIO(table.rstrip("\n"), newline=""))  # below headings in words
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in cells]
    html = pindna("report", "-o", "-").stdout
    lists = {"csv": rows, "review": rows_of(pindna("review", "list", "--json"))}
    addresses = {
        name: sorted((row["url"], row["passage"]) for row in listed) for name, listed in lists.items()
    }
    assert addresses["csv"] == addresses["review"]
    assert max(Counter(addresses["csv"]).values()) == 1  # no (address, passage) stands twice
    matched = {name: len(listed) for name, listed in lists.items()} | {
        "html": len(set(MATCH_ID.findall(html)))
    }
    assert set(matched.values()) == {summary.matches}, matched
    assert sum(case.pages for case in stores.cases.listed()) == len({row["url"] for row in rows})
    assert len(set(shown.values())) == 1, shown
    return shown["summary"], paths(row["url"] for row in rows), summary


@pytest.mark.long
def test_every_figure_counts_an_address_once(pindna, stores, site):
    labels = {f"/b/{number}.html": f"第{number}章 转载" for number in range(1, 8)}
    site.pages = {
        "/b/": anchors(*labels.items()),
        **{f"/b/{number}.html": chapter(number) for number in range(1, 5)},
        **{f"/b/{number}.html": article(f"第{number}章 候鸟", seed=number) for number in (5, 6, 7)},
    }
    stores.sources.save(Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",)))
    pindna("corpus", "add", NOVEL)
    pindna("scan", status=1)
    counts, copies, _ = figures(pindna, stores)
    assert (counts, copies) == ((7, 7, 4, 4), [f"/b/{number}.html" for number in (1, 2, 3, 4)])

    # The next day: a copy gains a line, one becomes another chapter, one vanishes, and a clear page copies.
    site.pages["/b/1.html"] = chapter(1, more="<p>看完这一章的人都说夜里不敢再坐船过江去了呢。</p>")
    site.pages["/b/2.html"] = chapter(5)
    site.pages["/b/3.html"] = Reply("gone", status=404)
    site.pages["/b/5.html"] = chapter(6)
    pindna("scan", status=None)
    counts, copies, summary = figures(pindna, stores)
    # Six could be read, four of them are copies; of the one that vanished the last text counts.
    assert counts == (7, 6, 4, 5)
    assert copies == [f"/b/{number}.html" for number in (1, 2, 3, 4, 5)]
    assert (summary.not_compared, summary.last_texts) == ({"http-404": 1}, 1)
    first_scan = min(scan.finished for scan in stores.scans.newest(99))
    (case,) = stores.cases.listed()
    since = {
        urlsplit(match.url).path: match.first_seen
        for match in stores.matches.of_case(case.work_id, case.site)
    }
    # The copy that gained a line is as old as it was; what came to other pages is new there.
    assert sorted(path for path, at in since.items() if at < first_scan) == [
        f"/b/{number}.html" for number in (1, 3, 4)
    ]

    shown = json.loads(pindna("page", "show", f"{site.url}/b/2.html", "--json").stdout)
    assert [version["standing"] for version in shown["versions"]] == ["current", "replaced"]
    assert shown["versions"][1]["replaced"]
    text = pindna("page", "show", f"{site.url}/b/2.html").stdout
    assert text.count("replaced") == 1
    gone = json.loads(pindna("page", "show", f"{site.url}/b/3.html", "--json").stdout)
    assert [version["standing"] for version in gone["versions"]] == ["current", "last-text"]

    # A day later the first text is back, and what had vanished is there again.
    site.pages["/b/1.html"] = chapter(1)
    site.pages["/b/3.html"] = chapter(3)
    pindna("scan", status=1)
    counts, copies, summary = figures(pindna, stores)
    assert (counts, summary.not_compared, summary.last_texts) == ((7, 7, 5, 5), {}, 0)
    first = json.loads(pindna("page", "show", f"{site.url}/b/1.html", "--json").stdout)
    assert [version["standing"] for version in first["versions"]] == ["current", "replaced"]
    away = pindna("page", "show", f"{site.url}/b/3.html").stdout
    assert away.count("gone in between: first found gone ") == 1
    assert "replaced" not in away
    back = json.loads(pindna("page", "show", f"{site.url}/b/3.html", "--json").stdout)
    assert [len(version["absent"]) for version in back["versions"]] == [1, 0]
