"""Collection ``decisions``: stretches of passages that analysts confirmed or dismissed on a site."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.naming import by_prefix
from storage.records import Decision, DecisionState
from system.errors import UnknownId

_NEWEST = (("made", -1), ("_id", -1))
_SHAS = 500  # number of passages in one query


def decision_id(site: str, passage_sha256: str, start: int, end: int) -> str:
    """Return the natural key as a string: 16 hex digits of SHA-256, short enough to type."""
    key = f"{site}\0{passage_sha256}\0{start}\0{end}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def content_of(decision: Decision) -> tuple[str, str, str]:
    """Return state, reason and author of a decision."""
    return decision.state, decision.because, decision.by


class DecisionStore:
    """Decisions, found by id or by passage. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._decisions = database["decisions"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for field in ("passage_sha256", "passage_id", "work_id"):
            self._decisions.create_index(field)
        self._decisions.create_index(_NEWEST)
        self._decisions.create_index([("by", 1), *_NEWEST])
        self._decisions.create_index([("state", 1), *_NEWEST])
        self._decisions.create_index([("state", 1), ("because", 1), *_NEWEST])

    def save_many(self, decisions: Iterable[Decision]) -> None:
        """Insert decisions, or replace the earlier decisions on the same stretches and sites."""
        self._decisions.insert_or_replace([to_document(decision) for decision in decisions])

    def save_unless_decided(
        self, decisions: Sequence[Decision], seen_versions: Mapping[str, datetime]
    ) -> dict[str, Decision]:
        """Store decisions, unless another user decided after the caller read; returns stored decisions by id.

        A stored decision with equal content stays unchanged and keeps its time.

        Args:
            decisions: decisions on different stretches.
            seen_versions: decision id → when the decision that the analyst saw was made. Only these are
                replaced.
        """
        stored = self._get_many([decision.id for decision in decisions])
        fresh = [decision for decision in decisions if decision.id not in stored]
        added = self._decisions.insert_new([to_document(decision) for decision in fresh])
        late = [decision.id for decision, is_new in zip(fresh, added, strict=True) if not is_new]
        stored |= {decision.id: decision for decision in fresh} | self._get_many(late)
        for decision in decisions:
            earlier = stored[decision.id]
            if content_of(earlier) != content_of(decision) and seen_versions.get(decision.id) == earlier.made:
                query = {"_id": decision.id, "made": earlier.made}
                replaced = self._decisions.replace_one(query, to_document(decision)).matched_count
                stored |= {decision.id: decision} if replaced else self._get_many([decision.id])
        return stored

    def _get_many(self, ids: Sequence[str]) -> dict[str, Decision]:
        rows = self._decisions.find_among("_id", ids)
        return {row["_id"]: from_document(Decision, row) for row in rows}

    def get(self, name: str) -> Decision:
        """Return a decision by its id, or by the start of the id.

        Raises:
            UnknownId: there is no such decision.
            AmbiguousId: several ids start with it.
        """
        row = self._decisions.find_one({"_id": name}) or by_prefix(self._decisions, name, kind="decision")
        if row is None:
            raise UnknownId(kind="decision", name=name)
        return from_document(Decision, row)

    def of_passages(self, shas: Iterable[str], *, site: str) -> dict[str, list[Decision]]:
        """Return the decisions of one site on passages with these texts, by the SHA-256 of the text."""
        decisions = self.on_texts(shas) if site else {}
        return on_site(decisions, site, decisions)

    def on_texts(self, shas: Iterable[str]) -> dict[str, list[Decision]]:
        """Return the decisions of all sites on passages with these texts, by the SHA-256 of the text.

        An index finds the passage, and a passage has decisions on few sites.
        """
        digests = sorted(set(shas) - {""})
        decisions: dict[str, list[Decision]] = {}
        for start in range(0, len(digests), _SHAS):
            chunk = digests[start : start + _SHAS]
            for row in self._decisions.find({"passage_sha256": {"$in": chunk}}):
                decisions.setdefault(row["passage_sha256"], []).append(from_document(Decision, row))
        return decisions

    def on_passages(self, ids: Sequence[int]) -> list[Decision]:
        """Return the decisions on passages, by their ids."""
        rows = list(self._decisions.find_among("passage_id", ids))
        return [from_document(Decision, row) for row in rows]

    def reassign(self, work_id: int, passage_ids: Sequence[int], *, title: str) -> None:
        """Move the decisions on these passages to the work with this title."""
        fields = {"work_id": work_id, "work_title": title}
        rows = list(self._decisions.find_among("passage_id", passage_ids, {"_id": 1}))
        for start in range(0, len(rows), _SHAS):
            ids = [row["_id"] for row in rows[start : start + _SHAS]]
            self._decisions.update_many({"_id": {"$in": ids}}, {"$set": fields})

    def retitle(self, work_id: int, title: str) -> None:
        """Update the title of a work that is stored in its decisions."""
        self._decisions.update_many({"work_id": work_id}, {"$set": {"work_title": title}})

    def listed(
        self, *, state: DecisionState | None = None, by: str | None = None, limit: int = 0
    ) -> Iterator[Decision]:
        """Yield decisions, the newest first, in bounded memory.

        Args:
            state: only confirmations, or only dismissals; not together with ``by``.
            by: only decisions of this user.
            limit: how many at most; 0: all.
        """
        query: Document = {} if state is None else {"state": state}
        if by is not None:
            query["by"] = by
        for row in self._decisions.find(query, sort=_NEWEST, limit=limit):
            yield from_document(Decision, row)

    def withdraw(self, decisions: Iterable[Decision]) -> list[Decision]:
        """Delete decisions, unless they changed after the caller read them; returns the changed decisions."""
        gone = [
            decision.id
            for decision in decisions
            if not self._decisions.delete_one({"_id": decision.id, "made": decision.made}).deleted_count
        ]
        return list(self._get_many(gone).values())

    def delete_many(self, ids: Sequence[str]) -> None:
        """Delete decisions."""
        for start in range(0, len(ids), _SHAS):
            self._decisions.delete_many({"_id": {"$in": list(ids[start : start + _SHAS])}})

    def delete_of_work(self, work_id: int) -> None:
        """Delete the decisions on a work that is no longer protected."""
        self._decisions.delete_many({"work_id": work_id})


def on_site(
    decisions: Mapping[str, Sequence[Decision]], site: str, shas: Iterable[str]
) -> dict[str, list[Decision]]:
    """Return the decisions on one site, by SHA-256 of the text; a text without decisions has no entry."""
    by_text = {
        sha: [decision for decision in decisions.get(sha, ()) if decision.site == site] for sha in shas
    }
    return {sha: of_site for sha, of_site in by_text.items() if of_site} if site else {}
