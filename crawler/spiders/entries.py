"""Frontier entries of addresses: those of texts and of further lists. Pure."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime

from crawler.addresses import canonical
from crawler.lists.link_list import Link
from storage.frontier.interface import Entry, EntryKind

START = "start"  # note of the entries that a source begins with
REVISIT = "revisit"  # note of known texts that are due
LOOK = "look"  # note of addresses with a match, which every crawl of their source asks for
NEIGHBOUR = "neighbour"  # note of pages without a match that show whether their site is well
FRONT = "front"  # note of a front page that is asked for the same, where no such page is known
LISTS_FIRST = 100  # priority of lists, which come before texts
_CHANGED = "changed "  # begins the note of a text whose list says when it changed


def entry_id(url: str) -> str:
    """Return the id of an address's entry: 16 hex digits of the canonical URL's SHA-256."""
    return hashlib.sha256(canonical(url).encode("utf-8", "replace")).hexdigest()[:16]


def entry_of(url: str, kind: EntryKind, *, priority: int = 0, depth: int = 0, note: str = "") -> Entry:
    """Return an entry for an address."""
    return Entry(id=entry_id(url), url=url, kind=kind, priority=priority, depth=depth, note=note)


def text_entries(texts: Iterable[Link]) -> Iterator[Entry]:
    """Yield entries for the texts that a list names, in their order."""
    for ordinal, text in enumerate(texts):
        note = "" if text.changed is None else f"{_CHANGED}{text.changed.isoformat()}"
        yield entry_of(text.url, "text", priority=-ordinal, note=note)


def list_entries(parent: Entry, lists: Iterable[Link]) -> Iterator[Entry]:
    """Yield entries for the further lists that the list of an entry leads to."""
    for further in lists:
        yield entry_of(further.url, parent.kind, priority=LISTS_FIRST, depth=parent.depth + 1)


def changed_at(entry: Entry) -> datetime | None:
    """Return when a text was changed, as its list said; None when it did not."""
    if not entry.note.startswith(_CHANGED):
        return None
    return datetime.fromisoformat(entry.note.removeprefix(_CHANGED))
