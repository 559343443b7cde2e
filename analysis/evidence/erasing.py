"""List and erase the personal data of a person (GDPR Art. 15 and 17, PIPL Art. 45 and 47).

An erasure replaces the name by a pseudonym in all data fields: authors of pages, deciders, assignees,
contacts, reasons and notes. The evidence log contains digests only. A signed statement in the log says that a
logged record was changed, which distinguishes the change from tampering. The salt of the earlier digest is
deleted, so the name cannot be guessed from the digest. Received responses stay unchanged because they are
evidence: in the snapshots, and in the texts read from them. An account with the name is deleted, with its
sessions and tokens.

The steps: delete the account, log everything, store the statement, log it, change the rows, delete the salts.
After a kill, run the command again: the pseudonym stays the same.
"""

import hashlib
import secrets
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from analysis.evidence.keys import SigningKey, signing_key
from analysis.evidence.leaves import content_of, digest_of
from analysis.evidence.log import append_pending
from analysis.evidence.statements import signed_bytes
from storage.collections.documents import Document
from storage.collections.evidence_log import UNLOGGED, read_row
from storage.collections.persons import PLACES, pattern_of, replacements
from storage.collections.stores import Stores
from storage.records.evidence_log import LoggedKind, Statement
from storage.settings import Settings
from system.errors import PindnaError
from system.exit_status import ExitStatus

_LOGGED: Mapping[str, LoggedKind] = {"events": "event", "evidence_statements": "statement"}
_BATCH = 500
MIN_NAME = 2  # minimum length of a name; a single character occurs in too many words


class NameTooShort(PindnaError):
    """The name has one character, which occurs in too many words.

    Attributes:
        name: the name.
    """

    template = "{name} is too short: it occurs in many words. Enter the full name."


class NotLoggedYet(PindnaError):
    """Another process is writing the evidence log."""

    template = "Another process is writing the evidence log. Try again in a minute."
    exit_status = ExitStatus.DOWN


class PersonalData(NamedTuple):
    """A stored row that contains the person's name.

    Attributes:
        collection, id: the row.
        fields: the fields with the name.
    """

    collection: str
    id: object
    fields: Document


@dataclass(frozen=True, slots=True)
class Erasure:
    """The result of an erasure.

    Attributes:
        pseudonym: the replacement for the name.
        changed: number of changed rows, by collection.
    """

    pseudonym: str
    changed: Counter[str]


def personal_data_of(name: str, stores: Stores) -> Iterator[PersonalData]:
    """Yield the stored rows that contain a person's name.

    Raises:
        NameTooShort: the name is too short.
        ServiceDown, StorageFailed: the database refused.
    """
    name = _check_name(name)
    for collection, row, fields in stores.persons.rows_with(name):
        yield PersonalData(collection, row["_id"], fields)
    for collection, fields in stores.persons.of_account(name):
        yield PersonalData(collection, fields.pop("_id", ""), fields)


def erase(name: str, stores: Stores, settings: Settings, *, by: str, reason: str, now: datetime) -> Erasure:
    """Replace a person's name by a pseudonym everywhere.

    Args:
        name: the name as it is written.
        stores: the database.
        settings: location of the key.
        by: the user who erases.
        reason: who requested it and when, without the name.
        now: time of the statement.

    Raises:
        NameTooShort: the name is too short.
        LastAdministrator: no administrator would be left; nothing was changed.
        NotLoggedYet: another process appends to the log; the call may be repeated.
        LogBroken, KeyElsewhere, KeyUnusable: no statement can be logged.
        ServiceDown, StorageFailed: the database refused; the call may be repeated.
    """
    name = _check_name(name)
    key = signing_key(settings, stores.evidence_keys, now=now)
    pseudonym = pseudonym_of(name, key)
    by, reason = (pattern_of(name).sub(pseudonym, text) for text in (by, reason))
    changed = _erase_account(name, stores)
    append_pending(stores, settings, now=now)
    logged: list[tuple[str, Document, Document]] = []
    for collection, row, _ in stores.persons.rows_with(name):
        fields = replacements(row, PLACES[collection], name, pseudonym)
        changed[collection] += 1
        if collection not in _LOGGED:
            stores.persons.change(collection, row["_id"], fields)
            continue
        if UNLOGGED in row:
            raise NotLoggedYet
        logged.append((collection, row, _signed_again(collection, {**row, **fields}, fields, key)))
        if len(logged) == _BATCH:
            _change_logged(logged, stores, key, by=by, reason=reason, now=now)
            logged.clear()
    if logged:
        _change_logged(logged, stores, key, by=by, reason=reason, now=now)
    _delete_salts(stores)
    append_pending(stores, settings, now=now)
    return Erasure(pseudonym, changed)


def _erase_account(name: str, stores: Stores) -> Counter[str]:
    """Delete an account, its sessions and its tokens. Return the number of deleted rows, by collection."""
    accounts = int(stores.accounts.erase(name))
    sessions, tokens = stores.sessions.end_all(name), stores.tokens.erase_all(name)
    return +Counter({"accounts": accounts, "sessions": sessions, "tokens": tokens})


def pseudonym_of(name: str, key: SigningKey) -> str:
    """Return the pseudonym of a name: always the same, and impossible to guess without the key."""
    return f"person-{hashlib.sha256(key.sign(b'pindna pseudonym' + name.encode())).hexdigest()[:12]}"


def _check_name(name: str) -> str:
    name = name.strip()
    if len(name) < MIN_NAME:
        raise NameTooShort(name=name)
    return name


def _signed_again(collection: str, row: Document, fields: Document, key: SigningKey) -> dict[str, Any]:
    """Return the changed fields of a row. A signed statement gets a new signature."""
    if collection != "evidence_statements" or not row["signature"]:
        return fields
    unsigned = replace(read_row(Statement, row), signature=b"")
    return {**fields, "signature": key.sign(signed_bytes(unsigned))}


def _change_logged(
    rows: list[tuple[str, Document, Document]],
    stores: Stores,
    key: SigningKey,
    *,
    by: str,
    reason: str,
    now: datetime,
) -> None:
    """Store the statement about logged rows, then change them."""
    salt = secrets.token_bytes(16)
    records = tuple(
        (_LOGGED[collection], str(row["_id"]), digest_of(content_of({**row, **fields}), salt))
        for collection, row, fields in rows
    )
    statement = Statement(
        id=uuid.uuid4().hex, kind="erased", at=now, by=by, because=reason, records=records, salt=salt
    )
    log = stores.evidence_log
    log.add_statement(replace(statement, signature=key.sign(signed_bytes(statement))))
    for kind in dict.fromkeys(kind for kind, _, _ in records):
        of_kind = [record for of, record, _ in records if of == kind]
        log.link_statement(kind, of_kind, statement=statement.id)
    for collection, row, fields in rows:
        stores.persons.change(collection, row["_id"], fields)


def _delete_salts(stores: Stores) -> None:
    """Delete the salts of erased records, also those that a killed erasure left behind."""
    log = stores.evidence_log
    for statement in log.statements("erased"):
        for kind in dict.fromkeys(kind for kind, _, _ in statement.records):
            of_kind = [record for of, record, _ in statement.records if of == kind]
            log.delete_salts(kind, of_kind)
