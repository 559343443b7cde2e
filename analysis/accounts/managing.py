"""Make and change accounts. Each change ends the sessions and tokens that it invalidates.

One write contains a change and the sessions that it ends (:class:`storage.records.Account`, generations), so
a process that is killed leaves no valid session or token. Every change is recorded in the audit log.
:mod:`analysis.accounts.own_account` changes one's own account.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from analysis.accounts.audit import record
from analysis.accounts.one_time import accepted_step, new_recovery_codes, recovery_digest
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.passwords import hash_password
from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import ACCOUNT_NAME
from storage.collections.stores import Stores
from storage.records import Account, EventKind, Role, utc_now
from system.errors import PindnaError


class BadAccountName(PindnaError):
    """An account cannot be called so. Data: ``name``."""

    template = (
        "An account cannot be called {name}: write up to 64 small letters, digits and . _ @ -, "
        "a letter or digit first."
    )


def check_name(name: str) -> None:
    """See that an account may be called so.

    Raises:
        BadAccountName: it may not.
    """
    if not ACCOUNT_NAME.fullmatch(name):
        raise BadAccountName(name=name)


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
        origin: see :attr:`analysis.accounts.permissions.Identity.origin`.
    """

    stores: Stores
    by: str
    now: datetime | None = None
    origin: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def acting_for(cls, identity: Identity, stores: Stores) -> "Manager":
        """Return what changes accounts for somebody who may.

        Raises:
            NotPermitted: this one may not.
        """
        identity.require("accounts:write")
        return cls(stores, identity.name, origin=identity.origin)

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
        """
        check_name(name)
        began = int((self.now or utc_now()).timestamp())  # nothing of an erased account of that name fits
        account = Account(
            name=name,
            role=role,
            holders=self._known(role, holders),
            password=hash_password(password, name=name) if password else "",
            session_generation=began,
            token_generation=began,
        )
        self.stores.accounts.add(account)
        self._record_event("account-added", None, account, "")
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
        account = self._change(name, ends_sessions=True, password=hash_password(password, name=name))
        self._end_sessions(account, but=but)
        return account

    def enrol(self, name: str, secret: str, code: str, keys: OneTimeKeys) -> list[str]:
        """Ask for one-time passwords from now on; returns the recovery codes, which are told only now.

        Args:
            name: of the account.
            secret: of :func:`analysis.accounts.one_time.new_secret`, as the device has it now.
            code: what the device shows.
            keys: encrypt the secret.

        Raises:
            WrongCode: the device shows something else; the account stays as it is.
            OneTimeKeyElsewhere, OneTimeKeyUnusable: nothing can be encrypted on this machine.
        """
        step = accepted_step(secret, code, after=0, now=self.now or utc_now())
        if step is None:
            raise WrongCode
        codes = new_recovery_codes()
        stored, digests = keys.encrypt(name, secret), tuple(map(recovery_digest, codes))
        self._change(name, otp_secret=stored, otp_step=step, recovery=digests)
        return codes

    def replace_recovery_codes(self, name: str) -> list[str]:
        """Return new recovery codes in the place of all earlier ones; they are told only now.

        Raises:
            AccountChanged: the earlier ones go on.
        """
        codes = new_recovery_codes()
        self._change(name, recovery=tuple(map(recovery_digest, codes)))
        return codes

    def stop_one_time(self, name: str) -> Account:
        """Ask for one-time passwords no more.

        Raises:
            AccountChanged: the account stays as it is.
        """
        return self._change(name, otp_secret="", otp_step=0, recovery=())

    def rotate_one_time_key(self, keys: OneTimeKeys) -> int:
        """Let a new key encrypt the secrets of all devices; returns how many there are.

        Raises:
            OneTimeKeyElsewhere, OneTimeKeyUnusable: one cannot be decrypted, or no key be made.
            AccountChanged: somebody signed in meanwhile; secrets that are left keep an earlier key.
        """
        enrolled = [account for account in self.stores.accounts.listed() if account.otp_secret]
        secrets = {account.name: keys.decrypt(account) for account in enrolled}
        keys.add_key()
        for name, secret in secrets.items():
            self._change(name, otp_secret=keys.encrypt(name, secret))
        return len(secrets)

    def reset(self, name: str, password: str) -> Account:
        """Let somebody in again who lost password, device or both: a new password, no one-time passwords.

        Sessions end and tokens are revoked, for whoever had them may not be the owner.

        Raises:
            BadPassword, WeakPassword: this one is not taken.
            AccountChanged: the account stays as it is.
        """
        return self._end_access(
            name, password=hash_password(password, name=name), otp_secret="", otp_step=0, recovery=()
        )

    def set_language(self, name: str, language: Literal["", "zh", "en"]) -> Account:
        """Choose the language in which the console speaks to an account; empty: the browser's.

        Raises:
            AccountChanged: the account stays as it is.
        """
        return self._change(name, language=language)

    def disable(self, name: str) -> Account:
        """Let an account be used no more, from this moment on.

        Raises:
            LastAdministrator, AccountChanged: the account stays as it is.
        """
        return self._end_access(name, disabled=self.now or utc_now())

    def sign_out(self, name: str, *, but: str = "") -> int:
        """End the sessions of an account and return how many there were.

        Args:
            name: of the account.
            but: id of the session that goes on: of the person who ends its other ones.

        Raises:
            UnknownRecord: there is no such account.
            AccountChanged: they go on.
        """
        return self._end_sessions(self._change(name, ends_sessions=True), but=but)

    def enable(self, name: str) -> Account:
        """Let a disabled account be used again; sessions and tokens do not come back."""
        return self._change(name, disabled=None)

    def _known(self, role: Role, holders: Collection[str]) -> tuple[str, ...]:
        """Return the holders as they are stored."""
        if (role == "holder") != bool(holders):
            raise HoldersNeeded
        return tuple(dict.fromkeys(self.stores.holders.get(name).name for name in holders))

    def _change(
        self, name: str, *, ends_sessions: bool = False, revokes_tokens: bool = False, **fields: object
    ) -> Account:
        before = self.stores.accounts.get(name)
        changed = replace(
            before,
            session_generation=before.session_generation + ends_sessions,
            token_generation=before.token_generation + revokes_tokens,
            **fields,  # type: ignore[arg-type]
        )
        after = self.stores.accounts.change(changed)
        ended = [*(["sessions"] if ends_sessions else []), *(["tokens"] if revokes_tokens else [])]
        self._record_event("account-changed", before, after, ", ".join([*fields, *ended]))
        return after

    def _end_sessions(self, account: Account, *, but: str = "") -> int:
        """Delete the sessions of earlier generations, but for one that goes on."""
        if but:
            self.stores.sessions.renew(but, account.session_generation)
        return self.stores.sessions.end_all(account.name, but=but)

    def _end_access(self, name: str, **fields: object) -> Account:
        """Change an account, end its sessions and revoke its tokens."""
        after = self._change(name, ends_sessions=True, revokes_tokens=True, **fields)
        self._end_sessions(after)
        self.stores.tokens.revoke_all(name, self.now or utc_now())
        return after

    def _record_event(self, kind: EventKind, before: Account | None, after: Account, fields: str) -> None:
        record(
            self.stores,
            kind,
            by=self.by,
            at=self.now or utc_now(),
            subject=f"account {after.name}",
            before={} if before is None else described(before),
            after=described(after),
            detail={**self.origin, **({"fields": fields} if fields else {})},
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
        "language": account.language,
    }
