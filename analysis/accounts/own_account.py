"""Change one's own account: password, one-time passwords, sessions and tokens.

Changes that give access require the password again, so an unattended or stolen session is not enough (OWASP
ASVS 4.0.3, 3.7.1). Wrong passwords are counted. Programs cannot do any of this, because a token is not a
session.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from analysis.accounts.audit import record
from analysis.accounts.managing import Manager, WrongCode
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.passwords import is_password
from analysis.accounts.signing_in import use_code
from analysis.accounts.tokens import make_token, revoke_token
from storage.collections.stores import Stores
from storage.records import Account, EventKind, Permission, Session, Token, utc_now
from storage.servers.throttle import Limit, Throttle
from storage.settings.results import ServerSettings
from system.errors import PindnaError, UnknownId

CONFIRMATIONS = Limit("confirm", times=10, period_s=900)


class EnrolledAlready(PindnaError):
    """One-time passwords are already on, with another device."""

    template = (
        "One-time passwords are already on. Turn them off first with a one-time password of the old device."
    )


class WrongPassword(PindnaError):
    """The password that confirms a change is wrong."""

    template = "Wrong password; nothing was changed. Enter your sign-in password."


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """Changes the account of a session for its owner.

    Args:
        stores: the database.
        throttle: counts confirmations.
        settings: the maximum lifetime of tokens.
        session: session of the owner, from :func:`analysis.accounts.signing_in.session_identity` for this
            request.
        keys: keys of one-time passwords.
        now: the present time; None: the clock.
    """

    stores: Stores
    throttle: Throttle
    settings: ServerSettings
    session: Session
    keys: OneTimeKeys
    now: datetime | None = None

    @property
    def account(self) -> Account:
        """The present account.

        Raises:
            UnknownRecord: it was erased.
        """
        return self.stores.accounts.get(self.session.account)

    def set_language(self, language: Literal["zh", "en"]) -> None:
        """Set the language of the console for all browsers.

        Raises:
            AccountChanged: the account is unchanged.
        """
        self._manager().set_language(self.session.account, language)

    def change_password(self, old: str, new: str) -> None:
        """Set another password and end the other sessions.

        Raises:
            WrongPassword, TooOften: the old password is wrong, or there were too many attempts.
            BadPassword, WeakPassword: the new password is not allowed.
            AccountChanged: the account is unchanged.
        """
        self._require_password(old)
        self._manager().set_password(self.session.account, new, but=self.session.id)

    def enrol(self, password: str, secret: str, code: str) -> list[str]:
        """Turn on one-time passwords. Return the recovery codes, which are shown only now.

        Args:
            password: confirms the change.
            secret: result of :func:`analysis.accounts.one_time.new_secret`, as stored in the device.
            code: the code that the device shows.

        Raises:
            WrongPassword, TooOften: the password is wrong, or there were too many attempts.
            EnrolledAlready: turn off the other device first.
            WrongCode: the device shows another code; the account is unchanged.
            OneTimeKeyElsewhere, OneTimeKeyUnusable: nothing can be encrypted on this machine.
            AccountChanged: the account is unchanged.
        """
        self._require_password(password)
        if self.account.otp_secret:
            raise EnrolledAlready
        return self._manager().enrol(self.session.account, secret, code, self.keys)

    def stop_one_time(self, password: str, code: str) -> None:
        """Turn off one-time passwords.

        Args:
            password: confirms the change.
            code: one-time password or recovery code.

        Raises:
            WrongPassword, WrongCode, TooOften: one is wrong, or there were too many attempts.
            AccountChanged: the account is unchanged.
        """
        self._require_password(password)
        self._use_code(code)
        self._manager().stop_one_time(self.session.account)

    def new_recovery_codes(self, password: str, code: str) -> list[str]:
        """Replace all recovery codes and return the new ones, which are shown only now.

        Args:
            password: confirms the change.
            code: one-time password or recovery code.

        Raises:
            WrongPassword, WrongCode, TooOften: one is wrong, or there were too many attempts.
            AccountChanged: the earlier codes stay valid.
        """
        self._require_password(password)
        self._use_code(code)
        return self._manager().replace_recovery_codes(self.session.account)

    def sessions(self) -> list[Session]:
        """Return the valid sessions, the most recently used first."""
        generation = self.account.session_generation
        now = self.now or utc_now()
        return [
            session
            for session in self.stores.sessions.of_account(self.session.account)
            if session.generation == generation and session.ends > now
        ]

    def end_session(self, session_id: str) -> None:
        """End one of the account's sessions.

        Raises:
            UnknownId: the account has no such session.
        """
        session = self.stores.sessions.find(session_id)
        if session is None or session.account != self.session.account:
            raise UnknownId(kind="session", name=session_id[:12])
        self.stores.sessions.end(session_id)
        self._record_event("signed-out", session.address)

    def end_other_sessions(self) -> int:
        """End all sessions of the account except this one. Return their number."""
        return self._manager().sign_out(self.session.account, but=self.session.id)

    def tokens(self) -> list[Token]:
        """Return the account's tokens, the oldest first, including expired ones."""
        return self.stores.tokens.of_account(self.session.account)

    def make_token(
        self, password: str, *, label: str, scopes: Collection[Permission], days: int
    ) -> tuple[str, Token]:
        """Create a token. Return its secret, which is shown only now, and the token.

        Args:
            password: confirms it.
            label: purpose of the token.
            scopes: its permissions; empty: all present permissions of the account.
            days: its lifetime.

        Raises:
            WrongPassword, TooOften: the password is wrong, or there were too many attempts.
            AccountDisabled, ScopeNotOfRole, TooLong: the values are not allowed.
        """
        self._require_password(password)
        name = self.session.account
        return make_token(
            self.stores,
            self.settings,
            account=name,
            label=label,
            scopes=scopes,
            days=days,
            by=name,
            now=self.now,
        )

    def revoke_token(self, name: str) -> Token:
        """Revoke one of the account's tokens; may be repeated.

        Raises:
            UnknownId: the account has no such token.
        """
        if self.stores.tokens.get(name).account != self.session.account:
            raise UnknownId(kind="token", name=name)
        return revoke_token(self.stores, name, by=self.session.account, now=self.now)

    def _manager(self) -> Manager:
        return Manager(self.stores, self.session.account, self.now)

    def _require_password(self, password: str) -> None:
        name = self.session.account
        self.throttle.count(CONFIRMATIONS, name)
        if not is_password(password, self.account.password):
            self._record_event("sign-in-refused", self.session.address)
            raise WrongPassword
        self.throttle.forget(CONFIRMATIONS, name)

    def _use_code(self, code: str) -> None:
        """Use up a code, so it cannot be used again."""
        self.throttle.count(CONFIRMATIONS, f"{self.session.account} code")
        account, now = self.account, self.now or utc_now()
        if not account.otp_secret or not use_code(account, code, self.stores, self.keys, now):
            self._record_event("sign-in-refused", self.session.address)
            raise WrongCode

    def _record_event(self, kind: EventKind, address: str) -> None:
        name, at = self.session.account, self.now or utc_now()
        record(self.stores, kind, by=name, at=at, subject=f"account {name}", detail={"address": address})
