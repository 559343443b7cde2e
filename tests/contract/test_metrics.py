"""The metrics of an installation for Prometheus, counted from its databases."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from support.scraping import samples, value

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.queries import metrics
from analysis.queries.metrics import InstallationMetrics
from storage.records import Account, Page, Scan, Source, SourceHealth, Work, utc_now
from storage.running.beats import Beat, record_beat
from storage.servers.redis_client import clock_ahead_s
from tracker.indexing.params import DEFAULT_PARAMS

pytestmark = pytest.mark.services
OPERATOR = identity_of(Account(name="op", role="operator"))


@pytest.fixture
def read(stores, settings, redis_client):
    """A function that reads the metrics of a database without an index."""
    runtime = SimpleNamespace(stores=stores, settings=settings, redis=redis_client, params=DEFAULT_PARAMS)
    return lambda: InstallationMetrics(runtime).text(OPERATOR).decode()


def save_source(stores, name, *, paused_s=None, **fields):
    stores.sources.save(Source(name=name, kind="news", start_urls=(f"http://{name}.example/",), **fields))
    if paused_s is not None:
        until = utc_now() + timedelta(seconds=paused_s)
        stores.health.save(SourceHealth(name=name, paused_until=until))


def test_new_database_has_ages_without_a_value(read):
    text = read()
    assert (value(text, "pindna_service_up", service="mongodb"), value(text, "pindna_scans_running")) == (
        1,
        0,
    )
    assert value(text, "pindna_service_up", service="index") == 0
    names = {name for name, _ in samples(text)}
    assert not names & {"pindna_last_scan_age_seconds", "pindna_beat_age_seconds", "pindna_index_postings"}
    assert value(text, "pindna_oldest_waiting_page_seconds") == 0


def test_sources_are_counted_by_state(stores, read):
    for name, fields in (
        ("well", {"paused_s": -60}),
        ("pauses", {"paused_s": 60}),
        ("fails", {}),
        ("off", {"enabled": False, "paused_s": 60}),
    ):
        save_source(stores, name, **fields)
    for name, kind in (("fails", "empty"), ("fails", "slow"), ("off", "empty")):
        stores.health.raise_alert(name, kind, detail="", scan_id="s")
    text = read()
    states = {state: value(text, "pindna_sources", state=state) for state in ("enabled", "paused", "failing")}
    assert states == {"enabled": 3, "paused": 1, "failing": 1}
    assert value(text, "pindna_source_alerts", kind="empty") == 2
    assert value(text, "pindna_source_alerts", kind="slow") == 1


def test_works_are_counted_by_whether_they_are_in_the_index(stores, read):
    for number, status in enumerate(("stored", "indexed", "indexed", "failed"), 1):
        stores.works.save(Work(id=number, key=f"{number}", title="灯", kind="news", origin="", status=status))
    text = read()
    assert [value(text, "pindna_works", status=own) for own in ("stored", "indexed", "failed")] == [1, 2, 1]


def test_age_of_a_waiting_page_is_measured_only_in_running_scans(stores, read):
    now = utc_now()
    for name, scan_id, seen_s in (("a", "old", 900), ("b", "new", 600), ("c", "over", 999)):
        page = Page(id=name, url=name, host="s", source="x", kind="article", text="灯", scan_id=scan_id)
        stores.pages.see_many([page])
        seen = {"first_seen": now - timedelta(seconds=seen_s)}
        stores.database["pages"].update_one({"_id": name}, {"$set": seen})
    for name, started_s, fields in (
        ("old", 300, {}),  # a page may be older than the scan that it waits in
        ("new", 700, {}),
        ("over", 999, {"finished": now, "status": "finished"}),
    ):
        started = now - timedelta(seconds=started_s)
        stores.scans.open(Scan(id=name, trigger="hand", sources=(), started=started, **fields))
    text = read()
    assert value(text, "pindna_scans_running") == 2
    assert 600 <= value(text, "pindna_oldest_waiting_page_seconds") < 700


def test_last_scheduled_scan_and_the_beat_have_an_age(stores, settings, read):
    now = utc_now()
    for trigger, ended_s in (("hand", 10), ("schedule", 500), ("schedule", 900)):
        scan = Scan(
            id=f"{trigger}{ended_s}",
            trigger=trigger,
            sources=(),
            started=now - timedelta(seconds=1_000),
            finished=now - timedelta(seconds=ended_s),
            status="finished",
        )
        stores.scans.open(scan)
    by_redis = now + timedelta(seconds=clock_ahead_s(settings.storage))
    for name, ago_s in (("a:1", 200), ("b:2", 100)):
        record_beat(settings.storage, Beat(name, by_redis - timedelta(seconds=ago_s), "0 3 * * *", "UTC"))
    text = read()
    assert 500 <= value(text, "pindna_last_scan_age_seconds") < 600
    assert 100 <= value(text, "pindna_beat_age_seconds") < 200


def test_metrics_answer_is_cached_for_ten_seconds(stores, settings, redis_client, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(metrics, "time", SimpleNamespace(monotonic=lambda: now[0]))
    runtime = SimpleNamespace(stores=stores, settings=settings, redis=redis_client, params=DEFAULT_PARAMS)
    own = InstallationMetrics(runtime)
    enabled = []
    for number, moment in enumerate((100.0, 109.9, 110.0)):
        now[0] = moment
        save_source(stores, f"s{number}")
        enabled.append(value(own.text(OPERATOR).decode(), "pindna_sources", state="enabled"))
    assert enabled == [1, 1, 3]


def test_metrics_need_a_permission(stores, settings, redis_client):
    runtime = SimpleNamespace(stores=stores, settings=settings, redis=redis_client, params=DEFAULT_PARAMS)
    with pytest.raises(NotPermitted):
        InstallationMetrics(runtime).text(identity_of(Account(name="ana", role="analyst")))
