"""A database that stops, and a server that is restarted, under an open browser."""

from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect
from support.console import go, served
from support.faults.ways import way_to
from support.scraping import scrape, value
from support.waiting import wait_until
from support.wrong_servers import free_port

from analysis.accounts.tokens import make_token

pytestmark = pytest.mark.services


def test_open_page_survives_a_database_outage_and_a_server_restart(console, tmp_path):
    url = console.environment["PINDNA_STORAGE__MONGO_URL"]
    parts = urlsplit(url)
    port = free_port()
    with way_to(parts.hostname, parts.port) as way, console.window("ana", language="en") as window:
        environment = {
            **console.environment,
            "PINDNA_STORAGE__MONGO_URL": url.replace(f":{parts.port}", f":{way.port}"),
            "PINDNA_STORAGE__TIMEOUT_S": "1",
        }
        address = f"http://127.0.0.1:{port}"
        cookies = [{**cookie, "domain": "127.0.0.1"} for cookie in window.cookies()]
        page = window.new_page()
        with served(environment, port, tmp_path / "first.log"):
            window.add_cookies(cookies)
            go(page, f"{address}/works")
            page.evaluate("window.wasHere = true")
            stores, rules = console.runtime.stores, console.runtime.settings.analysis.server
            scopes = ["metrics:read"]
            secret, _ = make_token(stores, rules, account="op", label="t", scopes=scopes, days=1, by="t")
            assert value(scrape(address, secret), "pindna_service_up", service="mongodb") == 1
            way.cut()
            alert = page.get_by_role("alert").filter(has_text="MongoDB")
            expect(alert).to_be_visible(timeout=20_000)
            ready = httpx.get(f"{address}/readyz")
            assert (ready.status_code, ready.text) == (
                503,
                "mongodb: not ready\nschema: not ready\nredis: ok\n",
            )
            assert httpx.get(f"{address}/healthz").status_code == 200
            wait_until(
                lambda: not value(scrape(address, secret), "pindna_service_up", service="mongodb"), pause_s=1
            )
            way.join()
            expect(alert).to_be_hidden(timeout=20_000)
            assert page.evaluate("window.wasHere")
        with served(environment, port, tmp_path / "second.log"):
            expect(page.get_by_role("table", name="Works")).to_be_visible(timeout=30_000)
            page.wait_for_function("window.socket && window.socket.connected", timeout=30_000)
            page.get_by_role("link", name="Sources").click()
            expect(page.get_by_role("table", name="Sources")).to_be_visible()
    console.problems.clear()  # the browser tells of what it could not reach meanwhile
