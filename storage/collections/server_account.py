"""The account of our own document server: made once, and looked for at every start of the server.

It may read, write and drop every database, and nothing else: it cannot make or change accounts, nor have the
server write files.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.collections.documents import Document, connect, mongo_errors
from storage.settings import StorageSettings

_ROLES = ("readWriteAnyDatabase", "dbAdminAnyDatabase")
_EXISTS = 51003  # MongoDB's code of a user that is there already


def account_names(settings: StorageSettings) -> list[str]:
    """Return the names of all accounts, ``database.user`` each.

    Raises:
        LoginRefused, ServiceDown, StorageFailed: the server does not tell.
        BadSettings: the URL cannot be parsed.
    """
    database = connect(settings)
    with database.client as client, mongo_errors(database):
        return _names(client["admin"])


def _names(admin: Database[Document]) -> list[str]:
    return sorted(str(row["_id"]) for row in admin["system.users"].find())


@dataclass(frozen=True, slots=True)
class LockedServer:
    """A server that asks for no password, but for a certificate.

    Args:
        host: its IP address.
        port: its port.
        key: a file with a private key and its own certificate, which both sides show and demand.
        timeout_s: how long to wait for an answer, in seconds.
    """

    host: str
    port: int
    key: Path
    timeout_s: float

    def ping(self) -> None:
        """See that it answers.

        Raises:
            ServiceDown, StorageFailed: it does not, or not as it should.
        """
        with self._admin_database() as admin:
            admin.command("ping")

    def save_account(self, user: str, password: str) -> list[str]:
        """Make the account, or give it its password and its rights anew; returns the names of all accounts.

        Raises:
            ServiceDown, StorageFailed: the server does not answer, or refuses.
        """
        with self._admin_database() as admin:
            try:
                admin.command("createUser", user, pwd=password, roles=list(_ROLES))
            except OperationFailure as error:
                if error.code != _EXISTS:
                    raise
                admin.command("updateUser", user, pwd=password, roles=list(_ROLES))
            return _names(admin)

    @contextmanager
    def _admin_database(self) -> Iterator[Database[Document]]:
        timeout_ms = int(self.timeout_s * 1000)
        client: MongoClient[Document] = MongoClient(
            self.host,
            self.port,
            directConnection=True,
            serverSelectionTimeoutMS=timeout_ms,
            connectTimeoutMS=timeout_ms,
            tls=True,
            tlsCAFile=str(self.key),
            tlsCertificateKeyFile=str(self.key),
        )
        with client, mongo_errors(client["admin"]):
            yield client["admin"]
