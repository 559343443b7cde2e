"""Addresses of crawler traps, and those that only look like one."""

from datetime import UTC, datetime

import pytest

from crawler.lists.traps import Traps, shape_of

SITE = "http://x.example"
YEAR = datetime.now(UTC).year


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/a" * 200 + "/" + "b" * 200, "endless"),
        ("/" + "/".join("abcdefghijklmn"), "endless"),
        ("/a/b/a/b/a/b/a", "endless"),
        ("/s?" + "&".join(f"f{n}=1" for n in range(9)), "parameters"),
        (f"/calendar/{YEAR + 9}/05", "calendar"),
        ("/events?year=1801&month=2", "calendar"),
    ],
)
def test_suspicious_address_is_not_followed(url, reason):
    assert Traps().reason(SITE + url) == reason


@pytest.mark.parametrize(
    "url",
    [
        "/2026/03/0001.html",
        "/book/12/12/12.html",
        "/archive/2019/05/",
        f"/events?year={YEAR}&month=12",
        "/content?id=20261105123456",
        "/a?n=1801",
        "/novel/" + "%E9%9D%92" * 20,
    ],
)
def test_ordinary_address_is_followed(url):
    assert Traps().reason(SITE + url) is None


def test_only_the_address_shape_without_texts_is_abandoned():
    traps = Traps()
    for number in range(60):
        assert traps.reason(f"{SITE}/filter?color={number}") is None
        traps.record_page(f"{SITE}/filter?color={number}", fruitful=number == 0)
        traps.record_page(f"{SITE}/news/{number}.html", fruitful=True)
    assert traps.reason(f"{SITE}/filter?color=99") == "barren"
    assert traps.reason(f"{SITE}/news/99.html") is None
    assert traps.reason(f"{SITE}/filter?size=99") is None


def address(chars):
    return f"{SITE}/{'a' * (chars - len(SITE) - 1)}"


def folders(count):
    return "/" + "/".join(f"f{chr(97 + number)}" for number in range(count))


@pytest.mark.parametrize(
    ("followed", "refused", "reason"),
    [
        (address(500), address(501), "endless"),
        (address(500), address(600), "endless"),  # one long folder
        (SITE + folders(12), SITE + folders(13), "endless"),
        (f"{SITE}/a/b/a/b/a", f"{SITE}/a/b/a/b/a/b/a", "endless"),
        (f"{SITE}//a//a//a/", f"{SITE}//a//a//a//a/", "endless"),
        (
            f"{SITE}/s?" + "&".join(f"f{n}=" for n in range(8)),
            f"{SITE}/s?" + "&".join(f"f{n}=" for n in range(9)),
            "parameters",
        ),
        (f"{SITE}/events?year=1990", f"{SITE}/events?year=1989", "calendar"),
        (f"{SITE}/s?y=1990", f"{SITE}/s?y=1989", "calendar"),
        (f"{SITE}/rili/1990-01", f"{SITE}/rili/1989-12", "calendar"),
        (f"{SITE}/calendar/{YEAR + 2}/05", f"{SITE}/calendar/{YEAR + 3}/05", "calendar"),
        (f"{SITE}/calendar/1801", f"{SITE}/calendar/180111", "calendar"),  # a year alone is a number
    ],
)
def test_suspicious_addresses_begin_at_their_thresholds(followed, refused, reason):
    assert Traps().reason(followed) is None
    assert Traps().reason(refused) == reason


@pytest.mark.parametrize(
    ("tried", "fruitful", "reason"),
    [(59, 0, None), (60, 0, "barren"), (60, 2, "barren"), (60, 3, None), (100, 5, None), (100, 4, "barren")],
)
def test_shape_is_barren_if_fewer_than_5_percent_of_60_pages_have_texts(tried, fruitful, reason):
    traps = Traps()
    for number in range(tried):
        traps.record_page(f"{SITE}/filter?color={number}", fruitful=number < fruitful)
    assert traps.reason(f"{SITE}/filter?color=999") == reason


def test_shape_of_an_address_ignores_digits_and_values():
    assert shape_of(f"{SITE}/a12/3.html?b=x&a=7") == shape_of(f"{SITE}/a9/45.html?a=1&b=")
    assert shape_of(f"{SITE}/a/1") != shape_of(f"{SITE}/b/1")
