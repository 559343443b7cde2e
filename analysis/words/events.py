"""Descriptions of the subjects of events."""

from collections.abc import Callable
from datetime import datetime

from storage.records import Event


def about(event: Event, moment: Callable[[datetime], str]) -> str:
    """Return the subject of an event: a record, a user or a deadline; empty if it is only about its case.

    Args:
        event: something that was done or seen.
        moment: how a moment is written.
    """
    deadline = event.detail.get("deadline")
    day = moment(datetime.fromisoformat(deadline)) if deadline else ""
    return event.subject or event.detail.get("assignee") or day
