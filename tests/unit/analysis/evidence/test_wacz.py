import hashlib
import io
import json
import zipfile
from dataclasses import replace

import pytest
from support.exchanges import NOW, received_with, sha256_of
from warcio.archiveiterator import ArchiveIterator

from analysis.evidence.wacz import ArchivedPage, sort_key, write_wacz
from crawler.exchange import RenderedAnswer
from crawler.pages.warc import response_record, revisit_record, screenshot_record

PAGE = ArchivedPage("p1", "http://x.example/a/1.html", NOW, "第一章")
RENDERED = received_with(b"<p>y</p>", url="http://x.example/b?q=1")
MEMBERS = [
    ("first", response_record(received_with())),
    (
        "again",
        revisit_record(received_with(), sha256=sha256_of(b"<p>x</p>"), first_url=PAGE.url, first_fetched=NOW),
    ),
    ("picture", screenshot_record(RENDERED, b"\x89PNG")),
    ("second", response_record(RENDERED)),
]


@pytest.fixture
def wacz(tmp_path):
    def write(members=MEMBERS):
        path = tmp_path / "a.wacz"
        left_out = write_wacz(path, members, [PAGE], title="证据", created=NOW, folder=tmp_path)
        assert [file.name for file in tmp_path.iterdir()] == ["a.wacz"]
        return zipfile.ZipFile(path), left_out

    return write


def index_of(wacz):
    lines = wacz.read("indexes/index.cdxj").decode().splitlines()
    return [(*line.split(" ", 2)[:2], json.loads(line.split(" ", 2)[2])) for line in lines]


def test_every_line_of_the_index_leads_to_its_record(wacz):
    archive, _ = wacz()
    warc = archive.read("archive/pindna.warc.gz")
    records = []
    for _, _, entry in index_of(archive):
        piece = warc[entry["offset"] : entry["offset"] + entry["length"]]
        (record,) = ArchiveIterator(io.BytesIO(piece))
        records.append((entry["url"], entry["mime"], record.rec_type))
    assert sorted(records) == [
        ("http://x.example/a/1.html", "text/html", "response"),
        ("http://x.example/a/1.html", "warc/revisit", "revisit"),
        ("http://x.example/b?q=1", "text/html", "response"),
        ("urn:view:http://x.example/b?q=1", "image/png", "resource"),
    ]
    assert [line[:2] for line in index_of(archive)] == sorted(line[:2] for line in index_of(archive))
    assert index_of(archive)[0][:2] == ("example,x)/a/1.html", "20260301083015")


def test_package_names_every_file_with_its_digest(wacz):
    archive, _ = wacz()
    package = json.loads(archive.read("datapackage.json"))
    assert package["profile"] == "data-package"
    assert package["wacz_version"] == "1.1.1"
    listed = {resource["path"]: resource for resource in package["resources"]}
    package_files = {"datapackage.json", "datapackage-digest.json"}
    assert set(listed) == set(archive.namelist()) - package_files
    for name, resource in listed.items():
        content = archive.read(name)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert resource["bytes"] == len(content)
    digest = json.loads(archive.read("datapackage-digest.json"))
    whole = hashlib.sha256(archive.read("datapackage.json")).hexdigest()
    assert digest == {"path": "datapackage.json", "hash": f"sha256:{whole}"}
    assert all(member.compress_type == zipfile.ZIP_STORED for member in archive.infolist())


def test_pages_are_listed_after_their_header(wacz):
    archive, _ = wacz()
    header, page = map(json.loads, archive.read("pages/pages.jsonl").decode().splitlines())
    assert header["format"] == "json-pages-1.0"
    assert page == {"id": "p1", "url": PAGE.url, "ts": "2026-03-01T08:30:15.123Z", "title": "第一章"}


@pytest.mark.parametrize("broken", [b"", b"x", MEMBERS[0][1][:40], b"\x1f\x8b" + bytes(30)])
def test_broken_record_is_omitted_and_named(wacz, broken):
    archive, left_out = wacz([MEMBERS[0], ("broken", broken), MEMBERS[3]])
    assert left_out == ("broken",)
    warc = archive.read("archive/pindna.warc.gz")
    kinds = [record.rec_type for record in ArchiveIterator(io.BytesIO(warc))]
    assert kinds == ["warcinfo", "response", "request", "response", "request"]


def test_rendered_page_keeps_its_document_and_its_dom(wacz):
    both = replace(received_with(), rendered=RenderedAnswer(b"<p>dom</p>", b"", "Chromium"))
    archive, _ = wacz([("page", response_record(both))])
    assert [entry["mime"] for _, _, entry in index_of(archive)] == ["text/html"]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.cn/A/1.html?B=2", "cn,example,www)/a/1.html?b=2"),
        ("http://x.example:8080", "example,x:8080)/"),
        ("http://例.cn/章 节", "cn,例)/章节"),
    ],
)
def test_sort_keys_reverse_the_host(url, key):
    assert sort_key(url) == key
