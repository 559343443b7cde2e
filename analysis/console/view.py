"""One page in a user's browser: identity, language, and access to the database."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from fastapi import Request
from nicegui import Client, ui

from analysis.accounts.own_account import OwnAccount
from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import session_identity
from analysis.console.installation import Installation
from analysis.console.plain import language_of_request
from analysis.words.i18n import translator
from analysis.words.labels import Code, word
from analysis.words.visible import one_line
from storage.collections.stores import Stores
from storage.records import ClaimedDate, Permission, Session, moment_text
from system.bugs import record_bug
from system.errors import PindnaError, ServiceDown
from system.messages import N_
from tracker.runtime import Runtime

logger = logging.getLogger(__name__)

_TITLE_CHARS = 200
# a context variable, so it is also set in the threads that a page uses
_IS_USE: ContextVar[bool] = ContextVar("_IS_USE", default=True)

P = ParamSpec("P")
T = TypeVar("T")


class SignedOut(PindnaError):
    """The session ended while its page was open."""

    template = N_("Your session has ended. Sign in again.")


class View:
    """A page that is open in a browser.

    Args:
        installation: the services.
        request: that the page was asked for with; the gate has noted whose session it is.
        client: the page.
    """

    def __init__(self, installation: Installation, request: Request, client: Client) -> None:
        self.installation = installation
        self.client = client
        self.identity: Identity = request.state.identity
        language = self.identity.account.language
        self.texts = translator(language, "console") if language else language_of_request(request.headers)
        self.gettext = self.texts.gettext
        self.ngettext = self.texts.ngettext
        self.session: Session = request.state.session
        self._secret: str = request.state.secret
        self.heading: ui.label | None = None

    async def read(
        self, query: Callable[Concatenate[Identity, Stores, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function of ``analysis.queries`` in another thread, and return its result.

        Raises:
            SignedOut: the session has ended.
            PindnaError: the query's.
        """

        def ask() -> T:
            return query(self._renewed(), self.installation.stores, *args, **kwargs)

        return await asyncio.to_thread(ask)

    async def act(
        self, act: Callable[Concatenate[Identity, Runtime, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function of ``analysis.actions`` in another thread, and return its result.

        Raises:
            SignedOut: the session has ended.
            PindnaError: the act's.
        """

        def do() -> T:
            return act(self._renewed(), self.installation.runtime, *args, **kwargs)

        return await asyncio.to_thread(do)

    @property
    def own_account(self) -> OwnAccount:
        """Return an object that changes the account of the session, in its last known state."""
        installation = self.installation
        return OwnAccount(
            installation.stores,
            installation.throttle,
            installation.settings,
            self.session,
            installation.one_time_keys,
        )

    @contextmanager
    def by_itself(self) -> Iterator[None]:
        """Mark actions of the page itself, so that an unused session still ends."""
        token = _IS_USE.set(False)
        try:
            yield
        finally:
            _IS_USE.reset(token)

    def may(self, permission: Permission) -> bool:
        """Return whether to show a control. Its action checks the permission again."""
        return permission in self.identity.permissions

    def word(self, table: Mapping[Code, str], code: Code) -> str:
        """Return the words for a code, from a table of :mod:`analysis.words.labels`."""
        return word(self.texts, table, code)

    def moment(self, moment: datetime | ClaimedDate | None) -> str:
        """Return a time with minutes, a claimed date with its own precision, or a dash for None."""
        if moment is None:
            return "–"
        if isinstance(moment, ClaimedDate):
            return str(moment)
        return moment_text(moment, self.installation.zone)

    def entitle(self, title: str) -> None:
        """Set the title of the page, in its heading and in the browser's tab.

        Args:
            title: it may contain foreign text.
        """
        line = one_line(title[:_TITLE_CHARS])
        self.client.title = f"{line} · pindna"
        if self.heading is not None:
            self.heading.set_text(line)

    def report(self, problem: Exception) -> None:
        """Show an error in the page; if the session has ended, open the sign-in page."""
        if isinstance(problem, asyncio.CancelledError):
            raise problem
        if is_slow_browser(problem):
            return
        error = problem if isinstance(problem, PindnaError) else record_bug(problem)
        with self.client:
            if isinstance(error, SignedOut):
                ui.navigate.reload()  # the gate redirects to the sign-in page, which leads back here
                return
            is_down = isinstance(error, ServiceDown)
            ui.notify(self.texts.error(error), type="warning" if is_down else "negative", multi_line=True)

    def _renewed(self) -> Identity:
        installation = self.installation
        identity = session_identity(
            installation.stores, installation.settings, self._secret, is_use=_IS_USE.get()
        )
        if identity is None:
            raise SignedOut
        self.session, self.identity = identity
        return self.identity


def is_slow_browser(problem: Exception) -> bool:
    """Return whether the error means that a browser did not answer NiceGUI in time.

    NiceGUI asks each browser whether its drawer is open. pindna never waits for an answer of a browser, and
    the drawer works without it.
    """
    return isinstance(problem, TimeoutError) and str(problem).startswith("JavaScript did not respond")
