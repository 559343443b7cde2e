"""The last filters of each user in each list, in memory: a restart of the console forgets them."""

from collections import OrderedDict
from collections.abc import Mapping

_MOST = 2_000  # lists of users; the longest unused one is forgotten


class RecentFilters:
    """The last filters by user and page."""

    def __init__(self) -> None:
        self._filters: OrderedDict[tuple[str, str], dict[str, str]] = OrderedDict()

    def keep(self, user: str, path: str, filters: Mapping[str, str]) -> None:
        """Remember the filters of a list; nothing changes if there are none."""
        applied = {name: value for name, value in filters.items() if value}
        if not applied:
            return
        self._filters[user, path] = applied
        self._filters.move_to_end((user, path))
        if len(self._filters) > _MOST:
            self._filters.popitem(last=False)

    def of(self, user: str, path: str) -> Mapping[str, str]:
        """Return the last filters of a list; empty if there were none."""
        return self._filters.get((user, path), {})
