"""What an error means: each code in one class, labels and sizes, all failures of a bulk."""

from collections import Counter
from typing import get_args

import pytest
from pymongo import MongoClient
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    OperationFailure,
    WriteConcernError,
    WTimeoutError,
)

from storage.collections.documents import StorageFailed, Unstorable, mongo_errors
from storage.collections.error_codes import CODES, PRECEDENCE, ErrorClass, class_of, wrote_nothing
from storage.collections.failures import decisive, failures_of
from system.errors import (
    DiskRefuses,
    LoginRefused,
    MissingPermission,
    NoMajority,
    PindnaError,
    ServerFault,
    StillLoading,
)

PASSING = (6, 7, 43, 50, 89, 112, 133, 134, 202, 262, 365, 9001, 11601)


def bulk(*codes, unconfirmed=(), **fields):
    rows = [{"index": at, "code": code, "errmsg": "no"} for at, code in enumerate(codes)]
    confirmations = [{"code": code, "errmsg": "no"} for code in unconfirmed]
    return BulkWriteError({"writeErrors": rows, "writeConcernErrors": confirmations, **fields})


def our_error(error):
    with MongoClient("mongodb://u:secret@h.example:27", connect=False) as client:
        with pytest.raises(PindnaError) as raised, mongo_errors(client["d"]):
            raise error
        return raised.value


def test_every_error_class_has_codes_and_every_code_a_single_class():
    assert set(CODES) == set(get_args(ErrorClass)) == set(PRECEDENCE)
    assert all(CODES.values())
    counts = Counter(code for codes in CODES.values() for code in codes)
    assert [code for code, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("code", [*PASSING, None, 0, 777_777, 51_075])
def test_passing_and_unknown_codes_allow_a_retry(code):
    assert class_of(code) == "passing"
    assert type(our_error(OperationFailure("no", code))) is ServerFault
    assert type(our_error(bulk(code))) is ServerFault


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (18, LoginRefused),
        (13, MissingPermission),
        (14031, DiskRefuses),
        (91, StillLoading),
        (10107, StillLoading),
        (64, NoMajority),
        (100, NoMajority),
        (121, Unstorable),
        (10334, Unstorable),
        (17419, Unstorable),
        (52, Unstorable),
        (9, StorageFailed),
        (85, StorageFailed),
        (11000, StorageFailed),
    ],
)
def test_error_has_the_same_class_alone_and_inside_bulks(code, kind):
    for error in (OperationFailure("no", code), bulk(code), bulk(11000, code, 11000)):
        assert type(our_error(error)) is kind


@pytest.mark.parametrize("code", [*PASSING, 64, 100, 777_777])
def test_unconfirmed_write_counts_as_executed(code):
    for error in (
        WriteConcernError("no", code, {"code": code, "errmsg": "no"}),
        WTimeoutError("no", code, {"code": code, "errmsg": "no"}),
        bulk(unconfirmed=[code]),
        bulk(121, unconfirmed=[code]),
    ):
        assert type(our_error(error)) is NoMajority
        assert not any(failure.is_repeatable for failure in failures_of(error))


def test_confirmation_that_the_set_up_forbids_is_no_missing_member():
    assert type(our_error(bulk(unconfirmed=[79]))) is StorageFailed


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("object to insert too large. size in bytes: 16777300, max size: 16777216", "document"),
        ("unknown operator: $near", "set-up"),
        ("", "set-up"),
    ],
)
def test_bad_value_is_about_the_document_only_if_that_is_too_large(message, kind):
    assert class_of(2, message) == kind


@pytest.mark.parametrize(
    "label", ["RetryableWriteError", "RetryableError", "SystemOverloadedError", "TransientTransactionError"]
)
def test_retry_label_makes_a_request_repeatable_but_no_document_valid(label):
    assert class_of(20, "no", [label]) == "passing"
    assert class_of(121, "no", [label]) == "document"
    labelled = OperationFailure("no", 20, {"errmsg": "no", "code": 20, "errorLabels": [label]})
    assert type(our_error(labelled)) is ServerFault
    assert type(our_error(bulk(20, errorLabels=[label]))) is ServerFault


@pytest.mark.parametrize("code", [6, 7, 89, 202, 9001])
def test_router_error_leaves_open_whether_a_write_was_executed(code):
    assert not wrote_nothing(code)
    assert wrote_nothing(code, ["NoWritesPerformed"])
    assert wrote_nothing(365)
    assert not failures_of(OperationFailure("no", code))[0].is_repeatable


@pytest.mark.parametrize(
    ("codes", "kind"),
    [((121, 365), ServerFault), ((365, 13, 121), MissingPermission), ((11000, 121), Unstorable)],
)
def test_gravest_of_several_failures_decides(codes, kind):
    assert type(our_error(bulk(*codes))) is kind


def test_error_without_a_server_failure_is_an_error_of_the_request():
    assert (failures_of(ConfigurationError("no")), decisive([])) == ([], None)
    assert str(our_error(ConfigurationError("set w"))) == "MongoDB could not carry out an operation: set w."
    assert type(our_error(bulk())) is StorageFailed


def test_message_shows_neither_document_nor_operation():
    error = OperationFailure("E11000 duplicate key: { key: 'text' }", 365, {"errmsg": "busy: { text: 1 }"})
    ours = our_error(error)
    assert ours.data["problem"] == "busy"
    assert our_error(OperationFailure("{ text: 1 }", 365)).data["problem"] == "code 365"
