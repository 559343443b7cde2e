"""Captures in the real store: whatever is changed in one is noticed, by the command and in reports."""

import gzip
import io
import json
from datetime import datetime, timedelta

import pytest
from support.browsers import require_browser
from support.compared import mark_compared
from support.matches import match_with
from support.webserver import Reply, article
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from analysis.evidence.captures import read_exchange
from analysis.reports.building import build_report, render_csv, render_html, render_json
from crawler.pages.verifying import Verifier
from storage.collections.matches import match_id
from storage.records import Passage, Source, Span, Work, utc_now

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def documents():
    """What the crawls of :func:`kept` stored, by collection: they are made once."""
    return {}


@pytest.fixture
def kept(stores, crawl, site, documents):
    """A page in four fetches: new, the same bytes, a 304, and the same bytes packed."""
    database = stores.database
    if documents:
        for name, rows in documents.items():
            database[name].delete_many({})  # such as the moment since which captures have digests
            database[name].insert_many(rows)
        return next(row["url"] for row in documents["captures"])
    page = article("渡口")
    urls = (f"{site.url}/1.html",)
    for number, reply in enumerate(
        (
            Reply(page, ETag='"1"', X_Name="one"),
            Reply(page, X_Name="two"),
            Reply(page, ETag='"1"', X_Name="three"),
            Reply(gzip.compress(page.encode()), Content_Encoding="gzip", X_Name="four"),
        )
    ):
        site.pages = {"/1.html": reply, "/robots.txt": Reply(status=404)}
        crawl(Source(name="u", kind="urls", start_urls=urls), f"s{number}")
    rows = list(database["captures"].find({}))
    assert len(rows) == 4
    assert all(len(row["digest"]) == 64 for row in rows)
    for name in ("captures", "snapshots", "pages", "visits", "page_events", "scans", "sources", "schema"):
        if stored := list(database[name].find({})):
            documents[name] = stored
    return urls[0]


@pytest.mark.parametrize("render", [False, True], ids=["plain", "browser"])
def test_every_field_that_was_sent_or_came_is_recorded(stores, crawl, site, render):
    if render:
        require_browser()
    site.pages = {
        "/1.html": Reply(article("渡口"), X_Title="a", Set_Cookie="sid=word; path=/"),
        "/robots.txt": Reply(status=404),
    }
    crawl(Source(name="u", kind="urls", start_urls=(f"{site.url}/1.html",), render=render))
    (page,) = stores.pages.all()
    exchange = read_exchange(page.snapshots[0], stores)
    (sent, came), *_ = [pair for pair in site.exchanges if b"/1.html" in pair[0].splitlines()[0]]
    assert f"Host: {site.url.removeprefix('http://')}".encode() in sent.splitlines()
    assert exchange.request.strip() == sent
    expected = came.replace(b"sid=word; path=/", b"[left out]")
    if render:
        expected = expected.replace(b"Content-Length", b"X-Archive-Orig-Content-Length")
    assert exchange.headers.strip() == expected


def verified(pindna, *urls, status=0):
    return json.loads(pindna("page", "verify", *urls, "--json", status=status).stdout)


def rewritten(warc, change):
    """Records with their blocks changed and every digest of their own made anew: what a forger would do."""
    output = io.BytesIO()
    writer = WARCWriter(output, gzip=True, warc_version="1.1")
    for record in ArchiveIterator(io.BytesIO(warc)):
        kind, payload = record.rec_type, record.raw_stream.read()
        kind, head, http, payload = change(kind, record.rec_headers, record.http_headers, payload)
        for name in ("WARC-Block-Digest", *(() if kind == "revisit" else ("WARC-Payload-Digest",))):
            head.remove_header(name)
        head.remove_header("Content-Length")
        again = writer.create_warc_record(
            head.get_header("WARC-Target-URI"),
            kind,
            payload=io.BytesIO(payload) if payload else None,
            length=len(payload),
            warc_headers=head,
            http_headers=http,
        )
        writer.write_record(again)
    return output.getvalue()


def in_head(kind_of, name, value):
    def change(kind, head, http, payload):
        if kind == kind_of:
            http.replace_header(name, value)
        return kind, head, http, payload

    return change


def in_record(name, value):
    def change(kind, head, http, payload):
        head.replace_header(name, value)
        return kind, head, http, payload

    return change


def status_of(kind, head, http, payload):
    if kind in ("response", "revisit"):
        http.statusline = "404 Not Found"
    return kind, head, http, payload


def body_of(kind, head, http, payload):
    return kind, head, http, payload.replace("候鸟".encode(), "海鸥".encode())


ROWS = {
    "date": lambda row: {"$set": {"fetched": row["fetched"] + timedelta(milliseconds=1)}},
    "day": lambda row: {"$set": {"fetched": row["fetched"] - timedelta(days=365)}},
    "address": lambda row: {"$set": {"url": row["url"] + "?"}},
    "status": lambda _: {"$set": {"status": 404}},
    "sha256": lambda _: {"$set": {"sha256": "0" * 64}},
    "digest": lambda _: {"$set": {"digest": "0" * 64}},
    "no digest": lambda _: {"$set": {"digest": ""}},
    "digest unset": lambda _: {"$unset": {"digest": ""}},
}
RECORDS = {
    "request": in_head("request", "Accept-Language", "en"),
    "header": in_head("response", "X-Name", "forged"),
    "date of the record": in_record("WARC-Date", "2020-01-01T00:00:00.000Z"),
    "address of the record": in_record("WARC-Target-URI", "http://x.example/"),
    "status of the record": status_of,
    "body": body_of,
}


def test_unaltered_captures_verify(pindna, kept):
    found = verified(pindna)
    assert found == verified(pindna, kept)
    assert (found["captures"], found["unchanged"], found["problems"]) == (4, 4, [])
    told = pindna("page", "verify").stdout
    assert "4 captures: 4 unchanged, 0 altered, 0 missing." in told
    shown = json.loads(pindna("page", "show", kept, "--json").stdout)
    assert {len(each["digest"]) for each in shown["captures"]} == {64}
    assert "no page called" in pindna("page", "verify", "http://x.example/", status=2).stderr


def states(stores):
    """What a verifier says of every capture that does not agree."""
    verifier = Verifier(stores)
    found = [verifier.check(each) for each in stores.captures.iter_all()]
    return [each.state for each in found if each.problem]


def test_address_is_accepted_in_any_spelling(pindna, stores, crawl, site):
    url = f"{site.url}/read?page=2&book=1"
    site.default = article("渡口")
    crawl(Source(name="u", kind="urls", start_urls=(url,)))
    for spelling in (url, f"{site.url}/read?book=1&page=2", f"{url}#top"):
        assert verified(pindna, spelling)["captures"] == 1
        assert len(json.loads(pindna("page", "show", spelling, "--json").stdout)["captures"]) == 1
    assert stores.captures.of_url(url)


def test_browser_captures_are_verified_too(stores, crawl, site):
    require_browser()
    site.pages = {"/1.html": article("渡口"), "/robots.txt": Reply(status=404)}
    source = Source(name="r", kind="urls", start_urls=(f"{site.url}/1.html",), render=True, screenshot=True)
    for scan in ("s1", "s2"):
        result, _ = crawl(source, scan)
        assert result.returncode == 0, result.stderr
    rows = list(stores.captures.iter_all())
    assert sorted(each.kind for each in rows) == ["response", "response", "screenshot", "screenshot"]
    assert len({each.digest for each in rows}) == 4
    assert states(stores) == []
    for row in stores.database["snapshots"].find({}):
        forged = rewritten(row["warc"], lambda kind, head, http, payload: (kind, head, http, payload + b" "))
        stores.database["snapshots"].update_one({"_id": row["_id"]}, {"$set": {"warc": forged}})
        assert states(stores) == ["altered"] * 2
        stores.database["snapshots"].update_one({"_id": row["_id"]}, {"$set": {"warc": row["warc"]}})
    assert states(stores) == []


@pytest.mark.usefixtures("kept")
def test_every_field_of_every_capture_is_covered(stores, subtests):
    captures, snapshots = stores.database["captures"], stores.database["snapshots"]
    for row in list(captures.find({})):
        for name, change in ROWS.items():
            with subtests.test(row=row["scan_id"], changed=name):
                captures.update_one({"_id": row["_id"]}, change(row))
                assert states(stores) == ["missing" if name == "sha256" else "altered"]
                captures.replace_one({"_id": row["_id"]}, row)
        own = row["warc"]
        where, key = (captures, row["_id"]) if own else (snapshots, row["sha256"])
        warc = own or snapshots.find_one({"_id": key})["warc"]
        changes = {name: rewritten(warc, change) for name, change in RECORDS.items()}
        changes["header"] = rewritten(warc, in_head("revisit" if own else "response", "X-Name", "forged"))
        changes["bytes"] = warc[:-40]
        if own:  # a revisit has none
            del changes["body"]
        for name, forged in changes.items():
            with subtests.test(row=row["scan_id"], changed=name):
                where.update_one({"_id": key}, {"$set": {"warc": forged}})
                found = states(stores)
                assert found
                assert set(found) == {"altered"}
                where.update_one({"_id": key}, {"$set": {"warc": warc}})
    assert states(stores) == []
    snapshots.delete_many({})
    assert states(stores) == ["missing"] * 4


def test_altered_capture_is_reported(pindna, kept, stores):
    row = stores.database["captures"].find_one({"scan_id": "s1"})
    stores.database["captures"].update_one({"_id": row["_id"]}, {"$set": {"status": 404}})
    found = verified(pindna, kept, status=1)
    assert (found["captures"], found["unchanged"], found["altered"]) == (4, 3, 1)
    (problem,) = found["problems"]
    assert (problem["url"], problem["state"], problem["problem"]) == (kept, "altered", "status")
    told = pindna("page", "verify", status=1).stdout
    assert f"altered: {kept}" in told
    assert "(status)" in told
    assert "4 captures: 3 unchanged, 1 altered, 0 missing." in told


@pytest.mark.usefixtures("kept")
def test_captures_of_older_versions_are_no_forgeries(pindna, stores):
    """A database of schema 2: no digests, dates to the second, no request beside a revisit."""
    stores.database["schema"].delete_many({})
    stores.database["captures"].update_many({}, {"$unset": {"digest": ""}})
    first = stores.database["captures"].find_one({"warc": b""})
    stores.database["schema"].insert_one({"_id": "schema", "version": 2})
    stores.ensure_schema()
    found = verified(pindna)
    assert (found["undigested"], found["problems"]) == (4, [])
    assert "Captures from before digests were stored: 4." in pindna("page", "verify").stdout
    # What can be checked without a digest is checked.
    snapshot = stores.database["snapshots"].find_one({"_id": first["sha256"]})
    forged = rewritten(snapshot["warc"], body_of)
    stores.database["snapshots"].update_one({"_id": first["sha256"]}, {"$set": {"warc": forged}})
    assert verified(pindna, status=1)["altered"] == 4


def test_report_notices(kept, stores):
    (page,) = [each for each in stores.pages.all() if each.url == kept]
    text = stores.pages.get_many([page.id])[page.id].text
    stores.works.save(Work(id=1, key="k", title="青灯渡", kind="novel", origin="o", status="indexed"))
    stores.passages.save_many([Passage(id=1, work_id=1, ordinal=0, title="一", text=text, sha256="0")])
    span = Span(page_start=0, page_end=20, passage_start=0, passage_end=20, char_identity=1, sound_identity=1)
    match = match_with(
        id=match_id(page.id, 1, "novel@1"),
        page_id=page.id,
        site=page.site,
        url=page.url,
        work_title="青灯渡",
        passage_title="一",
        copied_chars=20,
        longest_span=20,
        spans=(span,),
    )
    stores.matches.replace_for_pages({page.id: [match]})
    mark_compared(stores, page.id)
    first = next(each for each in stores.captures.of_url(kept) if not each.warc)

    whole = build_report(stores)
    (facts,) = [each.page for each in whole.matches]
    assert [(each.digest, each.state) for each in facts.captures] == [(first.digest, "unchanged")]
    assert first.digest in render_html(whole)
    assert first.digest in render_csv(whole)
    assert "altered" not in render_html(whole)

    last = max(stores.captures.of_url(kept), key=lambda each: each.fetched)
    stores.database["captures"].update_one({"_id": last.id}, {"$set": {"status": 500}})
    told = build_report(stores)
    html = render_html(told)
    assert "was altered" in html
    assert "(altered, " in html
    assert "altered" in render_csv(told)
    states = json.loads(render_json(told))["cases"][0]["matches"][0]["page"]["captures"]
    assert [each["state"] for each in states] == ["unchanged", "altered"]
    assert datetime.fromisoformat(states[1]["fetched"]) <= utc_now()
    stores.database["captures"].delete_many({})
    assert "(missing)" in render_html(build_report(stores))
