"""The schema of the database: its version, and the required fields of documents.

``Stores.ensure_schema`` prepares a database. It may be repeated, run by several processes at once, and
interrupted at any point, because it writes the version last. ``ensure_schema`` of each store creates the
indexes that its queries need.

Validators (:mod:`storage.collections.validators`) require the fields that queries and other collections rely
on, with their types. They do not list every field, so a record may get new fields without a new schema
version.
"""

from collections.abc import Mapping

from pymongo.database import Database

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, mongo_errors
from storage.collections.upgrades import note_capture_digests, upgrade
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.messages import N_

# The changes of each schema; databases of schema 1 have no version.
CHANGES: Mapping[int, str] = {
    2: N_("Add shards to works and pages, and marks to corpus versions."),
    3: N_("Add a time limit to each source, and a digest to each new capture."),
    4: N_(
        "Add hosts to pages, numbers to matches and cases, and a precision and a zone to dates. Store "
        "matches, decisions and cases by site. Convert dismissals and confirmations to decisions."
    ),
    5: N_("Mark pages with unsettled addresses or an interrupted comparison."),
    6: N_("Add hosts to known addresses, and states and a history to cases."),
    7: N_("Add to each case the copied shares of its pages and of its work."),
    8: N_("Record tasks for workers separately from pages and works, and drop one index of each."),
    9: N_("Store the cases and works of each notice as a list."),
}
VERSION = max(CHANGES)

SCHEMA = "schema"  # name of the collection, and id of its row with the version
RESTORING = "restoring"  # id of the row that exists only during a restore
_EARLIEST = ("works", "sources", "pages")  # every database of schema 1 has at least one of these collections


class NewerSchema(PindnaError):
    """A later version of pindna created the database. Data: ``found``, ``known``."""

    template = (
        "The database has schema {found}, but this version of pindna supports schemas up to {known}. "
        "Update pindna on this machine, or set another database in storage.mongo_database."
    )
    exit_status = ExitStatus.DOWN


class OlderSchema(PindnaError):
    """An earlier version of pindna created the database. Data: ``found``, ``known``."""

    template = (
        "The database has schema {found}, but this version of pindna needs schema {known}. Run `pindna "
        "upgrade`, which writes a backup first."
    )
    exit_status = ExitStatus.DOWN


class HalfRestored(PindnaError):
    """A restore of the database was interrupted. Data: ``database``."""

    template = (
        "The database {database} is only partly restored: a restore was interrupted, or is running. Run "
        "`pindna backup restore` again; it starts from the beginning."
    )
    exit_status = ExitStatus.DOWN


def refuse_newer(database: CheckedDatabase) -> int:
    """Return the schema version of a database, and refuse a newer one; 0 if it is empty or has no version.

    Raises:
        NewerSchema: a later version of pindna created it.
        HalfRestored: a restore was interrupted.
    """
    rows = {row["_id"]: row for row in database[SCHEMA].find({"_id": {"$in": [SCHEMA, RESTORING]}})}
    if RESTORING in rows:
        raise HalfRestored(database=database.raw.name)
    version = int(rows[SCHEMA]["version"]) if SCHEMA in rows else 0
    if version > VERSION:
        raise NewerSchema(found=version, known=VERSION)
    return version


def refuse_older(database: CheckedDatabase, version: int) -> None:
    """Refuse a database that must be upgraded; an empty one without a version is new.

    Args:
        database: the database.
        version: of its schema, as :func:`refuse_newer` returns it.

    Raises:
        OlderSchema: the schema is older.
    """
    if older := older_version(database, version):
        raise OlderSchema(found=older, known=VERSION)


def older_version(database: CheckedDatabase, version: int) -> int:
    """Return the schema version if it must be upgraded; 0 if it is up to date or the database is new.

    Args:
        database: the database.
        version: of its schema, as :func:`refuse_newer` returns it.
    """
    is_older = version < VERSION and (version or any(database[name].find_one({}) for name in _EARLIEST))
    return (version or 1) if is_older else 0


def is_new(database: Database[Document], version: int) -> bool:
    """Return whether a database has no collection yet, so that it needs no upgrade."""
    with mongo_errors(database):
        return version == 0 and not database.list_collection_names()


def bring_up_to_date(database: Database[Document], version: int, *, new: bool) -> None:
    """Upgrade documents of older schemas, then write the present version.

    Args:
        database: the database with validators and indexes of this version: older ones refuse the new form.
        version: of its schema.
        new: it had no collection before.
    """
    if version == VERSION:
        return
    with mongo_errors(database):
        if new:
            note_capture_digests(database)
        else:
            upgrade(database)
        database[SCHEMA].replace_one({"_id": SCHEMA}, {"version": VERSION}, upsert=True)
