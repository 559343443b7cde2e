"""Simulated days: the clock, the site, and what the tables compare."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

from support.faults import soak
from support.faults.moved_clock import MovedClock
from support.faults.resources import Held
from support.faults.soak_crawl import Minute
from support.faults.soak_crawl import table as crawl_table
from support.faults.soak_site import Site

from storage.collections.server_clock import ServerClock
from storage.records import times, utc_now

NOON = datetime(2031, 5, 6, 12, tzinfo=UTC)


def test_every_process_uses_the_moved_clock(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHMARKS_MOVED_CLOCK", "")  # taken back afterwards, and so is the module's clock
    monkeypatch.setattr(times, "datetime", times.datetime)
    monkeypatch.setattr(ServerClock, "succeeded", ServerClock.succeeded)
    clock = MovedClock(tmp_path)
    assert abs(utc_now() - datetime.now(UTC)) < timedelta(minutes=1)
    clock.move_to(NOON)
    assert timedelta() <= utc_now() - NOON < timedelta(minutes=1)
    program = "from storage.records import utc_now; print(utc_now().year)"
    command = [sys.executable, "-P", "-c", program]
    process = subprocess.run(command, env=dict(clock.environment), capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "2031"


def test_site_changes_from_day_to_day():
    site = Site(["渡口的风从北岸吹来。"])
    first = {path: site.page(path) for path in ("/", *(f"/11-{number}.html" for number in range(4)))}
    assert all(first.values())
    assert site.page("/12-0.html") == ""
    site.day = 5
    later = {path: site.page(path) for path in first}
    assert {path for path in first if first[path] != later[path]} == {"/", "/11-1.html", "/11-2.html"}
    assert later["/11-2.html"] == ""


def day(number, *, megabytes, pages):
    return soak.Day(
        day=number,
        seconds=1.0,
        services={"worker": Held(megabytes, 10, 2, 3)},
        keys=7,
        redis_mb=1.0,
        rows={"pages": pages, "works": 3},
        report_mb=100.0,
        disk_mb=50.0,
    )


def test_table_compares_the_last_days_with_the_first_days():
    days = [day(number, megabytes=100.0 + 10 * number, pages=60 + 6 * number) for number in range(1, 11)]
    held, rows = (table.markdown() for table in soak.tables(days))
    assert "days 2 to 4 | days 8 to 10" in held
    assert "| worker: MB | 130 | 190 | 1.46 |" in held
    assert "| keys in Redis | 7 | 7 | 1.00 |" in held
    assert "| pages | 6.0 | 6.0 | 120 |" in rows
    assert "works" not in rows


def test_last_minutes_of_a_crawl_are_multiples_of_the_first():
    minutes = [
        Minute(
            minutes=float(number),
            pages=100 * number,
            crawl=Held(200.0 if number <= 10 else 300.0, 20, 8, 3),
            documents=Held(80.0, 30, 5, 1),
            redis_mb=4.0,
            keys=8,
        )
        for number in range(1, 31)
    ]
    assert "| last 10 / first 10 | × 4.64 | × 1.50 | × 1.00 |" in crawl_table(minutes).markdown()
