"""Addresses that lead nowhere for ever, and those that only look odd."""

from datetime import UTC, datetime

import pytest

from crawler.lists.traps import Traps, shape_of, without_tracking

SITE = "http://x.example"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a?PHPSESSID=1f&id=7", "/a?id=7"),
        ("/a;jsessionid=AB12?id=7", "/a?id=7"),
        ("/a?sid=9", "/a"),
        ("/a?utm_source=x&spm=1.2&id=7&from=timeline", "/a?id=7"),
        ("/(S(abc))/a", "/a"),
        ("/a?name=%C7%E0%B5%C6&_trans_=000", "/a?name=%C7%E0%B5%C6"),
        ("/a?sort=2&page=3", "/a?sort=2&page=3"),
        ("/session/12.html?class=5", "/session/12.html?class=5"),
    ],
)
def test_sessions_and_trackers_come_off(url, expected):
    assert without_tracking(SITE + url) == SITE + expected


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/a" * 200 + "/" + "b" * 200, "endless"),
        ("/" + "/".join("abcdefghijklmn"), "endless"),
        ("/a/b/a/b/a/b/a", "endless"),
        ("/s?" + "&".join(f"f{n}=1" for n in range(9)), "parameters"),
        (f"/calendar/{datetime.now(UTC).year + 9}/05", "calendar"),
        ("/events?year=1801&month=2", "calendar"),
    ],
)
def test_a_suspicious_build_is_not_followed(url, reason):
    assert Traps().reason(SITE + url) == reason


@pytest.mark.parametrize(
    "url",
    [
        "/2026/03/0001.html",
        "/book/12/12/12.html",
        "/archive/2019/05/",
        f"/events?year={datetime.now(UTC).year}&month=12",
        "/content?id=20261105123456",
        "/a?n=1801",
        "/novel/" + "%E9%9D%92" * 20,
    ],
)
def test_an_ordinary_address_is(url):
    assert Traps().reason(SITE + url) is None


def test_a_shape_without_texts_is_given_up_and_others_are_not():
    traps = Traps()
    for number in range(60):
        assert traps.reason(f"{SITE}/filter?color={number}") is None
        traps.note(f"{SITE}/filter?color={number}", fruitful=number == 0)
        traps.note(f"{SITE}/news/{number}.html", fruitful=True)
    assert traps.reason(f"{SITE}/filter?color=99") == "barren"
    assert traps.reason(f"{SITE}/news/99.html") is None
    assert traps.reason(f"{SITE}/filter?size=99") is None


def test_a_shape_sets_digits_and_values_aside():
    assert shape_of(f"{SITE}/a12/3.html?b=x&a=7") == shape_of(f"{SITE}/a9/45.html?a=1&b=")
    assert shape_of(f"{SITE}/a/1") != shape_of(f"{SITE}/b/1")
