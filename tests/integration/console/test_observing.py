"""What watches over the console gets: alive, ready, metrics for a token; and what dashboards may name."""

import http.client
import json
import re
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.monitoring import metrics_asked_for
from support.scraping import names, scrape, value
from support.waiting import wait_until

from analysis.accounts.tokens import make_token
from storage.records import utc_now
from storage.running.beats import Beat, record_beat
from storage.servers.redis_client import list_lengths

pytestmark = pytest.mark.services
MONITORING = Path("docs") / "monitoring.md"


def ask(address, path, **headers):
    """Return status and text of an answer."""
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def token(console, account, *scopes):
    rules = console.runtime.settings.analysis.server
    stores = console.runtime.stores
    secret, _ = make_token(stores, rules, account=account, label="t", scopes=scopes, days=1, by="t")
    return secret


def test_monitoring_works_by_any_host_name_and_learns_no_address(served_console):
    for path, answer in (("/healthz", "ok\n"), ("/readyz", "mongodb: ok\nschema: ok\nredis: ok\n")):
        assert ask(served_console.address, path, Host="pindna-console:8686") == (200, answer)
    assert ask(served_console.address, "/works", Host="pindna-console:8686")[0] == 421


def test_security_contact_is_missing_unless_it_is_configured(served_console):
    assert ask(served_console.address, "/.well-known/security.txt") == (404, "404 Not Found\n")


def test_metrics_take_a_token_with_the_scope_and_holders_have_none(served_console):
    assert ask(served_console.address, "/metrics")[0] == 401
    for account, scopes, status in (
        ("op", ("metrics:read",), 200),
        ("op", ("sources:read",), 403),
        ("hol", (), 403),
        ("ana", (), 403),
    ):
        bearer = f"Bearer {token(served_console, account, *scopes)}"
        answer = ask(served_console.address, "/metrics", Host="other:1", Authorization=bearer)
        assert answer[0] == status, (account, answer)
    assert json.loads(ask(served_console.address, "/metrics")[1])["reason"] == "not-signed-in"
    assert ask(served_console.address, "/metrics", Authorization=f"Basic {bearer}")[0] == 401


def test_metrics_report_the_content_of_the_databases(served_console):
    runtime, now = served_console.runtime, utc_now()
    stores, storage = runtime.stores, runtime.settings.storage
    record_beat(storage, Beat("a:1", now - timedelta(seconds=7), "0 3 * * *", "UTC"))
    secret = token(served_console, "op", "metrics:read")

    def told():
        text = scrape(served_console.address, secret)  # as it was within the last ten seconds
        return text if "\npindna_beat_age_seconds " in text else ""

    wait_until(told, pause_s=1)
    text = told()
    assert value(text, "pindna_service_up", service="index") == 1
    assert value(text, "pindna_works", status="indexed") == len(list(stores.works.all()))
    assert value(text, "pindna_scans_running") == len(stores.scans.running()) > 0
    assert value(text, "pindna_sources", state="failing") == 0
    assert value(text, "pindna_index_postings") == runtime.guard.index().size().postings > 0
    assert value(text, "pindna_index_bytes") > 0
    assert 7 <= value(text, "pindna_beat_age_seconds") < 120
    crawls = list_lengths(storage, ["crawl"])["crawl"]
    assert value(text, "pindna_queue_messages", queue="crawl") <= crawls


def test_rules_and_dashboard_name_metrics_that_processes_have(served_console, served_settings):
    console = scrape(served_console.address, token(served_console, "op", "metrics:read"))
    worker = scrape(f"http://127.0.0.1:{served_settings.tracker.metrics_port}")
    existing = names(console) | names(worker)
    assert metrics_asked_for() <= existing
    assert existing == set(re.findall(r"`(pindna_\w+)`", MONITORING.read_text(encoding="utf-8")))
