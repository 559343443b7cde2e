"""Leases in MongoDB: one worker at a time has a record, and no record is forgotten."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import ClassVar

import pytest
from support.standing import reopen_all

from storage.collections import leases
from storage.collections.stores import open_stores
from storage.records import FREE, Page, Scan, Work, utc_now

pytestmark = pytest.mark.services


class Works:
    """Works that wait to be indexed."""

    gave_up: ClassVar = {"status": "failed"}

    def __init__(self, stores):
        self.stores, self.collection, self.waiting = stores, stores.database["works"], {"status": "stored"}
        self.reserve, self.release = stores.works.reserve_stored, stores.works.release

    def add(self, number):
        self.stores.works.save(Work(id=number, key=f"k{number}", title="", kind="news", origin=""))
        return number

    def take(self, record_id, *, token, lease_s):
        lease_token, works = self.stores.works.claim_many([record_id], token=token, lease_s=lease_s)
        return lease_token if works else None

    def finish(self, record_id):
        work = self.stores.works.get_many([record_id])[record_id]
        assert self.stores.works.mark_indexed_many([(work, 0)], at=utc_now()) == 1

    def try_again(self, record_id):
        """Add the same work once more, as `pindna corpus add` does."""
        work = self.stores.works.get_many([record_id])[record_id]
        self.stores.works.describe(work, dataclasses.replace(work, status="stored", attempts=0))


class Pages:
    """Pages that wait for comparison."""

    gave_up: ClassVar = {"state": "failed", "reason": "gave-up"}

    def __init__(self, stores):
        self.stores, self.collection, self.waiting = stores, stores.database["pages"], {"state": "fetched"}
        self.release = stores.pages.release

    def reserve(self, **limits):
        token, ids, _ = self.stores.pages.reserve_fetched(**limits)
        return token, ids

    def add(self, number):
        url = f"u{number}"
        page = Page(id=f"p{number}", url=url, host="s", source="x", kind="article", content_hash="0" * 64)
        self.stores.pages.see_many([page])
        return f"p{number}"

    def take(self, record_id, *, token, lease_s):
        lease_token, pages = self.stores.pages.claim_many([record_id], token=token, lease_s=lease_s)
        return lease_token if pages else None

    def finish(self, record_id):
        token = self.collection.find_one({"_id": record_id})["lease"]["token"]
        self.stores.pages.mark_failed(record_id, token=token, reason="gone")

    def try_again(self, record_id):
        """Reopen records that were set aside, like the next scan."""
        assert reopen_all(self.stores, corpus_version=0) == 1
        assert self.stores.pages.get(record_id).state == "fetched"


class Crawls:
    """Sources that wait to be crawled."""

    gave_up: ClassVar = {
        "state": "failed",
        "error": "the crawl never came to an end; the worker's log says why",
    }

    def __init__(self, stores):
        self.stores, self.collection, self.waiting = stores, stores.database["crawls"], {"state": "due"}
        self.reserve, self.release = stores.scans.reserve_due, stores.scans.release

    def add(self, number):
        scan = Scan(id=f"s{number}", trigger="hand", sources=("x",), started=utc_now())
        self.stores.scans.open(scan)
        return f"s{number}:x"

    def take(self, record_id, *, token, lease_s):
        return token if self.stores.scans.claim_crawl(record_id, token=token, lease_s=lease_s) else None

    def finish(self, record_id):
        token = self.collection.find_one({"_id": record_id})["lease"]["token"]
        self.stores.scans.close_crawl(record_id, token=token, state="done")


@pytest.fixture(params=[Works, Pages, Crawls], ids=lambda kind: kind.__name__)
def queue(request, stores):
    return request.param(stores)


def expire(queue):
    """Let time pass for every lease and every reservation."""
    over = utc_now() - timedelta(seconds=1)
    queue.collection.update_many({"lease.until": {"$gt": over}}, {"$set": {"lease.until": over}})
    queue.stores.database["reservations"].update_many({}, {"$set": {"until": over}})


def test_reservation_is_claimed_once(queue):
    record_id = queue.add(1)
    token, ids = queue.reserve(count=9, lease_s=60)
    assert ids == [record_id]
    assert queue.take(record_id, token=token, lease_s=60)
    assert not queue.take(record_id, token=token, lease_s=60)


def test_late_duplicate_message_does_nothing(queue):
    """The message is delivered again, after the work ended and after it waits once more."""
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    assert queue.take(record_id, token=token, lease_s=60)
    queue.finish(record_id)
    assert not queue.take(record_id, token=token, lease_s=60)
    queue.collection.update_one({"_id": record_id}, {"$set": queue.waiting})
    assert not queue.take(record_id, token=token, lease_s=60)


def test_record_is_claimed_only_with_its_token(queue):
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    assert not queue.take(record_id, token="", lease_s=60)
    assert not queue.take(record_id, token=token[::-1], lease_s=60)
    assert queue.take(record_id, token=token, lease_s=60)


def test_reserved_or_claimed_record_is_not_reserved_again(queue):
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    assert queue.reserve(count=9, lease_s=60)[1] == []
    queue.take(record_id, token=token, lease_s=60)
    assert queue.reserve(count=9, lease_s=60)[1] == []


@pytest.mark.parametrize("taken", [False, True])
def test_record_of_a_killed_worker_is_reserved_again(queue, taken):
    record_id = queue.add(1)
    old, _ = queue.reserve(count=9, lease_s=60)
    if taken:
        assert queue.take(record_id, token=old, lease_s=60)
    expire(queue)
    new, ids = queue.reserve(count=9, lease_s=60)
    assert ids == [record_id]
    assert new != old
    assert not queue.take(record_id, token=old, lease_s=60)
    assert queue.take(record_id, token=new, lease_s=60)


def test_lease_lasts_as_long_as_requested(queue):
    queue.add(1)
    token, (record_id,) = queue.reserve(count=9, lease_s=500)
    before = queue.stores.database["reservations"].find_one({"_id": token})["until"] - utc_now()
    queue.take(record_id, token=token, lease_s=1000)
    after = queue.collection.find_one({"_id": record_id})["lease"]["until"] - utc_now()
    assert 480 < before.total_seconds() <= 500
    assert 980 < after.total_seconds() <= 1000


def seconds_left(queue, record_id):
    (row,) = queue.stores.database["reservations"].find({"ids": record_id})
    return round((row["until"] - utc_now()).total_seconds(), -1)


def test_unclaimed_record_is_reserved_for_twice_as_long(queue):
    """Otherwise a message that waits longer than a lease would always be void."""
    record_id = queue.add(1)
    for times in (1, 2, 4, 8, 16, 32, 32):
        token, _ = queue.reserve(count=9, lease_s=60)
        assert seconds_left(queue, record_id) == 60 * times
        expire(queue)
    token, _ = queue.reserve(count=9, lease_s=60)
    other = queue.add(2)
    second, _ = queue.reserve(count=9, lease_s=60)
    assert seconds_left(queue, other) == 60
    assert queue.take(other, token=second, lease_s=60)
    lease_token = queue.take(record_id, token=token, lease_s=60)
    expire(queue)
    again, _ = queue.reserve(count=9, lease_s=60)
    assert seconds_left(queue, record_id) == 60  # it was heard of
    expire(queue)
    token, _ = queue.reserve(count=9, lease_s=60)
    queue.release([record_id], token=token)
    queue.reserve(count=9, lease_s=60)
    assert seconds_left(queue, record_id) == 60
    assert lease_token
    assert again != token


def test_finished_record_is_free_and_not_reserved_again(queue):
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    queue.take(record_id, token=token, lease_s=60)
    queue.finish(record_id)
    assert queue.collection.find_one({"_id": record_id})["lease"] == dataclasses.asdict(FREE)
    assert queue.reserve(count=9, lease_s=60)[1] == []


@pytest.mark.parametrize("is_begun", [False, True])
def test_released_record_is_free_at_once_and_counts_no_attempt(queue, is_begun):
    record_id, other = queue.add(1), queue.add(2)
    token, _ = queue.reserve(count=9, lease_s=60)
    lease_token = queue.take(record_id, token=token, lease_s=60) if is_begun else token
    queue.release([record_id], token=lease_token)
    row = queue.collection.find_one({"_id": record_id})
    assert (row["lease"], row["attempts"]) == (dataclasses.asdict(FREE), 0)
    assert not queue.take(record_id, token=lease_token, lease_s=60)
    assert queue.reserve(count=9, lease_s=60)[1] == [record_id]
    assert queue.take(other, token=token, lease_s=60)


def test_only_the_lease_owner_can_release_an_unfinished_record(queue):
    record_id = queue.add(1)
    old, _ = queue.reserve(count=9, lease_s=60)
    expire(queue)
    new, _ = queue.reserve(count=9, lease_s=60)
    queue.release([record_id], token=old)
    lease_token = queue.take(record_id, token=new, lease_s=60)
    assert lease_token
    queue.release([record_id], token=old)
    assert queue.collection.find_one({"_id": record_id})["attempts"] == 1
    queue.finish(record_id)
    finished = queue.collection.find_one({"_id": record_id})
    queue.release([record_id], token=lease_token)
    assert queue.collection.find_one({"_id": record_id}) == finished


@pytest.mark.parametrize(("left_s", "pushed"), [(40, False), (20, True), (-1, True)])
def test_lease_is_extended_only_after_half_of_it_has_passed(stores, left_s, pushed):
    queue = Pages(stores)
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    lease_token = queue.take(record_id, token=token, lease_s=60)
    until = utc_now() + timedelta(seconds=left_s)
    queue.collection.update_one({"_id": record_id}, {"$set": {"lease.until": until}})
    assert stores.pages.renew([record_id], token=lease_token, lease_s=60)
    lease = queue.collection.find_one({"_id": record_id})["lease"]["until"] - utc_now()
    assert (lease > timedelta(seconds=50)) is pushed
    assert not stores.pages.renew([record_id], token=token, lease_s=60)


def test_crawl_without_room_is_reserved_again_after_a_pause(stores):
    queue = Crawls(stores)
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    stores.scans.release([record_id], token=token, pause_s=60)
    assert queue.reserve(count=9, lease_s=60)[1] == []
    assert not queue.take(record_id, token=token, lease_s=60)
    expire(queue)
    assert queue.reserve(count=9, lease_s=60)[1] == [record_id]


def test_reserved_records_never_exceed_the_count(queue):
    record_ids = {queue.add(number) for number in range(7)}
    first, ids = queue.reserve(count=3, lease_s=60)
    assert len(ids) == 3
    assert queue.reserve(count=3, lease_s=60)[1] == []
    assert queue.take(ids[0], token=first, lease_s=60)
    more = queue.reserve(count=3, lease_s=60)[1]
    assert len(more) == 1
    rest = queue.reserve(count=100, lease_s=60)[1]
    assert {*ids, *more, *rest} == record_ids
    assert len(ids) + len(more) + len(rest) == len(record_ids)


def test_many_records_are_reserved_in_a_single_call(queue):
    record_ids = {queue.add(number) for number in range(450)}
    token, ids = queue.reserve(count=1000, lease_s=60)
    assert set(ids) == record_ids
    (row,) = queue.stores.database["reservations"].find({})
    assert (row["_id"], set(row["ids"])) == (token, record_ids)


def test_reservation_does_not_write_the_record(queue):
    record_id = queue.add(1)
    before = queue.collection.find_one({"_id": record_id})
    assert queue.reserve(count=9, lease_s=60)[1] == [record_id]
    assert queue.collection.find_one({"_id": record_id}) == before


def test_worker_killed_before_the_reservation_ends_keeps_the_lease(queue, monkeypatch):
    record_id = queue.add(1)
    token, _ = queue.reserve(count=9, lease_s=60)
    with monkeypatch.context() as patch:
        patch.setattr(leases.Leases, "_remove_reserved", kill)
        with pytest.raises(KeyboardInterrupt):
            queue.take(record_id, token=token, lease_s=60)
    assert not queue.take(record_id, token=token, lease_s=60)
    assert queue.reserve(count=9, lease_s=60)[1] == []
    expire(queue)
    again, ids = queue.reserve(count=9, lease_s=60)
    assert ids == [record_id]
    assert not queue.take(record_id, token=token, lease_s=60)
    assert queue.take(record_id, token=again, lease_s=60)


def kill(*_):
    raise KeyboardInterrupt


def test_expired_or_claimed_reservations_are_deleted(queue):
    record_ids = [queue.add(number) for number in range(2)]
    claimed, _ = queue.reserve(count=1, lease_s=60)
    lost, _ = queue.reserve(count=9, lease_s=-1)
    for record_id in record_ids:
        queue.take(record_id, token=claimed, lease_s=60)
    assert queue.reserve(count=9, lease_s=60)[0] not in (claimed, lost)
    remaining = {row["_id"] for row in queue.stores.database["reservations"].find({})}
    assert not remaining & {claimed, lost}


def test_record_in_two_reservations_is_claimed_once(queue):
    """Two dispatchers at once may reserve the same record."""
    record_id = queue.add(1)
    first, _ = queue.reserve(count=9, lease_s=60)
    reservations = queue.stores.database["reservations"]
    second = first[::-1]
    reservations.insert_one({**reservations.find_one({"_id": first}), "_id": second})
    assert queue.take(record_id, token=first, lease_s=60)
    assert not queue.take(record_id, token=second, lease_s=60)
    assert queue.collection.find_one({"_id": record_id})["attempts"] == 1
    other = queue.add(2)  # the second reservation has nothing on its way any more
    assert queue.reserve(count=1, lease_s=60)[1] == [other]


def test_renewal_reports_a_record_that_another_worker_claimed(stores, monkeypatch):
    queue = Pages(stores)
    ids = [queue.add(1), queue.add(2)]
    token, _ = queue.reserve(count=9, lease_s=60)
    lease_token, _ = stores.pages.claim_many(ids, token=token, lease_s=1)
    push = leases.Leases.extend

    def late(self, *arguments, **options):
        queue.collection.update_one({"_id": ids[0]}, {"$set": {"lease.token": "another's"}})
        return push(self, *arguments, **options)

    monkeypatch.setattr(leases.Leases, "extend", late)
    assert stores.pages.renew(ids, token=lease_token, lease_s=60) == {ids[1]}


def test_record_is_claimed_by_only_a_single_of_two_dispatchers(queue, settings):
    """Both may send the same records, but each record goes to one worker and one delivery."""
    record_ids = [queue.add(number) for number in range(30)]
    start = threading.Barrier(3)

    def reserve_and_take(_):
        stores_of_thread = open_stores(settings.storage)
        mine = type(queue)(stores_of_thread)
        start.wait()
        token, ids = mine.reserve(count=100, lease_s=60)
        taken = [record_id for record_id in [*ids, *ids] if mine.take(record_id, token=token, lease_s=60)]
        stores_of_thread.close()
        return taken

    with ThreadPoolExecutor(3) as pool:
        taken = [record_id for ids in pool.map(reserve_and_take, range(3)) for record_id in ids]
    assert sorted(taken) == sorted(record_ids)


def take_and_die(queue, record_id):
    """One more worker begins the record and is killed by it."""
    token, ids = queue.reserve(count=9, lease_s=60)
    assert ids == [record_id]
    assert queue.take(record_id, token=token, lease_s=60)
    expire(queue)


def test_record_that_kills_every_worker_is_set_aside(queue):
    record_id = queue.add(1)
    for attempt in range(1, leases.MAX_ATTEMPTS + 1):
        take_and_die(queue, record_id)
        assert queue.collection.find_one({"_id": record_id})["attempts"] == attempt
    other = queue.add(2)
    assert queue.reserve(count=9, lease_s=60)[1] == [other]
    row = queue.collection.find_one({"_id": record_id})
    assert {key: row[key] for key in queue.gave_up} == queue.gave_up
    assert queue.reserve(count=9, lease_s=60)[1] == []


def test_record_that_only_waited_is_never_set_aside(queue):
    """Lost or late messages cost no attempt; only a worker that began does."""
    record_id = queue.add(1)
    for _ in range(2 * leases.MAX_ATTEMPTS):
        assert queue.reserve(count=9, lease_s=60)[1] == [record_id]
        expire(queue)
    assert queue.collection.find_one({"_id": record_id})["attempts"] == 0


@pytest.mark.parametrize("queue", [Works, Pages], indirect=True, ids=["Works", "Pages"])
def test_new_or_reopened_record_has_all_its_attempts(queue):
    record_id = queue.add(1)
    for _ in range(leases.MAX_ATTEMPTS):
        take_and_die(queue, record_id)
    assert queue.reserve(count=9, lease_s=60)[1] == []
    queue.try_again(record_id)
    take_and_die(queue, record_id)
    assert queue.reserve(count=9, lease_s=60)[1] == [record_id]


@pytest.mark.parametrize("kind", ["works", "pages"])
def test_only_the_lease_owner_extends_a_work_or_a_page(stores, kind):
    queue = {"works": Works, "pages": Pages}[kind](stores)
    record_id = queue.add(1)

    def extend(record_id, **lease):
        return (
            stores.works.extend_many([record_id], **lease)
            if kind == "works"
            else stores.pages.renew([record_id], **lease)
        )

    reserved, _ = queue.reserve(count=1, lease_s=1)
    token = queue.take(record_id, token=reserved, lease_s=1)
    assert not extend(record_id, token="other" * 6, lease_s=900)
    assert extend(record_id, token=token, lease_s=900)
    assert queue.collection.find_one({"_id": record_id})["lease"]["until"] > utc_now() + timedelta(
        seconds=800
    )
    queue.finish(record_id)
    assert not extend(record_id, token=token, lease_s=900)


def test_empty_queue_reserves_nothing(queue):
    token, ids = queue.reserve(count=5, lease_s=60)
    assert token
    assert ids == []


def test_only_the_owner_extends_a_lease(stores):
    queue = Crawls(stores)
    record_id = queue.add(1)
    token, _ = queue.reserve(count=1, lease_s=1)
    assert queue.take(record_id, token=token, lease_s=1)
    assert not stores.scans.extend_crawl(record_id, token="other" * 6, lease_s=900)
    assert stores.scans.extend_crawl(record_id, token=token, lease_s=900)
    until = queue.collection.find_one({"_id": record_id})["lease"]["until"]
    assert until > utc_now() + timedelta(seconds=800)
    expire(queue)
    other, _ = queue.reserve(count=1, lease_s=60)
    assert queue.take(record_id, token=other, lease_s=60)
    assert not stores.scans.extend_crawl(record_id, token=token, lease_s=900)


def test_free_lease_ended_long_ago():
    assert leases.free_lease() == dataclasses.asdict(FREE)
    assert FREE.until.year == 1970
    assert not FREE.taken
