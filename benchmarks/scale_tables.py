"""Tables for the cost of the daily work as the database grows."""

from collections.abc import Mapping, Sequence

from benchmarks.report import Table
from benchmarks.scale import FEW, FLAT, MANY, ScaleCost, ScaleSize

# Operations whose cost must not grow with the database.
_FLAT = (
    "opening",
    "opening, after a new work",
    "tick",
    "tick, after a new work",
    "batch of twenty",
    "batch, after a new work",
    f"closing, {FEW} pages changed",
    f"closing, {MANY} pages changed",
    f"report of the scan, {FEW} pages",
    f"report of the scan, {MANY} pages",
)
_LINEAR = (("closing, {} pages changed", "closing"), ("report of the scan, {} pages", "report of the scan"))
Costs = Mapping[tuple[str, int], ScaleCost]


def by_operation(costs: Sequence[ScaleCost]) -> Costs:
    """Return (operation, number of pages) → cost."""
    return {(cost.operation, cost.pages): cost for cost in costs}


def cost_table(costs: Sequence[ScaleCost], before: Sequence[ScaleCost]) -> Table:
    """Return a table of each operation's processor time at every size, the ratio, and the earlier figures."""
    now, earlier = by_operation(costs), by_operation(before)
    sizes = sorted({cost.pages for cost in costs})
    small, large = sizes[:2]
    names = list(dict.fromkeys(cost.operation for cost in costs))
    head = (
        "operation",
        *(f"ms, {size:,} pages" for size in sizes),
        "ratio",
        "target",
        "reached",
        "ratio before",
        f"ms before, {large:,} pages",
        "peak MB",
        "before",
    )
    rows = []
    for name in names:
        ratio = _growth_ratio(now, name, small, large)
        was = earlier.get((name, large))
        rows.append(
            (
                name,
                *(_format_ms(now.get((name, size))) for size in sizes),
                _format_ratio(ratio),
                f"{FLAT}" if name in _FLAT else "–",
                ("yes" if ratio is not None and ratio <= FLAT else "no") if name in _FLAT else "–",
                _format_ratio(_growth_ratio(earlier, name, small, large)),
                _format_ms(was),
                f"{now[name, large].peak_mb:.0f}" if (name, large) in now else "–",
                f"{was.peak_mb:.0f}" if was else "–",
            )
        )
    title = "Scale: processor time of this process and its servers"
    return Table(title, head, tuple(rows))


def linear_growth_table(costs: Sequence[ScaleCost], before: Sequence[ScaleCost]) -> Table:
    """Return a table that shows, for each size, how costs grow with ten times as many changed pages."""
    now, earlier = by_operation(costs), by_operation(before)
    rows = [
        (
            f"{title}, {MANY} pages : {FEW} pages",
            f"{size:,}",
            _format_ratio(_growth_with_changes(now, operation, size)),
            f"≤ {MANY // FEW}",
            _format_ratio(_growth_with_changes(earlier, operation, size)),
        )
        for operation, title in _LINEAR
        for size in sorted({cost.pages for cost in costs})
    ]
    return Table(
        "Scale: linear in what changed", ("operation", "pages", "times", "target", "before"), tuple(rows)
    )


def size_table(stored: Sequence[ScaleSize]) -> Table:
    """Return a table of the sizes of the stored data."""
    rows = tuple(
        (
            size.what,
            f"{size.pages:,}",
            f"{size.rows:,}",
            f"{size.data_bytes / 2**20:.1f}",
            f"{size.index_bytes / 2**20:.1f}",
            f"{(size.data_bytes + size.index_bytes) / size.rows:,.0f}" if size.rows else "–",
            f"{(size.data_bytes + size.index_bytes) / size.pages:,.0f}",
        )
        for size in stored
        if size.data_bytes
    )
    head = ("what", "pages", "rows", "MB", "MB of indexes", "bytes a row", "bytes a page")
    return Table("Scale: what is stored", head, rows)


def _growth_ratio(costs: Costs, name: str, small: int, large: int) -> float | None:
    small_cost, large_cost = costs.get((name, small)), costs.get((name, large))
    return large_cost.cpu_ms / small_cost.cpu_ms if small_cost and large_cost and small_cost.cpu_ms else None


def _growth_with_changes(costs: Costs, operation: str, size: int) -> float | None:
    few, many = costs.get((operation.format(FEW), size)), costs.get((operation.format(MANY), size))
    return many.cpu_ms / few.cpu_ms if few and many and few.cpu_ms else None


def _format_ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}"


def _format_ms(cost: ScaleCost | None) -> str:
    return "–" if cost is None else f"{cost.cpu_ms:,.0f}"
