"""Builds frontier entries for texts and lists. Pure."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime

from crawler.addresses import canonical
from crawler.lists.link_list import Link
from storage.frontier.interface import Entry, EntryKind

START = "start"  # note of start addresses
REVISIT = "revisit"  # note of known texts that are due
LOOK = "look"  # note of addresses with a match; every crawl of their source requests them
NEIGHBOUR = "neighbour"  # note of pages without a match that show whether their site works
FRONT = "front"  # note of a front page for the same purpose, if no such page is known
LISTS_FIRST = 100  # priority of lists, which come before texts
NAMED = "named"  # note of sitemaps and feeds that a site names, not its source
GUESSED = "guessed"  # note of a sitemap at the usual address, which may not exist
_CHANGED = "changed "  # begins the note of a text with a date of change


def entry_id(url: str) -> str:
    """Return the id of an address's entry: 16 hex digits of the canonical URL's SHA-256."""
    return hashlib.sha256(canonical(url).encode("utf-8", "replace")).hexdigest()[:16]


def entry_of(url: str, kind: EntryKind, *, priority: int = 0, depth: int = 0, note: str = "") -> Entry:
    """Return an entry for an address."""
    return Entry(id=entry_id(url), url=url, kind=kind, priority=priority, depth=depth, note=note)


def text_entries(texts: Iterable[Link]) -> Iterator[Entry]:
    """Yield entries for the texts of a list, in order."""
    for ordinal, text in enumerate(texts):
        note = "" if text.changed is None else f"{_CHANGED}{text.changed.isoformat()}"
        yield entry_of(text.url, "text", priority=-ordinal, note=note)


def list_entries(parent: Entry, lists: Iterable[Link]) -> Iterator[Entry]:
    """Yield entries for the further lists of a list."""
    note = NAMED if parent.note in {NAMED, GUESSED} else ""
    for further in lists:
        yield entry_of(further.url, parent.kind, priority=LISTS_FIRST, depth=parent.depth + 1, note=note)


def changed_at(entry: Entry) -> datetime | None:
    """Return when a text was changed according to its list, or None."""
    if not entry.note.startswith(_CHANGED):
        return None
    return datetime.fromisoformat(entry.note.removeprefix(_CHANGED))
