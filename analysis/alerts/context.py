"""The input and output of alert producers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.collections.stores import Stores
from storage.records import Case, Occasion, OccasionKind
from storage.settings.results import AnalysisSettings
from system.errors import UnknownId
from system.messages import Message

OVERLAP = timedelta(hours=1)  # a record may be stored this much later than its time
CHECK_EVERY = timedelta(minutes=10)  # a problem must also last this long, because an index repairs itself

Check = Callable[[], Message | None]


class Batch(NamedTuple):
    """Occasions, and the function that marks them as read."""

    occasions: Sequence[Occasion]
    finish: Callable[[], None]


@dataclass(frozen=True, slots=True)
class AlertContext:
    """The input of producers.

    Attributes:
        stores: the database.
        now: the present time.
        settings: settings of results and their consequences.
        checks: each returns the problem of the installation, or None.
        cases: cache of cases, by number.
    """

    stores: Stores
    now: datetime
    settings: AnalysisSettings
    checks: Mapping[OccasionKind, Check]
    cases: dict[int, Case | None] = field(default_factory=dict)

    def case(self, number: int) -> Case | None:
        """Return a case by number; None if there is none."""
        if number not in self.cases:
            try:
                self.cases[number] = self.stores.cases.get(f"c{number}")
            except UnknownId:
                self.cases[number] = None
        return self.cases[number]


def holders_of(cases: Sequence[Case], context: AlertContext) -> dict[int, str]:
    """Return the rights holders of the works of cases, by work."""
    works = context.stores.works.get_many({case.work_id for case in cases})
    return {work.id: work.holder or "" for work in works.values()}


def case_occasion(case: Case, holders: Mapping[int, str]) -> Occasion:
    """Return an occasion with the fields of a case; the caller sets kind, id and time."""
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


def is_due(last: datetime | None, now: datetime) -> bool:
    """Return whether a check is due again after its last run.

    A last run in the future was recorded before the clock was set back.
    """
    return last is None or last > now or now - last >= CHECK_EVERY


def since(last: datetime, now: datetime) -> datetime:
    """Return the time from which to read records. A last reading in the future counts as now."""
    return min(last, now) - OVERLAP
