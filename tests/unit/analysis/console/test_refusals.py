"""What people and programs are told when they are not let in, or when their browser is slow."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from nicegui.javascript_request import JavaScriptRequest
from starlette.requests import Request

from analysis.accounts.signing_in import SignInRefused
from analysis.console import view as view_module
from analysis.console.sign_in import TooManySignIns, _form
from analysis.console.view import View
from storage.servers.throttle import TooOften
from system.errors import PindnaError, ServiceDown


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SignInRefused(), 401),
        (TooOften(seconds=9), 429),
        (TooManySignIns(), 429),
        (ServiceDown(service="MongoDB", address="127.0.0.1:1", problem="refused"), 503),
        (PindnaError(message="something else"), 400),
        (None, 200),
    ],
)
def test_status_explains_the_refused_sign_in(error, status):
    request = Request({"type": "http", "headers": []})
    answer = _form(request, next="/", error=error)
    assert answer.status_code == status
    assert answer.headers.get("retry-after") == ("9" if isinstance(error, TooOften) else None)


@pytest.fixture
def told(monkeypatch):
    shown = []
    monkeypatch.setattr(view_module.ui, "notify", lambda text, **_: shown.append(text))
    monkeypatch.setattr(view_module, "record_bug", lambda _: PindnaError(message="a bug"))
    view = SimpleNamespace(client=nullcontext(), texts=SimpleNamespace(error=str))

    def tell(problem):
        View.report(view, problem)
        return len(shown)

    return tell


def test_slow_browser_is_not_logged_as_a_bug(told):
    async def ask():
        await JavaScriptRequest("a-page", timeout=0.01)

    with pytest.raises(TimeoutError) as caught:
        asyncio.run(ask())
    assert told(caught.value) == 0


def test_other_timeout_is_reported(told):
    assert told(TimeoutError("something of ours")) == 1
