"""How a backup has one moment of each sort of server, and what a server that has none is told."""

from contextlib import contextmanager
from types import SimpleNamespace

import bson
import pytest
from pymongo.errors import OperationFailure

from storage.backup.writing import CatalogueChanged, NoSnapshot, SnapshotLost, _Digest, _open_snapshot

REPLICA_SET, SHARDED, ALONE = {"setName": "rs0"}, {"msg": "isdbgrid"}, {}
SECANTUS = {"setName": "secantus", "secantusVersion": "0.7.0"}  # what it says to both questions


class Server(dict):
    """A database on a server of one sort; it notes what is begun on it."""

    def __init__(self, hello):
        collection = SimpleNamespace(find_one=lambda *_, **__: self.begun.append("read"))
        super().__init__(schema=collection)
        self.begun = []
        self.client = self
        self.admin = SimpleNamespace(command=lambda _: hello)
        self.server_info = lambda: hello

    @contextmanager
    def start_session(self, *, snapshot):
        self.begun.append(f"session {snapshot}")
        yield SimpleNamespace(start_transaction=self.start_transaction)

    @contextmanager
    def start_transaction(self):
        self.begun.append("transaction")
        yield


@pytest.fixture(autouse=True)
def _address(monkeypatch):
    monkeypatch.setattr("storage.backup.writing.address_of", lambda _: "a:1")


@pytest.mark.parametrize(
    ("hello", "stopped", "point", "begun"),
    [
        (REPLICA_SET, False, "snapshot", ["session True"]),
        (SHARDED, False, "snapshot", ["session True"]),
        (ALONE, False, "transaction", ["session None", "transaction", "read"]),
        (SECANTUS, False, "transaction", ["session None", "transaction", "read"]),
        (REPLICA_SET, True, "stopped", []),
    ],
)
def test_moment_is_a_snapshot_where_there_are_any_else_a_transaction(hello, stopped, point, begun):
    server = Server(hello)
    with _open_snapshot(server, stopped=stopped) as (session, kind):
        assert (kind, session is None) == (point, stopped)
    assert server.begun == begun


@pytest.mark.parametrize(
    ("hello", "code", "error"),
    [
        (REPLICA_SET, 239, SnapshotLost),
        (REPLICA_SET, 246, CatalogueChanged),
        (SHARDED, 246, CatalogueChanged),
        (SHARDED, 239, SnapshotLost),
        (REPLICA_SET, 20, NoSnapshot),
        (ALONE, 20, NoSnapshot),
        (ALONE, 246, NoSnapshot),
        (ALONE, 239, OperationFailure),
        (REPLICA_SET, 13, OperationFailure),
        (ALONE, 13, OperationFailure),
    ],
)
def test_server_refusal_is_reported_by_its_reason(hello, code, error):
    def read():
        with _open_snapshot(Server(hello), stopped=False):
            raise OperationFailure("refused", code)

    with pytest.raises(error):
        read()


@pytest.mark.parametrize(
    ("after", "is_same"),
    [([3, 1, 2], True), ([1, 2], False), ([1, 2, 3, 3], False), ([1, 2, 4], False)],
)
def test_digest_of_documents_does_not_depend_on_their_order(after, is_same):
    digests = []
    for numbers in ([1, 2, 3], after):
        digest = _Digest()
        for number in numbers:
            digest.update(bson.encode({"_id": number}))
        digests.append(digest)
    together = _Digest()
    together.update(b"".join(bson.encode({"_id": number}) for number in after))
    assert (digests[0] == digests[1], digests[1] == together) == (is_same, True)
