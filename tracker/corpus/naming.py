"""Look-up of works by title, address, or an id written ``id:3``.

Nothing is guessed: a number is a title unless it is written ``id:3``. A title in the other script or in 《》
matches the same work. If several works match, a work with exactly this title is preferred. If several works
remain, an error lists their ids.
"""

import re
from datetime import UTC

from storage.collections.stores import Stores
from storage.records import Work, claim
from system.errors import PindnaError, UnknownRecord
from system.names import name_key, unknown_record
from tracker.corpus.numbers import parse_numbers

_ID = re.compile(r"id\s*[:：]\s*(\d{1,18})", re.IGNORECASE)
_IDS = re.compile(r"id\s*[:：]\s*(\d[\d\s,，、–~—至-]*)", re.IGNORECASE)
_SCHEMES = ("http://", "https://")


class AmbiguousTitle(PindnaError):
    """Several works have the given title.

    Attributes:
        name: the name as given.
        works: the matching works with their ids.
    """

    template = "Several works have the title {name}. Select one by its id: {works}."


class BareNumber(UnknownRecord):
    """A number is not the title of any work, but it is an id.

    Attributes:
        name: the name as given.
        title: the title.
    """

    template = "There is no work called {name}. If you mean “{title}”, which has this id, write id:{name}."


class WasRemoved(UnknownRecord):
    """A work was removed and can be restored.

    Attributes:
        name: the name as given.
        day: the day of the removal.
        id: its id.
    """

    template = "“{name}” was removed on {day}. Restore it with `pindna corpus restore id:{id}`."


def find_work(name: str, stores: Stores) -> Work:
    """Return a work by title, address, or id.

    Raises:
        UnknownRecord: there is no such work; the error lists works with similar titles.
        BareNumber: the name is an id without ``id:``.
        WasRemoved: the work was removed and can be restored.
        AmbiguousTitle: several works have the title.
    """
    if (work_id := id_in(name)) is not None:
        return _work_by_id(work_id, stores)
    if (work := _work_by_address(name, stores)) is not None:
        return work
    titled = stores.works.by_title(name)
    exact = [work for work in titled if work.title == name] or titled
    if len(exact) > 1:
        raise AmbiguousTitle(name=name, works=tuple(map(shown_id, exact)))
    if not exact:
        raise _unknown_work(name, stores)
    return exact[0]


def id_in(name: str) -> int | None:
    """Return the id written ``id:3``, or None.

    >>> id_in("id:3"), id_in("3")
    (3, None)
    """
    written = _ID.fullmatch(name.strip())
    return int(written[1]) if written else None


def ids_in(name: str) -> list[int]:
    """Return the ids written ``id:1-35`` or ``id:1,3-5``; empty for any other name.

    >>> ids_in("id:1-3,7"), ids_in("1-3"), ids_in("id:3")
    ([1, 2, 3, 7], [], [])

    Raises:
        BadNumbers: they are not numbers and ranges.
    """
    written = _IDS.fullmatch(name.strip())
    return [] if written is None or id_in(name) is not None else parse_numbers(written[1].strip())


def shown_id(work: Work) -> str:
    """Return the text that identifies a work in messages if its title is not unique."""
    return f"id:{work.id} ({work.origin})"


def _work_by_id(work_id: int, stores: Stores) -> Work:
    """Return a work by its id.

    Raises:
        UnknownRecord: there is none.
    """
    work = stores.works.get_many([work_id]).get(work_id)
    if work is None:
        raise UnknownRecord(kind="work", name=f"id:{work_id}")
    return work


def _work_by_address(name: str, stores: Stores) -> Work | None:
    """Return the work with an address; the scheme of the address may be missing."""
    if "." not in name and "/" not in name:
        return None
    spellings = [name, *(scheme + name for scheme in _SCHEMES)]
    works = stores.works.by_keys(spellings)
    return next((works[key] for key in spellings if key in works and works[key].url == key), None)


def _unknown_work(name: str, stores: Stores) -> UnknownRecord:
    """Return the error that no work has this title."""
    for removed in stores.works.removed():
        if removed.removal is not None and name_key(removed.title) == name_key(name):
            return WasRemoved(name=name, day=claim(removed.removal.at, zone=UTC), id=removed.id)
    work_id = id_in(f"id:{name}")
    work = None if work_id is None else stores.works.get_many([work_id]).get(work_id)
    if work is not None and name == str(work_id):
        return BareNumber(name=name, title=work.title)
    return unknown_record(kind="work", name=name, known_names=stores.works.neighbouring_titles(name))
