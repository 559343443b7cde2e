"""Collection ``candidates``: sites from imported files, which a person accepts or rejects."""

from collections.abc import Sequence
from datetime import datetime

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.keyset import IndexRun
from storage.records import CANDIDATE_STATES, Candidate, CandidateState
from system.errors import UnknownRecord

_DECISION = frozenset({"_id", "state", "by", "reason", "decided", "source", "added"})


def candidates_in(state: CandidateState) -> list[IndexRun]:
    """Return the list of the candidates in a state: those that name most works first, then by site."""
    return [IndexRun({"state": state}, (("rank", -1), ("_id", 1)))]


class CandidateStore:
    """Candidates by site. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._candidates = database["candidates"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        self._candidates.create_index([("state", 1), ("rank", -1), ("_id", 1)])

    def get(self, site: str) -> Candidate:
        """Return a candidate.

        Raises:
            UnknownRecord: no file named the site.
        """
        row = self._candidates.find_one({"_id": site})
        if row is None:
            raise UnknownRecord(kind="candidate", name=site)
        return from_document(Candidate, row)

    def get_many(self, sites: Sequence[str]) -> dict[str, Candidate]:
        """Return the existing candidates of some sites, by site."""
        rows = self._candidates.find_among("_id", sites)
        return {row["_id"]: from_document(Candidate, row) for row in rows}

    def sites(self) -> set[str]:
        """Return the sites of all candidates."""
        return {row["_id"] for row in self._candidates.find({}, {"_id": 1})}

    def add_new(self, candidates: Sequence[Candidate]) -> None:
        """Store new candidates; one that another process added meanwhile gets the new content."""
        new = self._candidates.insert_new([to_document(candidate) for candidate in candidates])
        self.change_found(
            [candidate for candidate, is_new in zip(candidates, new, strict=True) if not is_new]
        )

    def change_found(self, candidates: Sequence[Candidate]) -> None:
        """Store what files say about sites. Decisions on these candidates stay as they are."""
        documents = map(to_document, candidates)
        self._candidates.bulk_write(
            [UpdateOne({"_id": document["_id"]}, {"$set": _found_fields(document)}) for document in documents]
        )

    def decide(
        self,
        site: str,
        state: CandidateState,
        *,
        among: Sequence[CandidateState],
        by: str,
        reason: str,
        at: datetime,
        source: str = "",
    ) -> bool:
        """Set the state of a candidate that is in one of some states; return whether it was."""
        fields = {"state": state, "by": by, "reason": reason, "decided": at, "source": source}
        condition = {"state": {"$in": list(among)}}
        return self._candidates.update_among([site], {"$set": fields}, condition) > 0

    def counts(self) -> dict[CandidateState, int]:
        """Return the number of candidates in each state."""
        return {state: self._candidates.count({"state": state}) for state in CANDIDATE_STATES}


def _found_fields(document: Document) -> Document:
    return {name: value for name, value in document.items() if name not in _DECISION}
