"""Words for what happened: what an event is about."""

from collections.abc import Callable
from datetime import datetime

from storage.records import Event


def about(event: Event, moment: Callable[[datetime], str]) -> str:
    """Return what an event is about: a thing, a person, or a deadline; empty: nothing more than its case.

    Args:
        event: something that was done or seen.
        moment: how a moment is written.
    """
    deadline = event.detail.get("deadline")
    day = moment(datetime.fromisoformat(deadline)) if deadline else ""
    return event.subject or event.detail.get("assignee") or day
