"""Lists within bounds, whatever strangers write into them."""

from collections import Counter
from datetime import UTC, datetime

from crawler.lists.link_list import (
    MAX_LINK_CHARS,
    MAX_LINKS,
    CatalogueClues,
    Link,
    LinkList,
    absolute_links,
    joined_readings,
    within_bounds,
)

SITE = "http://x.example"


def test_no_list_names_more_than_it_may():
    refused = Counter()
    some = [Link(f"{SITE}/{n}") for n in range(MAX_LINKS + 5)]
    assert within_bounds([*some, *some], refused) == tuple(some[:MAX_LINKS])
    assert refused == {"too-many": 5}
    long = [Link(f"{SITE}/{n:01900}") for n in range(MAX_LINK_CHARS // 1900)]
    refused = Counter()
    kept = within_bounds(long, refused)
    assert sum(len(link.url) for link in kept) <= MAX_LINK_CHARS
    assert len(kept) + refused["too-many"] == len(long)


def test_list_is_cut_after_its_character_limit():
    links = [Link("a" * (MAX_LINK_CHARS - 1)), Link("b"), Link("c")]
    refused = Counter()
    assert within_bounds(links, refused) == tuple(links[:2])
    assert refused == {"too-many": 1}
    assert within_bounds(links[:2], refused) == tuple(links[:2])
    assert refused == {"too-many": 1}


def test_of_a_repeated_address_the_first_counts():
    first, second = Link("a", datetime(2026, 3, 1, tzinfo=UTC)), Link("a")
    assert within_bounds([first, second], Counter()) == (first,)


def test_addresses_become_absolute_and_bad_addresses_are_counted():
    changed = datetime(2026, 3, 1, tzinfo=UTC)
    links = [Link("1.html", changed), Link("x" * 3000), Link("javascript:void(0)"), Link("//y.example/2#top")]
    refused = Counter()
    assert list(absolute_links(f"{SITE}/a/", links, refused)) == [
        Link(f"{SITE}/a/1.html", changed),
        Link("http://y.example/2"),
    ]
    assert refused == {"long-address": 1, "not-an-address": 1}


def test_two_readings_of_a_list_are_joined_in_the_order_of_the_browser():
    plain = LinkList((Link("b"), Link("z")), refused={"too-many": 2}, clues=CatalogueClues(has_more=True))
    shown = LinkList((Link("a"), Link("b")), refused={"too-many": 1}, clues=CatalogueClues(total=9))
    joined = joined_readings(plain, shown)
    assert [link.url for link in joined.texts] == ["a", "b", "z"]
    assert (joined.refused, joined.clues) == ({"too-many": 2}, CatalogueClues(total=9))
    assert joined_readings(plain, LinkList()).clues.has_more
    assert joined_readings(LinkList(), LinkList(frames=(Link("f"),))).frames == (Link("f"),)
    assert joined_readings(plain, LinkList(frames=(Link("f"),))).frames == ()
