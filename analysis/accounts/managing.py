"""Making and changing accounts: each change ends what it makes void and is written to the audit log."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from analysis.accounts.audit import record
from analysis.accounts.one_time import accepted_step, new_recovery_codes, recovery_digest
from analysis.accounts.passwords import hash_password
from storage.collections.stores import Stores
from storage.errors import PindnaError
from storage.records import Account, EventKind, Role, utc_now

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class BadAccountName(PindnaError):
    """An account cannot be called so. Data: ``name``."""

    template = (
        "An account cannot be called {name}: write up to 64 small letters, digits and . _ @ -, "
        "a letter or digit first."
    )


class HoldersNeeded(PindnaError):
    """An account of the role ``holder`` must name holders, and no other may."""

    template = "The role holder takes the holders whose works the account sees, and no other role takes any."


class WrongCode(PindnaError):
    """A one-time password is not the one of now."""

    template = "The one-time password is wrong. See that the device's clock is right, and type the next one."


@dataclass(frozen=True, slots=True)
class Manager:
    """Changes accounts for somebody.

    Args:
        stores: the database.
        by: who makes the changes.
        now: the present time; None: the clock's.
    """

    stores: Stores
    by: str
    now: datetime | None = None

    def add(self, name: str, *, role: Role, holders: Collection[str] = (), password: str = "") -> Account:
        """Make an account.

        Args:
            name: of the account.
            role: what it may do.
            holders: of the role ``holder``: whose works it sees.
            password: empty: nobody can sign in with one yet; tokens work.

        Raises:
            BadAccountName, HoldersNeeded, BadPassword, WeakPassword, KnownAccount: it cannot be made so.
            UnknownRecord: there is no such holder.
            ServiceDown: MongoDB does not answer.
        """
        if not _NAME.fullmatch(name):
            raise BadAccountName(name=name)
        account = Account(
            name=name,
            role=role,
            holders=self._known(role, holders),
            password=hash_password(password, name=name) if password else "",
        )
        self.stores.accounts.add(account)
        self._note("account-added", None, account, "")
        return account

    def set_role(self, name: str, *, role: Role, holders: Collection[str] = ()) -> Account:
        """Give an account another role; sessions and tokens have its rights from the next request on.

        Raises:
            HoldersNeeded, UnknownRecord: the role and holders do not fit together, or one is not known.
            LastAdministrator, AccountChanged: the account stays as it is.
        """
        return self._change(name, role=role, holders=self._known(role, holders))

    def set_password(self, name: str, password: str, *, but: str = "") -> Account:
        """Give an account another password and end its sessions.

        Args:
            name: of the account.
            password: the new one.
            but: id of the session that goes on: of the person who sets its own password.

        Raises:
            BadPassword, WeakPassword: this one is not taken.
            AccountChanged: the account stays as it is.
        """
        account = self._change(name, password=hash_password(password, name=name))
        self.stores.sessions.end_all(name, but=but)
        return account

    def enrol(self, name: str, secret: str, code: str) -> list[str]:
        """Ask for one-time passwords from now on; returns the recovery codes, which are told only now.

        Args:
            name: of the account.
            secret: of :func:`analysis.accounts.one_time.new_secret`, as the device has it now.
            code: what the device shows.

        Raises:
            WrongCode: the device shows something else; the account stays as it is.
        """
        step = accepted_step(secret, code, after=0, now=self.now or utc_now())
        if step is None:
            raise WrongCode
        codes = new_recovery_codes()
        self._change(
            name, otp_secret=secret, otp_step=step, recovery=tuple(recovery_digest(code) for code in codes)
        )
        return codes

    def reset(self, name: str, password: str) -> Account:
        """Let somebody in again who lost password, device or both: a new password, no one-time passwords.

        Sessions end and tokens are revoked, for whoever had them may not be the owner.

        Raises:
            BadPassword, WeakPassword: this one is not taken.
            AccountChanged: the account stays as it is.
        """
        account = self._change(
            name, password=hash_password(password, name=name), otp_secret="", otp_step=0, recovery=()
        )
        self._shut_out(name)
        return account

    def disable(self, name: str) -> Account:
        """Let an account be used no more, from this moment on.

        Raises:
            LastAdministrator, AccountChanged: the account stays as it is.
        """
        account = self._change(name, disabled=self.now or utc_now())
        self._shut_out(name)
        return account

    def enable(self, name: str) -> Account:
        """Let a disabled account be used again; sessions and tokens do not come back."""
        return self._change(name, disabled=None)

    def _known(self, role: Role, holders: Collection[str]) -> tuple[str, ...]:
        """Return the holders as they are stored."""
        if (role == "holder") != bool(holders):
            raise HoldersNeeded
        return tuple(dict.fromkeys(self.stores.holders.get(name).name for name in holders))

    def _change(self, name: str, **fields: object) -> Account:
        before = self.stores.accounts.get(name)
        after = self.stores.accounts.change(replace(before, **fields))  # type: ignore[arg-type]
        self._note("account-changed", before, after, ", ".join(fields))
        return after

    def _shut_out(self, name: str) -> None:
        self.stores.sessions.end_all(name)
        self.stores.tokens.revoke_all(name, self.now or utc_now())

    def _note(self, kind: EventKind, before: Account | None, after: Account, fields: str) -> None:
        record(
            self.stores,
            kind,
            by=self.by,
            at=self.now or utc_now(),
            subject=f"account {after.name}",
            before={} if before is None else described(before),
            after=described(after),
            detail={"fields": fields} if fields else {},
        )


def described(account: Account) -> dict[str, object]:
    """Return what may be told of an account: no secret."""
    return {
        "role": account.role,
        "holders": list(account.holders),
        "has_password": bool(account.password),
        "one_time_passwords": bool(account.otp_secret),
        "recovery_codes": len(account.recovery),
        "disabled": account.disabled,
    }
