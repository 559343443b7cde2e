"""Pages that a try of a source fetched, for the frames in which who tried it looks at them.

They are kept in memory only, few at a time, each under an unguessable name and for one account. What
is kept is a page with nothing in it that acts (:mod:`crawler.extraction.inert`).
"""

import secrets
import threading
from collections import OrderedDict

_MAX_PAGES = 60  # of all accounts together; the eldest go first
_MAX_CHARS = 20_000_000


class TrialPages:
    """Pages by name; for any thread."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, account: str, page: str) -> str:
        """Keep a page for an account; returns its name."""
        name = secrets.token_urlsafe(24)
        with self._lock:
            self._pages[name] = account, page
            while len(self._pages) > _MAX_PAGES or self._chars() > _MAX_CHARS:
                self._pages.popitem(last=False)
        return name

    def get(self, account: str, name: str) -> str | None:
        """Return a page; None when it is gone, or another account's."""
        with self._lock:
            kept = self._pages.get(name)
        return kept[1] if kept is not None and kept[0] == account else None

    def _chars(self) -> int:
        return sum(len(page) for _, page in self._pages.values())
