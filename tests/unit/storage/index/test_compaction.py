"""When a round of compaction is due: something was removed, was begun, or has grown by both measures."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from storage.index.compaction import needs_compaction


def index_of(*, postings, tended, dead=0, cursor=None):
    """An index whose manifest says this."""
    answers = [[cursor, str(postings).encode(), str(tended).encode()], dead]
    pipeline = SimpleNamespace(hmget=lambda *names: names, scard=lambda key: key, execute=lambda: answers)
    meta = SimpleNamespace(pipeline=lambda *, transaction: pipeline if transaction else None)
    return SimpleNamespace(shards=SimpleNamespace(errors=nullcontext, meta=lambda: meta), key=str)


@pytest.mark.parametrize(
    ("postings", "tended", "due"),
    [
        (0, 0, False),
        (200_000, 0, False),
        (200_001, 0, True),
        # A small index grew by more than a quarter, but by too little to be worth the reading.
        (300_000, 200_000, False),
        (400_000, 200_000, False),
        (400_001, 200_000, True),
        # A large one grew by more than 200,000, but by less than a quarter.
        (12_300_000, 12_000_000, False),
        (15_000_000, 12_000_000, False),
        (15_000_001, 12_000_000, True),
    ],
)
def test_index_is_compacted_after_growing_by_a_quarter_and_200_000(postings, tended, due):
    assert needs_compaction(index_of(postings=postings, tended=tended)) is due


def test_removed_passage_is_reason_enough():
    assert needs_compaction(index_of(postings=10, tended=10, dead=1))


@pytest.mark.parametrize("cursor", [b"0", b"4096"])
def test_round_that_was_begun_is_finished(cursor):
    assert needs_compaction(index_of(postings=10, tended=10, cursor=cursor))
