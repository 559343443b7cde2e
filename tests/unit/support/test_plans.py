"""Plans are read alike, whichever engine made them and on however many shards."""

import pytest
from support.plans import indexes_of, stages_of

SCAN = {"stage": "IXSCAN", "indexName": "url_1"}
CLASSIC = {"stage": "FETCH", "inputStage": SCAN}
SLOT_BASED = {"queryPlan": {"stage": "FETCH", "planNodeId": 2, "inputStage": SCAN}, "slotBasedPlan": {}}
MERGED = {"stage": "SORT_MERGE", "inputStages": [SCAN, {"stage": "IXSCAN", "indexName": "_id_"}]}
PLANS = {
    "classic": (CLASSIC, ["FETCH", "IXSCAN"], {"url_1"}),
    "slot-based": (SLOT_BASED, ["FETCH", "IXSCAN"], {"url_1"}),
    "merged": (MERGED, ["SORT_MERGE", "IXSCAN", "IXSCAN"], {"url_1", "_id_"}),
    "subplan": (
        {"stage": "OR", "inputStages": [CLASSIC, {"stage": "COLLSCAN"}]},
        ["OR", "FETCH", "IXSCAN", "COLLSCAN"],
        {"url_1"},
    ),
    "one shard": (
        {"stage": "SINGLE_SHARD", "shards": [{"shardName": "a", "winningPlan": SLOT_BASED}]},
        ["SINGLE_SHARD", "FETCH", "IXSCAN"],
        {"url_1"},
    ),
    "two shards": (
        {
            "stage": "SHARD_MERGE",
            "shards": [
                {"shardName": "a", "winningPlan": CLASSIC},
                {"shardName": "b", "winningPlan": {"stage": "COLLSCAN"}},
            ],
        },
        ["SHARD_MERGE", "FETCH", "IXSCAN", "COLLSCAN"],
        {"url_1"},
    ),
}


@pytest.mark.parametrize(("plan", "names", "indexes"), PLANS.values(), ids=PLANS)
def test_stages_and_indexes_are_extracted(plan, names, indexes):
    told = {"queryPlanner": {"winningPlan": plan}}
    assert [stage["stage"] for stage in stages_of(told)] == names
    assert indexes_of(told) == indexes
