"""``pindna demo`` as a newcomer runs it; ``test-long`` runs it twice."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.wrong_servers import free_port

PINDNA = Path(sys.executable).with_name("pindna")
ROOT = Path(__file__).parents[2]


def rows_of(text):
    """Return the rows of tables in a text, as their cells."""
    return [[cell.strip() for cell in line.split("│")] for line in text.splitlines() if line.startswith("│")]


def demo_told(folder):
    """Run the demo, look at the console that it serves then, and end it; return what it printed."""
    environment = {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "140",
        "PINDNA_ANALYSIS__SERVER__PORT": str(free_port()),
    }
    command = [PINDNA, "demo", "--serve", "--data-dir", str(folder / "demo")]
    with (
        (folder / "errors").open("w+") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd=folder
        ) as demo,
    ):
        told = ""
        for line in demo.stdout:
            told += line
            if address := re.match(r"The console: (http://\S+)", line):
                with urlopen(f"{address[1]}/sign-in", timeout=60) as answer:  # noqa: S310 - http only
                    assert answer.status == 200
                demo.send_signal(signal.SIGINT)
        assert demo.wait(60) in {0, 130}, told + (folder / "errors").read_text(encoding="utf-8")
    assert re.search(r"^Sign in as demo with \S{10,}$", told, re.MULTILINE)
    return told


@pytest.mark.usefixtures("services")  # skips or fails where the embedded servers are missing
@pytest.mark.parametrize("runs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_demo_finds_the_expected_copies_and_a_repeat_adds_nothing(tmp_path: Path, runs: int):
    reports = []
    for _run in range(runs):
        told = demo_told(tmp_path)
        assert "✗" not in told
        agreeing, total = re.search(r"(\d+) of (\d+) pages have the expected verdict", told).groups()
        assert agreeing == total
        assert int(total) >= 25
        assert "verified: Same" in told
        assert re.search(r"^c\d+, .*: Removed by the site$", told, re.MULTILINE)
        reports.append(re.search(r"(\d+) pages seen, (\d+) compared(?: \(.+\))?, (\d+) not", told).groups())
    assert len(set(reports)) == 1
    shown = rows_of((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown
    assert not [row for row in shown if row not in rows_of(told)]
    html = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "青灯渡" in html
    assert "<script" not in html
