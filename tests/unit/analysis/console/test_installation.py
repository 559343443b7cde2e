"""Where TLS serves, and under which names the console answers."""

import asyncio
from types import SimpleNamespace

import pytest

from analysis.console.headers import SecurityHeaders
from analysis.console.installation import Installation
from deploy.cli.services.serve import UnsafeServer, require_safe
from storage.settings.results import ServerSettings

TLS = {"certificate": "cert.pem", "key": "key.pem"}
PUBLIC = {"public_url": "https://pindna.example.org"}
PROXY = {"trusted_proxies": ("192.0.2.1",)}
EVERYWHERE = {"host": "0.0.0.0"}  # noqa: S104 - what is tested


def installation(**settings):
    analysis = SimpleNamespace(server=ServerSettings(**settings))
    return Installation(SimpleNamespace(settings=SimpleNamespace(analysis=analysis)))


@pytest.mark.parametrize(
    ("settings", "cookie"), [({}, "pindna"), (TLS, "__Host-pindna"), (PUBLIC, "__Host-pindna")]
)
def test_tls_cookie_is_limited_to_tls_and_this_host(settings, cookie):
    own = installation(**settings)
    assert (own.cookie, own.is_secure) == (cookie, cookie.startswith("__Host-"))


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, {"127.0.0.1", "localhost", "::1"}),
        (PUBLIC, {"127.0.0.1", "localhost", "::1", "pindna.example.org"}),
        (EVERYWHERE | PUBLIC, {"pindna.example.org"}),
        (EVERYWHERE, set()),
    ],
)
def test_installation_answers_under_its_host_names(settings, names):
    assert installation(**settings).host_names == names


@pytest.mark.parametrize("is_secure", [True, False])
def test_tls_server_sends_strict_transport_security(is_secure):
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    asyncio.run(SecurityHeaders(app, is_secure=is_secure)({"type": "http"}, None, send))
    assert (b"strict-transport-security", b"max-age=31536000") in sent[0]["headers"] or not is_secure
    assert is_secure or b"strict-transport-security" not in dict(sent[0]["headers"])


@pytest.mark.parametrize(
    ("settings", "is_safe"),
    [
        ({}, True),
        ({"host": "::1"}, True),
        (TLS, True),
        ({"certificate": "cert.pem"}, False),
        ({"key": "key.pem"}, False),
        (EVERYWHERE, False),
        (EVERYWHERE | PUBLIC, False),
        (EVERYWHERE | TLS, False),
        (EVERYWHERE | TLS | PUBLIC, True),
        (EVERYWHERE | PROXY | PUBLIC, True),
        (EVERYWHERE | PROXY, False),
        (EVERYWHERE | TLS | {"public_url": "http://pindna.example.org"}, False),
    ],
)
def test_other_machines_need_tls(settings, is_safe):
    given = ServerSettings(**settings)
    if is_safe:
        require_safe(given)
    else:
        with pytest.raises(UnsafeServer):
            require_safe(given)
