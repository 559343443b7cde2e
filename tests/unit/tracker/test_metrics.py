"""The table that the processes of a worker add to, and what Prometheus reads of it."""

import os
import shutil
import subprocess

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from support.scraping import samples, value

from storage.settings import TrackerSettings
from tracker import metrics


class Process:
    """A process of the pool, as billiard numbers them."""

    def __init__(self, index):
        self.index = index


@pytest.fixture
def table(monkeypatch):
    """An empty table; returns what lets this process be a certain one of the pool."""
    metrics._shared_table.cache_clear()

    def be(index):
        monkeypatch.setattr("billiard.process.current_process", lambda: Process(index))

    be(0)
    yield be
    metrics._shared_table.cache_clear()


def told(folder):
    registry = CollectorRegistry()
    registry.register(metrics.WorkerCollector(folder))
    return generate_latest(registry).decode()


def test_metrics_of_processes_are_summed_across_kills(table, tmp_path):
    metrics.count_comparisons({"copy": 2, "clear": 3}, seconds=1.5)
    table(1)
    metrics.count_comparisons({"clear": 4}, seconds=0.5)
    metrics.note_crawls(3)
    metrics._reset_gauges()  # a process that takes the place of the second one
    metrics.count_lost("page")
    text = told(tmp_path)
    assert value(text, "pindna_pages_total", stage="compared") == 9
    assert value(text, "pindna_page_verdicts_total", verdict="clear") == 7
    assert value(text, "pindna_page_verdicts_total", verdict="quote") == 0
    assert value(text, "pindna_compare_seconds_total") == 2
    assert value(text, "pindna_leases_lost_total", kind="page") == 1
    assert value(text, "pindna_worker_crawls") == 0


def test_children_write_where_their_parent_reads(table, tmp_path):
    metrics._create_table()
    if not (child := os.fork()):
        table(5)
        metrics.count_works(2, 700, seconds=1)
        os._exit(0)
    os.waitpid(child, 0)
    assert value(told(tmp_path), "pindna_characters_indexed_total") == 700


@pytest.mark.usefixtures("table")
def test_only_new_counts_of_a_crawl_are_added(tmp_path):
    counts = metrics.CrawlCounts({"pages": 10, "requests": 30})  # of a process that was killed
    counts.note({"pages": 12, "requests": 40, "bytes": 5000, "unchanged": 1, "robots": 9})
    counts.note({"pages": 12, "requests": 41, "bytes": 5000, "unchanged": 1, "failed": 2})
    counts.note({})  # the crawl is gone from the database
    text = told(tmp_path)
    assert value(text, "pindna_pages_total", stage="crawled") == 2
    assert value(text, "pindna_pages_total", stage="unchanged") == 1
    assert value(text, "pindna_pages_total", stage="failed") == 2
    assert value(text, "pindna_crawl_requests_total") == 11
    assert value(text, "pindna_crawl_bytes_total") == 5000


@pytest.mark.usefixtures("table")
def test_metrics_have_few_labels_and_the_disk_of_a_missing_folder(tmp_path):
    series = samples(told(tmp_path / "not" / "made"))
    assert len(series) < 60
    free = next(value for (name, _), value in series.items() if name == "pindna_disk_free_bytes")
    assert 0 < free <= shutil.disk_usage(tmp_path).total


def test_metrics_server_is_optional_and_an_occupied_port_stops_no_work(tmp_path, caplog):
    assert metrics.serve_metrics(TrackerSettings(), tmp_path) is None
    taken = TrackerSettings(metrics_port=1, metrics_host="192.0.2.1")  # no address of this machine
    assert metrics.serve_metrics(taken, tmp_path) is None
    assert "no metrics at 192.0.2.1:1: " in caplog.text


@pytest.mark.usefixtures("table")
@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_metrics_pass_the_prometheus_check(tmp_path):
    checked = subprocess.run(
        [shutil.which("promtool"), "check", "metrics"],
        check=False,
        input=told(tmp_path),
        text=True,
        capture_output=True,
    )
    assert checked.stdout + checked.stderr == ""
    assert checked.returncode == 0
