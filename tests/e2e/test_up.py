"""``pindna up``: services, worker and schedule in one go, used by other commands meanwhile."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from support.processes import PINDNA

from deploy.demo.samples import SAMPLES
from deploy.demo.sites import start_sites


@pytest.mark.usefixtures("services")  # skips or fails where the embedded servers are missing
def test_up_serves_other_commands_scans_by_schedule_and_leaves_nothing_behind(tmp_path: Path):
    environment = {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_STORAGE__DATA_DIR": str(tmp_path / "data"),
        "PINDNA_TRACKER__SCAN_SCHEDULE": "* * * * *",
    }

    def pindna(*arguments: str) -> str:
        done = subprocess.run(
            [PINDNA, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with start_sites() as sites, (tmp_path / "up.log").open("wb") as log:
        up = subprocess.Popen([PINDNA, "up"], env=environment, stdout=log, stderr=log)
        try:
            wait_for(lambda: "Everything runs" in (tmp_path / "up.log").read_text(), 120)
            kept = json.loads((tmp_path / "data" / "passwords.json").read_text())
            assert not [each for each in kept.values() if each in (tmp_path / "up.log").read_text()]
            services = psutil.Process(up.pid).children(recursive=True) or processes_of(tmp_path)
            pindna("corpus", "add", SAMPLES / "news.jsonl")
            pindna("source", "add", "portal", sites.base_urls["portal"] + "/")
            assert pindna("doctor").count("✓") >= 5  # disk, both servers, worker and beat
            wait_for(lambda: scheduled_scans(pindna), 200)
            report = json.loads(pindna("report", "--format", "json", "-o", "-"))
            assert report["cases"]
        finally:
            up.send_signal(signal.SIGTERM)
            assert up.wait(40) != 0
    assert services
    assert processes_of(tmp_path) == []


def wait_for(condition, timeout_s: float) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.5)


def scheduled_scans(pindna) -> list:
    """Finished scans that beat started and that compared something."""
    scans = json.loads(pindna("report", "--format", "json", "-o", "-"))["scans"]
    return [each for each in map(scan_of, scans) if each["trigger"] == "schedule" and each["counts"]]


def scan_of(row: dict) -> dict:
    return row.get("scan", row)


def processes_of(folder: Path) -> list[psutil.Process]:
    """Processes that name the folder on their command line or work in it."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = [*(process.info["cmdline"] or []), process.info["cwd"] or ""]
        if any(str(folder) in word for word in words):
            found.append(process)
    return found
