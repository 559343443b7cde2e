"""Convert the dates of schema 3, which were moments, to claimed dates with the precision that is certain.

The moment of a *page's* date was right; if the page named no zone, China's zone was used. Midnight in China
or UTC meant a day, so it becomes a day. Other times stay, precise to the minute if their seconds are 0.

A *work's* time without a zone was stored as UTC although it was local; a time with a zone was stored
correctly. The two cases cannot be distinguished. Both readings give the same calendar day, so the date
becomes that day in China.

The field of a match that says whether page or work is older is computed again from these dates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, time
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database

from storage.collections.checked import IN_ONE
from storage.collections.documents import Document
from storage.records import CHINA, ClaimedDate, claim, precedence

_BATCH = 1_000


def date_of_page(moment: datetime) -> ClaimedDate:
    """Return the date that a moment of a page of schema 3 certainly meant."""
    for zone in (CHINA, UTC):
        local = moment.astimezone(zone)
        if local.time() == time():
            return claim(local, zone=zone, is_zone_assumed=True)
    local = moment.astimezone(CHINA)
    return claim(local, "second" if local.second else "minute", is_zone_assumed=True)


def date_of_work(moment: datetime) -> ClaimedDate:
    """Return the date that a moment of a work of schema 3 certainly meant."""
    return claim(moment.astimezone(UTC), is_zone_assumed=True)


def upgrade_dates(database: Database[Document]) -> None:
    """Convert the dates of works, pages and matches. Idempotent.

    Raises:
        PyMongoError: MongoDB does not answer.
    """
    for name, meaning in (("works", date_of_work), ("pages", date_of_page)):
        rows = list(database[name].find({}, {"published": 1}))
        bare = [row for row in rows if isinstance(row.get("published"), datetime)]
        dates = [(row["_id"], meaning(row["published"])) for row in bare]
        _set_fields(database, name, ((key, {"published": _date_document(date)}) for key, date in dates))
    _upgrade_matches(database)


def _upgrade_matches(database: Database[Document]) -> None:
    """Copy the dates of works and pages to matches.

    Schema 3 stored the first sight of a page instead of its date.
    """
    names = ("work_id", "page_id", "first_seen", "work_published", "page_published")
    rows = list(database["matches"].find({}, dict.fromkeys(names, 1)))
    bare = [row for row in rows if any(isinstance(row.get(name), datetime) for name in names[3:])]
    works = _dates_by_key(database, "works", [row["work_id"] for row in bare])
    pages = _dates_by_key(database, "pages", [row["page_id"] for row in bare])
    changes = (
        (row["_id"], _order_fields(works.get(row["work_id"]), pages.get(row["page_id"]), row["first_seen"]))
        for row in bare
    )
    _set_fields(database, "matches", changes)


def _order_fields(work: ClaimedDate | None, page: ClaimedDate | None, first_seen: datetime) -> Document:
    """Return the fields of a match that say whether page or work is older."""
    evidence = precedence(page=page, first_seen=first_seen, work=work)
    return {
        "work_published": _date_document(work),
        "page_published": _date_document(page),
        "page_older": bool(evidence),
        "page_older_by": evidence,
    }


def _dates_by_key(
    database: Database[Document], name: str, keys: Iterable[Any]
) -> Mapping[Any, ClaimedDate | None]:
    """Return the dates that documents of a collection contain, by key."""
    ids = list(dict.fromkeys(keys))
    dates: dict[Any, ClaimedDate | None] = {}
    for start in range(0, len(ids), IN_ONE):
        among = {"_id": {"$in": ids[start : start + IN_ONE]}}
        rows = list(database[name].find(among, {"published": 1}))
        dates |= {row["_id"]: _claimed_date(row.get("published")) for row in rows}
    return dates


def _claimed_date(published: Mapping[str, Any] | None) -> ClaimedDate | None:
    return ClaimedDate(**published) if isinstance(published, Mapping) else None


def _date_document(date: ClaimedDate | None) -> Document | None:
    return None if date is None else asdict(date)


def _set_fields(database: Database[Document], name: str, changes: Iterable[tuple[Any, Document]]) -> None:
    """Set fields of documents by key, a thousand at a time."""
    updates: Sequence[UpdateOne] = [UpdateOne({"_id": key}, {"$set": fields}) for key, fields in changes]
    for start in range(0, len(updates), _BATCH):
        database[name].bulk_write(updates[start : start + _BATCH], ordered=False)
