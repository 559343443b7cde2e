"""What pindna sends to MongoDB is what MongoDB documents; the whole contract suite is listened to."""

import pytest
from support.stable_api import MAX_INDEXES, problems_of
from support.two_holders import fill


@pytest.mark.services
def test_every_sent_command_is_documented(stores, inspector):
    """The listening fixture also fails the run at its end for requests of the other tests."""
    fill(stores)
    assert {"insert", "find", "listIndexes"} < inspector.commands
    assert inspector.problems == set()
    for name in stores.database.list_collection_names():
        assert len(stores.database[name].index_information()) <= MAX_INDEXES, name


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("mapReduce", {"mapReduce": "x"}),
        ("find", {"find": "x", "tailable": True}),
        ("find", {"find": "x", "filter": {"a": {"$where": "1"}}}),
        ("aggregate", {"aggregate": "x", "pipeline": [{"$indexStats": {}}], "cursor": {}}),
        ("aggregate", {"aggregate": "x", "pipeline": [{"$match": {"$or": [{"a": {"$near": 1}}]}}]}),
        ("insert", {"insert": "x", "documents": [{"a": [{"$b": 1}]}]}),
        ("insert", {"insert": "x", "documents": [{}] * 100_001}),
        ("update", {"update": "x", "updates": [{"q": {}, "u": {"$bit": {}}}]}),
        ("update", {"update": "x", "updates": [{"q": {}, "u": {"$set": {"a": {"$b": 1}}}}]}),
        ("delete", {"delete": "x", "deletes": [{"q": {}, "justOne": True}]}),
        ("createIndexes", {"createIndexes": "x", "indexes": [{"key": {"a": 1}, "background": True}]}),
        ("create", {"create": "x", "capped": True}),
        ("insert", {"insert": "x", "documents": [{"_id": [1]}]}),
        (
            "aggregate",
            {
                "aggregate": "x",
                "pipeline": [
                    {"$match": {"host": {"$in": list(range(101))}, "state": {"$in": [1, 2]}}},
                    {"$sort": {"seen": -1}},
                ],
            },
        ),
        *(
            ("createIndexes", {"createIndexes": "x", "indexes": [{"name": "i", **index}]})
            for index in (
                {"key": {"a": 1}, "sparse": True, "partialFilterExpression": {"a": 1}},
                {"key": {"a": 1, "b": 1}, "expireAfterSeconds": 0},
                {"key": {f"f{number}": 1 for number in range(33)}},
            )
        ),
    ],
)
def test_undocumented_command_is_noticed(name, command):
    assert list(problems_of(name, command))
