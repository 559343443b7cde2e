"""Find and replace people's names in all collections.

A name is either the whole value of a field (who decided, who wrote a page) or part of a text (a reason, a
note). In texts a name in Latin letters must be a whole word, because many words contain "li". A Chinese name
may be anywhere.

An administrator runs this when a person requests it. Collections of people's actions are read completely; the
server filters pages and matches without an index. Only one row at a time is in memory.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document


@dataclass(frozen=True, slots=True)
class NameFields:
    """The fields of a collection that contain names.

    Attributes:
        names: keys whose whole value is a name, at any depth, possibly followed by the token of a program.
        texts: keys whose value is or contains texts with names.
        with_it: further fields about the named person, cleared with the name; ``a.b`` is within ``a``.
        query: the field that the server filters by; empty: every row is read.
    """

    names: frozenset[str]
    texts: frozenset[str] = frozenset()
    with_it: tuple[str, ...] = ()
    query: tuple[str, ...] = ()


PLACES: Mapping[str, NameFields] = {
    "pages": NameFields(frozenset({"author"}), query=("author",)),
    "matches": NameFields(
        frozenset({"by"}), frozenset({"because"}), query=("decided.by", "decided.because", "because")
    ),
    "removed": NameFields(frozenset({"by", "assignee"}), frozenset({"because", "reason"})),
    "decisions": NameFields(frozenset({"by"}), frozenset({"because"})),
    "cases": NameFields(frozenset({"assignee"}), frozenset({"reason"})),
    "events": NameFields(
        frozenset({"by"}), frozenset({"because", "detail", "subject"}), with_it=("detail.address",)
    ),
    "candidates": NameFields(frozenset({"by"}), frozenset({"reason", "text"})),
    "evidence_keys": NameFields(frozenset({"by"})),
    "evidence_statements": NameFields(frozenset({"by"}), frozenset({"because"})),
    "packages": NameFields(frozenset({"by"})),
    "settings": NameFields(frozenset({"by"})),
    "holders": NameFields(frozenset({"contact"}), with_it=("position", "phone", "email")),
    "contacts": NameFields(frozenset({"name"}), frozenset({"note"}), with_it=("address", "phone", "email")),
    "site_lookups": NameFields(frozenset({"by"}), frozenset({"value", "words"})),
    "notices": NameFields(
        frozenset({"by", "sent_by", "name"}), frozenset({"text", "subject", "reply", "because", "problem"})
    ),
}

# Collections whose rows belong to one account: the field with the account's name, and fields that are never
# shown.
OF_ACCOUNT: Mapping[str, tuple[str, frozenset[str]]] = {
    "accounts": ("_id", frozenset({"password", "otp_secret", "recovery"})),
    "sessions": ("account", frozenset({"_id"})),
    "tokens": ("account", frozenset({"digest"})),
}
_BY_TOKEN = re.compile(r" \(t\d+\)$")


def pattern_of(name: str) -> re.Pattern[str]:
    """Return the regular expression that finds a name in a text.

    >>> bool(pattern_of("li").search("by li, at 8")), bool(pattern_of("li").search("applied"))
    (True, False)
    """
    escaped = re.escape(name)
    return re.compile(rf"(?<![A-Za-z0-9_]){escaped}(?![A-Za-z0-9_])" if name.isascii() else escaped)


def replacements(row: Document, fields: NameFields, name: str, by: str) -> Document:
    """Return the fields of a row that change when a name is replaced; empty if the row lacks the name.

    Args:
        row: the row as stored.
        fields: the fields with names.
        name: the name.
        by: the replacement.
    """
    pattern = pattern_of(name)

    def replace_in(value: Any, key: str, *, is_text: bool) -> Any:
        if isinstance(value, str):
            if key in fields.names and (bare := _BY_TOKEN.sub("", value.strip())) == name:
                return by + value.strip()[len(bare) :]
            return pattern.sub(lambda _: by, value) if is_text else value
        if isinstance(value, dict):
            return {
                name_key: replace_in(item, name_key, is_text=is_text or name_key in fields.texts)
                for name_key, item in value.items()
            }
        if isinstance(value, list):
            return [replace_in(item, key, is_text=is_text) for item in value]
        return value

    replaced = {
        key: replace_in(value, key, is_text=key in fields.texts) for key, value in row.items() if key != "_id"
    }
    changed = {key: value for key, value in replaced.items() if value != row[key]}
    if changed.keys() & fields.names:
        for key in fields.with_it:
            outer, _, inner = key.partition(".")
            value = changed.get(outer, row.get(outer))
            if inner and isinstance(value, dict) and value.get(inner):
                changed[outer] = {**value, inner: ""}
            elif not inner and value:
                changed[outer] = ""
    return changed


class PersonStore:
    """All rows that contain people's names. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._database = database

    def rows_with(self, name: str) -> Iterator[tuple[str, Document, Document]]:
        """Yield every row that contains the name: its collection, the row, and the fields with the name.

        Args:
            name: the name as written.
        """
        for collection, fields in PLACES.items():
            queries = self._name_queries(fields, name)
            row_ids: set[Any] = set()
            for query in queries:
                for row in self._database[collection].find(query):
                    named = replacements(row, fields, name, "")
                    if named and row["_id"] not in row_ids:
                        if len(queries) > 1:
                            row_ids.add(row["_id"])
                        yield collection, row, {key: row[key] for key in named}

    def of_account(self, name: str) -> Iterator[tuple[str, Document]]:
        """Yield the rows of an account, its sessions and tokens (collection and fields), without secrets."""
        for collection, (field, hidden) in OF_ACCOUNT.items():
            for row in self._database[collection].find({field: name}):
                yield collection, {key: value for key, value in row.items() if key not in hidden}

    def _name_queries(self, fields: NameFields, name: str) -> list[Document]:
        if not fields.query:
            return [{}]
        plain = [key for key in fields.query if key.rpartition(".")[2] in fields.names]
        texts = [key for key in fields.query if key not in plain]
        return [*({key: name} for key in plain), *({key: {"$regex": re.escape(name)}} for key in texts)]

    def change(self, collection: str, row_id: object, fields: Document) -> None:
        """Change fields of a row."""
        self._database[collection].update_one({"_id": row_id}, {"$set": fields})
