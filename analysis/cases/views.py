"""Cases with values that depend on settings, works and the present time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from analysis.cases.deadlines import deadline_of, is_overdue
from analysis.cases.priority import Priority, priority_of
from storage.collections.stores import Stores
from storage.records import IDLE_STATES, Case
from storage.settings.results import AnalysisSettings
from system.batches import batched

_BATCH = 200  # number of cases in memory at once


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case with values that depend on settings, its work and the present time.

    Attributes:
        deadline: when action is due; None: no action is needed.
        holder: rights holder of the work; empty if unknown.
    """

    case: Case
    priority: Priority
    deadline: datetime | None
    is_overdue: bool
    holder: str


def views(
    cases: Iterable[Case], stores: Stores, settings: AnalysisSettings, *, now: datetime
) -> Iterator[CaseView]:
    """Yield cases with priority, deadline and holder, a few hundred at a time.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    for batch in batched(cases, _BATCH):
        works = stores.works.get_many({case.work_id for case in batch})
        pursued = stores.cases.count_pursued({case.site for case in batch})
        for case in batch:
            other_cases = max(0, pursued[case.site] - (case.state not in IDLE_STATES))
            rank = settings.cases.traffic_ranks.get(case.site)
            work = works.get(case.work_id)
            yield CaseView(
                case,
                priority=priority_of(case, work, other_cases=other_cases, rank=rank),
                deadline=deadline_of(case, settings),
                is_overdue=is_overdue(case, settings, now=now),
                holder=work.holder or "" if work else "",
            )
