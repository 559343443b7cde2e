"""The figures about pages as tables: extraction and encodings."""

from collections.abc import Sequence

from benchmarks.encodings import Decodings
from benchmarks.extraction import GROUPS, Pace, Quality
from benchmarks.hostile import READERS, Cost, Costs
from benchmarks.tables import Table


def extraction_tables(section: str, qualities: Sequence[Quality], paces: Sequence[Pace]) -> list[Table]:
    """Return how well, how fast and how discerning every extractor is.

    Args:
        section: names the pages.
        qualities: by extractor and group.
        paces: by extractor.
    """
    by = {(each.extractor, each.group): each for each in qualities}
    groups = [group for group in GROUPS if any(each.group == group for each in qualities)]
    counts = {each.group: each.pages for each in qualities}
    head = ("extractor", *(f"{group} ({counts[group]}): P / R / F1" for group in groups))
    rows = tuple(
        (each.extractor, *(_scores(by.get((each.extractor, group))) for group in groups)) for each in paces
    )
    return [Table(f"{section}: text", head, rows), _pace_table(section, paces)]


def _scores(quality: Quality | None) -> str:
    return "–" if quality is None else f"{quality.precision:.3f} / {quality.recall:.3f} / {quality.f1:.3f}"


def _pace_table(section: str, paces: Sequence[Pace]) -> Table:
    return Table(
        f"{section}: pace and kinds",
        (
            "extractor",
            "pages/s of one core",
            "lists taken for texts",
            "texts kept",
            "garbled pages taken for texts",
        ),
        tuple(
            (
                each.extractor,
                f"{each.pages_s:.0f}",
                f"{each.lists_taken} of {each.lists}",
                f"{each.texts_kept} of {each.texts}",
                f"{each.garbled_kept} of {each.garbled}",
            )
            for each in paces
        ),
    )


def encoding_table(rows: Sequence[Decodings]) -> Table:
    """Return how many pages came out right in each way, and in all."""
    right, pages = sum(row.right for row in rows), sum(row.pages for row in rows)
    mean = sum(row.ms * row.pages for row in rows) / max(1, pages)
    return Table(
        "encodings: pages decoded right",
        ("way", "right", "ms a page"),
        (
            *((row.way, f"{row.right} of {row.pages}", f"{row.ms:.2f}") for row in rows),
            ("all", f"{right} of {pages}", f"{mean:.2f}"),
        ),
    )


def hostile_table(rows: Sequence[Costs]) -> Table:
    """Return what it costs to read pages that mean harm, beside what it costs the libraries."""
    return Table(
        "hostile pages: seconds of CPU, and megabytes at the most",
        ("page", "MB", *READERS, "times lxml"),
        tuple(
            (
                row.family,
                f"{row.of[READERS[0]].size / 1e6:.1f}",
                *(_cost(row.of[reader]) for reader in READERS),
                _ratio(row.of["pindna"], row.of["lxml"]),
            )
            for row in rows
        ),
    )


def _cost(cost: Cost) -> str:
    return (
        f"{cost.seconds:.2f} s, {cost.megabytes:.0f} MB"
        if cost.is_finished
        else f"not in {cost.seconds:.0f} s"
    )


def _ratio(ours: Cost, theirs: Cost) -> str:
    return f"{ours.seconds / max(theirs.seconds, 1e-3):.0f}" if theirs.is_finished else "–"
