"""Pindna's account on the embedded document server: created once, and checked whenever the server starts.

The account can read, write and drop every database. It cannot create or change accounts, or make the server
write files.
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
_EXISTS = 51003  # MongoDB's code for an existing user


def account_names(settings: StorageSettings) -> list[str]:
    """Return the names of all accounts as ``database.user``.

    Raises:
        LoginRefused, ServiceDown, StorageFailed: the server does not return them.
        BadSettings: the URL cannot be parsed.
    """
    database = connect(settings)
    with database.client as client, mongo_errors(database):
        return _account_names(client["admin"])


def _account_names(admin: Database[Document]) -> list[str]:
    return sorted(str(row["_id"]) for row in admin["system.users"].find())


@dataclass(frozen=True, slots=True)
class LockedServer:
    """The document server in the state in which it requires a certificate instead of a password.

    Args:
        host: its IP address.
        port: its port.
        key: a file with a private key and its certificate, which both sides present and require.
        timeout_s: how long to wait for an answer, in seconds.
    """

    host: str
    port: int
    key: Path
    timeout_s: float

    def ping(self) -> None:
        """Check that the server answers.

        Raises:
            ServiceDown, StorageFailed: the server does not answer, or reports an error.
        """
        with self._admin_database() as admin:
            admin.command("ping")

    def save_account(self, user: str, password: str) -> list[str]:
        """Create the account, or set its password and rights; returns the names of all accounts.

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
            return _account_names(admin)

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
