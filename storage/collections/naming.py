"""Short names that people use for records: numbers from a counter, and prefixes of long ids.

``m12`` is the match with the number 12, ``c7`` the case with the number 7. A number is assigned when a record
is first stored, and never again. If two workers store one record at once, each takes a number, and one number
stays unused.
"""

import re
from collections.abc import Mapping

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from system.errors import PindnaError

MIN_PREFIX = 4  # minimum length of an id's prefix
_LAST = "\U0010ffff"
_DIGITS = re.compile("[0-9]{1,15}")
_NAMED = 5  # maximum number of ids that an error lists
_NEIGHBOURS = 500  # names before and after a mistyped name that are compared with it


class AmbiguousId(PindnaError):
    """Several records have an id with this prefix. Data: ``kind``, ``name``, ``ids``."""

    template = "Several ids start with {name}: {ids}. Enter more characters of the id."


def new_numbers(counters: CheckedCollection, counter: str, count: int) -> range:
    """Take new numbers from a named counter; numbers start at 1 and are never repeated.

    Args:
        counters: the collection of counters.
        counter: its name.
        count: how many; 0 sends no command.
    """
    if not count:
        return range(0)
    last = int(counters.update_or_insert({"_id": counter}, {"$inc": {"value": count}})["value"])
    return range(last - count + 1, last + 1)


def number_of(name: str, letter: str) -> int | None:
    """Return the number of a short name such as ``m12``; None for any other text.

    Args:
        name: the name as typed.
        letter: of the kind of record.

    >>> number_of("m12", "m"), number_of("M12", "m"), number_of("c7", "m"), number_of("m0", "m")
    (12, 12, None, None)
    """
    digits = name[1:]
    if name[:1].lower() != letter or not _DIGITS.fullmatch(digits):
        return None
    return int(digits) or None


def by_prefix(collection: CheckedCollection, name: str, *, kind: str) -> Document | None:
    """Return the only document whose id has this prefix; None if no id has it or it is too short.

    Raises:
        AmbiguousId: several ids start with it.
    """
    if len(name) < MIN_PREFIX:
        return None
    query = {"_id": {"$gte": name, "$lt": name + _LAST}}
    rows = list(collection.find(query, sort=[("_id", 1)], limit=_NAMED + 1))
    if len(rows) > 1:
        ids = [row["_id"] for row in rows]
        shown = ", ".join(ids[:_NAMED]) + (" …" if len(ids) > _NAMED else "")
        raise AmbiguousId(kind=kind, name=name, ids=shown)
    return rows[0] if rows else None


def neighbours(
    collection: CheckedCollection, field: str, name: str, also: Mapping[str, int] | None = None
) -> list[Document]:
    """Return the documents around a name in the order of an index, at most 500 on each side.

    The error for an unknown name suggests similar names from these documents. They are all documents of a
    small collection, and documents with a similar beginning of the name in a large one.

    Args:
        collection: the collection.
        field: an indexed field, or ``_id``.
        name: the searched name.
        also: further fields to return.
    """
    fields = {field: 1, **(also or {})}
    after = collection.find({field: {"$gte": name}}, fields, sort=[(field, 1)], limit=_NEIGHBOURS)
    before = collection.find({field: {"$lt": name}}, fields, sort=[(field, -1)], limit=_NEIGHBOURS)
    return [*reversed(list(before)), *after]
