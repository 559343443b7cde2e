"""Cases in tests."""

from storage.collections.stores import Stores
from storage.records import Case


def live_cases(stores: Stores) -> list[Case]:
    """Return the cases that are not closed, the gravest first."""
    return [case for case in stores.cases.listed() if case.state != "closed"]
