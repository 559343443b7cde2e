"""Entries of addresses: one for each page however its address is spelled, in the order of the list."""

from datetime import UTC, datetime

from crawler.lists.link_list import Link
from crawler.spiders.entries import LISTS_FIRST, changed_at, entry_id, entry_of, list_entries, text_entries

DAY = datetime(2026, 3, 1, 8, tzinfo=UTC)


def test_spellings_of_the_same_address_are_a_single_entry():
    assert entry_id("http://x.example/?b=2&a=1#top") == entry_id("http://x.example/?a=1&b=2")
    assert entry_id("http://x.example/1") != entry_id("http://x.example/2")
    assert entry_id("http://x.example/1") == "1e78631fe3a31bc1"


def test_entry_is_by_default_a_page_that_the_source_itself_names():
    entry = entry_of("http://x.example/", "index")
    assert (entry.priority, entry.depth, entry.note) == (0, 0, "")


def test_texts_keep_the_order_of_their_list_and_when_they_changed():
    entries = list(text_entries([Link("http://x.example/1"), Link("http://x.example/2", DAY)]))
    assert [(entry.kind, entry.priority, changed_at(entry)) for entry in entries] == [
        ("text", 0, None),
        ("text", -1, DAY),
    ]


def test_further_lists_inherit_the_kind_are_deeper_and_precede_texts():
    parent = entry_of("http://x.example/map.xml", "sitemap", depth=2)
    (entry,) = list_entries(parent, [Link("http://x.example/2.xml")])
    assert (entry.kind, entry.depth, entry.priority) == ("sitemap", 3, LISTS_FIRST)
    assert LISTS_FIRST > 0
