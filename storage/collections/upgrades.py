"""Upgrades of documents from older schemas.

Each step finds documents of an older form and changes only these documents. So a step may be repeated,
interrupted at any point, and run by several processes at once.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.collections.cases import case_id
from storage.collections.checked import CheckedCollection
from storage.collections.decisions import decision_id
from storage.collections.documents import Document
from storage.collections.earlier_dates import upgrade_dates
from storage.collections.earlier_reviews import begin_events, merge_decisions, number_records
from storage.collections.leases import shard_of
from storage.collections.stale import NEVER_STALE, RETRIED
from storage.collections.standings import FIELDS, marks_of_addresses, new_mark
from storage.collections.works import licence_changes
from storage.records import MAX_MINUTES, VERDICTS, SiteLicence, utc_now
from system.names import name_key
from system.sites import host_of, site_of_host

_DIGESTS = "capture_digests"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_INDEX_NOT_FOUND = 27
_BATCH = 1_000
_SHARED = {"work_id": 1, "site": 1, "coverage": 1, "review": 1}
_REPLACED_INDEXES = (
    ("works", "status_1"),
    ("pages", "state_1"),
    ("pages", "scan_id_1"),
    ("crawls", "state_1"),
    ("matches", "work_id_1_site_1"),
    ("pages", "standing_1"),
    ("matches", "review_1"),
    ("cases", "work_id_1"),
    ("reports", "scope_1_form_1"),
    ("pages", "scan_id_1_state_1"),
    ("pages", "state_1_shard_1"),
    ("crawls", "scan_id_1"),
    ("visits", "source_1"),
    ("pages", "state_1_lease.until_1"),
    ("works", "status_1_lease.until_1"),
    ("notices", "case_1_number_-1"),
    ("notices", "work_id_1"),
    *(
        ("cases", f"{prefix}state_1_verdict_1_copied_chars_-1__id_1")
        for prefix in ("", "owner_1_", "assignee_1_")
    ),
)


def upgrade(database: Database[Document]) -> None:
    """Upgrade every document to this schema.

    Raises:
        PyMongoError: MongoDB does not answer; the call may be repeated.
    """
    _give_shards(database)
    _set_time_limits(database)
    note_capture_digests(database)
    _name_hosts(database)
    _key_by_site(database)
    upgrade_dates(database)
    _mark_versions(database)
    merge_decisions(database)
    number_records(database)
    begin_events(database)
    _name_works(database)
    _note_licence_turns(database)
    _mark_unsettled(database)
    _date_failures(database)
    _name_hosts_of_visits(database)
    _set_shares(database)
    _list_cases_of_notices(database)
    database["pages"].update_many({"standing": "replaced"}, {"$set": {"corpus_version": NEVER_STALE}})
    for collection, index in _REPLACED_INDEXES:
        _drop_index(database, collection, index)


def note_capture_digests(database: Database[Document]) -> None:
    """Record the moment from which on captures have digests, to detect a capture that lost its digest.

    Raises:
        PyMongoError: MongoDB does not answer; the call may be repeated.
    """
    now = {"$setOnInsert": {"since": utc_now()}}
    database["schema"].update_one({"_id": _DIGESTS}, now, upsert=True)


def digests_since(collection: CheckedCollection) -> datetime:
    """Return the moment from which on every new capture has a digest.

    Args:
        collection: ``schema``.
    """
    row = collection.find_one({"_id": _DIGESTS})
    since: datetime = row["since"] if row else _LONG_AGO
    return since


def _set_fields(database: Database[Document], name: str, changes: Iterable[tuple[Any, Document]]) -> None:
    """Write fields of documents by key, a thousand at a time."""
    updates = [UpdateOne({"_id": key}, change) for key, change in changes]
    for start in range(0, len(updates), _BATCH):
        database[name].bulk_write(updates[start : start + _BATCH], ordered=False)


def _give_shards(database: Database[Document]) -> None:
    """Add shards to works and pages of schema 1."""
    for name in ("works", "pages"):
        rows = list(database[name].find({}, {"shard": 1}))
        bare = [row["_id"] for row in rows if "shard" not in row]
        _set_fields(database, name, ((key, {"$set": {"shard": shard_of(key)}}) for key in bare))


def _set_time_limits(database: Database[Document]) -> None:
    """Set the default time limit on sources of schema 2 without a limit."""
    without = [row["_id"] for row in database["sources"].find({}) if row.get("max_minutes") is None]
    database["sources"].update_many({"_id": {"$in": without}}, {"$set": {"max_minutes": MAX_MINUTES}})


def _name_hosts(database: Database[Document]) -> None:
    """Rename ``site`` to ``host`` in pages of schema 3, and empty the cache of style sheets."""
    rows = list(database["pages"].find({}, {"site": 1}))
    changes = [(row["_id"], row["site"]) for row in rows if "site" in row]
    _set_fields(
        database, "pages", ((key, {"$set": {"host": host}, "$unset": {"site": ""}}) for key, host in changes)
    )
    if database["sheets"].find_one({"site": {"$exists": True}}, {"_id": 1}):
        database["sheets"].drop()
        database["sheets"].create_index("host")


def _name_hosts_of_visits(database: Database[Document]) -> None:
    """Set the hosts of addresses of schema 5."""
    rows = database["visits"].find({}, {"url": 1, "host": 1})
    bare = [(row["_id"], row["url"]) for row in rows if "host" not in row]
    _set_fields(database, "visits", ((key, {"$set": {"host": host_of(url)}}) for key, url in bare))


def _key_by_site(database: Database[Document]) -> None:
    """Key matches, dismissals and cases of schema 3 by site instead of host."""
    renamed = _rename_dismissals(database)
    rows = list(database["matches"].find({}, {"site": 1, "suppressed": 1}))
    _set_fields(database, "matches", ((row["_id"], {"$set": _site_fields(row, renamed)}) for row in rows))
    database["dismissals"].delete_many({"_id": {"$in": list(renamed)}})
    cases = list(database["cases"].find({}))
    for case in cases:
        site = site_of_host(case["site"])
        if site != case["site"]:
            _merge_case(database, case, site)


def _site_fields(match: Document, renamed: dict[str, str]) -> Document:
    """Return the fields of a match keyed by site."""
    suppressed: Sequence[Document] = match.get("suppressed") or ()
    named = [
        {**dismissed, "dismissal_id": renamed.get(dismissed["dismissal_id"], dismissed["dismissal_id"])}
        for dismissed in suppressed
    ]
    return {"site": site_of_host(match["site"]), "suppressed": named}


def _rename_dismissals(database: Database[Document]) -> dict[str, str]:
    """Store dismissals under ids with their sites; returns the new id for each old id."""
    renamed = {}
    rows = list(database["dismissals"].find({}))
    for row in rows:
        site = site_of_host(row["site"])
        key = decision_id(site, row["passage_sha256"], row["start"], row["end"])
        if key != row["_id"]:
            database["dismissals"].replace_one({"_id": key}, {**row, "_id": key, "site": site}, upsert=True)
            renamed[row["_id"]] = key
    return renamed


def _merge_case(database: Database[Document], case: Document, site: str) -> None:
    """Merge the case of a host into the case of its site; the next scan counts the case again."""
    key = case_id(case["work_id"], site)
    other = database["cases"].find_one({"_id": key})
    merged = {**case, "_id": key, "site": site}
    if other is not None:
        merged["verdict"] = min((case["verdict"], other["verdict"]), key=VERDICTS.index)
        merged["first_seen"] = min(case["first_seen"], other["first_seen"])
        merged["last_seen"] = max(case["last_seen"], other["last_seen"])
        merged["pages"] = case["pages"] + other["pages"]
        for name in ("passages", "copied_chars"):
            merged[name] = max(case[name], other[name])
    database["cases"].replace_one({"_id": key}, merged, upsert=True)
    database["cases"].delete_one({"_id": case["_id"]})


def _mark_versions(database: Database[Document]) -> None:
    """Mark which versions of each address count, matches first; in schema 3 all versions counted."""
    rows = list(database["pages"].find({}, FIELDS))
    unmarked = {row["_id"] for row in rows if "standing" not in row}
    marks = [mark for mark in marks_of_addresses(rows) if mark.page_id in unmarked]
    for mark in marks:
        if mark.replaced is not None:
            database["matches"].update_many({"page_id": mark.page_id}, {"$set": {"replaced": mark.replaced}})
    _set_fields(
        database,
        "pages",
        ((mark.page_id, {"$set": {"standing": mark.standing, "replaced": mark.replaced}}) for mark in marks),
    )


def _mark_unsettled(database: Database[Document]) -> None:
    """Mark the pages of running scans as unsettled; schema 4 settled them without marks."""
    running = [row["_id"] for row in database["scans"].find({"status": "running"}, {"_id": 1})]
    for scan_id in running:
        mark = {"unsettled": new_mark(with_matches=True)}
        database["pages"].update_many({"scan_id": scan_id}, {"$set": mark})


def _date_failures(database: Database[Document]) -> None:
    """Allow retries of pages of schema 4 with an interrupted comparison, unless they are replaced."""
    rows = database["pages"].find(
        {"state": "failed"}, {"reason": 1, "content_hash": 1, "standing": 1, "broke_off": 1}
    )
    broken = [
        row["_id"]
        for row in rows
        if row.get("reason") in RETRIED
        and row.get("content_hash")
        and row["standing"] != "replaced"
        and "broke_off" not in row
    ]
    _set_fields(database, "pages", ((key, {"$set": {"broke_off": _LONG_AGO}}) for key in broken))


def _name_works(database: Database[Document]) -> None:
    """Set the normalised titles of works of schema 3."""
    rows = list(database["works"].find({}, {"title": 1, "name": 1}))
    bare = [(row["_id"], {"$set": {"name": name_key(row["title"])}}) for row in rows if "name" not in row]
    _set_fields(database, "works", bare)


def _note_licence_turns(database: Database[Document]) -> None:
    """Set the moments at which licences of works of schema 4 begin or end."""
    rows = database["works"].find({"licences": {"$ne": []}}, {"licences": 1, "turns": 1})
    changes = [
        (row["_id"], {"$set": {"turns": licence_changes(_dated_licences(row))}})
        for row in rows
        if "turns" not in row
    ]
    _set_fields(database, "works", changes)


def _dated_licences(work: Document) -> list[SiteLicence]:
    """Return the licences of a work with their dates."""
    return [
        SiteLicence(site=term["site"], since=term.get("since"), until=term.get("until"))
        for term in work.get("licences") or ()
    ]


def _set_shares(database: Database[Document]) -> None:
    """Set the shares of cases of schema 6 from the matches that count."""
    rows = database["cases"].find({}, {"work_id": 1, "site": 1, "copied_chars": 1, "page_share": 1})
    bare = [row for row in rows if "page_share" not in row]
    counted: dict[tuple[int, str], float] = {}
    dismissed: dict[tuple[int, str], float] = {}  # used if all matches of a case are dismissed
    matches = database["matches"].find({"replaced": None}, _SHARED) if bare else ()
    for match in matches:
        largest = dismissed if match.get("review") == "dismissed" else counted
        key = match["work_id"], match["site"]
        largest[key] = max(largest.get(key, 0.0), match["coverage"])
    largest = dismissed | counted
    sizes = {row["_id"]: row["characters"] for row in database["works"].find({}, {"characters": 1})}
    changes = []
    for case in bare:
        size = sizes.get(case["work_id"], 0)
        shares = {
            "page_share": largest.get((case["work_id"], case["site"]), 0.0),
            "work_share": min(case["copied_chars"] / size, 1.0) if size else 0.0,
        }
        changes.append((case["_id"], {"$set": shares}))
    _set_fields(database, "cases", changes)


def _list_cases_of_notices(database: Database[Document]) -> None:
    """Move the case of each notice of schema 8 into a list."""
    moved = "case", "work_id", "work_title", "urls", "reminds"
    rows = list(database["notices"].find({"case": {"$exists": True}}, dict.fromkeys(moved, 1)))
    unset = dict.fromkeys(moved, "")
    changes = [(row["_id"], {"$set": {"cases": [_notice_case(row)]}, "$unset": unset}) for row in rows]
    _set_fields(database, "notices", changes)


def _notice_case(notice: Document) -> Document:
    """Return the case of a notice of schema 8, as :class:`storage.records.NoticeCase`."""
    return {
        "number": notice["case"],
        "work_id": notice["work_id"],
        "work_title": notice["work_title"],
        "urls": notice.get("urls") or [],
        "reminds": notice.get("reminds") or "",
    }


def _drop_index(database: Database[Document], collection: str, index: str) -> None:
    """Drop an index of schema 1 that a longer one replaces."""
    try:
        database[collection].drop_index(index)
    except OperationFailure as error:
        if error.code != _INDEX_NOT_FOUND and "not found" not in str(error):
            raise
