"""Validators of collections: required fields, set when a collection is created.

A user with MongoDB's role ``readWrite`` may create a collection with a validator, but not change one (action
``collMod``, role ``dbAdmin``). So collections are created first, and ``collMod`` is sent only where a
validator of an earlier schema differs.
"""

from collections.abc import Mapping
from typing import get_args

from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.collections.documents import Document, mongo_errors
from storage.collections.rights import CHANGE_COLLECTIONS, require_right, right_missing
from storage.records import (
    CASE_STATES,
    LOOK_STATES,
    PAGE_STATES,
    ROLES,
    SOURCE_KINDS,
    WATCH_STATES,
    WORK_KINDS,
    WORK_STATES,
    ContactRole,
    DecisionState,
    NoticeKind,
    NoticeState,
    PageStanding,
)

_NAMESPACE_EXISTS, _UNAUTHORIZED = 48, 13
_LEVEL = "moderate"  # level: documents of earlier versions need not match

_STRING, _INT, _DATE = "string", ["int", "long"], "date"
_LEASE: Document = {
    "bsonType": "object",
    "required": ["token", "until", "taken"],
    "properties": {
        "token": {"bsonType": _STRING},
        "until": {"bsonType": _DATE},
        "taken": {"bsonType": "bool"},
    },
}


def _object_schema(**fields: object) -> Document:
    """Return a JSON schema that requires fields of these BSON types."""
    kinds = {name: kind if isinstance(kind, dict) else {"bsonType": kind} for name, kind in fields.items()}
    return {"bsonType": "object", "required": sorted(kinds), "properties": kinds}


VALIDATORS: Mapping[str, Document] = {
    "accounts": _object_schema(role={"enum": list(ROLES)}, password=_STRING, revision=_INT),
    "sessions": _object_schema(account=_STRING, seen=_DATE, ends=_DATE),
    "tokens": _object_schema(digest=_STRING, account=_STRING, scopes="array", ends=_DATE),
    "works": _object_schema(
        key=_STRING,
        title=_STRING,
        kind={"enum": list(WORK_KINDS)},
        status={"enum": list(WORK_STATES)},
        passage_ids={"bsonType": "array", "items": {"bsonType": _INT}},
        sha256=_STRING,
        lease=_LEASE,
    ),
    "passages": _object_schema(work_id=_INT, ordinal=_INT, text=_STRING, sha256=_STRING),
    "fingerprints": _object_schema(hashes="binData", positions="binData"),
    "sources": _object_schema(kind={"enum": list(SOURCE_KINDS)}, start_urls="array", enabled="bool"),
    "snapshots": _object_schema(url=_STRING, status=_INT, headers="binData", fetched=_DATE),
    "captures": _object_schema(url=_STRING, source=_STRING, fetched=_DATE, status=_INT, sha256=_STRING),
    "capture_sessions": _object_schema(scan_id=_STRING, source=_STRING, at=_DATE, machine=_STRING),
    "visits": _object_schema(url=_STRING, source=_STRING, state=_STRING, last_checked=_DATE, due=_DATE),
    "page_events": _object_schema(url=_STRING, source=_STRING, kind=_STRING, at=_DATE, scan_id=_STRING),
    "looks": _object_schema(
        url=_STRING,
        page_id=_STRING,
        state={"enum": list(LOOK_STATES)},
        scan_id=_STRING,
        source=_STRING,
        at=_DATE,
    ),
    "watches": _object_schema(
        url=_STRING,
        source=_STRING,
        cases={"bsonType": "array", "items": {"bsonType": _INT}},
        page_id=_STRING,
        state={"enum": list(WATCH_STATES)},
        round=_STRING,
        due=_DATE,
    ),
    "health": _object_schema(crawls=_INT, recent="array", pauses=_INT),
    "alerts": _object_schema(source=_STRING, kind=_STRING, since=_DATE, last=_DATE, open="bool"),
    "pages": _object_schema(
        url=_STRING,
        host=_STRING,
        text=_STRING,
        content_hash=_STRING,
        state={"enum": list(PAGE_STATES)},
        standing={"enum": list(get_args(PageStanding))},
        first_seen=_DATE,
        last_seen=_DATE,
        lease=_LEASE,
    ),
    "matches": _object_schema(
        page_id=_STRING, passage_id=_INT, work_id=_INT, profile=_STRING, verdict=_STRING, spans="array"
    ),
    "cases": _object_schema(
        work_id=_INT, site=_STRING, verdict=_STRING, state={"enum": list(CASE_STATES)}, moves=_INT
    ),
    "events": _object_schema(case=_INT, kind=_STRING, at=_DATE, by=_STRING, number=_INT, stored=_DATE),
    "decisions": _object_schema(
        site=_STRING,
        work_id=_INT,
        passage_sha256=_STRING,
        state={"enum": list(get_args(DecisionState))},
        made=_DATE,
    ),
    "review_leases": _object_schema(by=_STRING, window=_STRING, until=_DATE),
    "evidence_leaves": _object_schema(kind=_STRING, record=_STRING, digest=_STRING, salt="binData", at=_DATE),
    "evidence_keys": _object_schema(public="binData", fingerprint=_STRING, accepted="binData"),
    "evidence_roots": _object_schema(note=_STRING, at=_DATE, tokens="array", waiting="array"),
    "evidence_statements": _object_schema(kind=_STRING, at=_DATE, records="array"),
    "evidence_tiles": _object_schema(hashes="binData"),
    "outbox": _object_schema(
        addressee=_STRING, cadence=_STRING, due=_DATE, mailing=_STRING, occasion="object"
    ),
    "mailings": _object_schema(
        addressee=_STRING,
        deliveries="array",
        due=_DATE,
        state={"enum": ["waiting", "sent", "failed"]},
        packed="bool",
    ),
    "reports": _object_schema(scope=_STRING, form=_STRING, made=_DATE),
    "holders": _object_schema(documents="array", added=_DATE),
    "holder_files": _object_schema(data="binData"),
    "contacts": _object_schema(role={"enum": list(get_args(ContactRole))}, site=_STRING),
    "notices": _object_schema(
        number=_INT,
        cases="array",
        site=_STRING,
        kind={"enum": list(get_args(NoticeKind))},
        state={"enum": list(get_args(NoticeState))},
        is_told="bool",
    ),
    "packages": _object_schema(path=_STRING, sha256=_STRING, works="array", made=_DATE),
    "requests": _object_schema(digest=_STRING, status=_INT, until=_DATE, ends=_DATE),
    "reservations": _object_schema(of=_STRING, until=_DATE, ids="array"),
    "removed": _object_schema(work_id=_INT, kind=_STRING, document="object"),
    "scans": _object_schema(started=_DATE, status={"enum": ["running", "finished", "failed"]}),
    "crawls": _object_schema(
        scan_id=_STRING, source=_STRING, state={"enum": ["due", "done", "failed"]}, lease=_LEASE
    ),
}


def prepare_collections(database: Database[Document]) -> None:
    """Create missing collections with their validators, and update validators that differ.

    Raises:
        ActionMissing: a validator differs, and the user may not change it; nothing is changed.
    """
    with mongo_errors(database):
        there = _present_validators(database)
        for name in VALIDATORS.keys() - there.keys():
            _create_collection(database, name)
        if VALIDATORS.keys() - there.keys():
            there = _present_validators(database)  # another process may have created collections
        for name in _differing_collections(there):
            _change_validator(database, name)


def require_rights_to_prepare(database: Database[Document]) -> None:
    """Check that the user may do what :func:`prepare_collections` needs.

    Raises:
        ActionMissing: a validator differs, and the user may not change it.
    """
    with mongo_errors(database):
        differing = _differing_collections(_present_validators(database))
    if differing:
        require_right(database, CHANGE_COLLECTIONS)


def _differing_collections(described: Mapping[str, Document]) -> list[str]:
    """Return the names of the collections whose validators differ from those of this schema."""
    return [name for name in VALIDATORS if name in described and described[name] != _validator_options(name)]


def _present_validators(database: Database[Document]) -> dict[str, Document]:
    """Return the validators of the existing collections, with their levels."""
    return {
        row["name"]: {
            "validator": row.get("options", {}).get("validator"),
            "validationLevel": row.get("options", {}).get("validationLevel", _LEVEL),
        }
        for row in database.list_collections()
    }


def _validator_options(name: str) -> Document:
    return {"validator": {"$jsonSchema": VALIDATORS[name]}, "validationLevel": _LEVEL}


def _create_collection(database: Database[Document], name: str) -> None:
    try:
        database.create_collection(name, check_exists=False, **_validator_options(name))
    except OperationFailure as error:
        if error.code != _NAMESPACE_EXISTS:  # another process created the collection at this moment
            raise


def _change_validator(database: Database[Document], name: str) -> None:
    try:
        database.command("collMod", name, **_validator_options(name))
    except OperationFailure as error:
        if error.code != _UNAUTHORIZED:
            raise
        raise right_missing(database, CHANGE_COLLECTIONS) from error
