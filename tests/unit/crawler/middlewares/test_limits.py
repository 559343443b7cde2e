"""Responses that are built to exhaust their reader are refused by their headers; broken ones are marked."""

import gzip
import random

import pytest
from scrapy import Request
from scrapy.http import Response

from crawler.failures import HostileResponse
from crawler.meta import BROKEN_OFF
from crawler.middlewares.limits import LimitsMiddleware

URL = "http://x.example/"


def process(*, body=b"", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = Response(URL, headers=named, body=body)
    return LimitsMiddleware().process_response(Request(URL), response)


@pytest.mark.parametrize("encodings", [[], ["gzip"], ["gzip, br"], ["gzip", "br"]])
def test_two_layers_of_compression_are_unpacked(encodings):
    assert process(Content_Encoding=encodings).status == 200


@pytest.mark.parametrize("encodings", [["gzip, gzip, gzip"], ["gzip", "gzip, br"], ["gzip"] * 3])
def test_more_layers_are_refused(encodings):
    with pytest.raises(HostileResponse):
        process(Content_Encoding=encodings)


@pytest.mark.parametrize(
    ("cookies", "count"),
    [
        (["a=1"] * 50, 50),
        (["a=1"] * 51, 0),
        (["a" * 8192, "b" * 8192], 2),
        (["a" * 8192, "b" * 8193], 0),
    ],
)
def test_of_too_many_or_too_large_cookies_none_is_kept(cookies, count):
    assert len(process(Set_Cookie=cookies).headers.getlist("Set-Cookie")) == count


@pytest.mark.parametrize(("length", "flags"), [(None, []), (500, [BROKEN_OFF])])
def test_compressed_body_that_breaks_off_is_marked(length, flags):
    body = gzip.compress(random.Random(1).randbytes(9_000))[:length]
    assert process(Content_Encoding="GZIP", body=body).flags == flags
