"""Statistics that were counted already: for as long as nothing was found, decided, sent or answered since.

The figures of everything are the same for all who see everything, so they are counted once for them, by the
first who asks; the others wait for that. Rights holders' are counted each time: whose a work is decides what
they see, from one moment to the next.
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

MAX_AGE_S = 600.0  # no number changes when an address disappears


@dataclass(frozen=True, slots=True)
class _Counted:
    """Figures; of which profiles and numbers they are, and since when."""

    figures: Figures
    numbers: Mapping[str, Any]
    profiles: Mapping[str, Profile]
    at: float


class RecentFigures:
    """The figures of everything, as they were counted last.

    Args:
        zone: whose days are counted.
        clock: seconds of a clock that is never set back.
    """

    def __init__(self, zone: tzinfo, clock: Callable[[], float] = time.monotonic) -> None:
        self._zone, self._clock = zone, clock
        self._lock = threading.Lock()
        self._last: _Counted | None = None

    def figures_of(self, identity: Identity, stores: Stores, *, profiles: Mapping[str, Profile]) -> Figures:
        """Return what :func:`analysis.queries.statistics.figures_of` returns, counted again where necessary.

        Raises:
            NotPermitted: matches and cases are not this one's to read.
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
            self._last = _Counted(figures, numbers, profiles, now)
            return figures
