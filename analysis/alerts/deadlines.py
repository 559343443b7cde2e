"""Find cases with a near deadline."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from analysis.alerts.context import AlertContext, Batch, case_occasion, holders_of, is_due, since
from analysis.cases.deadlines import days_of_states, deadline_of
from storage.records import Case

_DEADLINES = "deadlines"
_MISSED = timedelta(days=30)  # for new rules, ignore deadlines older than this


def deadline_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield the cases with a near deadline, set by a user or by the settings."""
    outbox = context.stores.outbox
    last = outbox.moment(_DEADLINES)
    if not is_due(last, context.now):
        return
    cases = list(
        _near_deadlines(context, context.now - _MISSED if last is None else since(last, context.now))
    )
    holders = holders_of([case for case, _ in cases], context)
    occasions = [
        replace(
            case_occasion(case, holders),
            id=f"deadline-near:{case.name}:{deadline.isoformat()}",
            kind="deadline-near",
            at=context.now,
            deadline=deadline,
        )
        for case, deadline in cases
    ]
    yield Batch(occasions, partial(outbox.set_moment, _DEADLINES, context.now))


def _near_deadlines(context: AlertContext, begin: datetime) -> Iterator[tuple[Case, datetime]]:
    """Yield cases with near deadlines: all set by users, and those from the settings that just came near."""
    stores = context.stores
    ahead = timedelta(days=context.settings.alerts.deadline_days)
    for case in stores.cases.with_deadline(context.now - _MISSED, context.now + ahead):
        if case.deadline is not None:
            yield case, case.deadline
    for state, days in days_of_states(context.settings).items():
        if not days:
            continue
        # time from the start of the state until the deadline counts as near
        far = max(timedelta(), timedelta(days=days) - ahead)
        for case in stores.cases.in_state_since(state, begin - far, context.now - far):
            deadline = deadline_of(case, context.settings)
            if deadline is not None and case.deadline is None:
                yield case, deadline
