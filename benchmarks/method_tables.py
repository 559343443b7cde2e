"""Tables for methods: recall, speed, growth, deduplication and parameters."""

from collections.abc import Iterable, Sequence

from support.changed.changes import KINDS

from benchmarks.grouping import CHANGES as COPIES
from benchmarks.grouping import Grouping
from benchmarks.growth import GrowthFigures
from benchmarks.letters_speed import LettersRun
from benchmarks.nshash_speed import NshashRun
from benchmarks.recall import FALSE_ALARMS, Score
from benchmarks.report import Table
from benchmarks.speed import Speed
from benchmarks.sweep import CHANGES, Trial

REAL = ("editions", "reuse", "reprints")
_COLUMNS = (
    ("Recall: edits and disguises", [kind for kind in KINDS if not kind.startswith("copied")]),
    (
        "Recall: copied parts, real copies; false alarms",
        [*(kind for kind in KINDS if kind.startswith("copied")), *REAL, FALSE_ALARMS],
    ),
)


def recall_tables(scores: Sequence[Score], order: Sequence[str]) -> list[Table]:
    """Return tables of the recall of every method, separately for novel pages and news articles.

    Args:
        scores: scores of all methods.
        order: names of the methods, in the order of the rows.
    """
    by = {(score.method, score.change, score.kind): score for score in scores}
    tables = []
    for kind, unit in (("novel", "novel pages of 3,000 characters"), ("news", "news articles")):
        for title, changes in _COLUMNS:
            held = [change for change in changes if any((name, change, kind) in by for name in order)]
            rows = tuple(
                (
                    name,
                    *(_format_share(by.get((name, change, kind))) for change in held),
                    _format_page_count(by, name, kind),
                )
                for name in order
            )
            tables.append(Table(f"{title} ({unit})", ("method", *held, "pages"), rows))
    return tables


def _format_share(score: Score | None) -> str:
    if score is None:
        return "–"
    return f"{score.share:.3f}"


def _format_page_count(by: dict[tuple[str, str, str], Score], name: str, kind: str) -> str:
    score = by.get((name, "none", kind))
    return str(score.pages) if score else "–"


def speed_table(rows: Iterable[Speed]) -> Table:
    """Return a table of the speed of every method."""
    rows = list(rows)
    peers = list(rows[0].times) if rows else []
    return Table(
        "Speed and size (pages of 3,000 characters)",
        (
            "method",
            "documents/s to fingerprint",
            *(f"× {peer}" for peer in peers),
            "ms to look up a page",
            "characters/s to index",
            "index bytes/character",
        ),
        tuple(
            (
                row.method,
                f"{row.documents_s:,.0f}",
                *(f"{row.times[peer]:.2f}" for peer in peers),
                f"{row.page_ms:.2f}",
                f"{row.index_chars_s:,.0f}",
                f"{row.bytes_char:.2f}",
            )
            for row in rows
        ),
    )


def growth_table(rows: Iterable[GrowthFigures]) -> Table:
    """Return a table of the growth of each method's costs with the corpus."""
    return Table(
        "Growth with the mother corpus",
        (
            "method",
            "million characters",
            "s to build",
            "bytes/character",
            "ms a page that is a copy",
            "× the smallest",
            "ms a page that is none",
            "× the smallest",
            "passages named for a page that is none",
        ),
        tuple(
            (
                row.method,
                f"{row.chars / 1e6:.1f}",
                f"{row.build_s:.1f}",
                f"{row.bytes_char:.2f}",
                f"{row.copy_ms:.2f}",
                f"{row.copy_times:.2f}",
                f"{row.other_ms:.2f}",
                f"{row.other_times:.2f}",
                f"{row.chance:.3f}",
            )
            for row in sorted(rows, key=lambda row: (row.method, row.chars))
        ),
    )


def nshash_table(rows: Iterable[NshashRun]) -> Table:
    """Return a table of the runs of nshash."""
    return Table(
        "nshash: five longest sentences, text to group",
        ("store", "documents", "characters", "seconds", "groups"),
        tuple(
            (row.store, f"{row.documents:,}", f"{row.chars:,}", f"{row.seconds:.2f}", f"{row.groups:,}")
            for row in rows
        ),
    )


def letters_table(rows: Iterable[LettersRun]) -> Table:
    """Return a table of the speed of converting texts to letters."""
    return Table(
        "Letters",
        ("method", "ms to load", "characters/s", "× pypinyin"),
        tuple((row.method, f"{row.load_ms:.0f}", f"{row.chars_s:,.0f}", f"{row.times:.1f}") for row in rows),
    )


def grouping_table(rows: Iterable[Grouping]) -> Table:
    """Return a table that shows how well copies are grouped with their originals."""
    return Table(
        "Deduplication: copies grouped with their originals",
        ("method", "documents", "seconds", *COPIES, "in a group with texts of other origin"),
        tuple(
            (
                row.method,
                f"{row.documents:,}",
                f"{row.seconds:.1f}",
                *(f"{row.recall[change]:.3f}" for change in COPIES),
                f"{row.mixed:.3f}",
            )
            for row in rows
        ),
    )


def sweep_table(rows: Iterable[Trial]) -> Table:
    """Return a table of the recall of each set of parameters, for novel pages / news articles."""
    return Table(
        "DNA alone with other parameters (novel pages / news articles)",
        ("parameters", "postings/character", *CHANGES, "chance candidates a page"),
        tuple(
            (
                row.params_id,
                f"{row.postings_char:.3f}",
                *(" / ".join(f"{share:.3f}" for share in row.recall[change].values()) for change in CHANGES),
                f"{row.chance:.3f}",
            )
            for row in rows
        ),
    )
