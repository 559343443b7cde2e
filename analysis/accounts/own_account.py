"""One's own account: password, one-time passwords, sessions and tokens, changed by whoever is signed in.

What gives access takes the password again, so that a session that somebody else sits at, or has stolen, is
not enough (OWASP ASVS 4.0.3, 3.7.1); wrong ones are counted. Programs cannot do any of this: a token is no
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
from analysis.accounts.signing_in import with_code_taken
from analysis.accounts.tokens import make_token, revoke_token
from storage.collections.stores import Stores
from storage.records import Account, EventKind, Permission, Session, Token, utc_now
from storage.servers.throttle import Limit, Throttle
from storage.settings.results import ServerSettings
from system.errors import PindnaError, UnknownId

CONFIRMATIONS = Limit("confirm", times=10, period_s=900)


class EnrolledAlready(PindnaError):
    """The account asks for the one-time passwords of another device."""

    template = "One-time passwords are asked for already. Stop that first, with a password of the old device."


class WrongPassword(PindnaError):
    """The password that confirms a change is wrong."""

    template = "The password is wrong; nothing was changed. Type the one that you sign in with."


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """Changes the account of a session, for its owner.

    Args:
        stores: the database.
        throttle: counts confirmations.
        settings: how long a token lasts at most.
        session: of the owner, as :func:`analysis.accounts.signing_in.signed_in` returned it for this request.
        keys: of one-time passwords.
        now: the present time; None: the clock's.
    """

    stores: Stores
    throttle: Throttle
    settings: ServerSettings
    session: Session
    keys: OneTimeKeys
    now: datetime | None = None

    @property
    def account(self) -> Account:
        """The account as it is now.

        Raises:
            UnknownRecord: it was erased.
        """
        return self.stores.accounts.get(self.session.account)

    def set_language(self, language: Literal["zh", "en"]) -> None:
        """Choose the language of the console, in whatever browser.

        Raises:
            AccountChanged: the account stays as it is.
        """
        self._manager().set_language(self.session.account, language)

    def change_password(self, old: str, new: str) -> None:
        """Set another password; the other sessions end.

        Raises:
            WrongPassword, TooOften: the old one is wrong, or was too often.
            BadPassword, WeakPassword: the new one is not taken.
            AccountChanged: the account stays as it is.
        """
        self._confirm(old)
        self._manager().set_password(self.session.account, new, but=self.session.id)

    def enrol(self, password: str, secret: str, code: str) -> list[str]:
        """Ask for one-time passwords from now on; returns the recovery codes, which are told only now.

        Args:
            password: confirms it.
            secret: of :func:`analysis.accounts.one_time.new_secret`, as the device has it now.
            code: what the device shows.

        Raises:
            WrongPassword, TooOften: the password is wrong, or was too often.
            EnrolledAlready: another device must be taken out first.
            WrongCode: the device shows something else; the account stays as it is.
            OneTimeKeyElsewhere, OneTimeKeyUnusable: nothing can be encrypted on this machine.
            AccountChanged: the account stays as it is.
        """
        self._confirm(password)
        if self.account.otp_secret:
            raise EnrolledAlready
        return self._manager().enrol(self.session.account, secret, code, self.keys)

    def stop_one_time(self, password: str, code: str) -> None:
        """Ask for one-time passwords no more.

        Args:
            password: confirms it.
            code: one-time password or recovery code.

        Raises:
            WrongPassword, WrongCode, TooOften: one is wrong, or was too often.
            AccountChanged: the account stays as it is.
        """
        self._confirm(password)
        self._take(code)
        self._manager().stop_one_time(self.session.account)

    def new_recovery_codes(self, password: str, code: str) -> list[str]:
        """Return new recovery codes in the place of all earlier ones; they are told only now.

        Args:
            password: confirms it.
            code: one-time password or recovery code.

        Raises:
            WrongPassword, WrongCode, TooOften: one is wrong, or was too often.
            AccountChanged: the earlier ones go on.
        """
        self._confirm(password)
        self._take(code)
        return self._manager().replace_recovery_codes(self.session.account)

    def sessions(self) -> list[Session]:
        """Return the sessions that go on, the one that was used last first."""
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
        """End the account's sessions but for this one; returns how many there were."""
        return self._manager().sign_out(self.session.account, but=self.session.id)

    def tokens(self) -> list[Token]:
        """Return the account's tokens, the oldest first, also those that have ended."""
        return self.stores.tokens.of_account(self.session.account)

    def make_token(
        self, password: str, *, label: str, scopes: Collection[Permission], days: int
    ) -> tuple[str, Token]:
        """Make a token; returns its secret, which is told only now, and the token.

        Args:
            password: confirms it.
            label: what it is for.
            scopes: what it may do; empty: all that the account may do now.
            days: how long it lasts.

        Raises:
            WrongPassword, TooOften: the password is wrong, or was too often.
            AccountDisabled, ScopeNotOfRole, TooLong: it cannot be made so.
        """
        self._confirm(password)
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
        """Make one of the account's tokens unusable; safe to repeat.

        Raises:
            UnknownId: the account has no such token.
        """
        if self.stores.tokens.get(name).account != self.session.account:
            raise UnknownId(kind="token", name=name)
        return revoke_token(self.stores, name, by=self.session.account, now=self.now)

    def _manager(self) -> Manager:
        return Manager(self.stores, self.session.account, self.now)

    def _confirm(self, password: str) -> None:
        name = self.session.account
        self.throttle.count(CONFIRMATIONS, name)
        if not is_password(password, self.account.password):
            self._record_event("sign-in-refused", self.session.address)
            raise WrongPassword
        self.throttle.forget(CONFIRMATIONS, name)

    def _take(self, code: str) -> None:
        """Take a code, so that nobody takes it again."""
        self.throttle.count(CONFIRMATIONS, f"{self.session.account} code")
        account, now = self.account, self.now or utc_now()
        if not account.otp_secret or not with_code_taken(account, code, self.stores, self.keys, now):
            self._record_event("sign-in-refused", self.session.address)
            raise WrongCode

    def _record_event(self, kind: EventKind, address: str) -> None:
        name, at = self.session.account, self.now or utc_now()
        record(self.stores, kind, by=name, at=at, subject=f"account {name}", detail={"address": address})
