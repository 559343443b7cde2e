"""Retries end, wait longer each time, and repeat no write that may have been done."""

import pytest
from pymongo.errors import AutoReconnect, BulkWriteError, OperationFailure

from storage.collections import retrying
from storage.collections.retrying import WAITS_S, read_rows, retried, write_in_bulk

BUSY, ROUTER, REFUSED = OperationFailure("no", 365), OperationFailure("no", 6), OperationFailure("no", 121)


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The seconds that were waited."""
    seconds = []
    monkeypatch.setattr("time.sleep", seconds.append)
    return seconds


class Server:
    """Does what it is asked after some errors."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.calls = []

    def __call__(self, writes=()):
        self.calls.append(list(writes))
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        return len(writes)


def refusing(**codes):
    rows = [{"index": int(at[1:]), "code": code, "errmsg": "no"} for at, code in codes.items()]
    return BulkWriteError({"writeErrors": rows, "writeConcernErrors": [], "nMatched": 1})


def test_call_is_repeated_with_growing_waits(waits):
    server = Server(*[BUSY] * len(WAITS_S))
    assert retried(server) == 0
    assert waits == sorted(waits)
    assert all(least <= waited <= 1.5 * least for least, waited in zip(WAITS_S, waits, strict=True))


def test_retries_end(waits):
    server = Server(*[BUSY] * 99)
    with pytest.raises(OperationFailure):
        retried(server)
    assert (len(server.calls), len(waits)) == (len(WAITS_S) + 1, len(WAITS_S))


@pytest.mark.parametrize(
    ("error", "is_read", "calls"),
    [
        (ROUTER, False, 1),
        (ROUTER, True, 2),
        (REFUSED, True, 1),
        (AutoReconnect("gone"), True, 1),  # the driver's own retry has failed
    ],
)
def test_only_calls_without_effect_are_repeated(error, is_read, calls):
    server = Server(error)
    if calls == 1:
        with pytest.raises(type(error)):
            retried(server, is_read=is_read)
    else:
        retried(server, is_read=is_read)
    assert len(server.calls) == calls


def test_call_counts_as_a_write_unless_marked_as_a_read():
    server = Server(ROUTER)
    with pytest.raises(OperationFailure):
        retried(server)
    assert len(server.calls) == 1


def test_rows_are_read_again_only_before_the_first_row():
    server = Server(BUSY, None)

    def cursor():
        server()
        yield from (1, 2)
        if len(server.calls) == 2:
            raise BUSY

    rows = read_rows(cursor)
    assert [next(rows), next(rows)] == [1, 2]
    with pytest.raises(OperationFailure):
        next(rows)
    assert list(read_rows(lambda: iter(()))) == []


def test_unordered_bulk_repeats_only_passing_failures():
    server = Server(refusing(_1=365, _3=121, _4=365), refusing(_1=365))
    with pytest.raises(BulkWriteError) as raised:
        write_in_bulk(server, "abcde")
    assert server.calls == [list("abcde"), ["b", "e"], ["e"]]
    assert [(row["index"], row["code"]) for row in raised.value.details["writeErrors"]] == [(3, 121)]


def test_ordered_bulk_resumes_at_the_failure():
    server = Server(refusing(_1=365), refusing(_2=112))
    assert write_in_bulk(server, "abcde", ordered=True).matched_count == 1 + 1 + 2
    assert server.calls == [list("abcde"), list("bcde"), list("de")]


def test_ordered_bulk_ends_at_a_refusal():
    server = Server(refusing(_1=365), refusing(_2=121))
    with pytest.raises(BulkWriteError) as raised:
        write_in_bulk(server, "abcde", ordered=True)
    assert len(server.calls) == 2
    assert raised.value.details["writeErrors"][0]["index"] == 3


def test_bulk_that_keeps_failing_reports_the_remainder():
    server = Server(*[refusing(_0=365)] * 99)
    with pytest.raises(BulkWriteError) as raised:
        write_in_bulk(server, "ab")
    assert len(server.calls) == len(retrying.WAITS_S) + 1
    assert [(row["index"], row["code"]) for row in raised.value.details["writeErrors"]] == [(0, 365)]


def test_bulk_is_not_repeated_if_its_confirmation_fails():
    error = refusing(_0=365)
    error.details["writeConcernErrors"].append({"code": 64, "errmsg": "waiting"})
    server = Server(error)
    with pytest.raises(BulkWriteError) as raised:
        write_in_bulk(server, "ab")
    assert len(server.calls) == 1
    assert {name: len(rows) for name, rows in raised.value.details.items()} == {
        "writeErrors": 1,
        "writeConcernErrors": 1,
    }


def test_bulk_that_fails_as_a_whole_is_repeated_as_a_whole():
    server = Server(BUSY)
    assert write_in_bulk(server, "ab").matched_count == 2
    assert server.calls == [["a", "b"], ["a", "b"]]
    with pytest.raises(OperationFailure):
        write_in_bulk(Server(ROUTER), "ab")
