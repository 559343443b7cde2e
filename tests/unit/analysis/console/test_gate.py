"""Who comes in while the database does not answer, and how often; without sockets."""

import asyncio
from types import SimpleNamespace

import pytest
from nicegui import Client

from analysis.accounts.permissions import identity_of
from analysis.console import gate
from analysis.console.gate import Gate
from storage.records import Account
from storage.servers.throttle import TooOften
from storage.settings.results import ServerSettings
from system.errors import ServiceDown

SETTINGS = ServerSettings(upload_megabytes=1, requests_per_minute=5)
ANA = identity_of(Account(name="ana", role="analyst"))
SOCKET = "/_nicegui_ws/socket.io/"
DOWN = ServiceDown(service="MongoDB", address="a", problem="p")


def ask(
    monkeypatch,
    error,
    *,
    kind="http",
    path="/",
    cookie="pindna=own",
    page="",
    accept="text/html",
    settings=SETTINGS,
    identity=ANA,
):
    """Return the status of a request, 101 for what is let through."""
    messages, passed = [], []

    async def behind(scope, *_):
        passed.append(scope)

    async def send(message):
        messages.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    def count(*_):
        if isinstance(error, TooOften):
            raise error

    def whose(*_):
        if isinstance(error, ServiceDown):
            raise error
        return SimpleNamespace(id="s"), identity

    monkeypatch.setattr(gate, "session_identity", whose)
    clients = {"c": SimpleNamespace(request=SimpleNamespace(state=SimpleNamespace(secret="own")))}  # noqa: S106 - a test's
    monkeypatch.setattr(Client, "instances", clients)
    installation = SimpleNamespace(
        settings=settings,
        host_names={"a"},
        is_secure=False,
        cookie="pindna",
        stores=None,
        throttle=SimpleNamespace(count=count),
    )
    given = {"host": "a", "origin": "http://a", "accept": accept, "cookie": cookie}
    scope = {
        "type": kind,
        "method": "GET",
        "path": path,
        "query_string": f"client_id={page}".encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    asyncio.run(Gate(behind, installation)(scope, receive, send))
    if passed:
        if kind == "websocket":  # its messages are held against its session
            assert passed[0]["state"] == {"secret": "own"}
        return 101
    return 403 if messages[0]["type"] == "websocket.close" else messages[0]["status"]


@pytest.mark.parametrize(
    ("cookie", "page", "status"),
    [
        ("pindna=own", "c", 101),
        ("pindna=other", "c", 403),
        ("", "c", 403),
        ("pindna=own", "unknown", 403),
        ("pindna=own", "", 403),
    ],
)
def test_only_open_pages_of_the_session_work_without_the_database(monkeypatch, cookie, page, status):
    asked = ask(monkeypatch, DOWN, kind="websocket", path=SOCKET, cookie=cookie, page=page)
    assert asked == status


@pytest.mark.parametrize(("accept", "status"), [("text/html", 503), ("*/*", 503)])
def test_pages_report_a_missing_database(monkeypatch, accept, status):
    assert ask(monkeypatch, DOWN, accept=accept) == status
    assert ask(monkeypatch, DOWN, cookie="", accept="*/*") == 401


def test_requests_of_a_session_are_limited(monkeypatch):
    assert ask(monkeypatch, None) == 101
    assert ask(monkeypatch, TooOften(seconds=9)) == 429


def test_user_without_a_required_device_can_only_enrol(monkeypatch):
    required = SETTINGS.model_copy(update={"require_one_time_passwords": True})
    for path, accept, status in (
        ("/", "text/html", 303),
        ("/cases", "text/html", 303),
        ("/downloads/x", "*/*", 403),
        ("/account", "text/html", 101),
        ("/sign-out", "*/*", 101),
    ):
        assert ask(monkeypatch, None, path=path, accept=accept, settings=required) == status
        enrolled = identity_of(Account(name="ana", role="analyst", otp_secret="A" * 32))
        assert ask(monkeypatch, None, path=path, accept=accept, settings=required, identity=enrolled) == 101
