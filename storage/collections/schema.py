"""The schema of the database: its version, and what a document of each collection must have.

``Stores.ensure_schema`` is the one step that makes a database ready; it may be repeated, by any number of
processes at once, and broken off anywhere: the version is written last. Indexes stand with the queries that
need them, in each store's ``ensure_schema``.

Validators say what no program of ours may get wrong: the fields that queries and other collections rely on,
with their types. They do not list every field, so that a record may grow without a new version.
"""

from collections.abc import Mapping
from typing import Any, get_args

from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, mongo_errors
from storage.collections.upgrades import note_capture_digests, upgrade
from storage.errors import PindnaError
from storage.exit_status import ExitStatus
from storage.messages import N_
from storage.records import (
    CASE_STATES,
    LOOK_STATES,
    ROLES,
    WATCH_STATES,
    ContactRole,
    DecisionState,
    NoticeKind,
    NoticeState,
    PageStanding,
    SourceKind,
    WorkStatus,
)

# What each schema brought; databases of schema 1 have no version.
CHANGES: Mapping[int, str] = {
    2: N_("Waiting works and pages get shards, versions of the corpus marks."),
    3: N_("Every source gets a limit of time, every new capture a digest."),
    4: N_(
        "Pages get hosts; matches, decisions and cases go by site; dismissals and confirmations become "
        "decisions; matches and cases get numbers, dates a precision and a zone."
    ),
    5: N_("Pages are marked while their addresses are to be settled, and where a comparison broke off."),
    6: N_("Known addresses get hosts, cases states and a history."),
    7: N_("Cases get the shares of their pages and of their work that are copied."),
    8: N_("What is sent to workers is noted beside pages and works; two of their indexes go."),
}
VERSION = max(CHANGES)

SCHEMA = "schema"  # the collection, and its row with the version
RESTORING = "restoring"  # the row that is there while a backup is restored
_EARLIEST = ("works", "sources", "pages")  # one of which schema 1 has something in
_NAMESPACE_EXISTS = 48

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


class NewerSchema(PindnaError):
    """The database was made by a later version of pindna. Data: ``found``, ``known``."""

    template = (
        "The database has schema {found}; this pindna knows schemas up to {known}. "
        "Update pindna on this machine, or name another database in storage.mongo_database."
    )
    exit_status = ExitStatus.DOWN


class OlderSchema(PindnaError):
    """The database was made by an earlier version of pindna. Data: ``found``, ``known``."""

    template = (
        "The database has schema {found}; this pindna works with schema {known}. "
        "Run `pindna upgrade`, which makes a backup first."
    )
    exit_status = ExitStatus.DOWN


class HalfRestored(PindnaError):
    """A restore of the database was broken off. Data: ``database``."""

    template = (
        "The database {database} holds a part of a backup: a restore was broken off, or is under way. "
        "Run `pindna backup restore` again; it begins anew."
    )
    exit_status = ExitStatus.DOWN


def _object(**fields: object) -> Document:
    """Return a JSON schema that requires fields of these BSON types."""
    kinds = {name: kind if isinstance(kind, dict) else {"bsonType": kind} for name, kind in fields.items()}
    return {"bsonType": "object", "required": sorted(kinds), "properties": kinds}


VALIDATORS: Mapping[str, Document] = {
    "accounts": _object(role={"enum": list(ROLES)}, password=_STRING, revision=_INT),
    "sessions": _object(account=_STRING, seen=_DATE, ends=_DATE),
    "tokens": _object(digest=_STRING, account=_STRING, scopes="array", ends=_DATE),
    "works": _object(
        key=_STRING,
        title=_STRING,
        kind={"enum": ["novel", "news"]},
        status={"enum": list(get_args(WorkStatus))},
        passage_ids={"bsonType": "array", "items": {"bsonType": _INT}},
        sha256=_STRING,
        lease=_LEASE,
    ),
    "passages": _object(work_id=_INT, ordinal=_INT, text=_STRING, sha256=_STRING),
    "fingerprints": _object(hashes="binData", positions="binData"),
    "sources": _object(kind={"enum": list(get_args(SourceKind))}, start_urls="array", enabled="bool"),
    "snapshots": _object(url=_STRING, status=_INT, headers="binData", fetched=_DATE),
    "captures": _object(url=_STRING, source=_STRING, fetched=_DATE, status=_INT, sha256=_STRING),
    "visits": _object(url=_STRING, source=_STRING, state=_STRING, last_checked=_DATE, due=_DATE),
    "page_events": _object(url=_STRING, source=_STRING, kind=_STRING, at=_DATE, scan_id=_STRING),
    "looks": _object(
        url=_STRING,
        page_id=_STRING,
        state={"enum": list(LOOK_STATES)},
        scan_id=_STRING,
        source=_STRING,
        at=_DATE,
    ),
    "watches": _object(
        url=_STRING,
        source=_STRING,
        cases={"bsonType": "array", "items": {"bsonType": _INT}},
        page_id=_STRING,
        state={"enum": list(WATCH_STATES)},
        round=_STRING,
        due=_DATE,
    ),
    "health": _object(crawls=_INT, recent="array", pauses=_INT),
    "alerts": _object(source=_STRING, kind=_STRING, since=_DATE, last=_DATE, open="bool"),
    "pages": _object(
        url=_STRING,
        host=_STRING,
        text=_STRING,
        content_hash=_STRING,
        state={"enum": ["fetched", "compared", "failed"]},
        standing={"enum": list(get_args(PageStanding))},
        first_seen=_DATE,
        last_seen=_DATE,
        lease=_LEASE,
    ),
    "matches": _object(
        page_id=_STRING, passage_id=_INT, work_id=_INT, profile=_STRING, verdict=_STRING, spans="array"
    ),
    "cases": _object(
        work_id=_INT, site=_STRING, verdict=_STRING, state={"enum": list(CASE_STATES)}, moves=_INT
    ),
    "events": _object(case=_INT, kind=_STRING, at=_DATE, by=_STRING, number=_INT, stored=_DATE),
    "decisions": _object(
        site=_STRING,
        work_id=_INT,
        passage_sha256=_STRING,
        state={"enum": list(get_args(DecisionState))},
        made=_DATE,
    ),
    "review_leases": _object(by=_STRING, window=_STRING, until=_DATE),
    "evidence_leaves": _object(kind=_STRING, record=_STRING, digest=_STRING, salt="binData", at=_DATE),
    "evidence_keys": _object(public="binData", fingerprint=_STRING, accepted="binData"),
    "evidence_roots": _object(note=_STRING, at=_DATE, tokens="array", waiting="array"),
    "evidence_statements": _object(kind=_STRING, at=_DATE, records="array"),
    "evidence_tiles": _object(hashes="binData"),
    "outbox": _object(addressee=_STRING, cadence=_STRING, due=_DATE, mailing=_STRING, occasion="object"),
    "mailings": _object(
        addressee=_STRING,
        deliveries="array",
        due=_DATE,
        state={"enum": ["waiting", "sent", "failed"]},
        packed="bool",
    ),
    "reports": _object(scope=_STRING, form=_STRING, made=_DATE),
    "holders": _object(documents="array", added=_DATE),
    "holder_files": _object(data="binData"),
    "contacts": _object(role={"enum": list(get_args(ContactRole))}, site=_STRING),
    "notices": _object(
        number=_INT,
        case=_INT,
        site=_STRING,
        kind={"enum": list(get_args(NoticeKind))},
        state={"enum": list(get_args(NoticeState))},
        is_told="bool",
    ),
    "packages": _object(path=_STRING, sha256=_STRING, works="array", made=_DATE),
    "requests": _object(digest=_STRING, status=_INT, until=_DATE, ends=_DATE),
    "reservations": _object(of=_STRING, until=_DATE, ids="array"),
    "removed": _object(work_id=_INT, kind=_STRING, document="object"),
    "scans": _object(started=_DATE, status={"enum": ["running", "finished", "failed"]}),
    "crawls": _object(
        scan_id=_STRING, source=_STRING, state={"enum": ["due", "done", "failed"]}, lease=_LEASE
    ),
}


def refuse_newer(database: CheckedDatabase) -> int:
    """Return the schema version of a database; 0 when it is empty or older than versions.

    Raises:
        NewerSchema: a later version of pindna made it.
        HalfRestored: a restore was broken off.
        ServiceDown: MongoDB does not answer.
    """
    rows = {row["_id"]: row for row in database[SCHEMA].find({"_id": {"$in": [SCHEMA, RESTORING]}})}
    if RESTORING in rows:
        raise HalfRestored(database=database.raw.name)
    version = int(rows[SCHEMA]["version"]) if SCHEMA in rows else 0
    if version > VERSION:
        raise NewerSchema(found=version, known=VERSION)
    return version


def refuse_older(database: CheckedDatabase, version: int) -> None:
    """See that a database is not to be upgraded; without a version and empty it is new, or being made.

    Args:
        database: any.
        version: of its schema, as :func:`refuse_newer` returns it.

    Raises:
        OlderSchema: it is.
        ServiceDown: MongoDB does not answer.
    """
    if found := older_version(database, version):
        raise OlderSchema(found=found, known=VERSION)


def older_version(database: CheckedDatabase, version: int) -> int:
    """Return the version of a schema that is to be upgraded; 0: it is this one's, or the database is new.

    Args:
        database: any.
        version: of its schema, as :func:`refuse_newer` returns it.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    is_older = version < VERSION and (version or any(database[name].find_one({}) for name in _EARLIEST))
    return (version or 1) if is_older else 0


def is_new(database: Database[Document], version: int) -> bool:
    """Return whether a database of a version has no collection yet, so that nothing in it can be older.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    with mongo_errors(database):
        return version == 0 and not database.list_collection_names()


def bring_up_to_date(database: Database[Document], version: int, *, new: bool) -> None:
    """Set validators, change what older versions stored otherwise, and write the version.

    Args:
        database: with the indexes of this version.
        version: of its schema.
        new: it had no collection before them.

    Raises:
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    if version == VERSION:
        return
    with mongo_errors(database):
        there = set(database.list_collection_names())
        for name, schema in VALIDATORS.items():  # first, for the older ones would refuse the new form
            _validate(database, name, {"$jsonSchema": schema}, is_there=name in there)
        if new:
            note_capture_digests(database)
        else:
            upgrade(database)
        database[SCHEMA].replace_one({"_id": SCHEMA}, {"version": VERSION}, upsert=True)


def _validate(
    database: Database[Document], name: str, validator: Mapping[str, Any], *, is_there: bool
) -> None:
    """Set the validator of a collection, which is made if it is not there."""
    options: dict[str, Any] = {"validator": validator, "validationLevel": "moderate"}
    if not is_there:
        try:
            database.create_collection(name, check_exists=False, **options)
        except OperationFailure as error:
            if error.code != _NAMESPACE_EXISTS:  # made by another process at this moment
                raise
        else:
            return
    database.command("collMod", name, **options)
