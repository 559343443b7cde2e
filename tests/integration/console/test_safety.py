"""What a stranger, another site and a signed-in person without rights get of the server: nothing."""

import asyncio
import base64
import http.client
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import nicegui
import pytest
import socketio
from support.console import HOSTILE_TITLE, PASSWORD

pytestmark = pytest.mark.services
NICEGUI = f"/_nicegui/{nicegui.__version__}"
SECRETS = ("def ", "import ", "root:", "daemon:")


class Server:
    """The console's server, spoken to without a browser."""

    def __init__(self, address):
        self.origin, self.place = address, urlsplit(address).netloc

    def ask(self, path, method="GET", *, body=None, **headers):
        """Send a request; returns status, headers and body."""
        connection = http.client.HTTPConnection(self.place, timeout=20)
        try:
            connection.putrequest(method, path, skip_host="host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            if body is not None:
                connection.putheader("content-type", "application/x-www-form-urlencoded")
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")
        finally:
            connection.close()

    def sign_in(self, origin, *, name="op", password=PASSWORD, **headers):
        """Send the form of the way in, as a page of some origin does."""
        given = {**headers, **({"origin": origin} if origin else {})}
        fields = urlencode({"name": name, "password": password}).encode()
        return self.ask("/sign-in", "POST", body=fields, **given)

    def open_socket(self, cookie, client, origin):
        """Return the status of opening a websocket for a page."""
        key = base64.b64encode(os.urandom(16)).decode()
        given = {"cookie": cookie, "origin": origin}
        return self.ask(
            f"/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id={client}",
            connection="Upgrade",
            upgrade="websocket",
            sec_websocket_key=key,
            sec_websocket_version="13",
            **{name: value for name, value in given.items() if value},
        )[0]


@pytest.fixture
def server(console):
    return Server(console.address)


def cookie_of(console, name):
    ((key, value),) = console.sign_in(name).items()
    return f"{key}={value}"


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/account", "/sources", "/sign-out", "/docs", "/openapi.json", "/nowhere", "//evil.example/"),
        *("/sign-in/../account", "/static/../account", "/static/%2e%2e/account", "/api/..%2faccount"),
        f"{NICEGUI}/resources/x/y",
        f"{NICEGUI}/dynamic_resources/x",
        "/_nicegui/client/x",
    ],
)
def test_nothing_is_shown_to_strangers_but_the_way_in(server, path):
    assert server.ask(path)[0] == 401
    status, headers, _ = server.ask(path, accept="text/html")
    assert (status, urlsplit(headers["location"]).path) == (303, "/sign-in")


@pytest.mark.parametrize(
    "folder", ["/static", f"{NICEGUI}/static", f"{NICEGUI}/libraries", f"{NICEGUI}/components"]
)
@pytest.mark.parametrize(
    "way",
    [
        "/../gate.py",
        "/..%2f..%2fgate.py",
        "/%2e%2e/nicegui.py",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/..\\x",
        "/",
    ],
)
def test_server_reads_no_file_outside_its_static_folders(server, console, folder, way):
    for cookie in ("", cookie_of(console, "ana") if way == "/../gate.py" else ""):
        status, _, body = server.ask(folder + way, cookie=cookie)
        assert status in {401, 404, 500}, body
        assert not [word for word in SECRETS if word in body]


def test_missing_page_is_plain_and_has_no_content(server, console):
    """NiceGUI would build a page with server state for every anonymous request."""
    status, headers, body = server.ask("/api/nowhere")
    assert (status, "<script" in body) == (404, False)
    assert "x-nicegui-content" not in headers
    status, _, body = server.ask("/nowhere", cookie=cookie_of(console, "ana"))
    assert (status, "<script" in body) == (404, False)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1@evil.example", "["]
)
def test_another_name_is_not_answered(server, host):
    """A foreign name that resolves to this machine (DNS rebinding) reaches no page, not even the sign-in."""
    assert server.ask("/sign-in", host=host)[0] == 421


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"])
def test_methods_that_are_not_in_use_are_refused(server, method):
    status, headers, _ = server.ask("/sign-in", method)
    assert (status, headers["allow"]) == (405, "GET, HEAD, POST")
    assert "access-control-allow-origin" not in headers


def test_head_is_answered_as_get_is_without_the_body(server):
    status, headers, body = server.ask("/sign-in", "HEAD")
    assert (status, body) == (200, "")
    assert "content-security-policy" in headers


def test_forms_come_from_pages_of_this_server_only(server):
    own = server.origin
    foreign = (
        "",
        "null",
        "http://evil.example",
        f"{own}.evil.example",
        own.replace("http", "https"),
        f"{own}0",
    )
    for origin in foreign:
        assert server.sign_in(origin)[0] == 403
    assert server.ask("/sign-out", "POST", origin="http://evil.example")[0] == 403
    status, headers, _ = server.sign_in(own)
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "Path=/", "SameSite=lax"))


def test_sign_in_starts_a_new_session_and_ends_the_previous_session(server, console):
    earlier = cookie_of(console, "op")
    assert server.ask("/account", cookie=earlier)[0] == 200
    status, headers, _ = server.sign_in(server.origin, cookie=earlier)
    own = headers["set-cookie"].partition(";")[0]
    assert (status, own != earlier) == (303, True)
    assert server.ask("/account", cookie=earlier)[0] == 401
    assert server.ask("/account", cookie=own)[0] == 200


@pytest.mark.parametrize(
    "cookie", ["pindna=", "pindna=x", "pindna=\u00ff", "pindna=x; pindna=y", "=;;\x7f", "pindna"]
)
def test_bad_cookie_is_refused(server, cookie):
    assert server.ask("/account", cookie=cookie)[0] == 401


def test_foreign_cookies_are_cheap_to_parse_and_do_not_hide_the_session(server, console):
    """Python's cookie parser needs quadratic time for backslashes: 40 seconds for these."""
    own = cookie_of(console, "ana")
    odd = 'x="' + "\\" * 50_000 + '"'
    began = time.monotonic()
    assert server.ask("/account", cookie=f"{odd}; {own}")[0] == 200
    assert server.ask("/account", cookie=f'pindna="{odd}"')[0] == 401
    assert (
        server.ask("/account", cookie="; ".join(f"a{number}=b" for number in range(6_000)) + f"; {own}")[0]
        == 200
    )
    assert time.monotonic() - began < 20  # a fraction of a second where nothing else runs


def client_of(server, cookie):
    """Open a page; returns the id that NiceGUI gives it."""
    body = server.ask("/account", cookie=cookie, accept="text/html")[2]
    return re.search(r"client_id': '([0-9a-f-]{36})'", body)[1]


def test_websocket_needs_a_page_of_the_same_session(server, console):
    own, other = cookie_of(console, "op"), cookie_of(console, "hol")
    client = client_of(server, own)
    assert server.open_socket(own, client, server.origin) == 101
    for cookie, origin in (
        (other, server.origin),
        ("", server.origin),
        ("pindna=x", server.origin),
        *((own, foreign) for foreign in ("http://evil.example", "null", "")),
    ):
        assert server.open_socket(cookie, client, origin) == 403
    poll = f"/_nicegui_ws/socket.io/?EIO=4&transport=polling&client_id={client}"
    assert server.ask(poll, cookie=own)[0] == 403
    assert server.ask(poll, cookie=own, sec_fetch_site="cross-site")[0] == 403


def handshakes(server, cookie, own, *claimed):
    """Return what a websocket, opened with a cookie for a page, is answered when it claims to be pages."""

    async def talk():
        socket = socketio.AsyncClient()
        await socket.connect(
            f"{server.origin}?client_id={own}",
            headers={"Cookie": cookie, "Origin": server.origin},
            transports=["websocket"],
            socketio_path="_nicegui_ws/socket.io",
        )
        answers = []
        for number, client in enumerate(claimed):
            page = {"client_id": client, "tab_id": f"t{number}", "document_id": "d", "next_message_id": 0}
            answers.append(await socket.call("handshake", page, timeout=10))
        await socket.disconnect()
        return answers

    with ThreadPoolExecutor() as pool:  # a browser's driver may have an event loop in this thread
        return pool.submit(lambda: asyncio.run(talk())).result()


def test_stolen_page_id_gives_no_access_to_the_page(server, console):
    cookies = cookie_of(console, "op"), cookie_of(console, "hol")
    op, hol = (client_of(server, cookie) for cookie in cookies)
    assert handshakes(server, cookies[1], "", op, hol) == [False, True]
    assert handshakes(server, cookies[0], op, hol, op) == [False, True]


@pytest.mark.parametrize(
    "body", [b"", b"name=a", b"name=a&password=" + b"secret" * 400, b"a=1&" * 2_000, b"\xff\x00"]
)
def test_unknown_form_is_refused_and_not_repeated(server, body):
    status, _, answer = server.ask("/sign-in", "POST", body=body, origin=server.origin)
    assert status in {400, 422}
    assert "secret" not in answer
    assert len(answer) < 200


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "/\\evil.example", "http://evil.example", "javascript:1", "/\t/x"]
)
def test_sign_in_redirects_only_to_this_server(server, wanted):
    fields = urlencode({"name": "op", "password": PASSWORD, "next": wanted}).encode()
    status, headers, _ = server.ask("/sign-in", "POST", body=fields, origin=server.origin)
    assert (status, headers["location"]) == (303, "/")


def test_request_that_is_too_large_is_refused_before_it_is_read(server):
    assert server.ask("/sign-in", "POST", origin=server.origin, content_length=str(10**12))[0] == 413


def test_answers_of_the_api_are_never_shown_as_pages(server):
    status, headers, _ = server.ask("/api/v1/works")
    assert (status, headers["content-disposition"]) == (401, 'attachment; filename="api.json"')


def test_every_answer_has_security_headers(server, console):
    cookie = cookie_of(console, "ana")
    for path, given in (
        ("/", {"cookie": cookie}),
        ("/sign-in", {}),
        ("/static/console.css", {}),
        ("/account", {}),
        ("/nowhere", {"cookie": cookie}),
        ("/api/nowhere", {}),
    ):
        _, headers, _ = server.ask(path, **given)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy
        assert "server" not in headers
        assert path.startswith("/static") or headers["cache-control"] == "no-store"


def test_archived_page_runs_no_script_and_needs_access_to_its_work(server, console):
    stores = console.runtime.stores
    match = next(match for match in stores.matches.listed() if match.work_title == "雾港来信")
    body = stores.pages.get(match.page_id).snapshots[0]
    path = f"/matches/{match.name}/as-it-was?body={body}"
    status, headers, page = server.ask(path, cookie=cookie_of(console, "ana"))
    assert (status, "<script" in page) == (200, False)
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "frame-ancestors 'self'" in policy
    for other in (path, path.replace(body, "0" * 64), path.replace("as-it-was", "records")):
        assert server.ask(other, cookie=cookie_of(console, "hol"))[0] == 404
    assert server.ask(path)[0] == 401


def test_page_scripts_have_a_new_nonce_every_time(server, console):
    cookie = cookie_of(console, "ana")
    nonces = set()
    for _ in range(2):
        _, headers, body = server.ask("/", cookie=cookie, accept="text/html")
        policy = headers["content-security-policy"]
        scripts = re.search(r"script-src ([^;]+)", policy)[1]
        (nonce,) = set(re.findall(r'<script nonce="([^"]+)"', body))
        nonces.add(nonce)
        assert f"'nonce-{nonce}'" in scripts
        assert "unsafe-inline" not in scripts
        assert HOSTILE_TITLE not in body
    assert len(nonces) == 2


def test_first_administrator_can_be_created_only_once(server):
    fields = urlencode({"secret": "x", "name": "evil", "password": PASSWORD, "again": PASSWORD}).encode()
    assert server.ask("/first?secret=x")[0] == 410
    assert server.ask("/first", "POST", body=fields, origin=server.origin)[0] == 410
