"""Three processes share a crawl and are killed; ``benchmarks --section crawl-kills`` is the long version."""

import pytest

from benchmarks.kills import rounds

pytestmark = pytest.mark.services


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_process_loses_no_page_and_doubles_none(settings, seed):
    (result,) = rounds(settings.storage, count=1, chapters=120, seed=seed)
    assert result.is_complete
    assert result.errors == 0
    assert result.kills > 0
    assert (result.lost, result.doubled, result.unaccounted) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_many_rounds_lose_nothing_double_nothing_and_leave_nothing_out(settings):
    for played in rounds(settings.storage, count=10, chapters=200, seed=3):
        assert played.is_complete
        assert (played.errors, played.lost, played.doubled, played.unaccounted) == (0, 0, 0, 0)
