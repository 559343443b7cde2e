"""Collections ``accounts``, ``sessions`` and ``tokens``: who may use the console and the API."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.naming import neighbours, new_numbers
from storage.records import Account, Session, Token, utc_now
from system.errors import PindnaError, UnknownId
from system.names import unknown_record


class AccountChanged(PindnaError):
    """Another user changed the account at the same time. Data: ``name``."""

    template = "Another user has just changed the account {name}. Check it, then try again."


class KnownAccount(PindnaError):
    """An account of that name exists. Data: ``name``."""

    template = "There is already an account called {name}."


class LastAdministrator(PindnaError):
    """The last account that can administer pindna must stay. Data: ``name``."""

    template = "{name} is the last administrator who can sign in. Create another administrator first."


class AccountStore:
    """Accounts by name. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._accounts = database["accounts"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._accounts.create_index("role")

    def add(self, account: Account) -> None:
        """Store a new account.

        Raises:
            KnownAccount: an account of that name exists.
        """
        if not self._accounts.insert_new([to_document(account, key="name")])[0]:
            raise KnownAccount(name=account.name)

    def change(self, account: Account) -> Account:
        """Replace an account, unless it changed since the caller read it; returns the stored account.

        Raises:
            AccountChanged: the account was changed since it was read.
            LastAdministrator: no administrator could sign in after this change; the account stays unchanged.
        """
        before = self.get(account.name)
        leaves = _is_administrator(before) and not _is_administrator(account)
        if leaves and not self.has_administrator(but=account.name):
            raise LastAdministrator(name=account.name)
        after = self._replace_unchanged(account)
        if leaves and not self.has_administrator():
            # If two administrators disable each other at once, both get the error.
            self._replace_unchanged(replace(before, revision=after.revision))
            raise LastAdministrator(name=account.name)
        return after

    def _replace_unchanged(self, account: Account) -> Account:
        after = replace(account, revision=account.revision + 1, updated=utc_now())
        result = self._accounts.replace_one(
            {"_id": account.name, "revision": account.revision}, to_document(after, key="name")
        )
        if not result.matched_count:
            raise AccountChanged(name=account.name)
        return after

    def has_administrator(self, *, but: str = "") -> bool:
        """Return whether an administrator can sign in.

        Args:
            but: name of an account that does not count.
        """
        return any(
            _is_administrator(from_document(Account, row, key="name"))
            for row in self._accounts.find({"role": "administrator"})
            if row["_id"] != but
        )

    def find(self, name: str) -> Account | None:
        """Return an account; None if it does not exist."""
        row = self._accounts.find_one({"_id": name})
        return None if row is None else from_document(Account, row, key="name")

    def get(self, name: str) -> Account:
        """Return an account.

        Raises:
            UnknownRecord: there is no such account; the error contains similar names.
        """
        account = self.find(name)
        if account is None:
            near = [row["_id"] for row in neighbours(self._accounts, "_id", name)]
            raise unknown_record(kind="account", name=name, known_names=near)
        return account

    def listed(self, *, limit: int = 0) -> Iterator[Account]:
        """Yield accounts by name.

        Args:
            limit: how many at most; 0: all.
        """
        for row in self._accounts.find({}, sort=[("_id", 1)], limit=limit):
            yield from_document(Account, row, key="name")

    def erase(self, name: str) -> bool:
        """Delete an account because its owner requested it; returns whether it existed.

        Raises:
            LastAdministrator: no administrator could sign in without the account; it stays.
        """
        account = self.find(name)
        if account is None:
            return False
        if _is_administrator(account) and not self.has_administrator(but=name):
            raise LastAdministrator(name=name)
        return self._accounts.delete_one({"_id": name}).deleted_count > 0


class SessionStore:
    """Sessions by the digest of their secret. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._sessions = database["sessions"]

    def ensure_schema(self) -> None:
        """Create the indexes; one of them lets MongoDB delete expired sessions. Idempotent."""
        self._sessions.create_index("account")
        self._sessions.create_index("ends", expireAfterSeconds=0)

    def add(self, session: Session) -> None:
        """Store a new session."""
        self._sessions.insert_one(to_document(session))

    def find(self, session_id: str) -> Session | None:
        """Return a session; None if it does not exist or has ended."""
        row = self._sessions.find_one({"_id": session_id})
        return None if row is None else from_document(Session, row)

    def record_use(self, session_id: str, at: datetime) -> None:
        """Record a use of a session; an ended session stays ended."""
        self._sessions.update_one({"_id": session_id}, {"$set": {"seen": at}})

    def of_account(self, name: str) -> list[Session]:
        """Return the sessions of an account, the last used first."""
        rows = self._sessions.find({"account": name})
        sessions = [from_document(Session, row) for row in rows]
        return sorted(sessions, key=lambda session: session.seen, reverse=True)

    def renew(self, session_id: str, generation: int) -> None:
        """Set a new generation, which invalidates the session's old cookies; an ended session stays ended."""
        self._sessions.update_one({"_id": session_id}, {"$set": {"generation": generation}})

    def end(self, session_id: str) -> None:
        """End a session; safe to repeat."""
        self._sessions.delete_one({"_id": session_id})

    def end_all(self, account: str, *, but: str = "") -> int:
        """End the sessions of an account, optionally except one; returns the number of ended sessions."""
        sessions = [session.id for session in self.of_account(account) if session.id != but]
        for session_id in sessions:
            self.end(session_id)
        return len(sessions)

    def delete_expired(self, now: datetime) -> None:
        """Delete expired sessions; needed for servers that do not delete expired documents themselves."""
        self._sessions.delete_many({"ends": {"$lt": now}})


class TokenStore:
    """Tokens of the API. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._tokens = database["tokens"]
        self._counters = database["counters"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._tokens.create_index("digest", unique=True)
        self._tokens.create_index("account")

    def add(self, token: Token) -> Token:
        """Store a new token and return it with its name."""
        (number,) = new_numbers(self._counters, "tokens", 1)
        named = replace(token, id=f"t{number}")
        self._tokens.insert_one(to_document(named))
        return named

    def by_digest(self, digest: str) -> Token | None:
        """Return the token whose secret has this digest; None if there is no such token."""
        row = self._tokens.find_one({"digest": digest})
        return None if row is None else from_document(Token, row)

    def get(self, name: str) -> Token:
        """Return a token by its name.

        Raises:
            UnknownId: there is no such token.
        """
        row = self._tokens.find_one({"_id": name})
        if row is None:
            raise UnknownId(kind="token", name=name)
        return from_document(Token, row)

    def of_account(self, name: str) -> list[Token]:
        """Return the tokens of an account, the oldest first."""
        tokens = [from_document(Token, row) for row in self._tokens.find({"account": name})]
        return sorted(tokens, key=lambda token: token.made)

    def record_use(self, name: str, at: datetime) -> None:
        """Record the last use of a token."""
        self._tokens.update_one({"_id": name}, {"$set": {"used": at}})

    def revoke(self, name: str, at: datetime) -> None:
        """Revoke a token; the time of the first revocation stays."""
        self._tokens.update_one({"_id": name, "revoked": None}, {"$set": {"revoked": at}})

    def erase_all(self, account: str) -> int:
        """Delete the tokens of an account because its owner requested it; returns their number."""
        return self._tokens.delete_many({"account": account}).deleted_count

    def revoke_all(self, account: str, at: datetime) -> int:
        """Revoke the tokens of an account; returns the number of tokens that were valid before."""
        usable = [token for token in self.of_account(account) if token.revoked is None]
        for token in usable:
            self.revoke(token.id, at)
        return len(usable)


def _is_administrator(account: Account) -> bool:
    return account.role == "administrator" and account.disabled is None and bool(account.password)
