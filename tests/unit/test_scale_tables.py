"""The tables of the scale benchmark: ratios between sizes, and whether a target is reached."""

import pytest

from benchmarks.scale import FEW, MANY, ScaleCost, ScaleSize
from benchmarks.scale_tables import cost_table, linear_growth_table, size_table


def cost(operation, pages, cpu_ms):
    return ScaleCost(
        operation=operation, pages=pages, cpu_ms=cpu_ms, clock_ms=9 * cpu_ms, peak_mb=3.0, rounds=2
    )


@pytest.mark.parametrize(("large", "ratio", "reached"), [(130, "1.30", "yes"), (140, "1.40", "no")])
def test_flat_operation_may_cost_a_third_more(large, ratio, reached):
    table = cost_table(
        [cost("tick", 10, 100), cost("tick", 100, large)], [cost("tick", 10, 50), cost("tick", 100, 200)]
    )
    (row,) = table.rows
    assert row == ("tick", "100", str(large), ratio, "1.3", reached, "4.00", "200", "3", "3")
    assert table.head[1:3] == ("ms, 10 pages", "ms, 100 pages")


def test_unmeasured_baseline_has_no_figures():
    (row,) = cost_table([cost("doctor", 10, 100), cost("doctor", 100, 900)], []).rows
    assert row[3:] == ("9.00", "–", "–", "–", "–", "3", "–")


def test_ten_times_as_many_changes_cost_ten_times_as_much_at_most():
    costs = [
        cost(f"{name}, {changed} pages{' changed' * (name == 'closing')}", pages, float(changed))
        for name in ("closing", "report of the scan")
        for changed in (FEW, MANY)
        for pages in (10, 100)
    ]
    rows = linear_growth_table(costs, costs[:2]).rows
    assert [row[2] for row in rows] == ["10.00"] * 4
    assert {row[4] for row in rows} == {"–"}


def test_sizes_are_shown_for_every_row_and_page():
    size = ScaleSize(what="captures", pages=100, rows=300, data_bytes=30_000, index_bytes=3_000)
    (row,) = size_table([size]).rows
    assert row[-2:] == ("110", "330")
