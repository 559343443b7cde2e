"""Convert data of earlier schemas: decisions, cases, and records that have no number yet.

Up to schema 3 a dismissal was a separate record, and a confirmation was a field of one version's match.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pymongo import ReplaceOne, UpdateOne
from pymongo.database import Database

from storage.collections.checked import CheckedCollection, CheckedDatabase
from storage.collections.decisions import decision_id
from storage.collections.documents import Document
from storage.collections.events import EventStore
from storage.collections.naming import new_numbers
from storage.records import SYSTEM, CaseState, Event, ReviewState, derived_state, utc_now

_BATCH = 500
_STATES: dict[str, CaseState] = {"confirmed": "confirmed", "dismissed": "dismissed"}  # others: new


def merge_decisions(database: Database[Document]) -> None:
    """Convert dismissals and confirmed matches to decisions. Idempotent."""
    rows = list(database["dismissals"].find({}))
    _insert_decisions(database, [_decision_of_dismissal(row) for row in rows])
    confirmed = list(database["matches"].find({"review": "confirmed"}))
    shas = _passage_digests(database, {row["passage_id"] for row in confirmed})
    _insert_decisions(
        database, (decision for row in confirmed for decision in _decisions_of_confirmation(row, shas))
    )
    database.drop_collection("dismissals")


def _insert_decisions(database: Database[Document], decisions: Iterable[Document]) -> None:
    updates = [ReplaceOne({"_id": decision["_id"]}, decision, upsert=True) for decision in decisions]
    for start in range(0, len(updates), _BATCH):
        database["decisions"].bulk_write(updates[start : start + _BATCH], ordered=False)


def _decision_of_dismissal(row: Document) -> Document:
    key = decision_id(row["site"], row["passage_sha256"], row["start"], row["end"])
    return {**row, "_id": key, "state": "dismissed"}


def _passage_digests(database: Database[Document], ids: set[int]) -> dict[int, str]:
    passages = CheckedCollection(database["passages"])
    return {row["_id"]: row["sha256"] for row in passages.find_among("_id", sorted(ids), {"sha256": 1})}


def _decisions_of_confirmation(row: Document, shas: dict[int, str]) -> Iterable[Document]:
    """Yield a decision for each stretch of a confirmed match, if the passage of the match still exists."""
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
    """Number the matches and cases without a number, in the order of their first sight."""
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


def begin_events(database: Database[Document]) -> None:
    """Set the state of cases of schema 5, which events change; the first event records the conversion.

    Schema 5 stored cases of removed works separately; they become closed cases. Idempotent.
    """
    _restore_cases(database)
    events, now = EventStore(CheckedDatabase(database)), utc_now()
    rows = list(database["cases"].find({}, {"work_id": 1, "site": 1, "number": 1, "status": 1, "moves": 1}))
    bare = [row for row in rows if not row.get("moves")]
    reviews = _reviews_by_case(database) if bare else {}
    states: list[CaseState] = [_case_state(row, reviews) for row in bare]
    events.add_many([_conversion_event(row, state, now) for row, state in zip(bare, states, strict=True)])
    updates = [
        UpdateOne(
            {"_id": row["_id"]},
            {"$set": {"state": state, "since": now, "moves": 1}, "$unset": {"status": ""}},
        )
        for row, state in zip(bare, states, strict=True)
    ]
    for start in range(0, len(updates), _BATCH):
        database["cases"].bulk_write(updates[start : start + _BATCH], ordered=False)


def _restore_cases(database: Database[Document]) -> None:
    """Move the cases of removed works to the other cases; the next count of each case closes it."""
    kept = list(database["removed"].find({"kind": "cases"}))
    CheckedCollection(database["cases"]).insert_new(
        [
            {"state": _STATES.get(row["document"].get("status"), "new"), "moves": 0, **row["document"]}
            for row in kept
        ]
    )
    database["removed"].delete_many({"_id": {"$in": [row["_id"] for row in kept]}})


def _reviews_by_case(database: Database[Document]) -> dict[tuple[Any, Any], list[ReviewState]]:
    """Return the review states of the matches that count, by case."""
    reviews: dict[tuple[Any, Any], list[ReviewState]] = defaultdict(list)
    rows = list(database["matches"].find({}, {"work_id": 1, "site": 1, "review": 1, "replaced": 1}))
    for row in rows:
        if row.get("replaced") is None:
            reviews[row["work_id"], row["site"]].append(row.get("review", ""))
    return reviews


def _case_state(row: Document, reviews: dict[tuple[Any, Any], list[ReviewState]]) -> CaseState:
    """Return the state that follows from the matches of a case; without matches, the stored state."""
    review = reviews.get((row["work_id"], row["site"]))
    return derived_state(review) if review else _STATES.get(row.get("status", ""), "new")


def _conversion_event(row: Document, state: CaseState, at: datetime) -> Event:
    number = int(row["number"])
    return Event(id=f"c{number}#1", case=number, kind="carried-over", at=at, by=SYSTEM, after=state)
