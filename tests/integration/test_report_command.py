"""``pindna report`` on real stores: what is new since the last one, captures as files, tables for people."""

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from support.compared import mark_compared
from support.exchanges import received_with, sha256_of
from support.matches import match_with
from warcio.archiveiterator import ArchiveIterator

from crawler.pages.warc import response_record
from storage.collections.matches import match_id
from storage.collections.pages import page_id
from storage.records import Page, Passage, Scan, Snapshot, Span, Work, utc_now

pytestmark = pytest.mark.services

TEXT = "渡口的灯在雨里亮了一夜，没有人来。问津把船拴在桩上，听见江心传来一声锣。"
BODY = f"<p>{TEXT}</p>".encode()


@pytest.fixture
def publish(stores):
    """A function by which a scan finds a copy of the only work at another address."""
    stores.works.save(Work(id=1, key="k", title="青灯渡", kind="novel", origin="o", status="indexed"))
    stores.passages.save_many([Passage(id=10, work_id=1, ordinal=0, title="第一章", text=TEXT, sha256="0")])

    def find(number):
        scan = Scan(id=f"scan-{number}", trigger="schedule", sources=("one",), started=utc_now())
        stores.scans.open(scan)
        url = f"http://copy.example/{number}.html"
        received = received_with(BODY, url=url)
        snapshot = Snapshot(
            sha256=sha256_of(BODY),
            url=url,
            status=200,
            headers=b"",
            body=b"",
            fetched=utc_now(),
            warc=response_record(received),
        )
        stores.snapshots.save(snapshot)
        page = page_of(url, snapshot.sha256, scan.id)
        stores.pages.see_many([page])
        stores.matches.replace_for_pages({page.id: [copy_of(page)]})
        mark_compared(stores, page.id)
        stores.database["scans"].update_one(
            {"_id": scan.id}, {"$set": {"status": "finished", "finished": utc_now()}}
        )
        return url

    return find


def page_of(url, sha256, scan_id):
    return Page(
        id=page_id(url, TEXT),
        url=url,
        host="copy.example",
        source="one",
        kind="article",
        text=TEXT,
        content_hash=hashlib.sha256(TEXT.encode()).hexdigest(),
        snapshots=(sha256,),
        scan_id=scan_id,
    )


def copy_of(page):
    span = Span(page_start=0, page_end=20, passage_start=0, passage_end=20, char_identity=1, sound_identity=1)
    return match_with(
        id=match_id(page.id, 10, "novel@1"),
        page_id=page.id,
        passage_id=10,
        site=page.site,
        url=page.url,
        work_title="青灯渡",
        passage_title="第一章",
        copied_chars=20,
        spans=(span,),
        first_seen=utc_now(),
        last_seen=utc_now(),
    )


def new_matches(pindna, *options):
    """How many matches a report calls new; None when it knows of no earlier report."""
    document = pindna("report", "-o", "-", *options).stdout
    if "There is no earlier report" in document:
        return None
    number = re.search(r"<b>(\d+) new match", document)
    return int(number[1]) if number else 0


def test_report_counts_matches_new_since_the_last_report(pindna, publish):
    publish(1)
    assert new_matches(pindna) is None
    assert new_matches(pindna) is None  # the same scans: nothing was found since the first report
    publish(2)
    assert new_matches(pindna) == 1
    assert new_matches(pindna) == 1  # a second copy of the report says the same
    publish(3)
    publish(4)
    assert new_matches(pindna) == 2
    # A table that a program takes is no report that a person read, and another scope is another report.
    assert new_matches(pindna, "--work", "青灯渡") is None
    rows = json.loads(pindna("report", "--format", "json", "-o", "-").stdout)
    assert rows["new_since"] is None
    # Any moment can be named.
    yesterday = (utc_now() - timedelta(days=1)).strftime("%Y-%m-%d")
    assert new_matches(pindna, "--new-since", yesterday) == 4


def test_report_folder_contains_the_report_and_its_captures(pindna, publish, tmp_path):
    url = publish(1)
    pindna("report", "--with-captures", "-o", "evidence")
    folder = tmp_path / "evidence"
    document = (folder / "report.html").read_text(encoding="utf-8")
    (link,) = re.findall(r'href="(captures/[^"]+)"', document)
    with (folder / link).open("rb") as file:
        records = {record.rec_type: record for record in ArchiveIterator(file)}
        assert set(records) == {"warcinfo", "response", "request"}
        assert records["response"].rec_headers.get_header("WARC-Target-URI") == url
    digests = dict(line.split()[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    for name in ("report.html", link):
        assert digests[name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_single_file_report_names_the_command_that_exports_captures(pindna, publish, tmp_path):
    publish(1)
    document = pindna("report", "-o", "-").stdout
    (command,) = re.findall(r'<code class="command">pindna ([^<]+)</code>', document)
    pindna(*command.split())
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        bodies = {one.rec_type: one.content_stream().read() for one in ArchiveIterator(file)}
    assert bodies["response"] == BODY


def test_tables_are_for_people_unless_a_program_asks(pindna, publish, environment):
    publish(1)
    environment["LC_ALL"] = "zh_CN.UTF-8"

    def table(*options):
        text = pindna("report", "--format", "csv", "-o", "-", *options).stdout
        return next(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))

    people, programs = table(), table("--codes")
    assert people["判定"] == "全文雷同"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", people["首次发现（Asia/Shanghai）"])
    assert programs["verdict"] == "copy"
    assert programs["first_seen"].endswith("+00:00")


def test_conflicting_options_are_refused_before_the_start(pindna):
    assert "--codes" in pindna("report", "--codes", status=2).stderr
    assert "--with-captures" in pindna("report", "--with-captures", "--format", "csv", status=2).stderr
    assert "--sha256" in pindna("page", "snapshot", status=2).stderr


def test_scan_is_named_by_the_beginning_of_its_id(pindna, stores):
    ids = "20261121T030000Z-ab12", "20261122T133448Z-cd34", "20261122T133448Z-cd34-2"
    for key in ids:
        scan = Scan(id=key, trigger="hand", sources=(), started=utc_now())
        stores.scans.open(replace(scan, status="finished", finished=utc_now()))

    def named(name, status=0):
        return pindna("report", "--scan", name, "--format", "json", "-o", "-", status=status)

    for name, key in (("20261121T03", ids[0]), (ids[1], ids[1]), (ids[2], ids[2])):
        assert json.loads(named(name).stdout)["scope"]["scan_id"] == key
    assert (
        f"Several ids start with 20261122T133448Z: {ids[1]}, {ids[2]}." in named("20261122T133448Z", 2).stderr
    )
    assert "There is no scan called 20261123T" in named("20261123T", 2).stderr
