"""Lists that users sort by a click on the title of a column. The address of the page contains the order."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from analysis.console.parts.lists import address
from analysis.console.parts.tables import Column


@dataclass(frozen=True, slots=True)
class Sorting:
    """How a list is sorted now, and the orders to which the titles of its columns lead.

    Attributes:
        path: of the page.
        filters: of the list; ``order`` is the present order.
        orders: name of a field → its ascending and its descending order.
        descending_first: fields whose first click sorts in descending order, such as numbers.
    """

    path: str
    filters: Mapping[str, str]
    orders: Mapping[str, tuple[str, str]]
    descending_first: frozenset[str] = frozenset()

    def applied_to(self, name: str, column: Column) -> Column:
        """Return the column of a field, with the link that sorts by it."""
        if name not in self.orders:
            return column
        ascending, descending = self.orders[name]
        present = self.filters.get("order", "")
        first, second = (descending, ascending) if name in self.descending_first else (ascending, descending)
        target = address(self.path, {**self.filters, "order": second if present == first else first})
        if present not in {ascending, descending}:
            return replace(column, target=target)
        return replace(column, target=target, sorted="ascending" if present == ascending else "descending")
