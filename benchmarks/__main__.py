"""Run the benchmark, print its tables, and keep them with plots in benchmarks/results/."""

import json
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import crawl, growth, kills, lineup, nshash_speed, recall, speed, sweep
from benchmarks.corpora import Material, load
from benchmarks.server import redis_server, servers
from benchmarks.tables import (
    Table,
    crawl_table,
    growth_table,
    kills_table,
    nshash_table,
    recall_tables,
    speed_table,
    sweep_table,
)
from benchmarks.texts import PAGE_CHARS
from fingerprint.nshash import MemoryGroups
from storage.nshash_store import RedisGroups
from tracker.methods import DEFAULT_METHODS

SECTIONS = ("recall", "speed", "growth", "nshash")
ON_DEMAND = ("sweep", "crawl", "crawl-kills", "crawl-memory")
RESULTS = Path(__file__).parent / "results"
_MILLION = 1_000_000
_DEFAULT_MILLIONS = 4
_GROWTH = (1, 4, 24)
_LARGE = 100
_PEER_CHARS = 24 * _MILLION
_NSHASH_CHARS = 24 * _MILLION


@dataclass(slots=True)
class _Report:
    """What a run has found so far."""

    console: Console
    about: dict[str, Any]
    data: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)

    def add(self, section: str, rows: Sequence[Any], shown: Sequence[Table]) -> None:
        self.data[section] = [asdict(row) for row in rows]
        self.tables += shown
        for table in shown:
            self.console.print(table.rich())

    def save(self) -> None:
        RESULTS.mkdir(exist_ok=True)
        content = json.dumps({"about": self.about, **self.data}, ensure_ascii=False, indent=1)
        (RESULTS / "results.json").write_text(content + "\n", encoding="utf-8")
        (RESULTS / "results.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        about = ", ".join(f"{key} {value}" for key, value in self.about.items())
        return "\n".join([f"Run: {about}.\n", *(table.markdown() for table in self.tables)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark.

    Args:
        arguments: of the command line.

    Returns:
        The exit status.
    """
    chosen = _parser().parse_args(arguments)
    millions = _GROWTH[0] if chosen.quick else chosen.million
    pages = min(chosen.pages, 30) if chosen.quick else chosen.pages
    material = load(chars=millions * _MILLION, pages=pages)
    report = _Report(Console(stderr=chosen.markdown), _about(chosen, material))
    if not lineup.have_peers():
        report.console.print("The peers are not installed: pip install --editable '.[bench]' adds them.")
    for section in chosen.section or SECTIONS:
        _RUNS[section](report, material, chosen)
        report.save()
    report.console.print(f"Written: {RESULTS}/results.json and results.md")
    if chosen.markdown:
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
    parser.add_argument("--pages", type=int, default=200, help="pages of each kind of change (%(default)s)")
    parser.add_argument("--budget", type=float, default=12, help="seconds to question a method (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the changes (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="for recall (%(default)s)")
    parser.add_argument(
        "--crawl-pages", type=int, default=2_000, help="pages of the site that is crawled (%(default)s)"
    )
    parser.add_argument("--kill-rounds", type=int, default=30, help="rounds of kill -9 (%(default)s)")
    parser.add_argument("--large", action="store_true", help="growth to 100 million characters")
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables to standard output")
    return parser


def _about(chosen: Namespace, material: Material) -> dict[str, Any]:
    return {
        "texts": material.source,
        "characters": material.chars,
        "passages": len(material.passages),
        "seed": chosen.seed,
        "python": platform.python_version(),
        "methods": " + ".join(DEFAULT_METHODS.params_ids),
    }


def _rounds(chosen: Namespace) -> int:
    return 5 if chosen.quick else 15


def _recall(report: _Report, material: Material, chosen: Namespace) -> None:
    finders = lineup.everyone(material.passages)
    scores: list[recall.Score] = []
    runs = recall.measure(
        material,
        finders,
        seed=chosen.seed,
        budget_s=3 if chosen.quick else chosen.budget,
        processes=chosen.processes,
    )
    for number, found in enumerate(runs, 1):
        scores += found
        report.console.print(f"recall: {found[0].method} ({number} of {len(finders)})", style="dim")
    order = [finder.name for finder in finders]
    report.add("recall", scores, recall_tables(scores, order))
    if lineup.have_plots():
        from benchmarks.plots import plot_recall  # noqa: PLC0415 - matplotlib is optional

        RESULTS.mkdir(exist_ok=True)
        plot_recall(scores, order, RESULTS / "recall.png")


def _speed(report: _Report, material: Material, chosen: Namespace) -> None:
    million = load(chars=_MILLION, pages=chosen.pages, with_pairs=False)
    pages = [page.text for page in million.questions if len(page.text) == PAGE_CHARS] or [
        page.text for page in material.questions
    ]
    rows = speed.measure(lineup.everyone(million.passages), million.passages, pages, rounds=_rounds(chosen))
    report.add("speed", rows, [speed_table(rows)])


def _growth(report: _Report, _: Material, chosen: Namespace) -> None:
    millions = _GROWTH[:2] if chosen.quick else (*_GROWTH, *([_LARGE] if chosen.large else []))
    sizes = [each * _MILLION for each in millions]
    rows = growth.measure(
        load(chars=sizes[-1], pages=chosen.pages, with_pairs=False),
        sizes,
        lambda: lineup.peers(minhash_only=True),
        rounds=_rounds(chosen),
        peer_chars=_PEER_CHARS,
    )
    report.add("growth", rows, [growth_table(rows)])
    if lineup.have_plots():
        from benchmarks.plots import plot_growth  # noqa: PLC0415 - matplotlib is optional

        RESULTS.mkdir(exist_ok=True)
        plot_growth(rows, RESULTS / "growth.png")


def _nshash(report: _Report, _: Material, chosen: Namespace) -> None:
    chars = _MILLION if chosen.quick else _NSHASH_CHARS
    texts = nshash_speed.documents(load(chars=chars, pages=1, with_pairs=False))
    rows = [nshash_speed.run(texts, MemoryGroups(), store="memory")]
    with redis_server() as client:
        rows.append(nshash_speed.run(texts, RedisGroups(client, "benchmark"), store="Redis"))
    report.add("nshash", rows, [nshash_table(rows)])


def _sweep(report: _Report, material: Material, chosen: Namespace) -> None:
    rows = list(sweep.measure(material, recall.rounds(material, seed=chosen.seed), sweep.TRIED))
    report.add("sweep", rows, [sweep_table(rows)])


def _crawl(report: _Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure(storage, pages=300 if chosen.quick else chosen.crawl_pages)
    report.add("crawl", rows, [crawl_table(rows)])


def _crawl_memory(report: _Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = crawl.memory(storage, pages=chosen.crawl_pages)
    report.add("crawl-memory", rows, [crawl_table(rows)])


def _crawl_kills(report: _Report, _: Material, chosen: Namespace) -> None:
    played: list[kills.Round] = []
    with servers() as storage:
        count = 2 if chosen.quick else chosen.kill_rounds
        for each in kills.rounds(storage, count=count, chapters=120, seed=chosen.seed):
            played.append(each)
            told = f"round {len(played)}: {each.kills} kills, {each.lost} lost, {each.doubled} doubled"
            report.console.print(told, style="dim")
    report.add("crawl-kills", played, [kills_table(played)])


_RUNS = {
    "recall": _recall,
    "speed": _speed,
    "growth": _growth,
    "nshash": _nshash,
    "sweep": _sweep,
    "crawl": _crawl,
    "crawl-memory": _crawl_memory,
    "crawl-kills": _crawl_kills,
}


if __name__ == "__main__":
    sys.exit(main())
