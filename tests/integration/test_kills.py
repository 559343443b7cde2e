"""Three processes share a crawl and are killed; ``benchmarks --section crawl-kills`` is the long version."""

import pytest
from support.faults.kills import rounds

pytestmark = pytest.mark.services


def test_killed_process_loses_no_page_and_doubles_none(settings):
    (played,) = rounds(settings.storage, count=1, chapters=120, seed=1)
    assert played.is_complete
    assert played.errors == 0
    assert played.kills > 0
    assert (played.lost, played.doubled, played.unaccounted) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_many_rounds_lose_nothing_double_nothing_and_leave_nothing_out(settings):
    for played in rounds(settings.storage, count=10, chapters=200, seed=3):
        assert played.is_complete
        assert (played.errors, played.lost, played.doubled, played.unaccounted) == (0, 0, 0, 0)
