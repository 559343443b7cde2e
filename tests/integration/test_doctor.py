"""``pindna doctor`` and ``pindna index verify``: what is wrong comes first, and what waits is told."""

import json
import re
import subprocess
import sys
from datetime import timedelta

import pytest
from support.browsers import require_browser
from support.waiting import wait_until
from support.wrong_servers import free_port, redis_process

from crawler.sources.browser_trial import rendering_problem
from deploy.demo.samples import SAMPLES
from storage.records import utc_now
from storage.running.beats import Beat, list_beats, record_beat
from system.version import VERSION

NOVEL = SAMPLES / "novels" / "青灯渡.txt"


def test_doctor_lists_a_problem_first(pindna, environment):
    port = free_port()
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "1"
    environment["PINDNA_STORAGE__MONGO_URL"] = f"mongodb://me:pass-word@127.0.0.1:{port}"
    told = json.loads(pindna("doctor", "--json", status=3).stdout)
    (wrong,) = [finding for finding in told["findings"] if finding["state"] == "wrong"]
    assert (told["state"], wrong["check"], wrong == told["findings"][0]) == ("wrong", "mongodb", True)
    lines = pindna("doctor", status=3).stdout.splitlines()
    assert lines[:2] == [
        "1 problem was found:",
        (
            f"✗ MongoDB: Nothing listens at 127.0.0.1:{port}, the address of MongoDB. "
            "Start MongoDB, or correct storage.mongo_url."
        ),
    ]
    assert not [line for line in lines[2:] if line.startswith("✗")]
    assert any(line.startswith("✓ Redis") for line in lines)
    assert not [line for line in lines if " = " in line]


def wrong_findings(pindna):
    """What doctor calls wrong, by check."""
    told = json.loads(pindna("doctor", "--json", status=3).stdout)["findings"]
    return {finding["check"]: finding["text"] for finding in told if finding["state"] == "wrong"}


def test_doctor_distinguishes_a_redis_replica_from_a_loading_redis(pindna, environment, tmp_path):
    with redis_process(tmp_path, "--replicaof", f"127.0.0.1 {free_port()}") as port:
        environment["PINDNA_STORAGE__REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
        (line,) = wrong_findings(pindna).values()
    assert line.startswith(f"Redis at 127.0.0.1:{port} is a replica and does not accept writes. Set")


@pytest.mark.parametrize("policy", ["allkeys-lru", pytest.param("volatile-ttl", marks=pytest.mark.long)])
def test_redis_that_deletes_keys_is_wrong(pindna, environment, tmp_path, policy):
    with redis_process(tmp_path, "--maxmemory", "1gb", "--maxmemory-policy", policy) as port:
        environment["PINDNA_STORAGE__REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
        (line,) = wrong_findings(pindna).values()
    assert line.startswith("Redis may delete data when memory runs short")


@pytest.mark.parametrize(("version", "words"), [(1, "Run `pindna upgrade`"), (99, "Update pindna")])
def test_schema_of_another_version_is_a_separate_finding(pindna, stores, version, words):
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": version}})
    told = wrong_findings(pindna)
    assert list(told) == ["schema"]
    assert words in told["schema"]


def test_settings_are_printed_only_on_request(pindna):
    lines = pindna("doctor", "--settings").stdout.splitlines()
    assert "tracker.scan_schedule = 0 3 * * *" in lines
    assert "storage.mongo_url = **********" in lines
    assert all(" = " in line for line in lines)


def test_running_beat_follows_a_schedule_that_a_command_stores(pindna, environment, settings, tmp_path):
    command = [sys.executable, "-m", "celery", "-A", "tracker", "beat", "--schedule", tmp_path / "beat"]
    beat = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: list_beats(settings.storage))
        assert "within 15 seconds" in pindna("settings", "set", "tracker.scan_schedule", "04:30").stdout
        wait_until(lambda: list_beats(settings.storage)[0].schedule == "30 4 * * *")
    finally:
        beat.terminate()
        beat.wait()
    shown = pindna("settings", "get", "tracker.scan_schedule", "--json").stdout
    assert json.loads(shown)["origin"] == "stored"
    pindna("settings", "set", "tracker.scan_schedule", "late", status=2)


@pytest.mark.usefixtures("background_worker")
@pytest.mark.long
def test_doctor_shows_beat_and_the_next_scan_with_external_servers(pindna, environment, settings, tmp_path):
    told = pindna("doctor", status=None).stdout
    assert "! schedule: no beat runs, so no scan begins by itself" in told
    environment["PINDNA_TRACKER__SCAN_SCHEDULE"] = "30 4 * * *"
    beat = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "tracker", "beat", "--schedule", tmp_path / "beat"],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: list_beats(settings.storage))
        del environment["PINDNA_TRACKER__SCAN_SCHEDULE"]  # beat's own settings decide
        lines = pindna("doctor").stdout.splitlines()
    finally:
        beat.terminate()
        beat.wait()
    assert lines[0] == "All required checks passed."
    (name,) = [line for line in lines if line.startswith("✓ schedule: ")]
    assert name.endswith(f":{beat.pid}")
    (line,) = [line for line in lines if line.startswith("✓ next scan: ")]
    assert line.endswith(" 04:30 (Asia/Shanghai; 30 4 * * *)")
    (line,) = [line for line in lines if line.startswith("✓ last tick: ")]
    assert re.search(r"\d\d:\d\d.*, \d+ s ago$", line)
    (line,) = [line for line in lines if line.startswith("✓ clocks: agree within 2 s: ")]
    assert {"MongoDB", "Redis", name.removeprefix("✓ schedule: ")} < set(line.split(": ")[-1].split(", "))
    assert f"✓ versions: all run {VERSION}" in lines


@pytest.mark.usefixtures("background_worker")
def test_second_beat_is_fine_and_a_stopped_beat_is_remembered(pindna, settings):
    long_ago = utc_now() - timedelta(hours=3)
    record_beat(settings.storage, Beat("a:1", long_ago, "0 3 * * *", "Asia/Shanghai"))
    assert "; a:1 last reported at " in pindna("doctor", status=None).stdout
    for name in ("b:2", "c:3"):
        record_beat(settings.storage, Beat(name, utc_now(), "0 3 * * *", "Asia/Shanghai"))
    told = pindna("doctor", status=None).stdout
    assert "✓ schedule: 2 are running: c:3, b:2; each task is still started only once\n" in told
    assert "! versions: b:2 runs an earlier version; this is " in told
    record_beat(settings.storage, Beat("b:2", utc_now(), "0 3 * * *", "UTC", VERSION, ahead_s=-600.0))
    record_beat(settings.storage, Beat("c:3", utc_now(), "0 3 * * *", "UTC", VERSION, ahead_s=75.0))
    told = json.loads(pindna("doctor", "--json").stdout)
    assert (told["version"], told["state"]) == (VERSION, "alert")
    clocks = [finding["text"] for finding in told["findings"] if finding["check"] == "clocks"]
    assert clocks == [
        "b:2 is 600 s behind this machine; synchronise both with NTP",
        "c:3 is 75 s ahead of this machine; synchronise both with NTP",
    ]
    states = {finding["check"]: finding["state"] for finding in told["findings"]}
    assert {states[check] for check in ("mongodb", "redis", "worker", "disk", "versions")} == {"good"}


def test_beats_of_long_ago_are_forgotten(settings):
    now = utc_now()
    record_beat(settings.storage, Beat("a:1", now - timedelta(days=8), "0 3 * * *", "UTC"))
    record_beat(settings.storage, Beat("b:2", now, "0 3 * * *", "UTC"))
    assert [beat.name for beat in list_beats(settings.storage)] == ["b:2"]


@pytest.mark.usefixtures("background_worker")
def test_stored_but_unindexed_works_are_reported(pindna, stores):
    pindna("corpus", "add", NOVEL)
    assert pindna("index", "verify").stdout == "The index holds every passage of every indexed work.\n"
    (work,) = stores.works.all()
    stores.works.mark_failed(work.id)
    told = pindna("index", "verify", status=1)
    assert f"failed: “青灯渡” (id {work.id})" in told.stdout
    assert "they could not be indexed (1)" in told.stderr
    assert "! index: 1 work is stored but not in the index" in pindna("doctor").stdout


@pytest.mark.long
def test_browser_is_tested_on_a_built_in_page(tmp_path, pindna, environment):
    require_browser()
    assert rendering_problem() == ""
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
    broken.chmod(0o755)
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = str(broken)
    told = pindna("doctor", status=None).stdout
    assert f"! browser: {broken} cannot render a test page (" in told
    assert "set crawler.browser_path" in told
