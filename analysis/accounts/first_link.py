"""The first administrator, who is made through a one-time link while there is none.

``pindna serve`` prints the link for whoever started it. The secret is random (256 bits); the serving process
keeps its digest and nothing else does, so a restart makes another one. It ends after half an hour, with its
first use, and as soon as an administrator can sign in.
"""

import hmac
import secrets
from datetime import datetime, timedelta
from threading import Lock

from analysis.accounts.managing import Manager
from analysis.accounts.passwords import MAX_CHARS, MIN_CHARS, BadPassword
from analysis.accounts.signing_in import SignInService, Visitor, digest_of
from storage.records import SYSTEM, Session, utc_now
from system.errors import PindnaError

LASTS = timedelta(minutes=30)


class FirstLinkEnded(PindnaError):
    """The secret is none, was used or is too old, or there is an administrator already."""

    template = (
        "This link has ended. Sign in, or start `pindna serve` again: "
        "it prints another one while there is no administrator."
    )


class FirstLink:
    """A link through which the first administrator is made, once.

    Args:
        door: through which the administrator is signed in.
        secret: of the link; only its digest is kept.
        now: the present time; None: the clock's.
    """

    def __init__(self, door: SignInService, secret: str, *, now: datetime | None = None) -> None:
        self._door = door
        self._digest = digest_of(secret)
        self._made = now or utc_now()
        self._lock = Lock()

    def is_open(self, secret: str, *, now: datetime | None = None) -> bool:
        """Return whether a secret makes an administrator now.

        Args:
            secret: of the link that was followed.
            now: the present time; None: the clock's.
        """
        age = (now or utc_now()) - self._made
        return (
            hmac.compare_digest(self._digest, digest_of(secret))
            and timedelta() <= age < LASTS
            and not self._door.stores.accounts.has_administrator()
        )

    def claim(
        self, secret: str, name: str, password: str, *, visitor: Visitor, now: datetime | None = None
    ) -> tuple[str, Session]:
        """Make the first administrator and sign them in; of claims at once one wins.

        Args:
            secret: of the link that was followed.
            name: of the account.
            password: as it was typed.
            visitor: who claims.
            now: the present time; None: the clock's.

        Returns:
            The secret for the cookie and the session, as :meth:`SignInService.sign_in` does.

        Raises:
            FirstLinkEnded: the link makes no administrator any more.
            BadAccountName, BadPassword, WeakPassword, KnownAccount: the link goes on; choose others.
            TooOften: the account is made; sign in later.
        """
        with self._lock:
            if not self.is_open(secret, now=now):
                raise FirstLinkEnded
            if not password:
                raise BadPassword(least=MIN_CHARS, most=MAX_CHARS)
            manager = Manager(self._door.stores, SYSTEM, now)
            manager.add(name, role="administrator", password=password)
            self._digest = ""
        return self._door.sign_in(name, password, visitor=visitor, now=now)


def first_link(door: SignInService) -> tuple[FirstLink, str] | None:
    """Return a link for the first administrator and its secret; None if an administrator can sign in."""
    if door.stores.accounts.has_administrator():
        return None
    secret = secrets.token_urlsafe(32)
    return FirstLink(door, secret), secret
