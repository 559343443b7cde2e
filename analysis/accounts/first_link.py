"""A one-time link that creates the first administrator.

``pindna serve`` prints the link for the person who started it. The secret is random (256 bits). Only the
serving process keeps its digest, so a restart creates another link. The link ends after half an hour, after
its first use, and as soon as an administrator can sign in.
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
    """The secret is wrong, used or too old, or an administrator exists."""

    template = (
        "This link is no longer valid. Sign in. If there is no administrator yet, restart `pindna"
        " serve` to get a new link."
    )


class FirstLink:
    """A one-time link that creates the first administrator.

    Args:
        door: signs the administrator in.
        secret: secret of the link; only its digest is stored.
        now: the present time; None: the clock.
    """

    def __init__(self, door: SignInService, secret: str, *, now: datetime | None = None) -> None:
        self._door = door
        self._digest = digest_of(secret)
        self._made = now or utc_now()
        self._lock = Lock()

    def is_open(self, secret: str, *, now: datetime | None = None) -> bool:
        """Return whether a secret can create an administrator now.

        Args:
            secret: secret of the followed link.
            now: the present time; None: the clock.
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
        """Create the first administrator and sign them in. Of concurrent claims, one succeeds.

        Args:
            secret: secret of the followed link.
            name: name of the account.
            password: the typed password.
            visitor: origin of the request.
            now: the present time; None: the clock.

        Returns:
            The secret for the cookie and the session, as :meth:`SignInService.sign_in` does.

        Raises:
            FirstLinkEnded: the link is no longer valid.
            BadAccountName, BadPassword, WeakPassword, KnownAccount: choose others; the link stays valid.
            TooOften: the account exists; sign in later.
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
