"""What MongoDB reads for a query, by the indexes that there are.

An index serves a query that has bounds on the index's first field: points on a run of its fields, then at
most one range. What matches the bounds is read; the rest of the filter is looked up in what was read. A limit
ends the reading early where nothing else is in the filter and the index has the order that is wanted.

How much matches the bounds is asked of the server that the tests run on, whose own planner is simpler:
SecantusDB leaves an index aside when a filter has other fields than it. So ``explain`` is asked about the
bounds alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pymongo.monitoring
from pymongo.database import Database

Filter = Mapping[str, Any]
Sort = tuple[tuple[str, int], ...]
_RANGES = {"$gt", "$gte", "$lt", "$lte"}
_POINTS = {"$eq", "$in"}
_FEW = 100  # documents that are not counted more exactly
_WORD_CHARS = 14  # of a value that is one of a few, such as a state


@dataclass(frozen=True, slots=True)
class Asked:
    """A query or the condition of a change.

    Attributes:
        collection: that was asked.
        command: of MongoDB.
        filter: what a document must meet.
        sort: fields and directions, in order.
        limit: most documents that are wanted; 0: all.
    """

    collection: str
    command: str
    filter: Filter
    sort: Sort = ()
    limit: int = 0

    @property
    def shape(self) -> str:
        """What is alike in queries that differ only in their values; words such as states are kept."""
        parts = [_condition(name, value) for name, value in sorted(self.filter.items())]
        parts += [f"sort {name} {direction:+}" for name, direction in self.sort]
        return f"{self.collection}.{self.command}({', '.join([*parts, *(['limit'] if self.limit else [])])})"


def _condition(name: str, value: object) -> str:
    if name in {"$or", "$and"} and isinstance(value, Sequence):
        branches = (" & ".join(_condition(*item) for item in sorted(part.items())) for part in value)
        return f"{name}: {' | '.join(sorted(set(branches)))}"
    if isinstance(value, Mapping):
        return f"{name} {' '.join(sorted(value))}"
    is_word = isinstance(value, str) and len(value) <= _WORD_CHARS and value.replace("-", "").isalpha()
    return f"{name}={value}" if is_word or value is None or isinstance(value, bool) else name


class Recorder(pymongo.monitoring.CommandListener):
    """Remembers every query and the condition of every change."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def started(self, event: pymongo.monitoring.CommandStartedEvent) -> None:
        """Note what a command asks."""
        self.asked += _asked_by(event.command_name, event.command)

    def succeeded(self, event: object) -> None:
        """Not needed."""

    def failed(self, event: object) -> None:
        """Not needed."""


@contextmanager
def listening(listener: pymongo.monitoring.CommandListener) -> Iterator[None]:
    """Let a listener hear the clients that are made meanwhile, as long as these live."""
    pymongo.monitoring.register(listener)
    try:
        yield
    finally:
        pymongo.monitoring._LISTENERS.command_listeners.remove(listener)


def _asked_by(name: str, command: Mapping[str, Any]) -> Iterator[Asked]:
    collection = command.get(name)
    match name:
        case "find":
            sort = tuple((command.get("sort") or {}).items())
            yield Asked(collection, name, dict(command["filter"]), sort, abs(command.get("limit", 0)))
        case "update" | "delete":
            for part in command[f"{name}s"]:
                yield Asked(collection, name, dict(part["q"]))
        case "findAndModify":
            yield Asked(collection, name, dict(command.get("query") or {}))
        case "distinct":
            yield Asked(collection, name, dict(command.get("query") or {}), sort=((command["key"], 1),))
        case "count" if command.get("query"):  # without one it reads no document
            yield Asked(collection, name, dict(command["query"]))
        case "aggregate":
            yield _of_pipeline(collection, command["pipeline"])


def _of_pipeline(collection: str, pipeline: Sequence[Mapping[str, Any]]) -> Asked:
    """Return what the first stages of a pipeline ask: its conditions come before a sort."""
    condition: dict[str, Any] = {}
    sort: Sort = ()
    skipped = 0
    for stage in pipeline:
        if "$match" in stage:
            condition |= stage["$match"]
        elif "$sort" in stage and not sort:
            sort = tuple(stage["$sort"].items())
        elif "$skip" in stage:
            skipped = stage["$skip"]
        elif "$limit" in stage:
            return Asked(collection, "aggregate", condition, sort, skipped + stage["$limit"])
        elif "$project" not in stage:
            break
    return Asked(collection, "aggregate", condition, sort)


@dataclass(frozen=True, slots=True)
class Plan:
    """How one index serves a query.

    Attributes:
        bounds: the part of the filter that bounds what is read of the index.
        is_whole: nothing else is in the filter.
        is_ordered: what is read comes in the order that is wanted.
    """

    bounds: Filter
    is_whole: bool
    is_ordered: bool


def plan_of(asked: Asked, keys: Sequence[str], *, is_sparse: bool = False) -> Plan | None:
    """Return how an index serves a query without ``$or``; None if it does not.

    Args:
        asked: the query.
        keys: fields of the index.
        is_sparse: documents without the field are not in it.
    """
    bounds: dict[str, Any] = {}
    points = 0
    for name in keys:
        kind = _kind(asked.filter.get(name, {}))
        if is_sparse and asked.filter.get(name, {}) is None:
            kind = ""  # what is not there is not in the index either
        if not kind or (kind == "exists" and not is_sparse):
            break
        bounds[name] = asked.filter[name]
        if kind != "point":
            break
        points += 1
    order = [name for name, _ in asked.sort]
    is_ordered = bool(order) and any(list(keys[at : at + len(order)]) == order for at in range(points + 1))
    if not bounds and not is_ordered:
        return None
    is_whole = bounds.keys() == asked.filter.keys()
    return Plan(bounds, is_whole, is_ordered or not order)


def _kind(condition: object) -> str:
    """Return ``point``, ``range`` or ``exists`` for what bounds an index, else nothing."""
    if not isinstance(condition, Mapping):
        return "point"
    if condition and condition.keys() <= _POINTS:
        return "point"
    if condition and condition.keys() <= _RANGES | _POINTS:
        return "range"
    return "exists" if condition == {"$exists": True} else ""


def read_by(asked: Asked, database: Database[dict[str, Any]]) -> int | None:
    """Return how many documents MongoDB reads at most for a query; None: all, for no index serves it."""
    if "$or" not in asked.filter:
        plans = [
            plan
            for index in database[asked.collection].list_indexes()
            if (plan := plan_of(asked, list(index["key"]), is_sparse=bool(index.get("sparse"))))
        ]
        if 0 < asked.limit <= _FEW and any(plan.is_whole and plan.is_ordered for plan in plans):
            return asked.limit
        return min((_reading(asked, plan, database) for plan in plans), default=None)
    rest = {name: value for name, value in asked.filter.items() if name != "$or"}
    parts = [read_by(replace(asked, filter={**rest, **part}), database) for part in asked.filter["$or"]]
    known = [part for part in parts if part is not None]
    together = [sum(known)] if len(known) == len(parts) else []
    alone = read_by(replace(asked, filter=rest, limit=0), database) if rest else None
    return min([*together, *([] if alone is None else [alone])], default=None)


def _reading(asked: Asked, plan: Plan, database: Database[dict[str, Any]]) -> int:
    collection = database[asked.collection]
    ends_early = asked.limit and plan.is_whole and plan.is_ordered
    if not plan.bounds and asked.command == "distinct":  # from each value to the next
        return len(collection.distinct(asked.sort[0][0]))
    if not plan.bounds:
        return asked.limit if ends_early else collection.estimated_document_count()
    matching = sum(_meeting(asked, bounds, database) for bounds in _points_of(plan.bounds))
    return min(matching, asked.limit) if ends_early else matching


def _points_of(bounds: Filter) -> Iterator[Filter]:
    """Yield bounds with each value of a ``$in`` alone: SecantusDB has no index for ``$in`` and other fields.

    MongoDB reads the ranges of all values, and merges them in the order of the index.
    """
    if len(bounds) == 1:
        yield bounds
        return
    choices = []
    for name, value in bounds.items():
        several = value.get("$in") if isinstance(value, Mapping) else None
        choices.append([(name, one) for one in ([value] if several is None else several)])
    yield from map(dict, product(*choices))


def _meeting(asked: Asked, bounds: Filter, database: Database[dict[str, Any]]) -> int:
    command = {"find": asked.collection, "filter": dict(bounds)}
    told = database.command("explain", command, verbosity="executionStats")
    names = {stage["stage"] for stage in stages_of(told)}
    if "COLLSCAN" in names and not _is_id_range(bounds):
        raise AssertionError(f"{asked.shape}: no index leads to {dict(bounds)}")
    return int(told["executionStats"]["nReturned"])


def _is_id_range(bounds: Filter) -> bool:
    """Return whether bounds are a range of ids, for which SecantusDB reads the collection."""
    return bounds.keys() == {"_id"} and _kind(bounds["_id"]) == "range"


_BELOW = ("inputStage", "outerStage", "innerStage", "thenStage", "elseStage")  # of the classic engine


def stages_of(told: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the stages of the plan that ``explain`` describes, from the last one to those that read.

    MongoDB's classic engine has them in ``winningPlan``, its slot-based engine in ``winningPlan.queryPlan``.
    A sharded cluster lists such a plan for each shard.

    Source: the MongoDB manual, "Explain Results".
    """
    yield from _stages(told["queryPlanner"]["winningPlan"])


def _stages(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    plan = plan.get("queryPlan", plan)
    yield plan
    for name in _BELOW:
        if name in plan:
            yield from _stages(plan[name])
    for part in plan.get("inputStages", ()):
        yield from _stages(part)
    for shard in plan.get("shards", ()):
        yield from _stages(shard["winningPlan"])


def indexes_of(told: Mapping[str, Any]) -> set[str]:
    """Return the names of the indexes that the plan reads, on any shard."""
    return {stage["indexName"] for stage in stages_of(told) if "indexName" in stage}
