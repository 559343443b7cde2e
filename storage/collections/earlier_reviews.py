"""What schema 3 stored of analysts' words, and matches and cases without numbers, in today's form.

Then a dismissal was a record of its own, and a confirmation was a field of one version's match.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pymongo import ReplaceOne, UpdateOne
from pymongo.database import Database

from storage.collections.checked import CheckedCollection
from storage.collections.decisions import decision_id
from storage.collections.documents import Document
from storage.collections.naming import new_numbers
from storage.records import ReviewState, case_status, utc_now

_BATCH = 500


def merge_decisions(database: Database[Document]) -> None:
    """Make decisions of dismissals and of confirmed matches; may be repeated."""
    rows = list(database["dismissals"].find({}))
    _write(database, [_dismissal(row) for row in rows])
    confirmed = list(database["matches"].find({"review": "confirmed"}))
    shas = _shas(database, {row["passage_id"] for row in confirmed})
    _write(database, (decision for row in confirmed for decision in _confirmations(row, shas)))
    database.drop_collection("dismissals")


def _write(database: Database[Document], decisions: Iterable[Document]) -> None:
    updates = [ReplaceOne({"_id": decision["_id"]}, decision, upsert=True) for decision in decisions]
    for start in range(0, len(updates), _BATCH):
        database["decisions"].bulk_write(updates[start : start + _BATCH], ordered=False)


def _dismissal(row: Document) -> Document:
    key = decision_id(row["site"], row["passage_sha256"], row["start"], row["end"])
    return {**row, "_id": key, "state": "dismissed"}


def _shas(database: Database[Document], ids: set[int]) -> dict[int, str]:
    passages = CheckedCollection(database["passages"])
    return {row["_id"]: row["sha256"] for row in passages.find_among("_id", sorted(ids), {"sha256": 1})}


def _confirmations(row: Document, shas: dict[int, str]) -> Iterable[Document]:
    """Yield a decision for each stretch of a confirmed match whose passage is still there."""
    sha = shas.get(row["passage_id"])
    stretches = {(span["passage_start"], span["passage_end"]) for span in row["spans"]}
    for start, end in sorted(stretches) if sha else ():
        yield {
            "_id": decision_id(row["site"], str(sha), start, end),
            "state": "confirmed",
            "passage_sha256": sha,
            "start": start,
            "end": end,
            "page_seen": row["first_seen"],
            "made": row.get("reviewed") or utc_now(),
            **{name: row[name] for name in ("site", "work_id", "passage_id", "page_id", "url")},
            **{name: row[name] for name in ("work_title", "passage_title")},
        }


def number_records(database: Database[Document]) -> None:
    """Number the matches and the cases that have no number yet, in the order of their first sight."""
    counters = CheckedCollection(database["counters"])
    for name in ("matches", "cases"):
        rows = list(database[name].find({}, {"first_seen": 1, "number": 1}))
        bare = [row for row in rows if not row.get("number")]
        bare.sort(key=lambda row: (row["first_seen"], row["_id"]))
        numbers = new_numbers(counters, name, len(bare))
        updates = [
            UpdateOne({"_id": row["_id"]}, {"$set": {"number": number}})
            for row, number in zip(bare, numbers, strict=True)
        ]
        for start in range(0, len(updates), _BATCH):
            database[name].bulk_write(updates[start : start + _BATCH], ordered=False)


def note_case_states(database: Database[Document]) -> None:
    """Let the cases have the state that follows from the reviews of their matches."""
    reviews: dict[tuple[Any, Any], list[ReviewState]] = defaultdict(list)
    rows = list(database["matches"].find({}, {"work_id": 1, "site": 1, "review": 1, "replaced": 1}))
    for row in rows:
        if row.get("replaced") is not None:  # history
            continue
        reviews[row["work_id"], row["site"]].append(row.get("review", ""))
    for (work_id, site), states in reviews.items():
        status = {"$set": {"status": case_status(states)}}
        database["cases"].update_many({"work_id": work_id, "site": site}, status)
