"""Collections ``counters`` and ``versions``: the version of the mother corpus as a whole.

The version is a counter that every change of the corpus raises; a page remembers the version that it was
compared with, so that a page compared before a work was added is known to be stale. Each version has a mark:
a database that was restored from a backup comes to the same versions again, with other marks.
"""

import uuid
from typing import NamedTuple

from pymongo import ReturnDocument

from storage.collections.checked import CheckedDatabase

_VERSION, _WHOLE, _RULES, _CORPUS = "corpus_version", "whole_version", "rules", "corpus_id"


class CorpusState(NamedTuple):
    """Which mother corpus a database holds.

    Attributes:
        corpus_id: identity of the database.
        version: of its corpus; 0 when nothing was ever loaded.
        mark: of that version; empty when nothing was ever loaded.
    """

    corpus_id: str
    version: int
    mark: str


class CorpusVersions:
    """The versions of the mother corpus. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._counters = database["counters"]
        self._versions = database["versions"]

    def corpus_id(self) -> str:
        """Return the identity of this database, made at the first call: an index says whose it is."""
        return self.state().corpus_id

    def state(self) -> CorpusState:
        """Return identity, version and mark by one look; the identity is made at the first call."""
        rows = {row["_id"]: row for row in self._counters.find_among("_id", [_CORPUS, _VERSION])}
        if _CORPUS not in rows:
            new = {"$setOnInsert": {"value": uuid.uuid4().hex}}
            self._counters.update_one({"_id": _CORPUS}, new, upsert=True)
            return self.state()
        version = rows.get(_VERSION, {"value": 0})
        return CorpusState(str(rows[_CORPUS]["value"]), int(version["value"]), str(version.get("mark", "")))

    def current(self) -> int:
        """Return the version of the mother corpus; 0 when nothing was ever loaded."""
        return self.current_and_mark()[0]

    def current_and_mark(self) -> tuple[int, str]:
        """Return the version of the mother corpus and its mark; 0 and nothing when none was ever loaded."""
        row = self._counters.find_one({"_id": _VERSION})
        return (int(row["value"]), str(row.get("mark", ""))) if row else (0, "")

    def last_full_version(self) -> int:
        """Return the last version that concerned every page: one compared earlier is compared as a whole."""
        row = self._counters.find_one({"_id": _WHOLE})
        return int(row["value"]) if row else 0

    def raise_version(self, *, added: bool = False) -> tuple[int, str]:
        """Note that the corpus changed; return the new version and its mark, which no other ever has.

        Args:
            added: only works were added or changed, which are marked with their version themselves; pages
                that hold nothing of them stay as they are. Anything else concerns every page.
        """
        mark = uuid.uuid4().hex
        row = self._counters.find_one_and_update(
            {"_id": _VERSION},
            {"$inc": {"value": 1}, "$set": {"mark": mark}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        version = int(row["value"]) if row else 1
        self._versions.replace_one({"_id": version}, {"mark": mark}, upsert=True)
        if not added:
            self._counters.update_one({"_id": _WHOLE}, {"$max": {"value": version}}, upsert=True)
        return version, mark

    def has_version(self, version: int, mark: str) -> bool:
        """Return whether the mother corpus once had this version and mark."""
        current, current_mark = self.current_and_mark()
        if version >= current:
            return (version, mark) in ((0, ""), (current, current_mark))
        row = self._versions.find_one({"_id": version})
        return (version, mark) == (0, "") or (row is not None and row["mark"] == mark)

    def record_rules(self, rules: str) -> bool:
        """Note what pages are judged by from now on; True when they were judged by something else before.

        Every page is then to be compared again: the version of the corpus is raised first, so that a process
        that ends in between does it once more.
        """
        row = self._counters.find_one({"_id": _RULES})
        if row is not None and row["value"] == rules:
            return False
        if row is not None:
            self.raise_version()
        self._counters.replace_one({"_id": _RULES}, {"value": rules}, upsert=True)
        return row is not None
