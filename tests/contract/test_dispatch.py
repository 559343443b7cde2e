"""Dispatch: waiting records are sent once, in batches, with the token that claims them."""

from collections import Counter

import pytest

from storage.records import Page, Scan, Work, utc_now
from storage.settings import TrackerSettings
from system.errors import ServiceDown
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages, dispatch_works

pytestmark = pytest.mark.services
SETTINGS = TrackerSettings(batch_pages=4, lease_s=60)


class Messages(list):
    """A queue that only remembers."""

    def __call__(self, task, ids, token):
        self.append((task, list(ids), token))

    @property
    def ids(self):
        return [page_id for _, ids, _ in self for page_id in ids]


@pytest.fixture
def sent():
    return Messages()


def add_pages(stores, count, first=0):
    for number in range(first, first + count):
        stores.pages.see_many(
            [
                Page(
                    id=f"p{number:03}",
                    url=f"u{number}",
                    host="s",
                    source="x",
                    kind="article",
                    text="灯",
                )
            ]
        )
    return [f"p{number:03}" for number in range(first, first + count)]


def add_works(stores, count):
    for number in range(1, count + 1):
        stores.works.save(Work(id=number, key=f"k{number}", title="", kind="news", origin=""))
    return list(range(1, count + 1))


def test_pages_are_sent_in_batches_and_once(stores, sent):
    made = add_pages(stores, 10)
    assert dispatch_pages(stores, SETTINGS, sent) == 10
    assert {task for task, _, _ in sent} == {"compare_pages"}
    assert sorted(map(len, (ids for _, ids, _ in sent))) == [2, 4, 4]
    assert Counter(sent.ids) == Counter(made)
    assert dispatch_pages(stores, SETTINGS, sent) == 0
    assert len(sent) == 3


def test_token_of_a_message_claims_its_pages(stores, sent):
    add_pages(stores, 5)
    dispatch_pages(stores, SETTINGS, sent)
    for _, ids, token in list(sent):
        _, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        assert sorted(page.id for page in pages) == sorted(ids)


def test_new_pages_are_sent_while_earlier_pages_are_under_way(stores, sent):
    first = add_pages(stores, 3)
    dispatch_pages(stores, SETTINGS, sent)
    second = add_pages(stores, 2, first=3)
    assert dispatch_pages(stores, SETTINGS, sent) == 2
    assert sorted(sent[-1][1]) == second
    assert sorted(sent.ids) == first + second


def test_finished_pages_are_not_sent(stores, sent, taken):
    one, other = add_pages(stores, 2)
    stores.pages.mark_failed(one, token=taken(one), reason="obfuscated")
    dispatch_pages(stores, SETTINGS, sent)
    assert sent.ids == [other]


def test_expired_lease_sends_again_under_another_token(stores, sent):
    add_pages(stores, 2)
    dispatch_pages(stores, SETTINGS, sent)
    stores.database["reservations"].update_many({}, {"$set": {"until": utc_now()}})
    assert dispatch_pages(stores, SETTINGS, sent) == 2
    assert Counter(sent.ids) == {"p000": 2, "p001": 2}
    assert len({token for _, _, token in sent}) == 2


def test_number_of_sent_records_is_bounded(stores, sent):
    """No lease may run out in the queue; claimed records make room."""
    small = TrackerSettings(batch_pages=1, lease_s=60)
    made = add_pages(stores, 50)
    first = dispatch_pages(stores, small, sent)
    assert 0 < first < len(made)
    assert dispatch_pages(stores, small, sent) == 0
    for _, ids, token in list(sent):
        _, (page,) = stores.pages.claim_many(ids, token=token, lease_s=60)
        assert [page.id] == ids
    assert dispatch_pages(stores, small, sent) == min(first, len(made) - first)
    assert Counter(sent.ids) == Counter(made)


def test_works_are_sent_once_and_short_works_together(stores, sent):
    """A long novel gets a separate message; the longest works go first."""
    sizes = {1: 900, 2: 5_000_000, 3: 2_000_000, 4: 1_000_000, 5: 1_000, 6: 0}
    for number, characters in sizes.items():
        stores.works.save(
            Work(id=number, key=f"k{number}", title="", kind="news", origin="", characters=characters)
        )
    assert dispatch_works(stores, SETTINGS, sent) == 6
    assert {task for task, _, _ in sent} == {"index_works"}
    assert [ids for _, ids, _ in sent] == [[2], [3, 4], [5, 1, 6]]
    assert len({token for _, _, token in sent}) == 1
    assert dispatch_works(stores, SETTINGS, sent) == 0


def test_many_short_works_are_sent_in_several_messages(stores, sent):
    made = add_works(stores, 600)
    assert dispatch_works(stores, SETTINGS, sent) == 600
    assert [len(ids) for _, ids, _ in sent] == [500, 100]
    assert Counter(sent.ids) == Counter(made)


def test_every_crawl_is_a_message(stores, sent):
    names = ("a", "b", "c")
    stores.scans.open(Scan(id="s", trigger="hand", sources=names, started=utc_now()))
    assert dispatch_crawls(stores, SETTINGS, sent, count=16) == 3
    messages = sorted((task, ids) for task, ids, _ in sent)
    assert messages == [("crawl_sources", [f"s:{name}"]) for name in names]
    token = sent[0][2]
    assert stores.scans.claim_crawl("s:a", token=token, lease_s=60).source == "a"
    assert dispatch_crawls(stores, SETTINGS, sent, count=16) == 0


@pytest.mark.parametrize("dispatch", [dispatch_pages, dispatch_works])
def test_nothing_is_sent_without_waiting_records(stores, sent, dispatch):
    assert dispatch(stores, SETTINGS, sent) == 0
    assert sent == []


DISPATCHES = {
    "pages": lambda stores, send: dispatch_pages(stores, SETTINGS, send),
    "works": lambda stores, send: dispatch_works(stores, SETTINGS, send),
    "crawls": lambda stores, send: dispatch_crawls(stores, SETTINGS, send, count=9),
}


@pytest.mark.parametrize("kind", DISPATCHES)
def test_unsent_reservation_is_released_at_once(stores, sent, kind):
    """Otherwise a reservation without a message would block its records, twice as long the next time."""
    add_pages(stores, 10)
    for number in range(3):
        work = Work(id=number + 1, key=f"k{number}", title="", kind="news", origin="", characters=5_000_000)
        stores.works.save(work)
    stores.scans.open(Scan(id="s", trigger="hand", sources=("x", "y", "z"), started=utc_now()))

    def send(*message):
        if sent:
            raise ServiceDown(service="Redis", address="127.0.0.1:1")
        sent(*message)

    with pytest.raises(ServiceDown):
        DISPATCHES[kind](stores, send)
    first = set(sent.ids)
    DISPATCHES[kind](stores, sent)
    assert Counter(sent.ids).most_common(1)[0][1] == 1
    assert set(sent.ids) > first
