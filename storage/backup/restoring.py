"""Restore a database from a backup.

The steps of a restore, and the state after a crash in each step:

1. Read and check the whole archive. The database has not changed.
2. Set a mark that the database is being restored. From now on only another restore can open the database.
3. Drop the old collections, then create collections, documents, indexes and validators. The mark stays, so
   every command that opens the database requests another restore, which starts from the beginning.
4. Write the schema version, delete data outside of MongoDB that belongs to the old documents, and remove the
   mark.

The database gets the schema of the backup. ``pindna upgrade`` upgrades an older schema.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pymongo
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

from storage.backup.archive import BackupArchive, CollectionFacts, split
from storage.collections.documents import LONG_S, Document, StorageFailed, mongo_errors
from storage.collections.rights import CHANGE_COLLECTIONS, require_right
from storage.collections.schema import RESTORING, SCHEMA, VERSION, NewerSchema
from storage.records import utc_now
from system.batches import batched
from system.errors import PindnaError
from system.exit_status import ExitStatus

# Collections that contain documents even in a new installation.
_ALWAYS_PRESENT = frozenset(
    {"alert_marks", "counters", "evidence_keys", "evidence_log", SCHEMA, "turns", "versions"}
)
_BATCH = 1_000
_VALIDATION = ("validator", "validationLevel", "validationAction")


class NotEmpty(PindnaError):
    """The database to restore into is not empty. Data: ``database``, ``collection``."""

    template = (
        "The database {database} is not empty: it contains {collection}. Restore into a new database "
        "(storage.mongo_database, or another data folder), or add --replace to delete its content."
    )


class NotTaken(PindnaError):
    """A server refused the documents of a backup. Data: ``database``, ``problem``."""

    template = (
        "MongoDB refused documents of the backup ({problem}), so the database {database} is only partly "
        "restored. Restore another copy of the backup, or an earlier backup."
    )
    exit_status = ExitStatus.DOWN


def restore_backup(
    archive: BackupArchive,
    database: Database[Document],
    *,
    replace: bool = False,
    note: Callable[[int, int], None] = lambda _done, _all: None,
    forget: Callable[[], None] = lambda: None,
) -> None:
    """Restore a database from a backup.

    Args:
        archive: the backup.
        database: the target; no other process may use it.
        replace: delete its present content.
        note: receives the number of read documents and the total: each is read twice.
        forget: deletes data outside the database that refers to other documents; the mark is removed after
            it.

    Raises:
        DamagedBackup, PartialBackup: nothing was changed.
        NewerSchema: a later version of pindna wrote the documents; nothing was changed.
        ActionMissing: the user may not set validators (role ``dbAdmin``); nothing was changed.
        NotEmpty: the database contains documents, and not those of an interrupted restore; nothing was
            changed.
        NotTaken: the server refused documents; the mark stays, and another backup may be restored.
        ServiceDown, StorageFailed: the server failed; the call may be repeated.
    """
    manifest = archive.manifest
    if manifest.schema > VERSION:
        raise NewerSchema(found=manifest.schema, known=VERSION)
    steps, total = 0, 2 * manifest.documents
    with mongo_errors(database):
        _refuse_filled(database, replace=replace)
        require_right(database, CHANGE_COLLECTIONS)
    for count in archive.verify():
        steps += count
        note(steps, total)
    try:
        with mongo_errors(database):
            _delete_old_content(database, archive)
            for count in _insert_documents(database, archive):
                steps += count
                note(steps, total)
    except StorageFailed as error:
        raise NotTaken(database=database.name, problem=error.data["problem"]) from error
    forget()
    with mongo_errors(database):
        database[SCHEMA].delete_one({"_id": RESTORING})


def _refuse_filled(database: Database[Document], *, replace: bool) -> None:
    if replace or database[SCHEMA].find_one({"_id": RESTORING}):
        return
    for name in sorted(database.list_collection_names()):
        if name not in _ALWAYS_PRESENT and database[name].find_one({}, {"_id": 1}):
            raise NotEmpty(database=database.name, collection=name)


def _delete_old_content(database: Database[Document], archive: BackupArchive) -> None:
    """Set the mark of a restore, and delete all other documents."""
    mark = {"_id": RESTORING, "begun": utc_now(), "taken": archive.manifest.taken}
    database[SCHEMA].replace_one({"_id": RESTORING}, mark, upsert=True)
    for name in database.list_collection_names():
        if name != SCHEMA and not name.startswith("system."):
            database.drop_collection(name)
    for name in archive.manifest.collections:
        if name != SCHEMA:
            database.create_collection(name, check_exists=False)


def _insert_documents(database: Database[Document], archive: BackupArchive) -> Iterator[int]:
    """Create documents, indexes, validators and finally the schema version; yields counts of documents."""
    last: list[RawBSONDocument] = []
    for name, documents in archive.parts():
        rows = (RawBSONDocument(bytes(document)) for document in split(documents))
        for batch in batched(rows, _BATCH):
            if name == SCHEMA:
                last += batch
            else:
                _insert_rows(database, name, batch)
            yield len(batch)
    for name, facts in archive.manifest.collections.items():
        _create_indexes_and_validator(database, name, facts)
    database[SCHEMA].delete_many({"_id": {"$ne": RESTORING}})
    for row in last:
        database[SCHEMA].insert_one(row)


def _insert_rows(database: Database[Document], name: str, rows: list[RawBSONDocument]) -> None:
    """Insert documents so that no crash or election loses them; no later step checks their number."""
    collection: Any = database[name]
    collection.insert_many(rows, ordered=False)


def _create_indexes_and_validator(database: Database[Document], name: str, facts: CollectionFacts) -> None:
    """Create the indexes and the validator; documents that exist already need not satisfy the validator."""
    if indexes := list(_index_models(facts)):
        with pymongo.timeout(LONG_S):
            database.command("createIndexes", name, indexes=indexes)
    if validation := {key: facts.options[key] for key in _VALIDATION if key in facts.options}:
        database.command("collMod", name, **validation)


def _index_models(facts: CollectionFacts) -> Iterator[dict[str, Any]]:
    for index in facts.indexes:
        if index.get("name") != "_id_":
            yield {key: value for key, value in index.items() if key != "v"}
