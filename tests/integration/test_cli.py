"""The command line against the real services, and what it says to mistakes."""

import json
import os
import socket

import pytest

from deploy.demo.plan import sources
from deploy.demo.samples import SAMPLES

NOVEL = SAMPLES / "novels" / "青灯渡.txt"


@pytest.mark.usefixtures("background_worker")
def test_works_are_added_listed_shown_and_removed(pindna, tmp_path):
    added = pindna("corpus", "add", NOVEL, SAMPLES / "news.jsonl")
    assert "13 new, 0 changed, 0 unchanged, 0 skipped" in added.stdout
    assert "0 new, 0 changed, 13 unchanged" in pindna("corpus", "add", NOVEL, SAMPLES / "news.jsonl").stdout
    rows = [json.loads(line) for line in pindna("corpus", "list", "--json").stdout.splitlines()]
    novel = next(row for row in rows if row["title"] == "青灯渡")
    assert (novel["status"], novel["passages"], novel["kind"]) == ("indexed", 7, "novel")
    shown = json.loads(pindna("corpus", "show", "青灯渡", "--json").stdout)
    assert [passage["title"] for passage in shown["contents"]][:2] == ["第一章 雨夜渡口", "第二章 半本账"]

    changed = tmp_path / "青灯渡.txt"
    changed.write_text(
        NOVEL.read_text(encoding="utf-8") + "　　尾声之外，还有一句新添的话。\n", encoding="gb18030"
    )
    assert "0 new, 1 changed" in pindna("corpus", "add", changed).stdout
    again = json.loads(pindna("corpus", "show", "青灯渡", "--json").stdout)
    old, new = ([passage["id"] for passage in work["contents"]] for work in (shown, again))
    assert old[:6] == new[:6]
    assert old[6] != new[6]

    statistics = json.loads(pindna("index", "stats", "--json").stdout)
    assert statistics["passages"] == 7 + 12
    assert statistics["dead"] == 1
    pindna("corpus", "remove", "青灯渡", "--yes")
    assert pindna("corpus", "show", "青灯渡", status=2).stderr.count("\n") == 1
    assert json.loads(pindna("index", "stats", "--json").stdout)["passages"] == 12
    assert "every passage" in pindna("index", "verify").stdout
    pindna("index", "rebuild")
    assert json.loads(pindna("index", "stats", "--json").stdout)["dead"] == 0


@pytest.mark.usefixtures("background_worker")
def test_work_added_later_meets_the_pages_that_are_stored(pindna, stores, sites):
    for source in sources(sites.base_urls):
        if source.name == "demo-novels":
            stores.sources.save(source)
    pindna("corpus", "add", SAMPLES / "news.jsonl")
    pindna("scan", status=4)  # a page is incomplete
    before = [page.verdict for page in stores.pages.all() if page.state == "compared"]
    assert set(before) == {"clear"}
    pindna("corpus", "add", NOVEL)
    after = [page.verdict for page in stores.pages.all() if page.state == "compared"]
    assert after.count("copy") >= 6
    assert len(after) == len(before)
    assert {case.work_title for case in stores.cases.listed()} == {"青灯渡"}


@pytest.mark.usefixtures("background_worker")
def test_every_bad_file_gets_a_line_and_the_rest_continues(pindna, tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (tmp_path / "latin.txt").write_text("no Chinese at all\n" * 20)
    (tmp_path / "lines.jsonl").write_text('{"title": "甲", "text": "正文在此，共有十个汉字。"}\n{broken\n')
    (tmp_path / "hollow").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    with (tmp_path / "hole.txt").open("wb") as file:
        file.truncate(30 * 10**9)
    row = {
        "title": "乙",
        "text": "正文在此，共有十个汉字。",
        "date": "0001-01-01T00:00:00+14:00",
        "author": "甲\ud800",
    }
    (tmp_path / "dates.jsonl").write_text(json.dumps(row))
    names = ["empty.txt", "picture.txt", "latin.txt", "lines.jsonl", "hollow", "missing.txt", NOVEL]
    names += ["pipe.txt", "hole.txt", "/dev/zero", "dates.jsonl"]
    done = pindna("corpus", "add", *names, status=4)
    assert "3 new, 0 changed, 0 unchanged, 9 skipped" in done.stdout
    labels = ["lines.jsonl, line 2" if name == "lines.jsonl" else name for name in names if name != NOVEL]
    for name in labels:
        assert sum(name in line for line in done.stderr.splitlines()) == 1, (name, done.stderr)


@pytest.mark.usefixtures("background_worker")
def test_different_text_under_an_existing_title_is_refused(pindna, tmp_path):
    pindna("corpus", "add", NOVEL)
    (tmp_path / "青灯渡.txt").write_text(
        "　　这是另一部同名的作品，与前者没有一句相同。\n" * 3, encoding="utf-8"
    )
    refused = pindna("corpus", "add", "青灯渡.txt", status=2)
    assert "already registered for another text" in refused.stderr
    assert json.loads(pindna("corpus", "show", "青灯渡", "--json").stdout)["passages"] == 7


@pytest.mark.usefixtures("background_worker")
@pytest.mark.long
def test_broken_sources_are_reported_and_the_rest_is_scanned(pindna, sites):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    pindna("corpus", "add", NOVEL)
    pindna("source", "add", "gone", sites.base_urls["portal"] + "/no-such-page")
    pindna("source", "add", "dead", nobody)
    pindna("source", "add", "blog", sites.base_urls["blog"] + "/", "--follow", "/post/")
    done = pindna("scan", status=4)
    assert "compared" in done.stdout
    assert any("gone" in line and "404" in line for line in done.stderr.splitlines())
    assert any("dead" in line and nobody in line for line in done.stderr.splitlines())
    assert json.loads(pindna("report", "--format", "json", "-o", "-").stdout)["pages"]
    pindna("crawl", "nowhere", status=2)
    refused = pindna("source", "add", "file", "file:///etc/passwd", status=2)
    assert "not an http(s) address" in refused.stderr


def test_unreachable_service_ends_with_status_3_and_a_single_line(pindna, environment):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "1"
    redis = environment["PINDNA_STORAGE__REDIS_URL"]
    environment["PINDNA_STORAGE__REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
    down = pindna("index", "stats", status=3)
    assert down.stderr.count("\n") == 1
    assert f"127.0.0.1:{port}, the address of Redis" in down.stderr
    environment["PINDNA_STORAGE__REDIS_URL"] = redis
    environment["PINDNA_STORAGE__MONGO_URL"] = f"mongodb://127.0.0.1:{port}"
    down = pindna("corpus", "list", status=3)
    assert down.stderr.count("\n") == 1
    assert f"127.0.0.1:{port}, the address of MongoDB" in down.stderr
    assert "✗ MongoDB" in pindna("doctor", status=3).stdout


def test_wrong_settings_are_named(pindna, environment, tmp_path):
    (tmp_path / "pindna.toml").write_text("[tracker]\nlease_seconds = 5\n")
    assert "tracker.lease_seconds" in pindna("corpus", "list", status=2).stderr
    (tmp_path / "pindna.toml").write_text("[tracker\n")
    assert "pindna.toml" in pindna("corpus", "list", status=2).stderr
    (tmp_path / "pindna.toml").write_text('[tracker]\nscan_schedule = "at dawn"\n')
    assert "tracker.scan_schedule" in pindna("scan", status=2).stderr
    (tmp_path / "pindna.toml").unlink()
    environment["PINDNA_CRAWLER__PROCESSES"] = "many"
    assert "crawler.processes" in pindna("doctor", status=2).stderr
    del environment["PINDNA_CRAWLER__PROCESSES"]
    del environment["PINDNA_STORAGE__REDIS_URL"]
    assert "set both server addresses" in pindna("corpus", "list", status=2).stderr


def test_checking_without_works_is_refused(pindna, tmp_path):
    (tmp_path / "page.txt").write_text("这里没有母本可以比对。", encoding="utf-8")
    assert "pages cannot be compared" in pindna("check", "page.txt", status=2).stderr


@pytest.mark.parametrize("word", ["Qx?Zj", "Qx@Zj", "Qx%3FZj"])
@pytest.mark.parametrize("name", ["REDIS_URL", "MONGO_URL", "INDEX_CLUSTER"])
def test_no_command_shows_a_fragment_of_an_odd_password(pindna, environment, name, word):
    scheme = "mongodb" if name == "MONGO_URL" else "redis"
    environment[f"PINDNA_STORAGE__{name}"] = f"{scheme}://me:{word}@127.0.0.1:1/0"
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "0.5"
    is_read = "%" in word
    for command in (("doctor",), ("index", "stats")):
        done = pindna(*command, status=3 if is_read else 2)
        output = done.stdout + done.stderr
        assert not any(part in output for part in ("Qx", "Zj"))
        if not is_read:
            assert f"storage.{name.lower()}" in done.stderr
            assert done.stderr.count("\n") == 1


def test_doctor_never_shows_a_password(pindna, environment):
    url = environment["PINDNA_STORAGE__REDIS_URL"]
    environment["PINDNA_STORAGE__REDIS_URL"] = url.replace("redis://", "redis://:geheim@")
    done = pindna("doctor", status=None)
    assert "geheim" not in done.stdout + done.stderr
