"""Cached statistics, which are valid until the next match, decision, notice or reply.

The figures of all works are the same for all users who see all works. So the first request computes them, and
concurrent requests wait for the result. The figures of rights holders are computed at each request, because
the works that they see may change at any time.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from analysis.accounts.permissions import Identity
from analysis.queries.statistics import Figures, figures_of
from storage.collections.stores import Stores
from tracker.judgement.profiles import Profile

MAX_AGE_S = 600.0  # needed because no counter changes if an address disappears


@dataclass(frozen=True, slots=True)
class _CachedFigures:
    """Cached figures, with the profiles and counters that they are valid for, and their time."""

    figures: Figures
    numbers: Mapping[str, Any]
    profiles: Mapping[str, Profile]
    at: float


class RecentFigures:
    """The cache of the figures of all works.

    Args:
        zone: time zone whose days are counted.
        clock: function that returns the seconds of a monotonic clock.
    """

    def __init__(self, zone: tzinfo, clock: Callable[[], float] = time.monotonic) -> None:
        self._zone, self._clock = zone, clock
        self._lock = threading.Lock()
        self._last: _CachedFigures | None = None

    def figures_of(self, identity: Identity, stores: Stores, *, profiles: Mapping[str, Profile]) -> Figures:
        """Return the result of :func:`analysis.queries.statistics.figures_of`, from the cache if it is valid.

        Raises:
            NotPermitted: the user may not read matches and cases.
        """
        if not identity.sees_everything:
            return figures_of(identity, stores, zone=self._zone, profiles=profiles)
        identity.require("matches:read")
        identity.require("cases:read")
        with self._lock:
            numbers, now = stores.lists.numbers(), self._clock()
            last = self._last
            if last and last.numbers == numbers and last.profiles == profiles and now < last.at + MAX_AGE_S:
                return last.figures
            figures = figures_of(identity, stores, zone=self._zone, profiles=profiles)
            self._last = _CachedFigures(figures, numbers, profiles, now)
            return figures
