"""At which address a host may be reached."""

import asyncio

import pytest
from scrapy.exceptions import CannotResolveHostError
from twisted.internet.error import DNSLookupError

from crawler.download.forwarding.lookup import safe_lookup
from crawler.download.resolver import REFUSED_NAMES
from crawler.failures import PrivateAddress


def judged(host, *, known=None, allowed=(), only_allowed=False):
    async def resolve(name):
        if name not in (known or {}):
            raise DNSLookupError(name)
        return known[name]

    return asyncio.run(safe_lookup(resolve, allowed=allowed, only_allowed=only_allowed)(host, 80))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "::1", "::ffff:10.0.0.1", "localhost", "a.localhost", "10.1.1.1"],
)
def test_inner_literals_are_refused(host):
    with pytest.raises(PrivateAddress):
        judged(host)


def test_name_resolves_to_the_answer_of_the_resolver():
    assert judged("news.example", known={"news.example": "93.184.216.34"}) == "93.184.216.34"
    with pytest.raises(PrivateAddress):  # should the resolver ever let one through
        judged("inner.example", known={"inner.example": "10.0.0.1"})
    with pytest.raises(CannotResolveHostError):
        judged("no.example")
    REFUSED_NAMES.add("refused.example")
    with pytest.raises(PrivateAddress):
        judged("refused.example")


def test_inner_address_is_opened_by_its_name_and_port_only():
    names = {"wiki.inner": "10.0.0.5", "other.inner": "10.0.0.5"}
    allowed = {("wiki.inner", 80), ("10.0.0.6", 80), ("wiki.inner", 81)}
    assert judged("WIKI.inner", known={"WIKI.inner": "10.0.0.5"}, allowed=allowed) == "10.0.0.5"
    assert judged("0x0a.0.0.6", allowed=allowed) == "10.0.0.6"
    for host in ("other.inner", "10.0.0.5", "10.0.0.7"):
        with pytest.raises(PrivateAddress):
            judged(host, known=names, allowed=allowed)


def test_restricted_lookup_reaches_only_allowed_addresses():
    names = {"wiki.inner": "10.0.0.5", "news.example": "93.184.216.34"}
    allowed = {("wiki.inner", 80)}
    assert judged("wiki.inner", known=names, allowed=allowed, only_allowed=True) == "10.0.0.5"
    for host in ("news.example", "93.184.216.34", "10.0.0.5"):
        with pytest.raises(PrivateAddress):
            judged(host, known=names, allowed=allowed, only_allowed=True)
