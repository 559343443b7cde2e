"""Which deadlines of cases have come near."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from analysis.alerts.sight import OVERLAP, Batch, Sight, about, holders_of, is_time
from analysis.cases.deadlines import deadline_of
from storage.records import CASE_STATES, Case, CaseState

_DEADLINES = "deadlines"
_MISSED = timedelta(days=30)  # deadlines before that are old news where rules are new


def deadline_batches(sight: Sight) -> Iterator[Batch]:
    """Yield the cases whose deadline has come near, by a person's word or by the days of the settings."""
    outbox = sight.stores.outbox
    last = outbox.moment(_DEADLINES)
    if not is_time(last, sight.now):
        return
    cases = list(_near(sight, sight.now - _MISSED if last is None else last - OVERLAP))
    holders = holders_of([case for case, _ in cases], sight)
    occasions = [
        replace(
            about(case, holders),
            id=f"deadline-near:{case.name}:{deadline.isoformat()}",
            kind="deadline-near",
            at=sight.now,
            deadline=deadline,
        )
        for case, deadline in cases
    ]
    yield Batch(occasions, partial(outbox.set_moment, _DEADLINES, sight.now))


def _near(sight: Sight, since: datetime) -> Iterator[tuple[Case, datetime]]:
    """Yield cases with their deadlines: all near ones that people set, and others that came near since."""
    stores = sight.stores
    ahead = timedelta(days=sight.settings.alerts.deadline_days)
    for case in stores.cases.with_deadline(sight.now - _MISSED, sight.now + ahead):
        if case.deadline is not None:
            yield case, case.deadline
    for state in CASE_STATES:
        lasts = _lasts(state, sight)
        if lasts is None:
            continue
        far = max(timedelta(), lasts - ahead)  # from its beginning until its end is near
        for case in stores.cases.in_state_since(state, since - far, sight.now - far):
            if case.deadline is None:
                yield case, (case.since or sight.now) + lasts


def _lasts(state: CaseState, sight: Sight) -> timedelta | None:
    """Return how long any case may be in a state by the settings, None: for ever."""
    any_case = Case(
        id="",
        work_id=0,
        work_title="",
        site="",
        verdict="copy",
        pages=0,
        passages=0,
        copied_chars=0,
        first_seen=sight.now,
        last_seen=sight.now,
        state=state,
        since=sight.now,
    )
    end = deadline_of(any_case, sight.settings.cases)
    return None if end is None else end - sight.now
