"""Collection ``rejudgings``: works whose stored matches wait for new verdicts after a change of a licence.

A row stays until every page with such a match was compared with the corpus version of the change or a later
one. So a killed process or a lost message delays the verdicts and loses none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudging:
    """A request to judge the matches of a book on a site again.

    Attributes:
        work_id: the book.
        site: a host or a pattern, as in the licence.
        version: pages compared with an older version of the corpus are compared again.
        at: time of the change.
    """

    work_id: int
    site: str
    version: int
    at: datetime

    @property
    def id(self) -> str:
        """The key of its row."""
        return f"{self.work_id}:{self.site}"


class RejudgingStore:
    """Requests by work and site. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._rows = database["rejudgings"]
        self._now = database.now

    def request(self, work_id: int, site: str, *, version: int) -> None:
        """Store a request, or extend an earlier one for the same work and site.

        Of two requests at the same time, the newer version counts, whichever is stored last.
        """
        fields: Document = {"work_id": work_id, "site": site, "at": self._now()}
        update: Document = {"$set": fields, "$max": {"version": version}}
        self._rows.update_one({"_id": f"{work_id}:{site}"}, update, upsert=True)

    def all(self) -> Iterator[Rejudging]:
        """Yield the requests; they are few."""
        for row in self._rows.find({}):
            yield Rejudging(work_id=row["work_id"], site=row["site"], version=row["version"], at=row["at"])

    def end(self, rejudging: Rejudging) -> None:
        """Delete a request, unless a newer one replaced it."""
        self._rows.delete_one({"_id": rejudging.id, "version": rejudging.version})
