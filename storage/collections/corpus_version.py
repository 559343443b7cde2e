"""Collections ``counters`` and ``versions``: the version of the whole corpus.

The version is a counter that every change of the corpus raises. A page stores the corpus version that it was
compared with, which shows that a page is stale after a work was added. Each version has a random mark: a
database restored from a backup repeats version numbers, but with other marks.
"""

import uuid
from typing import NamedTuple

from storage.collections.checked import CheckedDatabase

_VERSION, _WHOLE, _RULES, _CORPUS = "corpus_version", "whole_version", "rules", "corpus_id"


class CorpusState(NamedTuple):
    """The identity, version and mark of the corpus in a database.

    Attributes:
        corpus_id: identity of the database.
        version: version of its corpus; 0 before the first work.
        mark: mark of that version; empty before the first work.
    """

    corpus_id: str
    version: int
    mark: str


class CorpusVersions:
    """The versions of the corpus. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._counters = database["counters"]
        self._versions = database["versions"]

    def corpus_id(self) -> str:
        """Return the identity of this database, created at the first call; an index stores it."""
        return self.state().corpus_id

    def state(self) -> CorpusState:
        """Return identity, version and mark in one read; the identity is created at the first call."""
        rows = {row["_id"]: row for row in self._counters.find_among("_id", [_CORPUS, _VERSION])}
        if _CORPUS not in rows:
            new = {"$setOnInsert": {"value": uuid.uuid4().hex}}
            self._counters.update_one({"_id": _CORPUS}, new, upsert=True)
            return self.state()
        version = rows.get(_VERSION, {"value": 0})
        return CorpusState(str(rows[_CORPUS]["value"]), int(version["value"]), str(version.get("mark", "")))

    def current(self) -> int:
        """Return the version of the corpus; 0 before the first work."""
        return self.current_and_mark()[0]

    def current_and_mark(self) -> tuple[int, str]:
        """Return the version of the corpus and its mark; 0 and an empty mark before the first work."""
        row = self._counters.find_one({"_id": _VERSION})
        return (int(row["value"]), str(row.get("mark", ""))) if row else (0, "")

    def last_full_version(self) -> int:
        """Return the last corpus version that requires a full comparison of every older page."""
        row = self._counters.find_one({"_id": _WHOLE})
        return int(row["value"]) if row else 0

    def raise_version(self, *, added: bool = False) -> tuple[int, str]:
        """Record a change of the corpus; returns the new version and its unique mark.

        Args:
            added: only works were added or changed, and have their version as a mark. Pages without their
                text stay valid. Any other change concerns every page.
        """
        mark = uuid.uuid4().hex
        update = {"$inc": {"value": 1}, "$set": {"mark": mark}}
        version = int(self._counters.update_or_insert({"_id": _VERSION}, update)["value"])
        self._versions.replace_one({"_id": version}, {"mark": mark}, upsert=True)
        if not added:
            self._counters.update_one({"_id": _WHOLE}, {"$max": {"value": version}}, upsert=True)
        return version, mark

    def has_version(self, version: int, mark: str) -> bool:
        """Return whether the corpus ever had this version and mark."""
        current, current_mark = self.current_and_mark()
        if version >= current:
            return (version, mark) in ((0, ""), (current, current_mark))
        row = self._versions.find_one({"_id": version})
        return (version, mark) == (0, "") or (row is not None and row["mark"] == mark)

    def record_rules(self, rules: str) -> bool:
        """Record the rules by which pages are judged; returns whether the rules changed.

        After a change every page must be compared again. The version of the corpus is raised before the rules
        are stored. If a process dies between the two steps, the next call raises the version once more.
        """
        row = self._counters.find_one({"_id": _RULES})
        if row is not None and row["value"] == rules:
            return False
        if row is not None:
            self.raise_version()
        self._counters.replace_one({"_id": _RULES}, {"value": rules}, upsert=True)
        return row is not None
