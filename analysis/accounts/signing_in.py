"""Sign in with name, password and one-time password, and manage the sessions.

Every refusal is the same error and takes as long as checking a password. Attempts are counted before the
check, so concurrent ones are limited too. In a quarter of an hour, at most ten attempts per account and
network and a hundred per network are allowed. In an hour, at most a hundred per account are allowed (OWASP
ASVS 4.0.3, 2.2.1). So an attacker in one network cannot lock out a user. A successful sign-in clears the
attempts at the account from its network. A network is an IPv4 address, or 64 bits of an IPv6 address.

A session is a random secret of 256 bits in the browser's cookie; the database contains its digest. A session
ends when it was idle too long, when it expires, when a user ends it, and when the account is disabled. Each
session belongs to a generation of the account's sessions; ending all of them starts the next generation in
the same write.
"""

import hashlib
import logging
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address, IPv6Network, ip_address

from analysis.accounts.audit import record
from analysis.accounts.one_time import accepted_step, recovery_digest
from analysis.accounts.otp_keys import OneTimeKeyElsewhere, OneTimeKeys, OneTimeKeyUnusable
from analysis.accounts.passwords import is_outdated, is_password, rehash
from analysis.accounts.permissions import Identity, identity_of
from storage.collections.accounts import AccountChanged
from storage.collections.stores import Stores
from storage.records import Account, EventKind, Session, utc_now
from storage.servers.throttle import Limit, Throttle
from storage.settings.results import ServerSettings
from system.errors import PindnaError

log = logging.getLogger(__name__)

AT_ACCOUNT_FROM_NETWORK = Limit("sign-in", times=10, period_s=900)
AT_ACCOUNT = Limit("sign-in-account", times=100, period_s=3_600)
FROM_NETWORK = Limit("sign-in-network", times=100, period_s=900)
ACCOUNT_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_MAX_AGENT_CHARS = 300
_MAX_CODE_CHARS = 100
_SEEN_EVERY = timedelta(minutes=1)
_CLOCKS_APART = timedelta(minutes=5)  # maximum difference between the servers of an installation


class SignInRefused(PindnaError):
    """Name, password or one-time password are wrong, or the account is disabled."""

    template = "Wrong name, password or one-time password. Try again."


class OneTimeNeeded(PindnaError):
    """The password is correct, and the account also requires a one-time password."""

    template = "Enter the one-time password from your device, or a recovery code."


@dataclass(frozen=True, slots=True)
class Visitor:
    """The origin of a request.

    Attributes:
        address: address of the browser, from the server or a trusted proxy.
        agent: user agent of the browser.
    """

    address: str
    agent: str = ""

    @property
    def network(self) -> str:
        """The part of the address that its owner cannot change at will: IPv4 address, or 64 bits of IPv6."""
        try:
            address = ip_address(self.address.partition("%")[0])
        except ValueError:
            return self.address
        if isinstance(address, IPv6Address):
            return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))
        return str(address)


@dataclass(frozen=True, slots=True)
class SignInService:
    """Signs users in.

    Args:
        stores: the database.
        throttle: counts attempts.
        settings: the lifetime of sessions.
        keys: keys of one-time passwords.
    """

    stores: Stores
    throttle: Throttle
    settings: ServerSettings
    keys: OneTimeKeys

    def sign_in(
        self, name: str, password: str, code: str = "", *, visitor: Visitor, now: datetime | None = None
    ) -> tuple[str, Session]:
        """Sign a user in. Return the secret for the cookie, and the session.

        Args:
            name: name of the account, in any case.
            password: the typed password.
            code: one-time password or recovery code; empty if none was typed.
            visitor: origin of the request.
            now: the present time; None: the clock.

        Raises:
            OneTimeNeeded: the password is correct, and a code is required.
            SignInRefused: something is wrong.
            TooOften: there were too many attempts; nothing was checked.
            OneTimeKeyElsewhere, OneTimeKeyUnusable: one-time passwords cannot be checked on this machine.
        """
        now = now or utc_now()
        name = name.strip().casefold()
        attempt_key = f"{name} {visitor.network}"
        self.throttle.count(FROM_NETWORK, visitor.network)
        self.throttle.count(AT_ACCOUNT_FROM_NETWORK, attempt_key)
        self.throttle.count(AT_ACCOUNT, name)
        account = self.stores.accounts.find(name) if ACCOUNT_NAME.fullmatch(name) else None
        is_right = is_password(password, account.password if account else "")
        if account is None or not is_right or account.disabled is not None:
            raise self._record_refusal(account, visitor, now)
        if account.otp_secret:
            if not code.strip():
                self._record_event("sign-in-refused", account.name, visitor, now)
                raise OneTimeNeeded
            after = use_code(account, code, self.stores, self.keys, now)
            if after is None:
                raise self._record_refusal(account, visitor, now)
            account = after
        if is_outdated(account.password):
            with suppress(AccountChanged):
                self.stores.accounts.change(replace(account, password=rehash(password)))
        self.throttle.forget(AT_ACCOUNT_FROM_NETWORK, attempt_key)
        return self._open_session(account, visitor, now)

    def _record_refusal(self, account: Account | None, visitor: Visitor, now: datetime) -> SignInRefused:
        """Record a failed sign-in, but no unknown name: it may be a password in the wrong field."""
        self._record_event("sign-in-refused", account.name if account else "-", visitor, now)
        return SignInRefused()

    def _open_session(self, account: Account, visitor: Visitor, now: datetime) -> tuple[str, Session]:
        secret = secrets.token_urlsafe(32)
        session = Session(
            id=digest_of(secret),
            account=account.name,
            address=visitor.address,
            agent=visitor.agent[:_MAX_AGENT_CHARS],
            started=now,
            seen=now,
            ends=now + timedelta(hours=self.settings.session_hours),
            generation=account.session_generation,
        )
        self.stores.sessions.delete_expired(now)
        self.stores.sessions.add(session)
        self._record_event("signed-in", account.name, visitor, now)
        return secret, session

    def _record_event(self, kind: EventKind, name: str, visitor: Visitor, now: datetime) -> None:
        detail = {"address": visitor.address}
        record(self.stores, kind, by=name, at=now, subject=f"account {name}", detail=detail)


def use_code(account: Account, code: str, stores: Stores, keys: OneTimeKeys, now: datetime) -> Account | None:
    """Return the account after using up a code; None if the code is wrong.

    Recovery codes need no key. If the secret is stored unencrypted, a one-time password encrypts it, if this
    machine can.

    Args:
        account: the account as it was read.
        code: the typed one-time password or recovery code.
        stores: the database.
        keys: keys of one-time passwords.
        now: the present time.

    Raises:
        OneTimeKeyElsewhere, OneTimeKeyUnusable: one-time passwords cannot be checked on this machine.
    """
    code = code[:_MAX_CODE_CHARS]
    digest = recovery_digest(code)
    if digest in account.recovery:
        changed = replace(account, recovery=tuple(stored for stored in account.recovery if stored != digest))
    else:
        secret = keys.decrypt(account)
        step = accepted_step(secret, code, after=account.otp_step, now=now)
        if step is None:
            return None
        changed = replace(account, otp_step=step, otp_secret=_encrypted_secret(account, secret, keys))
    try:
        return stores.accounts.change(changed)
    except AccountChanged:  # another sign-in used the same code at the same time
        return None


def _encrypted_secret(account: Account, secret: str, keys: OneTimeKeys) -> str:
    """Return the stored form of a secret; unchanged if this machine cannot encrypt it."""
    if secret != account.otp_secret:
        return account.otp_secret
    try:
        return keys.encrypt(account.name, secret)
    except (OneTimeKeyElsewhere, OneTimeKeyUnusable) as error:
        log.warning("the one-time secret of %s stays unencrypted: %s", account.name, error)
        return secret


def session_identity(
    stores: Stores,
    settings: ServerSettings,
    secret: str,
    *,
    is_use: bool = True,
    now: datetime | None = None,
) -> tuple[Session, Identity] | None:
    """Return the session of a cookie and its identity; None if it is not valid.

    Args:
        stores: the database.
        settings: the lifetime of sessions.
        secret: secret of the cookie.
        is_use: a user acts; automatic refreshes of a page do not keep a session alive.
        now: the present time; None: the clock.
    """
    now = now or utc_now()
    session = stores.sessions.find(digest_of(secret))
    if session is None:
        return None
    account = stores.accounts.find(session.account)
    if account is None or not _is_valid(session, account, settings, now):
        stores.sessions.end(session.id)
        return None
    if is_use and now - session.seen >= _SEEN_EVERY:
        stores.sessions.record_use(session.id, now)
    return session, identity_of(account)


def _is_valid(session: Session, account: Account, settings: ServerSettings, now: datetime) -> bool:
    """Return whether a session can be used.

    After a clock was set back, a session that begins in the future is not valid.
    """
    unused = now - session.seen
    return (
        -_CLOCKS_APART <= unused < timedelta(minutes=settings.idle_minutes)
        and now < session.ends
        and account.disabled is None
        and session.generation == account.session_generation
    )


def sign_out(stores: Stores, session: Session, *, now: datetime | None = None) -> None:
    """End a session."""
    stores.sessions.end(session.id)
    at = now or utc_now()
    record(stores, "signed-out", by=session.account, at=at, subject=f"account {session.account}")


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a random secret in hexadecimal; it needs no salt."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
