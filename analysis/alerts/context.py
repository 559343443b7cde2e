"""What producers of alerts look at, and what they hand on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.collections.stores import Stores
from storage.records import Case, Occasion, OccasionKind
from storage.settings.results import AnalysisSettings
from system.errors import UnknownId
from system.messages import Message

OVERLAP = timedelta(hours=1)  # what has a time may be stored so much later than it says
CHECK_EVERY = timedelta(minutes=10)  # and so long something must be wrong, for an index mends itself

Check = Callable[[], Message | None]


class Batch(NamedTuple):
    """Occasions, and what notes that they were taken."""

    occasions: Sequence[Occasion]
    finish: Callable[[], None]


@dataclass(frozen=True, slots=True)
class AlertContext:
    """What producers look at.

    Attributes:
        stores: the database.
        now: the present.
        settings: of results and what follows from them.
        checks: return what is wrong with the installation, None where nothing is.
        cases: those that were met, by number.
    """

    stores: Stores
    now: datetime
    settings: AnalysisSettings
    checks: Mapping[OccasionKind, Check]
    cases: dict[int, Case | None] = field(default_factory=dict)

    def case(self, number: int) -> Case | None:
        """Return the case of a number, None if there is none."""
        if number not in self.cases:
            try:
                self.cases[number] = self.stores.cases.get(f"c{number}")
            except UnknownId:
                self.cases[number] = None
        return self.cases[number]


def holders_of(cases: Sequence[Case], context: AlertContext) -> dict[int, str]:
    """Return the rights holders of the works of some cases, by work."""
    works = context.stores.works.get_many({case.work_id for case in cases})
    return {work.id: work.holder or "" for work in works.values()}


def about(case: Case, holders: Mapping[int, str]) -> Occasion:
    """Return an occasion that is about a case, of which all else is still to be said."""
    return Occasion(
        id=case.name,
        kind="new-copy",
        at=case.last_seen,
        work_id=case.work_id,
        work=case.work_title,
        holder=holders.get(case.work_id, ""),
        site=case.site,
        verdict=case.verdict,
        copied_chars=case.copied_chars,
        case=case.name,
        state=case.state,
    )


def is_time(last: datetime | None, now: datetime) -> bool:
    """Return whether something that was looked at last at a moment is to be looked at again.

    A moment that is still to come was noted before the clock was put back.
    """
    return last is None or last > now or now - last >= CHECK_EVERY


def since(last: datetime, now: datetime) -> datetime:
    """Return from when on records are read that were read last at a moment, which the clock may have left."""
    return min(last, now) - OVERLAP
