"""Collect the events, notices and watches of cases, for the files of repeat offenders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from storage.collections.stores import Stores
from storage.records import Case, Event, Notice, Watch


@dataclass(slots=True)
class CaseFile:
    """The events, notices and watches of one case.

    Attributes:
        events: events of the case, the oldest first.
        notices: notices about the case, in no particular order.
        watches: watches of its addresses.
    """

    events: list[Event] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)


def case_files(cases: Iterable[Case], stores: Stores) -> Mapping[int, CaseFile]:
    """Return number of the case → its events, notices and watches.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    files = {case.number: CaseFile() for case in cases if case.number}
    numbers: Sequence[int] = list(files)
    for event in sorted(stores.events.of_cases(numbers), key=lambda event: event.number):
        files[event.case].events.append(event)
    for notice in stores.notices.of_cases(numbers):
        for number in files.keys() & {case.number for case in notice.cases}:
            files[number].notices.append(notice)
    for watch in stores.watches.of_cases(numbers):
        for number in files.keys() & set(watch.cases):
            files[number].watches.append(watch)
    return files
