"""What is read of a robots.txt."""

import time
import tracemalloc

import pytest
from protego import Protego

from crawler.middlewares.robots import MAX_BYTES, limit_robots

NAME = b"pindna/0.1 (+https://x.example)"


def rules(body):
    return Protego.parse(limit_robots(body.encode(), NAME).decode())


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("User-agent: *\nDisallow: /", False),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: other\nUser-agent: PinDNA*\nDisallow: /", False),
        ("user-agent: pindna # us\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        ("User agent pindna\nDisallow: /", False),
    ],
)
def test_the_rules_that_are_ours_hold(body, allowed):
    assert rules(body).can_fetch("http://x.example/1", NAME.decode()) is allowed
    assert Protego.parse(body).can_fetch("http://x.example/1", NAME.decode()) is allowed


def test_names_are_not_multiplied_by_rules():
    names = "".join(f"User-agent: {n}\nSitemap: x\n" for n in range(8_000))
    ours = "".join(f"User-agent: {NAME[:n].decode()}\n" for n in range(1, len(NAME)))
    body = f"{names}{ours}" + "".join(f"Disallow: /{n}\n" for n in range(15_000))
    began = time.process_time()
    tracemalloc.start()
    found = rules(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not found.can_fetch("http://x.example/7", NAME.decode())
    assert peak < 200_000_000
    assert time.process_time() - began < 20


def test_no_more_is_read_than_must_be():
    assert len(limit_robots(b"Disallow: /\n" * MAX_BYTES, NAME)) <= MAX_BYTES
