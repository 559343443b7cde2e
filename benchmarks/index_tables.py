"""Tables for the sections ``index`` and ``load``."""

from collections.abc import Iterable

from benchmarks.index_load import LoadResult
from benchmarks.index_memory import IndexSize, PageTimes
from benchmarks.report import Table

_MILLION = 1_000_000


def index_size_table(rows: Iterable[IndexSize]) -> Table:
    """Return a table of the index sizes."""
    return Table(
        "Index in Redis: size and speed of adding",
        ("holds", "million characters", "bytes/character", "before compaction", "s to build", "added/s"),
        tuple(
            (
                row.method,
                f"{row.chars / _MILLION:.1f}",
                f"{row.bytes_char:.2f}",
                f"{row.added_bytes_char:.2f}",
                f"{row.build_s:.1f}",
                f"{row.items_s:,.0f}",
            )
            for row in rows
        ),
    )


def index_time_table(rows: Iterable[PageTimes]) -> Table:
    """Return a table of the milliseconds per page from text to verdict."""
    return Table(
        "Index in Redis: median ms a page of 3,000 characters, text to verdict (datasketch: to its answer)",
        (
            "index",
            "million characters",
            "clean, alone",
            "× the smallest",
            "clean, in batches of 100",
            "copied",
        ),
        tuple(
            (
                row.method,
                f"{row.chars / _MILLION:.1f}",
                f"{row.clean_ms:.2f}",
                f"{row.times:.2f}",
                f"{row.batch_ms:.2f}",
                f"{row.copy_ms:.2f}",
            )
            for row in rows
        ),
    )


def load_table(rows: Iterable[LoadResult]) -> Table:
    """Return a table of the first and the repeated load."""
    return Table(
        "Load from files to an index that holds them, two workers",
        ("load", "works", "million characters", "s", "characters/s", "processor s", "Redis bytes/character"),
        tuple(
            (
                row.what,
                f"{row.works:,}",
                f"{row.characters / _MILLION:.1f}",
                f"{row.seconds:.1f}",
                f"{row.characters_per_second:,.0f}",
                f"{row.cpu_s:.1f}",
                f"{row.bytes_char:.2f}",
            )
            for row in rows
        ),
    )
