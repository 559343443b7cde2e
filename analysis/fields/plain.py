"""The fields of a record as JSON has them, under their names or others."""

from collections.abc import Set as AbstractSet
from datetime import datetime

from storage.records import ClaimedDate

# The name of a field, or the name that JSON has and the field's.
FieldName = str | tuple[str, str]


def plain_fields(record: object, *names: FieldName) -> dict[str, object]:
    """Return some fields of a record, in the order of their names.

    >>> plain_fields(datetime(2026, 11, 27), "year", ("number", "month"))
    {'year': 2026, 'number': 11}

    Args:
        record: has the fields as attributes; None: each of its fields is null.
        names: of the fields.
    """
    pairs = ((name, name) if isinstance(name, str) else name for name in names)
    return {shown: None if record is None else plain(getattr(record, field)) for shown, field in pairs}


def plain(value: object) -> object:
    """Return a value as JSON has it: moments and dates as ISO 8601 writes them, tuples and sets as lists."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, ClaimedDate):
        return value.iso()
    if isinstance(value, AbstractSet):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
