"""Run the benchmark, print its tables, and keep them with plots in benchmarks/results/."""

import json
import logging
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import (
    crawl,
    encodings,
    extraction,
    extractors,
    grouping,
    growth,
    index_faults,
    index_load,
    index_memory,
    kills,
    letters_speed,
    lineup,
    nshash_speed,
    recall,
    spans,
    speed,
    sweep,
)
from benchmarks.corpora import SAMPLES, SHARED, Material, load
from benchmarks.index_tables import faults_table, index_size_table, index_time_table, load_table
from benchmarks.page_tables import encoding_table, extraction_tables
from benchmarks.server import redis_server, servers
from benchmarks.tables import (
    Table,
    crawl_table,
    grouping_table,
    growth_table,
    kills_table,
    letters_table,
    nshash_table,
    recall_tables,
    speed_table,
    sweep_table,
)
from benchmarks.texts import PAGE_CHARS
from benchmarks.transplants import transplants
from crawler.parsing import decode_page
from deploy.cli.dedupe import DEFAULT_METHOD, DEFAULT_THRESHOLD
from fingerprint.nshash import MemoryGroups
from storage.nshash_store import RedisGroups
from tracker.methods import DEFAULT_METHODS

SECTIONS = (
    "recall",
    "speed",
    "letters",
    "growth",
    "nshash",
    "dedupe",
    "spans",
    "extraction",
    "encodings",
)
ON_DEMAND = ("sweep", "index", "load", "faults", "crawl", "crawl-kills", "crawl-memory")
RESULTS = Path(__file__).parent / "results"
_FILE_COLUMNS = 250
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
        self.data[section] = {"about": self.about, "rows": [asdict(row) for row in rows]}
        self.tables += shown
        for table in shown:
            self.console.print(table.rich())

    def save(self) -> None:
        """Keep the figures; those of sections that this run leaves out stay."""
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / "results.json"
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        content = json.dumps({**before, **self.data}, ensure_ascii=False, indent=1)
        file.write_text(content + "\n", encoding="utf-8")
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
    console = Console(stderr=chosen.markdown)
    if not console.is_terminal:
        console.width = _FILE_COLUMNS  # a log has no edge
    report = _Report(console, _about(chosen, material))
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
    parser.add_argument("--rounds", type=int, default=50, help="of the faults (%(default)s)")
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


def _letters(report: _Report, material: Material, chosen: Namespace) -> None:
    texts = [page.text for page in material.questions]
    rows = letters_speed.measure(texts, rounds=min(5, _rounds(chosen)))
    report.add("letters", rows, [letters_table(rows)])


def _dedupe(report: _Report, material: Material, chosen: Namespace) -> None:
    groupers = {
        "dedupe (default)": grouping.ours(DEFAULT_METHOD, DEFAULT_THRESHOLD),
        "dedupe --method minhash": grouping.ours("minhash", None),
        "dedupe --method nshash-5": grouping.ours("nshash-5", None),
    }
    if lineup.have_peers():
        groupers["datasketch"] = grouping.datasketch
    rows = list(grouping.measure(grouping.labelled(material, seed=chosen.seed), groupers))
    report.add("dedupe", rows, [grouping_table(rows)])


def _spans(report: _Report, material: Material, chosen: Namespace) -> None:
    rows = spans.measure(material, seed=chosen.seed)
    report.add("spans", rows, spans.tables(rows))


def _sweep(report: _Report, material: Material, chosen: Namespace) -> None:
    rows = list(sweep.measure(material, recall.rounds(material, seed=chosen.seed), sweep.TRIED))
    report.add("sweep", rows, [sweep_table(rows)])


def _index(report: _Report, _: Material, chosen: Namespace) -> None:
    """The index in Redis; ``--million N`` is its size, of which a tenth is the smaller one of the times."""
    chars = (1 if chosen.quick else chosen.million) * _MILLION
    material = load(chars=chars, pages=chosen.pages, with_pairs=False)
    rows = list(index_memory.sizes(material.passages))
    asked = index_memory.times(material, (chars // 10, chars), rounds=_rounds(chosen))
    if lineup.have_peers() and chars <= _PEER_CHARS:
        from benchmarks import index_peer  # noqa: PLC0415 - datasketch is optional

        full = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
        copies = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
        size, peer = index_peer.measure(material.passages, full or copies, copies)
        rows, asked = [*rows, size], [*asked, peer]
    report.add("index sizes", rows, [index_size_table(rows)])
    report.add("index times", asked, [index_time_table(asked)])


def _load(report: _Report, _: Material, __: Namespace) -> None:
    folder = SHARED / "mother"
    rows = index_load.measure([folder if folder.is_dir() else SAMPLES])
    report.add("load", rows, [load_table(rows)])


def _faults(report: _Report, _: Material, chosen: Namespace) -> None:
    logging.basicConfig(format="%(message)s")
    logging.getLogger("benchmarks").setLevel(logging.INFO)  # a line for each round
    rows = [index_faults.measure(seed=chosen.seed, rounds=chosen.rounds)]
    report.add("faults", rows, [faults_table(rows)])


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
            told += "" if each.is_complete else ", not complete"
            told += f", {each.errors} errors" if each.errors else ""
            report.console.print(told, style="dim")
    report.console.print(f"seed {chosen.seed}", style="dim")
    report.add("crawl-kills", played, [kills_table(played)])


def _extraction(report: _Report, _: Material, chosen: Namespace) -> None:
    """Score the extractors on stored pages, and on chapters dressed as pirates dress them."""
    everyone = extractors.everyone()
    dressed = transplants(seed=chosen.seed, count=10 if chosen.quick else 40)
    for section, pages in (("extraction", extraction.pages()), ("transplants", dressed)):
        qualities, paces = extraction.measure(pages, everyone)
        report.add(section, [*qualities, *paces], extraction_tables(section, qualities, paces))


def _encodings(report: _Report, _: Material, __: Namespace) -> None:
    pages = [page for page in extraction.pages() if page.gold is not None]
    pages = pages if len(pages) >= encodings.PAGES else transplants(count=encodings.PAGES)
    rows = encodings.measure([decode_page(page.data, declared=page.declared).text for page in pages])
    report.add("encodings", rows, [encoding_table(rows)])


_RUNS = {
    "recall": _recall,
    "speed": _speed,
    "crawl": _crawl,
    "crawl-memory": _crawl_memory,
    "crawl-kills": _crawl_kills,
    "letters": _letters,
    "growth": _growth,
    "nshash": _nshash,
    "dedupe": _dedupe,
    "spans": _spans,
    "extraction": _extraction,
    "encodings": _encodings,
    "sweep": _sweep,
    "index": _index,
    "load": _load,
    "faults": _faults,
}


if __name__ == "__main__":
    sys.exit(main())
