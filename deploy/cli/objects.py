"""Conversion of records to the JSON objects that commands print."""

from collections.abc import Mapping
from datetime import datetime

from storage.records import ClaimedDate


def object_of(record: object, names: str, **more: object) -> dict[str, object]:
    """Return fields of a record as a JSON object, in order.

    Args:
        record: a dataclass.
        names: of the fields; ``work=work_title`` prints a field under another name.
        more: what follows from more than one field; a name among ``names`` puts it there, the rest follows.
    """
    fields: dict[str, object] = {}
    for name in names.split():
        shown, _, attribute = name.partition("=")
        fields[shown] = more.pop(shown) if shown in more else getattr(record, attribute or shown)
    return {name: plain(value) for name, value in {**fields, **more}.items()}


def plain(value: object) -> object:
    """Convert a value for JSON: moments and dates become text, tuples become lists.

    >>> plain((datetime(2026, 3, 1), None))
    ['2026-03-01T00:00:00', None]
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, ClaimedDate):
        return value.iso()
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
