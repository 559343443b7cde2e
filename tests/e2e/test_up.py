"""``pindna up``: services, worker and schedule in one go, used by other commands meanwhile."""

import json
import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import psutil
import pytest
from support.commands import run_command
from support.processes import PINDNA, processes_of
from support.waiting import wait_until

from deploy.demo.samples import SAMPLES
from deploy.demo.sites import start_sites


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("services")  # skips or fails where the embedded servers are missing
@pytest.mark.long
def test_up_serves_other_commands_and_scans_by_schedule_and_cleans_up(tmp_path: Path):
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PINDNA_")},
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
        assert done.returncode == 0, done.stdout + done.stderr + logs_of(tmp_path)
        return done.stdout

    def report() -> dict:
        """What there is to report; asked for again and again, so no program is started for it."""
        arguments = ["report", "--format", "json", "-o", "-"]
        done = run_command(*arguments, environment=environment, folder=tmp_path, status=None)
        assert done.returncode == 0, done.stdout + done.stderr + logs_of(tmp_path)
        return json.loads(done.stdout)

    wait_for = partial(wait_until, patience_s=240, pause_s=0.5, tell=lambda: logs_of(tmp_path))

    with start_sites() as sites, (tmp_path / "up.log").open("wb") as log:
        up = subprocess.Popen([PINDNA, "up"], env=environment, stdout=log, stderr=log)
        try:
            wait_for(lambda: "Everything runs" in (tmp_path / "up.log").read_text())
            kept = json.loads((tmp_path / "data" / "passwords.json").read_text())
            printed = (tmp_path / "up.log").read_text()
            assert not [password for password in kept.values() if password in printed]
            assert ("pindna runs as root" in printed) == (os.geteuid() == 0)
            services = psutil.Process(up.pid).children(recursive=True) or processes_of(tmp_path)
            pindna("corpus", "add", SAMPLES / "news.jsonl")
            pindna("source", "add", "portal", sites.base_urls["portal"] + "/")
            assert pindna("doctor").count("✓") >= 5  # disk, both servers, worker and beat
            wait_for(lambda: scheduled_scans(report()))
            assert report()["cases"]
        finally:
            up.send_signal(signal.SIGTERM)
            assert up.wait(240) != 0, logs_of(tmp_path)
    assert services
    assert processes_of(tmp_path) == []


def logs_of(folder: Path) -> str:
    """Return the last lines of every log, for whoever has to find out what went wrong."""
    files = [folder / "up.log", *sorted((folder / "data" / "logs").glob("*"))]
    return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-4_000:]}" for file in files)


def scheduled_scans(report: dict) -> list:
    """Finished scans that beat started and that compared something."""
    return [
        each for each in map(scan_of, report["scans"]) if each["trigger"] == "schedule" and each["counts"]
    ]


def scan_of(row: dict) -> dict:
    return row.get("scan", row)
