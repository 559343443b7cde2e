"""Packages of what was found on a real site, by the real stores: whole, checkable, and honest about gaps."""

import gzip
import hashlib
import io
import json
import platform
import subprocess
import venv
import zipfile
import zlib
from contextlib import closing
from functools import partial

import bagit
import pytest
from support.browsers import require_browser
from support.compared import compare_page
from support.loading import raw, stored_corpus
from support.sample_novels import CHAPTERS
from support.webserver import Reply
from warcio.archiveiterator import ArchiveIterator

from analysis.evidence import verifying
from analysis.evidence.agreement import logged_digests
from analysis.evidence.opening import NotAPackage, open_package
from analysis.evidence.recomputing import recompute
from crawler.readers.pool import Reader
from storage.collections.templates import LearntContainer
from storage.records import Source
from system.sites import site_of_host
from tracker.corpus.chapters import ChapterSection
from tracker.judgement.cases import refresh_cases
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
NOVEL = "青灯渡"


def chapter(text, title):
    paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines() if line)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1>{paragraphs}</body></html>"


@pytest.fixture
def found(stores, redis_client, settings, site, crawl):
    """Two chapters of a novel that a crawl found on a site, and an open runtime."""
    corpus = stored_corpus(stores, redis_client)
    texts = CHAPTERS[NOVEL]
    corpus.load(raw(*(ChapterSection(f"第{n}章", text) for n, text in enumerate(texts, 1)), title=NOVEL))
    corpus.index_all()
    site.pages = {f"/{n}.html": chapter(text, f"第{n}章 渡口") for n, text in enumerate(texts[:2], 1)} | {
        "/robots.txt": Reply(status=404)
    }
    urls = tuple(f"{site.url}/{n}.html" for n in (1, 2))
    crawl(Source(name="u", kind="urls", start_urls=urls))
    with closing(open_runtime(settings)) as runtime:
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        token, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        for page in pages:
            assert compare_page(page, stores, runtime.corpus(), token=token, lease_s=60)
        refresh_cases(stores, [(1, site_of_host(page.host)) for page in pages])
        yield runtime


def opened(path):
    """The files of a package below its top folder."""
    with zipfile.ZipFile(path) as package:
        (top,) = {name.split("/")[0] for name in package.namelist()}
        assert package.namelist() == sorted(package.namelist())
        return top, {name.removeprefix(f"{top}/"): package.read(name) for name in package.namelist()}


def rows(content):
    return [json.loads(line) for line in content.decode().split("\n") if line]


def recomputed_with(path, name, old, new, folder):
    """What is computed from a package whose maker replaced bytes of one file before sealing it."""
    changed = folder / f"changed-{path.name}"
    with zipfile.ZipFile(path) as package, zipfile.ZipFile(changed, "w") as target:
        for member in package.infolist():
            content = package.read(member)
            if member.filename.endswith(f"/{name}"):
                content = replaced_in_archive(content, old, new) if name.endswith(".wacz") else content
                content = content.replace(old, new)
            target.writestr(member, content)
    with open_package(changed) as package, closing(Reader()) as reader:
        return list(recompute(package, reader, reader, logged=logged_digests(package), max_s=60))


def replaced_in_archive(wacz, old, new):
    """A WACZ in whose records bytes were replaced."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wacz)) as archive, zipfile.ZipFile(target, "w") as changed:
        for member in archive.infolist():
            content = archive.read(member)
            if member.filename.endswith(".gz"):
                content = gzip.decompress(content).replace(old, new)
            changed.writestr(member.filename.removesuffix(".gz"), content)
    return target.getvalue()


@pytest.fixture
def pindna(pindna, tmp_path):
    """With a data folder, and so a key, of the test's own."""
    return partial(pindna, "--data-dir", tmp_path / "data")


def test_case_is_exported_whole(pindna, found, tmp_path):
    (case,) = found.stores.cases.listed()
    done = json.loads(pindna("evidence", "export", case.name, "--as", "王律师", "--json").stdout)
    assert done["problems"] == []
    (path,) = tmp_path.glob("*.zip")
    assert path.name == f"{done['number']}.zip"
    assert path.stat().st_mode & 0o077 == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() == done["sha256"]
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")]
    top, files = opened(path)
    assert top == done["number"]
    with zipfile.ZipFile(path) as package:
        package.extractall(tmp_path)
    bagit.Bag(str(tmp_path / top)).validate()
    evidence = json.loads(files["data/evidence.json"])
    assert (evidence["by"], evidence["key"], evidence["excerpts"]) == ("王律师", done["key"], False)

    stores, matches = found.stores, rows(files["data/matches.jsonl"])
    assert {match["id"] for match in matches} == {
        match.id for match in stores.matches.of_case(case.work_id, case.site)
    }
    for page in stores.pages.all():
        assert files[f"data/pages/{page.id}.txt"].decode() == stores.pages.get(page.id).text
    for passage in stores.passages.get_many([match["passage_id"] for match in matches]).values():
        assert files[f"data/passages/{passage.id}.txt"].decode() == passage.text
    assert files["data/report.pdf"].startswith(b"%PDF")
    report = files["data/report.html"].decode()
    for shown in (done["number"], done["key"], case.site, NOVEL, "王律师"):
        assert shown in report
    (session,) = rows(files["data/cleanliness.jsonl"])
    assert session["machine"] == platform.node()
    assert abs(session["clock_ahead_s"]) < 2
    assert {row["session"] for row in rows(files["data/captures.jsonl"])} == {session["id"]}
    assert session["machine"] in report
    assert "No second name server was asked" in report
    assert [row["kind"] for row in rows(files["data/history.jsonl"])] == ["opened", "joined", "joined"]
    *_, event = stores.events.of_case(case.number)
    assert (event.kind, event.by, event.subject) == ("exported", "王律师", done["number"])
    assert event.detail["sha256"] == done["sha256"]

    with zipfile.ZipFile(io.BytesIO(files["data/archive.wacz"])) as wacz:
        warc = io.BytesIO(wacz.read("archive/pindna.warc.gz"))
        kinds = [record.rec_type for record in ArchiveIterator(warc, check_digests=True)]
        assert kinds == ["warcinfo", *["response", "request"] * 2]
        pages = wacz.read("pages/pages.jsonl").decode().splitlines()[1:]
    assert {json.loads(line)["url"] for line in pages} == {match["url"] for match in matches}


def test_missing_evidence_is_reported_and_the_export_continues(pindna, found, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.words.printing.has_driver", lambda: False)
    stores = found.stores
    (case,) = stores.cases.listed()
    gone, altered = sorted(stores.pages.all(), key=lambda page: page.url)
    stores.database["snapshots"].delete_one({"_id": gone.snapshots[0]})
    other = gzip.compress(b"WARC/1.1 cut off")[:-4]
    stores.database["snapshots"].update_one({"_id": altered.snapshots[0]}, {"$set": {"warc": other}})
    pindna("case", "note", case.name, "--because", "SECRET: ask counsel")
    pindna("review", "confirm", "m1", "--because", "SECRET: a friend told")
    command = ("evidence", "export", case.name, "--excerpts", "-o", "for-the-site.zip")
    done = pindna(*command, "--json", status=4)
    told = {(problem["kind"], problem["subject"]) for problem in json.loads(done.stdout)["problems"]}
    assert told >= {
        ("capture-missing", gone.url),
        ("capture-altered", altered.url),
        ("capture-unreadable", altered.snapshots[0]),
        ("no-pdf", "data/report.pdf"),
    }
    _, files = opened(tmp_path / "for-the-site.zip")
    written = {(one["kind"], one["subject"]) for one in json.loads(files["data/evidence.json"])["problems"]}
    assert written == told
    assert "data/report.pdf" not in files
    report = files["data/report.html"].decode()
    assert "This package is incomplete" in report
    assert "install the browser extra of pindna" in report
    # Nothing of the works but what was found, and nothing that is said among us.
    assert not [name for name, content in files.items() if b"SECRET" in content]
    assert [work["origin"] for work in rows(files["data/works.jsonl"])] == [""]
    assert not [name for name in files if name.startswith("data/passages/")]
    for match in rows(files["data/matches.jsonl"]):
        pieces = rows(files[f"data/stretches/{match['passage_id']}.jsonl"])
        passage = stores.passages.get_many([match["passage_id"]])[match["passage_id"]].text
        assert all(passage[piece["start"] : piece["end"]] == piece["text"] for piece in pieces)
        for span in match["spans"]:
            assert any(
                piece["start"] <= span["passage_start"] < span["passage_end"] <= piece["end"]
                for piece in pieces
            )

    refused = pindna("evidence", "export", "c99", status=2)
    assert refused.stderr.count("\n") == 1
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")]


def test_package_verifies_by_itself_and_no_byte_may_differ(pindna, found, tmp_path, monkeypatch):
    (case,) = found.stores.cases.listed()
    (host,) = {page.host for page in found.stores.pages.all()}
    place = LearntContainer(path="p:0", pages=3)  # as the host may have taught; it loses most of the text
    found.stores.templates.learn(host, sample=[], containers=[place], frame=[])
    done = json.loads(pindna("evidence", "export", case.name, "--json").stdout)
    path = tmp_path / f"{done['number']}.zip"
    for name in ("MONGO", "REDIS"):
        monkeypatch.setenv(
            f"PINDNA_STORAGE__{name}_URL", f"{name.lower().replace('mongo', 'mongodb')}://127.0.0.1:1"
        )
    shown = json.loads(pindna("evidence", "verify", path, "--json").stdout)
    assert (shown["number"], shown["intact"], shown["result"]) == (done["number"], True, "same")
    assert [match["differences"] for match in shown["matches"]] == [[], []]
    _, files = opened(path)
    inputs = [json.loads(files[f"data/inputs/{page.id}.json"]) for page in found.stores.pages.all()]
    assert [own["reading"]["layout"]["containers"] for own in inputs] == [["p:0"]] * 2
    assert pindna("evidence", "verify", path, "--key", done["key"]).stdout.splitlines()[-1] == (
        "Same: 2 matches recomputed"
    )
    late = json.loads(pindna("evidence", "verify", path, "--minutes", 0, "--json", status=4).stdout)
    assert [match["differences"] for match in late["matches"]] == [["archive: too-slow"]] * 2
    assert late["result"] == "not-computed"
    monkeypatch.setattr(verifying, "_SMALL_ARCHIVE", 0)  # a large archive gets a separate reader
    assert verifying.verify_package(path).result == "same"
    for name, old, new in (
        ("data/archive.wacz", b"WARC-Date: 2", b"WARC-Date: 1"),
        ("data/works.jsonl", NOVEL.encode(), "青灯记".encode()),
    ):
        altered = [match.result for match in recomputed_with(path, name, old, new, tmp_path)]
        assert altered == ["different"] * 2
    with pytest.raises(NotAPackage, match="differs from the evidence log"):
        recomputed_with(path, "data/cleanliness.jsonl", platform.node().encode(), b"elsewhere", tmp_path)
    foreign = pindna("evidence", "verify", path, "--key", "0" * 64, status=1).stdout
    assert "not signed with a key that you gave" in foreign
    assert "Altered" not in foreign
    assert "1234 is not a fingerprint" in pindna("evidence", "verify", path, "--key", "1234", status=2).stderr

    # An attacker who mends the checksums of the zip is found by the manifests, and by the seal.
    with open_package(path) as package:
        members, number = dict(package.members), package.number
    content = bytearray(path.read_bytes())
    target = "data/matches.jsonl"
    member = members[target]
    content[member.start] ^= 1
    old, new = member.crc, zlib.crc32(content[member.start : member.start + member.size])
    changed = bytes(content).replace(old.to_bytes(4, "little"), new.to_bytes(4, "little"))
    path.write_bytes(changed)
    altered = json.loads(pindna("evidence", "verify", path, "--json", status=1).stdout)
    assert (altered["number"], altered["intact"], altered["altered"]) == (number, False, [target])
    assert altered["matches"] == []


def test_screenshot_is_made_at_export_or_its_failure_reported(pindna, found, site, tmp_path, monkeypatch):
    require_browser()
    monkeypatch.setattr("analysis.words.printing.has_driver", lambda: False)  # printing has tests of its own
    (case,) = found.stores.cases.listed()
    del site.pages["/2.html"]
    done = json.loads(pindna("evidence", "export", case.name, "--screenshot", "--json", status=4).stdout)
    assert [(problem["kind"], problem["subject"]) for problem in done["problems"]] == [
        ("no-screenshot", f"{site.url}/2.html"),
        ("no-pdf", "data/report.pdf"),
    ]
    _, files = opened(tmp_path / f"{done['number']}.zip")
    (name,) = [name for name in files if name.startswith("data/screenshots/")]
    assert files[name].startswith(b"\x89PNG")
    assert name == f"data/screenshots/{hashlib.sha256(files[name]).hexdigest()}.png"
    kinds = [row["kind"] for row in rows(files["data/captures.jsonl"]) if row["url"].endswith("/1.html")]
    assert sorted(kinds) == ["response", "response", "screenshot"]
    with zipfile.ZipFile(io.BytesIO(files["data/archive.wacz"])) as wacz:
        assert "urn:view:" in wacz.read("indexes/index.cdxj").decode()


@pytest.mark.long
def test_archive_passes_the_validator_of_its_format(pindna, found, tmp_path):
    """The validator brings AGPL code, so it gets a separate environment."""
    (case,) = found.stores.cases.listed()
    pindna("evidence", "export", case.name, "-o", "package.zip", status=None)
    archive, validator = tmp_path / "archive.wacz", tmp_path / "validator"
    archive.write_bytes(opened(tmp_path / "package.zip")[1]["data/archive.wacz"])
    venv.create(validator, with_pip=True)
    subprocess.run(
        [validator / "bin" / "pip", "install", "--quiet", "setuptools<81", "wacz==0.6.0"], check=True
    )
    validate = [validator / "bin" / "wacz", "validate", "--file", archive]
    done = subprocess.run(validate, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as wacz:
        place = next(own for own in wacz.infolist() if own.filename.endswith(".warc.gz")).header_offset + 200
    data[place] ^= 1
    archive.write_bytes(data)
    altered = subprocess.run(validate, capture_output=True, text=True, check=False)
    assert altered.returncode != 0 or "fail" in (altered.stdout + altered.stderr).casefold()
