"""Make and change accounts. Each change ends the sessions and tokens that it invalidates.

A change and the sessions that it ends are one write (:class:`storage.records.Account`, generations), so a
process that is killed leaves no valid session or token. Every change is recorded in the audit log.
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
from storage.running.live_settings import encrypt_secrets_again
from system.errors import PindnaError


class BadAccountName(PindnaError):
    """An account name contains other characters than allowed.

    Attributes:
        name: the name.
    """

    template = (
        "Cannot use {name} as an account name. Use up to 64 lowercase letters, digits and . _ @ "
        "-, beginning with a letter or digit."
    )


def check_name(name: str) -> None:
    """Check the name of an account.

    Raises:
        BadAccountName: it is not allowed.
    """
    if not ACCOUNT_NAME.fullmatch(name):
        raise BadAccountName(name=name)


class HoldersNeeded(PindnaError):
    """An account of the role ``holder`` needs holders, and no other role may have any."""

    template = "Choose rights holders for an account with the role “holder”, and none for other roles."


class WrongCode(PindnaError):
    """A one-time password is not the present one."""

    template = "Wrong one-time password. Check the clock of the device, and enter the next password."


@dataclass(frozen=True, slots=True)
class Manager:
    """Changes accounts on behalf of a user.

    Args:
        stores: the database.
        by: the user who makes the changes.
        now: the present time; None: the clock.
        origin: see :attr:`analysis.accounts.permissions.Identity.origin`.
    """

    stores: Stores
    by: str
    now: datetime | None = None
    origin: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def acting_for(cls, identity: Identity, stores: Stores) -> "Manager":
        """Return a manager for an authorised user.

        Raises:
            NotPermitted: the user lacks the permission.
        """
        identity.require("accounts:write")
        return cls(stores, identity.name, origin=identity.origin)

    def add(self, name: str, *, role: Role, holders: Collection[str] = (), password: str = "") -> Account:
        """Create an account.

        Args:
            name: name of the account.
            role: its role.
            holders: for the role ``holder``: the holders whose works it sees.
            password: empty: no sign-in with a password yet; tokens work.

        Raises:
            BadAccountName, HoldersNeeded, BadPassword, WeakPassword, KnownAccount: the values are not
                allowed.
            UnknownRecord: there is no such holder.
        """
        check_name(name)
        # Sessions and tokens of an erased account of that name stay invalid.
        began = int((self.now or utc_now()).timestamp())
        account = Account(
            name=name,
            role=role,
            holders=self._stored_holder_names(role, holders),
            password=hash_password(password, name=name) if password else "",
            session_generation=began,
            token_generation=began,
        )
        self.stores.accounts.add(account)
        self._record_event("account-added", None, account, "")
        return account

    def set_role(self, name: str, *, role: Role, holders: Collection[str] = ()) -> Account:
        """Change the role of an account. Sessions and tokens have its permissions from the next request on.

        Raises:
            HoldersNeeded, UnknownRecord: role and holders do not match, or a holder is unknown.
            LastAdministrator, AccountChanged: the account is unchanged.
        """
        return self._change_account(name, role=role, holders=self._stored_holder_names(role, holders))

    def set_password(self, name: str, password: str, *, but: str = "") -> Account:
        """Set a new password and end the sessions of the account.

        Args:
            name: name of the account.
            password: the new one.
            but: id of the session that is not ended, because its user changes their own password.

        Raises:
            BadPassword, WeakPassword: the password is not allowed.
            AccountChanged: the account is unchanged.
        """
        account = self._change_account(name, ends_sessions=True, password=hash_password(password, name=name))
        self._end_sessions(account, but=but)
        return account

    def enrol(self, name: str, secret: str, code: str, keys: OneTimeKeys) -> list[str]:
        """Turn on one-time passwords. Return the recovery codes, which are shown only now.

        Args:
            name: name of the account.
            secret: result of :func:`analysis.accounts.one_time.new_secret`, as stored in the device.
            code: the code that the device shows.
            keys: encrypt the secret.

        Raises:
            WrongCode: the device shows another code; the account is unchanged.
            OneTimeKeyElsewhere, OneTimeKeyUnusable: nothing can be encrypted on this machine.
        """
        step = accepted_step(secret, code, after=0, now=self.now or utc_now())
        if step is None:
            raise WrongCode
        codes = new_recovery_codes()
        stored, digests = keys.encrypt(name, secret), tuple(map(recovery_digest, codes))
        self._change_account(name, otp_secret=stored, otp_step=step, recovery=digests)
        return codes

    def replace_recovery_codes(self, name: str) -> list[str]:
        """Replace all recovery codes and return the new ones, which are shown only now.

        Raises:
            AccountChanged: the earlier codes stay valid.
        """
        codes = new_recovery_codes()
        self._change_account(name, recovery=tuple(map(recovery_digest, codes)))
        return codes

    def stop_one_time(self, name: str) -> Account:
        """Turn off one-time passwords.

        Raises:
            AccountChanged: the account is unchanged.
        """
        return self._change_account(name, otp_secret="", otp_step=0, recovery=())

    def rotate_one_time_key(self, keys: OneTimeKeys) -> int:
        """Encrypt the secrets of all devices, and those of settings, with a new key. Return their number.

        Raises:
            OneTimeKeyElsewhere, OneTimeKeyUnusable, SecretKeyElsewhere: a secret cannot be decrypted, or no
                key can be made.
            AccountChanged: a user signed in at the same time; the remaining secrets keep an earlier key.
        """
        enrolled = [account for account in self.stores.accounts.listed() if account.otp_secret]
        secrets = {account.name: keys.decrypt(account) for account in enrolled}
        keys.add_key()
        for name, secret in secrets.items():
            self._change_account(name, otp_secret=keys.encrypt(name, secret))
        return len(secrets) + encrypt_secrets_again(keys.path, self.stores.stored_settings)

    def reset(self, name: str, password: str) -> Account:
        """Restore access after a lost password or device: set a new password, turn off one-time passwords.

        Sessions end and tokens are revoked, because other people may have them.

        Raises:
            BadPassword, WeakPassword: the password is not allowed.
            AccountChanged: the account is unchanged.
        """
        return self._end_access(
            name, password=hash_password(password, name=name), otp_secret="", otp_step=0, recovery=()
        )

    def set_language(self, name: str, language: Literal["", "zh", "en"]) -> Account:
        """Set the console language of an account; empty: the browser's language.

        Raises:
            AccountChanged: the account is unchanged.
        """
        return self._change_account(name, language=language)

    def disable(self, name: str) -> Account:
        """Disable an account immediately.

        Raises:
            LastAdministrator, AccountChanged: the account is unchanged.
        """
        return self._end_access(name, disabled=self.now or utc_now())

    def sign_out(self, name: str, *, but: str = "") -> int:
        """End the sessions of an account. Return their number.

        Args:
            name: name of the account.
            but: id of the session that is not ended, because its user ends their other sessions.

        Raises:
            UnknownRecord: there is no such account.
            AccountChanged: the sessions continue.
        """
        return self._end_sessions(self._change_account(name, ends_sessions=True), but=but)

    def enable(self, name: str) -> Account:
        """Enable a disabled account. Its sessions and tokens stay invalid."""
        return self._change_account(name, disabled=None)

    def _stored_holder_names(self, role: Role, holders: Collection[str]) -> tuple[str, ...]:
        """Return the stored names of the holders."""
        if (role == "holder") != bool(holders):
            raise HoldersNeeded
        return tuple(dict.fromkeys(self.stores.holders.get(name).name for name in holders))

    def _change_account(
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
        """Delete the sessions of earlier generations, except one that continues."""
        if but:
            self.stores.sessions.renew(but, account.session_generation)
        return self.stores.sessions.end_all(account.name, but=but)

    def _end_access(self, name: str, **fields: object) -> Account:
        """Change an account, end its sessions and revoke its tokens."""
        after = self._change_account(name, ends_sessions=True, revokes_tokens=True, **fields)
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
            before={} if before is None else account_fields(before),
            after=account_fields(after),
            detail={**self.origin, **({"fields": fields} if fields else {})},
        )


def account_fields(account: Account) -> dict[str, object]:
    """Return the fields of an account without secrets."""
    return {
        "role": account.role,
        "holders": list(account.holders),
        "has_password": bool(account.password),
        "one_time_passwords": bool(account.otp_secret),
        "recovery_codes": len(account.recovery),
        "disabled": account.disabled,
        "language": account.language,
    }
