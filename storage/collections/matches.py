"""Collection ``matches``: verified copies, one for each (page, passage, profile)."""

from collections.abc import Iterable
from datetime import datetime

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.errors import UnknownRecord
from storage.records import Match, ReviewState


def match_id(page_id: str, passage_id: int, profile: str) -> str:
    """Return the natural key of a match as one string; the profile's version is not part of it."""
    return f"{page_id}:{passage_id}:{profile.partition('@')[0]}"


_REVIEW_OF_NONE: Document = {"review": "", "because": "", "reviewed": None}


def _update(match: Match) -> UpdateOne:
    document = to_document(match)
    first = {"first_seen": document.pop("first_seen")}
    if not match.review:  # what an analyst said is not the comparison's to forget
        first |= {name: document.pop(name) for name in _REVIEW_OF_NONE}
    key = document.pop("_id")
    return UpdateOne({"_id": key}, {"$set": document, "$setOnInsert": first}, upsert=True)


class MatchStore:
    """Matches by page and by case. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._matches = database["matches"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._matches.create_index("page_id")
        self._matches.create_index([("work_id", 1), ("site", 1)])
        self._matches.create_index("review")

    def replace_for_page(self, page_id: str, matches: Iterable[Match]) -> None:
        """Make these the page's matches: known ones keep their first sight, others go.

        A match that was confirmed stays so; one that was dismissed and is not any more is open again.
        """
        wanted = {match.id: match for match in matches}
        reopened = [match.id for match in wanted.values() if not match.review]
        if wanted:
            self._matches.bulk_write([_update(match) for match in wanted.values()], ordered=False)
        if reopened:
            self._matches.update_many(
                {"_id": {"$in": reopened}, "review": "dismissed"}, {"$set": _REVIEW_OF_NONE}
            )
        stored = {row["_id"] for row in self._matches.find({"page_id": page_id}, {"_id": 1})}
        gone = list(stored - wanted.keys())
        if gone:
            self._matches.delete_many({"_id": {"$in": gone}})

    def get(self, match_id: str) -> Match:
        """Return a match.

        Raises:
            UnknownRecord: there is none of that id.
        """
        row = self._matches.find_one({"_id": match_id})
        if row is None:
            raise UnknownRecord(kind="match", name=match_id)
        return from_document(Match, row)

    def review(self, match_id: str, *, state: ReviewState, because: str, at: datetime) -> None:
        """Note what an analyst said of a match; an empty state forgets it."""
        fields = {"review": state, "because": because, "reviewed": at} if state else _REVIEW_OF_NONE
        self._matches.update_one({"_id": match_id}, {"$set": fields})

    def suppress(self, match: Match) -> None:
        """Store which spans of a match count and which are dismissed, with the review that follows."""
        document = to_document(match)
        names = ("spans", "suppressed", "review", "because", "reviewed")
        self._matches.update_one({"_id": match.id}, {"$set": {name: document[name] for name in names}})

    def all_reviewed(self) -> list[Match]:
        """Return every match that an analyst confirmed or dismissed."""
        return [*self._find({"review": "confirmed"}), *self._find({"review": "dismissed"})]

    def touch(self, page_id: str, *, last_seen: datetime, scan_id: str) -> None:
        """Note that the page of these matches was seen again."""
        self._matches.update_many(
            {"page_id": page_id}, {"$set": {"last_seen": last_seen, "scan_id": scan_id}}
        )

    def of_page(self, page_id: str) -> list[Match]:
        """Return a page's matches, most copied characters first."""
        return self._find({"page_id": page_id})

    def of_case(self, work_id: int, site: str) -> list[Match]:
        """Return the matches of a work on a site, most copied characters first."""
        return self._find({"work_id": work_id, "site": site})

    def of_work(self, work_id: int) -> list[Match]:
        """Return the matches of a work, most copied characters first."""
        return self._find({"work_id": work_id})

    def delete_of_work(self, work_id: int) -> None:
        """Forget the matches of a work that is no longer protected."""
        self._matches.delete_many({"work_id": work_id})

    def _find(self, query: Document) -> list[Match]:
        rows = list(self._matches.find(query))
        matches = [from_document(Match, row) for row in rows]
        return sorted(matches, key=lambda match: (-match.copied_chars, match.id))
