"""Which entries are asked for: the most promising first, within bounds."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.lists.link_list import Link
from crawler.spiders.entries import entry_of, text_entries
from crawler.spiders.selection import ListBounds, VisitDates, put_lists_last, select_due

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)


def texts(count):
    return list(text_entries(Link(f"http://x.example/{number}") for number in range(count)))


def text_changed_at(at):
    (entry,) = text_entries([Link("http://x.example/0", at)])
    return entry


def lists(count, *, kind="index", depth=1, start=0):
    numbers = range(start, start + count)
    return [entry_of(f"http://x.example/list/{number}", kind, depth=depth) for number in numbers]


def urls(entries):
    return [entry.url.rpartition("/")[2] for entry in entries]


@pytest.mark.parametrize("ignores_due_dates", [True, False])
def test_new_texts_precede_stored_texts_in_list_order(ignores_due_dates):
    entries = texts(4)
    visits = {entries[0].id: VisitDates(YESTERDAY, YESTERDAY), entries[2].id: VisitDates(NOW, YESTERDAY)}
    kept = select_due(entries, visits, now=NOW, ignores_due_dates=ignores_due_dates)
    assert urls(kept) == ["1", "3", "0", "2"]


def test_stored_text_follows_every_new_text_of_the_longest_list():
    last_new = entry_of("http://x.example/new", "text", priority=-49_999)
    (stored,) = texts(1)
    visits = {stored.id: VisitDates(YESTERDAY, YESTERDAY)}
    assert urls(select_due([stored, last_new], visits, now=NOW, ignores_due_dates=True)) == ["new", "0"]


def test_stored_texts_are_omitted_until_due_unless_all_are_requested():
    entries = texts(2)
    visits = {entries[0].id: VisitDates(NOW + SECOND, YESTERDAY), entries[1].id: VisitDates(NOW, YESTERDAY)}
    assert urls(select_due(entries, visits, now=NOW, ignores_due_dates=False)) == ["1"]
    assert urls(select_due(entries, visits, now=NOW, ignores_due_dates=True)) == ["0", "1"]


@pytest.mark.parametrize(
    ("at", "is_kept"), [(YESTERDAY - SECOND, False), (YESTERDAY, True), (YESTERDAY + SECOND, True)]
)
def test_text_unchanged_since_its_last_check_is_always_omitted(at, is_kept):
    entry = text_changed_at(at)
    kept = select_due([entry], {entry.id: VisitDates(NOW, YESTERDAY)}, now=NOW, ignores_due_dates=True)
    assert kept == ((entry,) if is_kept else ())  # with its place among new ones


def test_when_a_new_text_changed_does_not_matter():
    entry = text_changed_at(YESTERDAY)
    assert select_due([entry], {}, now=NOW, ignores_due_dates=False) == (entry,)


def test_texts_are_not_bounded():
    assert len(ListBounds(1).keep_within(texts(500))) == 500


@pytest.mark.parametrize(("max_texts", "count"), [(1, 20), (9, 20), (10, 21), (1_000, 120)])
def test_crawl_requests_a_further_list_for_every_ten_texts(max_texts, count):
    bounds = ListBounds(max_texts)
    kept = bounds.keep_within(lists(200))
    assert kept == tuple(lists(count))
    assert bounds.keep_within(lists(10, start=500)) == ()
    assert bounds.keep_within(lists(10)) == tuple(lists(10))  # a list counts once, wherever it is named


@pytest.mark.parametrize(
    ("kind", "depth", "is_kept"),
    [
        ("sitemap", 3, True),
        ("sitemap", 4, False),
        ("index", 200, True),
        ("index", 201, False),
        ("feed", 0, True),
        ("feed", 1, False),
    ],
)
def test_lists_lead_to_lists_only_so_deep(kind, depth, is_kept):
    assert bool(ListBounds(99).keep_within(lists(1, kind=kind, depth=depth))) is is_kept


def test_too_deep_lists_do_not_displace_other_lists():
    bounds = ListBounds(1)
    bounds.keep_within(lists(50, kind="feed", depth=9, start=100))
    assert len(bounds.keep_within(lists(50))) == 20


def test_delayed_lists_are_fifty_texts_apart():
    entries = put_lists_last([*lists(2), *texts(3)])
    assert [entry.priority for entry in entries] == [-3, -53, 0, -1, -2]
    assert [entry.url for entry in entries] == [entry.url for entry in [*lists(2), *texts(3)]]
