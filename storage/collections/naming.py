"""Names of records that people type: numbers from a counter, and the beginnings of long ids.

``m12`` is the match with the number 12, ``c7`` the case with the number 7. A number is given when a record
is first stored and never again: two workers that store one record at once draw two, and one of them is
lost.
"""

import re
from collections.abc import Mapping

from pymongo import ReturnDocument

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from system.errors import PindnaError

MIN_PREFIX = 4  # characters that the beginning of an id must have
_LAST = "\U0010ffff"
_DIGITS = re.compile("[0-9]{1,15}")
_NAMED = 5  # ids that an error names
_NEIGHBOURS = 500  # names on each side, among which the one that was meant is looked for


class AmbiguousId(PindnaError):
    """Several records have an id that begins so. Data: ``kind``, ``name``, ``ids``."""

    template = "Several records begin with {name}: {ids}. Write more of the id."


def new_numbers(counters: CheckedCollection, counter: str, count: int) -> range:
    """Hand out fresh numbers of a named counter; they start at 1 and are never given twice.

    Args:
        counters: the collection of counters.
        counter: its name.
        count: how many; 0 asks nothing.
    """
    if not count:
        return range(0)
    row = counters.find_one_and_update(
        {"_id": counter}, {"$inc": {"value": count}}, upsert=True, return_document=ReturnDocument.AFTER
    )
    last = int(row["value"]) if row else count
    return range(last - count + 1, last + 1)


def number_of(name: str, letter: str) -> int | None:
    """Return the number of a short name such as ``m12``, None if it is none.

    Args:
        name: as it was typed.
        letter: of the kind of record.

    >>> number_of("m12", "m"), number_of("M12", "m"), number_of("c7", "m"), number_of("m0", "m")
    (12, 12, None, None)
    """
    digits = name[1:]
    if name[:1].lower() != letter or not _DIGITS.fullmatch(digits):
        return None
    return int(digits) or None


def by_prefix(collection: CheckedCollection, name: str, *, kind: str) -> Document | None:
    """Return the only document whose id begins so; None if there is none, or so little was typed.

    Raises:
        AmbiguousId: several begin so.
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
    """Return the documents around a name in the order of an index: at most 500 on each side.

    An error that a name is not known looks among these for the name that was meant: all there are in a small
    collection, and in a large one those that begin alike.

    Args:
        collection: where names are.
        field: an indexed field, or ``_id``.
        name: as it would stand there.
        also: further fields to return.
    """
    fields = {field: 1, **(also or {})}
    after = collection.find({field: {"$gte": name}}, fields, sort=[(field, 1)], limit=_NEIGHBOURS)
    before = collection.find({field: {"$lt": name}}, fields, sort=[(field, -1)], limit=_NEIGHBOURS)
    return [*reversed(list(before)), *after]
