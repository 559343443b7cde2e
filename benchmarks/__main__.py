"""Run the benchmark, print its tables, and write tables and plots to benchmarks/results/."""

import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from support.changed.corpora import Material, load
from support.faults.outages import OUTAGES

from benchmarks import lineup
from benchmarks.report import RESULTS, Report
from benchmarks.scale import PAGES
from benchmarks.sections import GROWTH, MILLION, ON_DEMAND, RUNS, SECTIONS
from tracker.indexing.params import DEFAULT_PARAMS

_FILE_COLUMNS = 250
_DEFAULT_MILLIONS = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections of the benchmark.

    Args:
        arguments: command line arguments.

    Returns:
        The exit status.
    """
    options = _parser().parse_args(arguments)
    millions = GROWTH[0] if options.quick else options.million
    pages = min(options.pages, 30) if options.quick else options.pages
    material = load(chars=millions * MILLION, pages=pages)
    console = Console(stderr=options.markdown)
    if not console.is_terminal:
        console.width = _FILE_COLUMNS  # a log file has no width
    report = Report(console, _describe_run(options, material))
    if not lineup.are_peers_installed():
        report.console.print(
            "The peers are not installed. Run pip install --editable '.[bench]' to add them."
        )
    for section in options.section or SECTIONS:
        RUNS[section](report, material, options)
        report.save()
    report.console.print(f"Wrote {RESULTS}/results.json and results.md.")
    if options.markdown:
        sys.stdout.write(report.markdown())
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one million characters, 30 pages, few rounds")
    parser.add_argument(
        "--section", action="append", choices=SECTIONS + ON_DEMAND, help="only this one; repeatable"
    )
    parser.add_argument(
        "--million", type=int, default=_DEFAULT_MILLIONS, help="million characters for recall (%(default)s)"
    )
    parser.add_argument("--pages", type=int, default=200, help="pages for each kind of change (%(default)s)")
    parser.add_argument(
        "--budget", type=float, default=12, help="seconds of queries for each method (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the changes (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="processes for recall (%(default)s)")
    parser.add_argument(
        "--choosing", action="store_true", help="verdicts on the works that are used to choose thresholds"
    )
    parser.add_argument("--rounds", type=int, default=50, help="rounds of faults (%(default)s)")
    parser.add_argument(
        "--crawl-pages", type=int, default=2_000, help="pages of the crawled site (%(default)s)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=60,
        help="duration of `console-clicks` and `soak-crawl` (%(default)s)",
    )
    parser.add_argument("--days", type=int, default=30, help="simulated days of `soak` (%(default)s)")
    parser.add_argument(
        "--outage", action="append", choices=list(OUTAGES), help="run only this outage; repeatable"
    )
    parser.add_argument("--kill-rounds", type=int, default=30, help="rounds of kill -9 (%(default)s)")
    parser.add_argument(
        "--large", action="store_true", help="growth to 100 million characters, scale to 1 million pages"
    )
    parser.add_argument(
        "--scale-pages",
        type=int,
        default=PAGES,
        help="pages of the smaller database of `scale` (%(default)s); the larger one has ten times as many",
    )
    parser.add_argument(
        "--before",
        type=Path,
        help="earlier results.json for `hard` or `scale` (docs/benchmarks/hard-before.json, …)",
    )
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables to standard output")
    return parser


def _describe_run(options: Namespace, material: Material) -> dict[str, Any]:
    return {
        "texts": material.source,
        "characters": material.chars,
        "passages": len(material.passages),
        "seed": options.seed,
        "python": platform.python_version(),
        "methods": " + ".join(DEFAULT_PARAMS.params_ids),
    }


if __name__ == "__main__":
    sys.exit(main())
