"""``pindna demo`` as a newcomer runs it; ``test-long`` runs it twice."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PINDNA = Path(sys.executable).with_name("pindna")
ROOT = Path(__file__).parents[2]


def rows_of(text):
    """Return the rows of tables in a text, as their cells."""
    return [[cell.strip() for cell in line.split("│")] for line in text.splitlines() if line.startswith("│")]


@pytest.mark.usefixtures("services")  # skips or fails where the embedded servers are missing
@pytest.mark.parametrize("runs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_the_demo_finds_what_is_known_and_doubles_nothing(tmp_path: Path, runs: int):
    reports = []
    for _run in range(runs):
        done = subprocess.run(
            [PINDNA, "demo", "--data-dir", str(tmp_path / "demo")],
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "140"},
            cwd=tmp_path,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "✗" not in done.stdout
        agreeing, total = re.search(r"(\d+) of (\d+) pages as expected", done.stdout).groups()
        assert agreeing == total
        assert int(total) >= 25
        assert "verified: Same" in done.stdout
        assert re.search(r"^c\d+, .*: Removed by the site$", done.stdout, re.MULTILINE)
        reports.append(re.search(r"(\d+) pages seen, (\d+) compared, (\d+) not", done.stdout).groups())
    assert len(set(reports)) == 1
    shown = rows_of((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown
    assert not [row for row in shown if row not in rows_of(done.stdout)]
    html = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "青灯渡" in html
    assert "<script" not in html
