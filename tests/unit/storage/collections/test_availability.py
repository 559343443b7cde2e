"""Why MongoDB cannot be used: the driver's errors by the code or the cause that they carry."""

import socket

import pytest
from pymongo import MongoClient
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    NetworkTimeout,
    NotPrimaryError,
    OperationFailure,
    ServerSelectionTimeoutError,
)

from storage.collections.availability import is_server_error, outage_error
from storage.servers.connections import Server
from system.errors import (
    LoginRefused,
    MissingPermission,
    NoAnswer,
    NothingListens,
    StillLoading,
    UnknownHost,
)

SERVER = Server("MongoDB", "db.example:1", "storage.mongo_url")


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.fixture
def client():
    with MongoClient("mongodb://me:pass-word@db.example:1", connect=False) as client:
        yield client


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OperationFailure("no", 18), LoginRefused),
        (OperationFailure("no", 8000), LoginRefused),
        (OperationFailure("no", 13), MissingPermission),
        (OperationFailure("no", 11602), StillLoading),
        (NotPrimaryError("no"), StillLoading),
        (caused(AutoReconnect("no"), ConnectionRefusedError(111)), NothingListens),
        (caused(AutoReconnect("no"), socket.gaierror(-2)), UnknownHost),
        (caused(NetworkTimeout("no"), TimeoutError()), NoAnswer),
    ],
)
def test_server_error_becomes_a_reason(client, error, kind):
    reason = outage_error(SERVER, error, client)
    assert type(reason) is kind
    assert (reason.data["service"], reason.data["address"]) == ("MongoDB", "db.example:1")


def test_refusal_without_a_login_asks_for_a_login():
    with MongoClient("mongodb://db.example:1", connect=False) as client:
        assert type(outage_error(SERVER, OperationFailure("no", 13), client)) is LoginRefused


def test_errors_about_the_request_are_no_outage():
    assert is_server_error(OperationFailure("no", 18))
    assert not is_server_error(OperationFailure("no", 121))
    assert not is_server_error(BulkWriteError({"writeErrors": []}))
    assert not is_server_error(
        ServerSelectionTimeoutError("no")
    )  # it is a ConnectionFailure, which says enough
