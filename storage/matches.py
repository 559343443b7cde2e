"""Collection ``matches``: verified copies, one for each (page, passage, profile)."""

from collections.abc import Iterable
from datetime import datetime

from pymongo import UpdateOne
from pymongo.database import Database

from storage.documents import Document, from_document, mongo_errors, to_document
from storage.records import Match


def match_id(page_id: str, passage_id: int, profile: str) -> str:
    """Return the natural key of a match as one string; the profile's version is not part of it."""
    return f"{page_id}:{passage_id}:{profile.partition('@')[0]}"


class MatchStore:
    """Matches by page and by case. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._matches = database["matches"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._matches.create_index("page_id")
            self._matches.create_index([("work_id", 1), ("site", 1)])

    def replace_for_page(self, page_id: str, matches: Iterable[Match]) -> None:
        """Make these the page's matches: known ones keep their first sight, others go."""
        wanted = {each.id: each for each in matches}
        updates = []
        for each in wanted.values():
            document = to_document(each)
            first_seen = document.pop("first_seen")
            key = document.pop("_id")
            updates.append(
                UpdateOne(
                    {"_id": key}, {"$set": document, "$setOnInsert": {"first_seen": first_seen}}, upsert=True
                )
            )
        with mongo_errors(self._database):
            if updates:
                self._matches.bulk_write(updates, ordered=False)
            stored = {row["_id"] for row in self._matches.find({"page_id": page_id}, {"_id": 1})}
            gone = list(stored - wanted.keys())
            if gone:
                self._matches.delete_many({"_id": {"$in": gone}})

    def touch(self, page_id: str, *, last_seen: datetime, scan_id: str) -> None:
        """Note that the page of these matches was seen again."""
        with mongo_errors(self._database):
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
        with mongo_errors(self._database):
            self._matches.delete_many({"work_id": work_id})

    def _find(self, query: Document) -> list[Match]:
        with mongo_errors(self._database):
            rows = list(self._matches.find(query))
        found = [from_document(Match, row) for row in rows]
        return sorted(found, key=lambda match: (-match.copied_chars, match.id))
