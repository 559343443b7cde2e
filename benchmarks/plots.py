"""Plots of a run: recall by edit rate, and costs by size of the corpus. This module needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from support.changed.changes import EDIT_RATES

from benchmarks.growth import GrowthFigures
from benchmarks.recall import Score

mpl.use("Agg")
_WIDE = frozenset({"default", "check", "DNA", "letter shingles"})


def plot_recall(scores: Sequence[Score], order: Sequence[str], path: Path) -> None:
    """Draw the recall on novel pages by the share of edited characters, with one line per method.

    Args:
        scores: scores of all methods.
        order: names of the methods, in the order of the legend.
        path: the image to write.

    Raises:
        OSError: the image cannot be written.
    """
    changes = {"none": 0, **{f"edits {rate} %": rate for rate in EDIT_RATES}}
    by = {(score.method, score.change): score.share for score in scores if score.kind == "novel"}
    figure = Figure(figsize=(10, 6))
    axes = figure.subplots()
    for number, name in enumerate(order):
        line = [(rate, by[name, change]) for change, rate in changes.items() if (name, change) in by]
        axes.plot(
            [rate for rate, _ in line],
            [share for _, share in line],
            label=name,
            linewidth=2.5 if name in _WIDE else 1,
            linestyle=("-", "--", ":", "-.")[number // 10 % 4],
            marker="o",
            markersize=3,
        )
    axes.set_xlabel("characters edited, %")
    axes.set_ylabel("recall")
    axes.set_title("Pages of 3,000 characters found again")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=120, bbox_inches="tight")


def plot_growth(rows: Sequence[GrowthFigures], path: Path) -> None:
    """Draw the time to look up a page and the size of the index by the size of the corpus.

    Args:
        rows: figures of every method at every size.
        path: the image to write.

    Raises:
        OSError: the image cannot be written.
    """
    figure = Figure(figsize=(10, 4))
    times, sizes = figure.subplots(1, 2)
    for method in dict.fromkeys(row.method for row in rows):
        method_rows = sorted((row for row in rows if row.method == method), key=lambda row: row.chars)
        millions = [row.chars / 1e6 for row in method_rows]
        times.plot(millions, [row.copy_ms for row in method_rows], marker="o", label=method)
        megabytes = [row.bytes_char * row.chars / 1e6 for row in method_rows]
        sizes.plot(millions, megabytes, marker="o", label=method)
    for axes, title in ((times, "milliseconds to look up a page"), (sizes, "megabytes of the index")):
        axes.set_xscale("log")
        axes.set_xlabel("million characters")
        axes.set_title(title)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=7)
    sizes.set_yscale("log")
    figure.savefig(path, dpi=120, bbox_inches="tight")
