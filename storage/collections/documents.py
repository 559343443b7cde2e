"""Conversion of records to MongoDB documents and back, and the connection to MongoDB.

A record's ``id`` (or other key field) becomes ``_id``; nested records become sub-documents; times stay aware
UTC. pydantic does the conversion, so it also checks every document that is read from the database.
"""

import logging
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar, cast

from bson.errors import BSONError
from pydantic import TypeAdapter
from pymongo import MongoClient, ReadPreference, WriteConcern
from pymongo.database import Database
from pymongo.errors import ConfigurationError, ConnectionFailure, PyMongoError
from pymongo.monitoring import ServerHeartbeatListener

from storage.collections.availability import is_server_error, outage_error
from storage.collections.failures import decisive, failures_of, without_values
from storage.records import MAX_TEXT_CHARS
from storage.servers.connections import Server, causes
from storage.settings import StorageSettings
from system.errors import BadSettings, PindnaError, ServerFault, ServiceDown, UnknownHost
from system.exit_status import ExitStatus
from system.messages import N_
from system.urls import host_and_port

log = logging.getLogger(__name__)

Document = dict[str, Any]
R = TypeVar("R")
MAX_FIELD_CHARS = 20_000  # maximum length of all other strings: titles, names, addresses, messages
MAX_SPANS = 20_000
MAX_REASONS_CHARS = 500_000  # of all reasons in a match; the decisions store all stretches
# Maximum stretches of a match by field, so that a document stays below 16 MB.
_MAX_STRETCHES = {"spans": MAX_SPANS, "common": 5_000, "suppressed": 5_000}
# The fields of a page that can be large.
WITHOUT_TEXT: Mapping[str, int] = {"text": 0, "posts": 0, "rest": 0, "rest_pieces": 0}
_TEXTS = frozenset({"text", "rest"})
_PORT = 27017
# The driver's own text may contain the password.
_NO_ADDRESS = N_("it is not an address such as mongodb://user:password@host:27017")
_BAD_RECORDS = N_(
    "the DNS records (SRV, TXT) of its name contain servers of another domain, or options that are not "
    "allowed"
)
_ABOUT_RECORDS = re.compile("SRV host|TXT record|supported from DNS")
_OPTION = re.compile(r"[?&]([A-Za-z]+)=")
_ANSWER_MS = 300_000  # maximum wait for a reply; a later reply means that it is lost or the server hangs
LONG_S = 86_400.0  # maximum time of long operations, such as building indexes, for ``pymongo.timeout``
_CONFIRMATIONS = 3  # a majority may take this many times ``storage.timeout_s`` to confirm a write
_SURROGATES = re.compile("[\ud800-\udfff]")


class StorageFailed(PindnaError):
    """MongoDB refused a request that does not fit the server's state. Data: ``problem``."""

    template = "MongoDB could not carry out an operation: {problem}."
    exit_status = ExitStatus.DOWN


class Unstorable(StorageFailed):
    """MongoDB cannot store a document of this type or size. Data: ``problem``."""

    template = "MongoDB cannot store a record: {problem}."


@cache
def _type_adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("type[Any]", kind))


def to_document(record: object, *, key: str = "id") -> Document:
    """Convert a record to a document; its field ``key`` becomes ``_id``."""
    document: Document = _type_adapter(cast("Hashable", type(record))).dump_python(record)
    document["_id"] = document.pop(key)
    return storable(document)


def storable(document: Document) -> Document:
    """Make a document storable: without lone surrogates, and small enough for MongoDB.

    A document has at most 16 MB. A text of 3 million characters takes at most 12 MB, and 20,000 spans take 5
    MB. If there are more spans, the longest ones are kept in their order. Every character keeps its position.
    """
    for name, value in document.items():
        kept = value
        if name in _MAX_STRETCHES and len(value) > _MAX_STRETCHES[name]:
            log.warning("%s has %d %s; the longest are kept", document["_id"], len(value), name)
            kept = longest(value, _MAX_STRETCHES[name])
        document[name] = _shortened(kept, MAX_TEXT_CHARS if name in _TEXTS else MAX_FIELD_CHARS)
    return document


def longest(stretches: Sequence[Document], most: int) -> list[Document]:
    """Return the ``most`` longest stretches, in their order."""
    ranked = sorted(range(len(stretches)), key=lambda at: _stretch_length(stretches[at]), reverse=True)
    return [stretches[at] for at in sorted(ranked[:most])]


def _shortened(value: Any, max_chars: int, max_reason: int = MAX_FIELD_CHARS) -> Any:
    """Shorten the strings of a value, including strings in lists and sub-documents."""
    if isinstance(value, str):
        return (
            value
            if value.isascii() and len(value) <= max_chars
            else _SURROGATES.sub("\ufffd", value[:max_chars])
        )
    if isinstance(value, dict):
        return {
            name: _shortened(item, max_reason if name == "because" else max_chars)
            for name, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        reason = min(max_chars, MAX_REASONS_CHARS // max(1, len(value)))
        return [_shortened(item, max_chars, reason) for item in value]
    return value


def _stretch_length(stretch: Document) -> int:
    span = stretch.get("span", stretch)
    return int(span["page_end"] - span["page_start"])


def from_document(kind: type[R], document: Document, *, key: str = "id") -> R:
    """Convert a document to a record.

    Raises:
        pydantic.ValidationError: the document has another shape.
    """
    fields = {name: value for name, value in document.items() if name != "_id"}
    record: R = _type_adapter(cast("Hashable", kind)).validate_python({**fields, key: document["_id"]})
    return record


def connect(
    settings: StorageSettings, *, listeners: Sequence[ServerHeartbeatListener] = ()
) -> Database[Document]:
    """Open the database; the connection is made lazily and is not fork-safe.

    Acknowledged writes are journalled, because a killed server would lose the last of them. Unless the
    address sets ``w=``, a majority of a replica set confirms each write, because an election could lose it.
    Every wait ends: a majority has three times ``storage.timeout_s`` to confirm a write, and a reply has five
    minutes, unless the address sets ``wtimeoutMS``, ``socketTimeoutMS`` or ``timeoutMS``. Reads go to the
    primary, even if the address sets ``readPreference=``: a lagging member could lack works of the current
    corpus version. All other options of an address (TLS, replica sets, logins, retries) are passed to the
    driver.

    Args:
        settings: settings with the server's address.
        listeners: receive each reply to the driver's heartbeat.

    Raises:
        ServiceDown: no URL is set.
        UnknownHost: the name of a ``mongodb+srv`` address is unknown.
        BadSettings: the URL cannot be parsed.
    """
    if settings.mongo_url is None:
        raise ServiceDown(service="MongoDB", address="storage.mongo_url", problem="no address is set")
    timeout_ms = int(settings.timeout_s * 1000)
    url = settings.mongo_url.get_secret_value()
    said = {name.casefold() for name in _OPTION.findall(url)}
    limits: dict[str, Any] = (
        {} if said & {"sockettimeoutms", "timeoutms"} else {"socketTimeoutMS": _ANSWER_MS}
    )
    try:
        client: MongoClient[Document] = MongoClient(
            url,
            tz_aware=True,
            journal=True,
            appname="pindna",
            event_listeners=listeners,
            serverSelectionTimeoutMS=timeout_ms,
            connectTimeoutMS=timeout_ms,
            **limits,
        )
    except (PyMongoError, ValueError) as error:
        if isinstance(error, ConfigurationError) and any(map(_is_of_names, causes(error))):
            raise _mongo_server(host_and_port(url, port=_PORT)).error(UnknownHost) from error
        problem = _BAD_RECORDS if _ABOUT_RECORDS.search(str(error)) else _NO_ADDRESS
        raise BadSettings(where="storage.mongo_url", problem=problem) from error
    concern = {"w": "majority", "wtimeout": _CONFIRMATIONS * timeout_ms, **client.write_concern.document}
    return client.get_database(
        settings.mongo_database, read_preference=ReadPreference.PRIMARY, write_concern=WriteConcern(**concern)
    )


@contextmanager
def mongo_errors(database: Database[Document]) -> Iterator[None]:
    """Convert errors of the driver to errors of pindna.

    Raises:
        ServiceDown: the server cannot be used, or reports an internal error; the subclass gives the reason.
        Unstorable: the server can never store the document.
        StorageFailed: the request does not fit the server's state, such as an existing key.
    """
    try:
        yield
    except (BSONError, UnicodeError, OverflowError) as error:
        raise Unstorable(problem=type(error).__name__) from error  # its message contains the document
    except PyMongoError as error:
        raise _error_of(error, database) from error


def _error_of(error: PyMongoError, database: Database[Document]) -> PindnaError:
    """Return pindna's error for an error of the driver."""
    server = _mongo_server(address_of(database))
    if isinstance(error, ConnectionFailure) or is_server_error(error):
        return outage_error(server, error, database.client)
    failure = decisive(failures_of(error))
    if failure is None:
        return StorageFailed(problem=without_values(str(error)) or type(error).__name__)
    if failure.kind == "passing":
        return ServerFault(service=server.service, address=server.address, problem=failure.message)
    return (Unstorable if failure.kind == "document" else StorageFailed)(problem=failure.message)


def _mongo_server(address: str) -> Server:
    return Server("MongoDB", address, "storage.mongo_url")


def _is_of_names(error: BaseException) -> bool:
    """Return whether the error is that a name in a ``mongodb+srv`` address cannot be resolved."""
    return type(error).__module__.startswith("dns.")


def address_of(database: Database[Document]) -> str:
    """Return ``host:port`` of the first configured server, without credentials."""
    host, port = next(iter(sorted(database.client._topology_settings.seeds)))  # noqa: SLF001 - no public way without a connection
    return f"{host}:{port}"
