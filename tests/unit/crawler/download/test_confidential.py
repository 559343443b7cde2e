"""What a source configures is left out of the evidence."""

import pytest

from crawler.download.confidential import confidential_of
from crawler.download.header_blocks import REDACTED
from crawler.download.proxies import MissingVariable, OpenVariable
from storage.records import Login, Source


def source(*urls, **fields):
    return Source(name="s", kind="urls", start_urls=urls, **fields)


def test_configured_secrets_are_redacted(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_TOKEN", "tok-12345")
    result = confidential_of(
        source(
            "http://a.example/",
            header_sets=({"Authorization": "Bearer ${PINDNA_SECRET_TOKEN}"}, {"X-Api-Key": "key-67890"}),
            cookies={"sid": "cookie-word", "age": "18"},
            login=Login(
                url="http://a.example/login", fields={"user": "reader", "word": "${PINDNA_SECRET_TOKEN}"}
            ),
        )
    )
    sent = result.request(
        b"GET /?k=18 HTTP/1.1\r\nHost: a.example\r\nauthorization: Bearer tok-12345\r\n"
        b"X-API-KEY: key-67890\r\n"
        b"Cookie: sid=cookie-word\r\nProxy-Authorization: Basic eDp5\r\nReferer: http://a.example/?u=reader"
    )
    hidden = b": " + REDACTED
    assert sent == (
        b"GET /?k=18 HTTP/1.1\r\nHost: a.example\r\nauthorization"
        + hidden
        + b"\r\nX-API-KEY"
        + hidden
        + b"\r\nCookie"
        + hidden
        + b"\r\nProxy-Authorization"
        + hidden
        + b"\r\nReferer: http://a.example/?u="
        + REDACTED
    )
    came = result.response(b"HTTP/1.1 200 OK\r\nX-Echo: tok-12345\r\nSet-Cookie: a=1; path=/\r\nX-Age: 18")
    assert came == b"HTTP/1.1 200 OK\r\nX-Echo: " + REDACTED + b"\r\nSet-Cookie" + hidden + b"\r\nX-Age: 18"
    assert "tok" not in repr(result)


def test_unreadable_variable_is_reported(monkeypatch):
    monkeypatch.delenv("PINDNA_SECRET_NONE", raising=False)
    with pytest.raises(MissingVariable):
        confidential_of(source("http://a.example/", header_sets=({"X": "${PINDNA_SECRET_NONE}"},)))
    with pytest.raises(OpenVariable):
        confidential_of(source("http://a.example/", header_sets=({"X": "${HOME}"},)))
