"""Pages fetched by trials of sources, for display in frames.

A few pages are kept in memory only. Each has an unguessable name and is visible to one account. Active
content was removed from the pages (:mod:`crawler.extraction.inert`).
"""

import secrets
import threading
from collections import OrderedDict

_MAX_PAGES = 60  # maximum number for all accounts together; the oldest pages are dropped first
_MAX_CHARS = 20_000_000


class TrialPages:
    """Pages by name; safe for threads."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, account: str, page: str) -> str:
        """Store a page for an account. Return its name."""
        name = secrets.token_urlsafe(24)
        with self._lock:
            self._pages[name] = account, page
            while len(self._pages) > _MAX_PAGES or self._chars() > _MAX_CHARS:
                self._pages.popitem(last=False)
        return name

    def get(self, account: str, name: str) -> str | None:
        """Return a page; None if it was dropped or belongs to another account."""
        with self._lock:
            kept = self._pages.get(name)
        return kept[1] if kept is not None and kept[0] == account else None

    def _chars(self) -> int:
        return sum(len(page) for _, page in self._pages.values())
