"""What a forward proxy reads in requests and responses, and what it forwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.download.forwarding.http1 import (
    MAX_HEADER_BYTES,
    MAX_HEADER_LINES,
    BadMessage,
    parse_request,
    parse_response,
)


def test_connect_request_is_parsed():
    head = b"CONNECT news.example:443 HTTP/1.1\r\nProxy-Authorization: Basic cGFnZTpzOmM=\r\n\r\n"
    request = parse_request(head)
    assert (request.host, request.port, request.is_tunnel, request.credentials) == (
        "news.example",
        443,
        True,
        ("page", "s:c"),
    )


def test_plain_http_is_forwarded_without_hop_by_hop_fields():
    head = (
        b"POST http://news.example:8080/a?b=c HTTP/1.1\r\nHost: news.example:8080\r\n"
        b"Connection: keep-alive, X\r\n"
        b"Proxy-Authorization: Basic cGFnZTpz\r\nproxy-connection : keep-alive\r\nContent-Length: 3\r\n\r\n"
    )
    request = parse_request(head)
    assert (request.host, request.port, request.body_bytes) == ("news.example", 8080, 3)
    assert request.header_block == (
        b"POST /a?b=c HTTP/1.1\r\nHost: news.example:8080\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET https://a.example/ HTTP/1.1\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"GET http:///x HTTP/1.1\r\n\r\n",
        b"GET http://a.example:99999/ HTTP/1.1\r\n\r\n",
        b"CONNECT a.example HTTP/1.1\r\n\r\n",
        b"CONNECT a.example:0 HTTP/1.1\r\n\r\n",
        b"CONNECT [::1 HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ HTTP/2\r\n\r\n",
        b"GET http://a.example/ b HTTP/1.1\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\n" + b"X: y\r\n" * 400 + b"\r\n",
    ],
)
def test_invalid_request_is_refused(head):
    with pytest.raises(BadMessage):
        parse_request(head)


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_as_a_request_or_refused(noise):
    for head in (
        noise,
        b"GET http://" + noise + b" HTTP/1.1\r\n\r\n",
        b"CONNECT " + noise + b" HTTP/1.1\r\n\r\n",
    ):
        try:
            request = parse_request(head)
        except BadMessage:
            continue
        assert request.host
        assert request.is_tunnel or request.header_block.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("value", ["", "Basic", "Basic ###", "Bearer cGFnZTpz", "Basic /w=="])
def test_malformed_password_gives_no_credentials(value):
    head = f"CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: {value}\r\n\r\n"
    assert parse_request(head.encode()).credentials in (("", ""), ("", None))


def test_response_ends_its_connection():
    status, head = parse_response(
        b"HTTP/1.1 206 Partial\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nX: y\r\n\r\n"
    )
    assert (status, head) == (206, b"HTTP/1.1 206 Partial\r\nX: y\r\nConnection: close\r\n\r\n")
    with pytest.raises(BadMessage):
        parse_response(b"SSH-2.0-OpenSSH\r\n\r\n")


@pytest.mark.parametrize(
    "name",
    ["Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Upgrade"],
)
def test_connection_fields_are_not_forwarded(name):
    request = parse_request(f"GET http://a.example/ HTTP/1.1\r\n{name}: x\r\nX: y\r\n\r\n".encode())
    assert request.header_block == b"GET / HTTP/1.1\r\nX: y\r\nConnection: close\r\n\r\n"
    _, response = parse_response(f"HTTP/1.1 200 OK\r\n{name}: x\r\nX: y\r\n\r\n".encode())
    assert response == b"HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\n"


def test_impossible_content_length_is_capped():
    block = b"POST http://a.example/ HTTP/1.1\r\nContent-Length: " + b"1" + b"0" * 5000 + b"\r\n\r\n"
    assert parse_request(block).body_bytes == 10**17
    status, _ = parse_response(b"HTTP/1.1 " + b"2" * 5000 + b" OK\r\n\r\n")
    assert status == 222_222


@pytest.mark.parametrize(
    ("target", "port", "path"),
    [
        ("http://a.example", 80, "/"),
        ("http://a.example?b", 80, "/?b"),
        ("HTTP://a.example:81/b#c", 81, "/b#c"),
        ("http://a.example:65535/", 65535, "/"),
    ],
)
def test_target_is_a_host_a_port_and_a_path(target, port, path):
    request = parse_request(f"GET {target} HTTP/1.0\r\n\r\n".encode())
    assert (request.host, request.port, request.is_tunnel, request.body_bytes) == (
        "a.example",
        port,
        False,
        0,
    )
    assert request.header_block == f"GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode()
    assert request.credentials == ("", "")


def test_header_blocks_are_bounded():
    start = b"GET http://a/ HTTP/1.1\r\n"
    lines = [b"X: y"] * (MAX_HEADER_LINES - 1)
    assert parse_request(start + b"\r\n".join(lines) + b"\r\n\r\n").host == "a"
    with pytest.raises(BadMessage):
        parse_request(start + b"\r\n".join([*lines, b"X: y"]) + b"\r\n\r\n")
    long = start + b"X: " + b"y" * (MAX_HEADER_BYTES - len(start) - 7) + b"\r\n\r\n"
    assert parse_request(long).host == "a"
    with pytest.raises(BadMessage):
        parse_request(start + b"X: y" + long.removeprefix(start + b"X: "))


@pytest.mark.parametrize("line", [b"HTTP/1.1", b"HTTP/1.1 OK", b"HTTP/2 200 OK", b""])
def test_invalid_status_line_is_refused(line):
    with pytest.raises(BadMessage):
        parse_response(line + b"\r\n\r\n")
