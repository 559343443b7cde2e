"""The daily budget of a source's searches, on the real server."""

import pytest

pytestmark = pytest.mark.services


def test_searches_of_a_day_never_exceed_its_budget(stores):
    def reserve(scan, count, day="2026-03-01"):
        return stores.health.reserve_searches("d", scan, day=day, count=count, most=10)

    assert (reserve("s1", 6), reserve("s2", 6), reserve("s3", 1)) == (6, 4, 0)
    assert reserve("s1", 6) == 6  # another process of the same crawl
    assert stores.health.get("d").searches_on("2026-03-01") == 10
    assert stores.health.get("d").searches_on("2026-03-02") == 0
    assert reserve("s1", 6, day="2026-03-02") == 6
    assert stores.health.get("d").crawls == 0
