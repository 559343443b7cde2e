"""What MongoDB documents of the commands that pindna sends: their fields, and limits.

Source: the MongoDB manual: of each command its page below ``reference/command`` ("Command Fields" and
"Stable API"), ``reference/stable-api-changelog`` and ``reference/limits``. A command or field that is outside
of Stable API V1 stands in ``OUTSIDE`` with what it is needed for.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pymongo.monitoring

MAX_WRITES, MAX_KEYS_OF_INDEX, MAX_INDEXES = 100_000, 32, 64
MAX_MERGED_RANGES = 200  # internalQueryMaxScansToExplode
_LOOKED_AT = 50  # items of a list whose keys are looked at

COMMANDS: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "abortTransaction": "recoveryToken",
        "aggregate": "allowDiskUse bypassDocumentValidation collation cursor explain hint let pipeline",
        "collMod": "index validationAction validationLevel validator",
        "commitTransaction": "recoveryToken",
        "count": "collation hint limit query skip",
        "create": "clusteredIndex collation pipeline validationAction validationLevel validator viewOn",
        "createIndexes": "commitQuorum indexes",
        "delete": "deletes let ordered",
        "drop": "",
        "dropDatabase": "",
        "dropIndexes": "index",
        "endSessions": "",
        "explain": "verbosity",
        "find": "allowDiskUse batchSize collation filter hint let limit projection singleBatch skip sort",
        "findAndModify": "arrayFilters collation fields hint let new query remove sort update upsert",
        "getMore": "batchSize collection",
        "hello": "",
        "insert": "bypassDocumentValidation documents ordered",
        "killCursors": "cursors",
        "listCollections": "authorizedCollections cursor filter nameOnly",
        "listIndexes": "cursor",
        "ping": "",
        "update": "bypassDocumentValidation let ordered updates",
    }.items()
}
_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "any command": """$clusterTime $db $readPreference apiDeprecationErrors apiStrict apiVersion
            autocommit comment lsid maxTimeMS readConcern startTransaction txnNumber writeConcern""",
        "update": "arrayFilters collation hint multi q sort u upsert",
        "delete": "collation hint limit q",
        "index": "collation expireAfterSeconds hidden key name partialFilterExpression unique",
        "stage": """$addFields $bucket $count $facet $group $limit $lookup $match $project $replaceRoot
            $replaceWith $sample $set $skip $sort $sortByCount $unionWith $unset $unwind""",
        "operator": """$all $and $elemMatch $eq $exists $expr $gt $gte $in $lt $lte $mod $ne $nin $nor $not
            $options $or $regex $size $type""",
        "change": """$addToSet $inc $max $min $mul $pull $pullAll $push $rename $set $setOnInsert $unset""",
    }.items()
}

# Outside of V1: these work on every server, and would not with ``apiStrict``.
OUTSIDE: Mapping[str, frozenset[str]] = {
    "connectionStatus": frozenset({"showPrivileges"}),  # what the user may do, for `pindna doctor`
    "buildinfo": frozenset(),  # the version that `pindna doctor` shows, and what a backup is read from
    "distinct": frozenset({"collation", "key", "query"}),  # from each value of an index to the next
    "sparse": frozenset(),  # of an index: marks that few documents have
}
# What tests send beside pindna.
_OF_TESTS = frozenset(
    {
        "configureFailPoint", "createUser", "dbStats", "dropUser", "secantusAdmin.backupArchive",
        "updateUser", "usersInfo",
    }
)  # fmt: skip


def problems_of(name: str, command: Mapping[str, Any]) -> Iterator[str]:
    """Yield what of a command is not documented, or goes beyond a limit."""
    if name in _OF_TESTS or not command:  # what logs in is not shown
        return
    known = COMMANDS.get(name, OUTSIDE.get(name))
    if known is None:
        yield f"{name} is no command that is known here"
        return
    for field in command.keys() - known - _WORDS["any command"] - {name}:
        yield f"{name} has no field {field}"
    parts = command.get("documents") or command.get("updates") or command.get("deletes") or ()
    if len(parts) > MAX_WRITES:
        yield f"{name} has {len(parts)} writes"
    yield from _PARTS.get(name, lambda _command: iter(()))(command)


def _of_update(command: Mapping[str, Any]) -> Iterator[str]:
    for part in command["updates"]:
        yield from (f"update has no field {field}" for field in part.keys() - _WORDS["update"])
        yield from _of_filter(part["q"])
        yield from _of_change(part["u"])


def _of_delete(command: Mapping[str, Any]) -> Iterator[str]:
    for part in command["deletes"]:
        yield from (f"delete has no field {field}" for field in part.keys() - _WORDS["delete"])
        yield from _of_filter(part["q"])


def _of_find_and_modify(command: Mapping[str, Any]) -> Iterator[str]:
    yield from _of_filter(command.get("query") or {})
    yield from _of_change(command.get("update") or {})


def _of_insert(command: Mapping[str, Any]) -> Iterator[str]:
    for document in command["documents"][:_LOOKED_AT]:
        if isinstance(document.get("_id"), (list, tuple)):
            yield "an _id is an array"
        yield from _of_keys(document)


def _of_indexes(command: Mapping[str, Any]) -> Iterator[str]:
    for index in command["indexes"]:
        yield from (
            f"an index has no option {name}" for name in index.keys() - _WORDS["index"] - OUTSIDE.keys()
        )
        if {"sparse", "partialFilterExpression"} <= index.keys():
            yield f"the index {index['name']} is sparse and partial"
        if "expireAfterSeconds" in index and len(index["key"]) > 1:
            yield f"the index {index['name']} deletes by more than one field"
        if len(index["key"]) > MAX_KEYS_OF_INDEX:
            yield f"the index {index['name']} has {len(index['key'])} fields"


def _of_pipeline(command: Mapping[str, Any]) -> Iterator[str]:
    stages = list(command["pipeline"])
    if len(stages) > 1 and "$match" in stages[0] and "$sort" in stages[1]:
        lists = [
            len(condition["$in"])
            for condition in stages[0]["$match"].values()
            if isinstance(condition, Mapping) and "$in" in condition
        ]
        if math.prod(lists) > MAX_MERGED_RANGES:
            yield f"{math.prod(lists)} ranges of an index are sorted in memory"
    for stage in command["pipeline"]:
        yield from (f"there is no stage {name}" for name in stage.keys() - _WORDS["stage"])
        if "$match" in stage:
            yield from _of_filter(stage["$match"])


def _of_filter(condition: Any) -> Iterator[str]:
    if isinstance(condition, Mapping):
        for name, value in condition.items():
            if name.startswith("$") and name not in _WORDS["operator"]:
                yield f"there is no operator {name}"
            if name not in {"$expr", "$eq", "$in", "$nin"}:
                yield from _of_filter(value)
    elif isinstance(condition, Sequence) and not isinstance(condition, (str, bytes)):
        for part in condition[:_LOOKED_AT]:
            yield from _of_filter(part)


def _of_change(change: Any) -> Iterator[str]:
    if not isinstance(change, Mapping):
        yield from _of_pipeline({"pipeline": change})
    elif any(name.startswith("$") for name in change):
        yield from (f"there is no change {name}" for name in change.keys() - _WORDS["change"])
        for value in (change.get("$set"), change.get("$setOnInsert")):
            for part in (value or {}).values():
                yield from _of_keys(part)
    else:
        yield from _of_keys(change)


def _of_keys(value: Any) -> Iterator[str]:
    """Yield what is wrong with the names of a stored document's fields."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name.startswith("$") or "\0" in name:
                yield f"a stored field is called {name!r}"
            yield from _of_keys(part)
    elif isinstance(value, (list, tuple)):
        for part in value[:_LOOKED_AT]:
            yield from _of_keys(part)


_PARTS = {
    "aggregate": _of_pipeline,
    "createIndexes": _of_indexes,
    "delete": _of_delete,
    "find": lambda command: _of_filter(command.get("filter") or {}),
    "findAndModify": _of_find_and_modify,
    "insert": _of_insert,
    "update": _of_update,
}


class Inspector(pymongo.monitoring.CommandListener):
    """Holds every command of the clients that are made from now on to what is documented.

    Attributes:
        commands: that were sent.
        problems: each once.
    """

    def __init__(self) -> None:
        self.commands: set[str] = set()
        self.problems: set[str] = set()

    def started(self, event: pymongo.monitoring.CommandStartedEvent) -> None:
        """Look at a command."""
        self.commands.add(event.command_name)
        self.problems.update(problems_of(event.command_name, event.command))

    def succeeded(self, event: object) -> None:
        """Not needed."""

    def failed(self, event: object) -> None:
        """Not needed."""
