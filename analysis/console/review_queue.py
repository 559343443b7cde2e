"""The matches under review, in their order. Decided matches keep their positions. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from analysis.queries.review import Standing
from storage.records import Match, ReviewState, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """A match in the queue.

    Attributes:
        id, name: of the match.
        title: of the page; its address where it has none.
        site, work, verdict, characters: of the match.
        review: what is decided about it.
        by: another user who has it open; empty: no other user.
        is_licensed: a licence was granted since it was judged, so it is being judged again.
    """

    id: str
    name: str
    title: str
    site: str
    work: str
    verdict: Verdict
    characters: int
    review: ReviewState
    by: str = ""
    is_licensed: bool = False

    @property
    def waits(self) -> bool:
        """Whether the match is undecided and can be decided now."""
        return not (self.review or self.by or self.is_licensed)


def row_of(match: Match) -> QueueRow:
    """Return a match as a row of the queue."""
    return QueueRow(
        id=match.id,
        name=match.name,
        title=match.page_title or match.url,
        site=match.site,
        work=match.work_title,
        verdict=match.verdict,
        characters=match.copied_chars,
        review=match.review,
    )


class ReviewQueue:
    """The rows of the queue, and the open row.

    Args:
        first: the find that is opened first; in its place in the queue, or before all others.
        rows: of the queue.
    """

    def __init__(self, first: QueueRow, rows: Iterable[QueueRow] = ()) -> None:
        self.rows: list[QueueRow] = []
        self.add(rows)
        if all(row.id != first.id for row in self.rows):
            self.rows.insert(0, first)
        self.open(first.id)

    def add(self, rows: Iterable[QueueRow]) -> int:
        """Add new rows at the end. Return the number of new rows."""
        queued = {row.id for row in self.rows}
        fresh = [row for row in rows if row.id not in queued]
        self.rows += fresh
        return len(fresh)

    @property
    def current(self) -> QueueRow:
        """The row that is open."""
        return self.rows[self.at]

    def open(self, match_id: str) -> None:
        """Open the row of a match that is in the queue."""
        self.at = next(index for index, row in enumerate(self.rows) if row.id == match_id)

    def neighbour(self, step: int) -> QueueRow | None:
        """Return the row ``step`` rows further (or back, if negative); None beyond an end."""
        index = self.at + step
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def next_waiting(self) -> QueueRow | None:
        """Return the next undecided row after the open one, else the first undecided row."""
        return next((row for row in self.rows[self.at + 1 :] + self.rows[: self.at] if row.waits), None)

    def note(self, standings: Mapping[str, Standing], *, me: str) -> bool:
        """Update the states of the rows. Return whether a state changed.

        Args:
            standings: by id; a row that is not among them is gone, and stays as it was.
            me: the user, whose own leases do not count.
        """
        before = list(self.rows)
        self.rows = [
            replace(row, review=now.review, by="" if now.by == me else now.by)
            if (now := standings.get(row.id))
            else row
            for row in before
        ]
        return self.rows != before

    def change(self, match_id: str, **fields: object) -> None:
        """Change fields of the row of a match."""
        self.rows = [replace(row, **fields) if row.id == match_id else row for row in self.rows]  # type: ignore[arg-type]
