"""Addresses of SOCKS proxies."""

import pytest

from crawler.download.forwarding.socks import SocksProxy, is_socks, socks_proxy


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("socks5://p.example:1080", SocksProxy("socks5", "p.example", 1080)),
        ("socks5://me:geheim@[2001:db8::1]:9", SocksProxy("socks5", "2001:db8::1", 9, "me", "geheim")),
        ("SOCKS5://me:a%40b%2F@p:1/", SocksProxy("socks5", "p", 1, "me", "a@b/")),
        ("socks4://me@p:1080", SocksProxy("socks4", "p", 1080, "me")),
    ],
)
def test_socks_address_is_parsed(url, proxy):
    assert is_socks(url)
    assert socks_proxy(url) == proxy


@pytest.mark.parametrize(
    "url",
    [
        "socks5://geheim@p:1",
        "socks5://:geheim@p:1",
        "socks5://me:geheim@p",
        "socks5://me:geheim@p:0",
        "socks5://me:geheim@p:99999",
        "socks5://me:geheim@[p:1",
        "socks5://me:geheim@:1",
        "socks5://me:geheim密@p:1",
        f"socks5://me:{'geheim' * 50}@p:1",
        "socks5h://me:geheim@p:1",
        "socks://me:geheim@p:1",
        "socks5://me:geheim@p:1/path",
    ],
)
def test_bad_socks_address_is_refused_without_its_secret(url):
    with pytest.raises(ValueError, match=r"^(?!.*geheim).+$") as raised:
        socks_proxy(url)
    assert "geheim" not in repr(raised.value.__context__)


def test_passwords_of_proxies_are_not_shown():
    proxy = socks_proxy("socks5://me:geheim@p:1")
    assert proxy.redacted_url == "socks5://p:1"
    assert "geheim" not in repr(proxy)
    assert "me" not in repr(proxy)
