"""The sections of the benchmark: the measurement, its amount of data, and the tables of each."""

import logging
from argparse import Namespace
from collections.abc import Callable

from support.changed import hard_questions
from support.changed.corpora import SAMPLES, SHARED, Material, load
from support.changed.texts import PAGE_CHARS
from support.faults import console_clicks, day_faults, faults, index_faults, kills, outages, soak, soak_crawl
from support.faults.server import servers
from support.forms import site_templates, twins
from support.forms.transplants import transplants
from support.scale import workers

from benchmarks import (
    backups,
    console,
    crawl,
    encodings,
    extraction,
    extraction_quality,
    extractors,
    frontiers,
    grouping,
    growth,
    hard,
    hostile,
    index_load,
    index_memory,
    letters_speed,
    lineup,
    nshash_speed,
    politeness,
    recall,
    report_scale,
    retrieval,
    scale,
    spans,
    speed,
    start_up,
    sweep,
    verdicts,
    weights,
    wording,
)
from benchmarks.index_tables import index_size_table, index_time_table, load_table
from benchmarks.method_tables import (
    grouping_table,
    growth_table,
    letters_table,
    nshash_table,
    recall_tables,
    speed_table,
    sweep_table,
)
from benchmarks.page_tables import (
    calibration_table,
    crawl_table,
    encoding_table,
    extraction_tables,
    fields_table,
    group_table,
    hostile_table,
    kills_table,
    pace_table,
    template_table,
)
from benchmarks.report import RESULTS, Report
from benchmarks.scale_tables import cost_table, linear_table, size_table
from crawler.extraction.parsing import decode_page
from deploy.cli.compare.dedupe import DEFAULT_METHOD, DEFAULT_THRESHOLD
from fingerprint.nshash import MemoryGroups

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
    "start-up",
)
ON_DEMAND = (
    "hard",
    "wording",
    "weights",
    "hostile",
    "sweep",
    "retrieval",
    "verdicts",
    "index",
    "load",
    "faults",
    "day-faults",
    "outages",
    "crawl",
    "crawl-costs",
    "crawl-kills",
    "politeness",
    "crawl-memory",
    "soak",
    "soak-crawl",
    "frontiers",
    "scale",
    "backups",
    "workers",
    "report-scale",
    "console",
    "console-clicks",
)
NO_SHARED_DATA = (
    "The shared data in ../shared/data are missing. These questions come from the few shipped samples, none "
    "of them unseen. Do not compare the figures with the published table."
)
MILLION = 1_000_000
GROWTH = (1, 4, 24)
_LARGE = 100
_PEER_CHARS = 24 * MILLION
_NSHASH_CHARS = 24 * MILLION


def _rounds(chosen: Namespace) -> int:
    return 5 if chosen.quick else 15


def _recall(report: Report, material: Material, chosen: Namespace) -> None:
    finders = lineup.all_methods(material.passages)
    scores: list[recall.Score] = []
    runs = recall.measure(
        material,
        finders,
        seed=chosen.seed,
        budget_s=3 if chosen.quick else chosen.budget,
        processes=chosen.processes,
    )
    for number, batch in enumerate(runs, 1):
        scores += batch
        report.console.print(f"recall: {batch[0].method} ({number} of {len(finders)})", style="dim")
    order = [finder.name for finder in finders]
    report.add("recall", scores, recall_tables(scores, order))
    if lineup.have_plots():
        from benchmarks.plots import plot_recall  # noqa: PLC0415 - matplotlib is optional

        RESULTS.mkdir(exist_ok=True)
        plot_recall(scores, order, RESULTS / "recall.png")


def _speed(report: Report, material: Material, chosen: Namespace) -> None:
    million = load(chars=MILLION, pages=chosen.pages, with_pairs=False)
    pages = [page.text for page in million.questions if len(page.text) == PAGE_CHARS] or [
        page.text for page in material.questions
    ]
    rows = speed.measure(
        lineup.all_methods(million.passages), million.passages, pages, rounds=_rounds(chosen)
    )
    report.add("speed", rows, [speed_table(rows)])


def _growth(report: Report, _: Material, chosen: Namespace) -> None:
    millions = GROWTH[:2] if chosen.quick else (*GROWTH, *([_LARGE] if chosen.large else []))
    sizes = [number * MILLION for number in millions]
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


def _nshash(report: Report, _: Material, chosen: Namespace) -> None:
    chars = MILLION if chosen.quick else _NSHASH_CHARS
    texts = nshash_speed.documents(load(chars=chars, pages=1, with_pairs=False))
    rows = [nshash_speed.measure(texts, MemoryGroups(), store="memory")]
    report.add("nshash", rows, [nshash_table(rows)])


def _letters(report: Report, material: Material, chosen: Namespace) -> None:
    texts = [page.text for page in material.questions]
    rows = letters_speed.measure(texts, rounds=min(5, _rounds(chosen)))
    report.add("letters", rows, [letters_table(rows)])


def _dedupe(report: Report, material: Material, chosen: Namespace) -> None:
    groupers = {
        "dedupe (default)": grouping.ours(DEFAULT_METHOD, DEFAULT_THRESHOLD),
        "dedupe --method minhash": grouping.ours("minhash", None),
        "dedupe --method nshash-5": grouping.ours("nshash-5", None),
    }
    if lineup.have_peers():
        groupers["datasketch"] = grouping.datasketch
    rows = list(grouping.measure(grouping.labelled_texts(material, seed=chosen.seed), groupers))
    report.add("dedupe", rows, [grouping_table(rows)])


def _spans(report: Report, material: Material, chosen: Namespace) -> None:
    rows = spans.measure(material, seed=chosen.seed)
    report.add("spans", rows, spans.tables(rows))


def _hard(report: Report, _: Material, chosen: Namespace) -> None:
    """Run the harder changes; ``--pages N`` is the number of pages of each kind, for all seeds together."""
    material = hard_questions.load_hard(chars=MILLION if chosen.quick else None)
    if not material.is_shared:
        report.console.print(NO_SHARED_DATA, style="bold red")
    before = hard.read_before(chosen.before or hard.BEFORE)
    if not before:
        report.console.print(
            f"No earlier figures: {chosen.before or hard.BEFORE} does not exist.", style="bold red"
        )
    scores = []
    for score in hard.measure(material, hard_questions.questions(material, pages=chosen.pages)):
        scores.append(score)
        report.console.print(f"hard: {score.kind}: {score.found} of {score.asked}", style="dim")
    if any(score.kind in before and score.questions != before[score.kind].questions for score in scores):
        report.console.print("* The earlier figures are from different questions.", style="bold red")
    report.add("hard", scores, [hard.hard_table(scores, before)], about=material.about)


def _wording(report: Report, _: Material, __: Namespace) -> None:
    answers = []
    for answer in wording.measure():
        answers.append(answer)
        report.console.print(f"wording: {answer.kind}: {answer.name}: {answer.verdict}", style="dim")
    report.add("wording", answers, wording.wording_tables(answers))


def _weights(report: Report, material: Material, chosen: Namespace) -> None:
    scores: list[recall.Score] = []
    for batch in weights.measure_recall(material, seed=chosen.seed, processes=chosen.processes):
        scores += batch
        report.console.print(f"weights: {batch[0].method}", style="dim")
    report.add("weights", scores, [weights.weights_table(scores)])


def _hostile(report: Report, _: Material, chosen: Namespace) -> None:
    size = MILLION // 10 if chosen.quick else MILLION
    rows = [hostile.measure(family, size) for family in hostile.FAMILIES]
    report.add("hostile", rows, [hostile_table(rows)])


def _sweep(report: Report, material: Material, chosen: Namespace) -> None:
    rows = list(sweep.measure(material, recall.rounds(material, seed=chosen.seed), sweep.TRIED))
    report.add("sweep", rows, [sweep_table(rows)])


def _retrieval(report: Report, material: Material, chosen: Namespace) -> None:
    """Measure curves on the works for choosing parameters, and the retrieved share on the other works."""
    tried = retrieval.TRIED[:2] if chosen.quick else retrieval.TRIED
    curves = list(retrieval.measure(material, tried, pages=chosen.pages, seeds=(chosen.seed,)))
    report.add("retrieval", curves, [retrieval.table(curves)])
    retrieved = retrieval.report(material, pages=chosen.pages, seeds=hard_questions.SEEDS)
    report.add("retrieved", retrieved, [retrieval.report_table(retrieved)])


def _verdicts(report: Report, material: Material, chosen: Namespace) -> None:
    rows = verdicts.measure(material, seed=chosen.seed, choosing=chosen.choosing)
    report.add("verdicts", rows, [verdicts.verdicts_table(rows)])


def _index(report: Report, _: Material, chosen: Namespace) -> None:
    """Measure the index in Redis with ``--million N`` characters, and times also with a tenth of that."""
    chars = (1 if chosen.quick else chosen.million) * MILLION
    material = load(chars=chars, pages=chosen.pages, with_pairs=False)
    rows = list(index_memory.sizes(material.passages))
    page_times = index_memory.times(material, (chars // 10, chars), rounds=_rounds(chosen))
    if lineup.have_peers() and chars <= _PEER_CHARS:
        from benchmarks import index_peer  # noqa: PLC0415 - datasketch is optional

        full = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
        copies = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
        size, peer = index_peer.measure(material.passages, full or copies, copies)
        rows, page_times = [*rows, size], [*page_times, peer]
    report.add("index sizes", rows, [index_size_table(rows)])
    report.add("index times", page_times, [index_time_table(page_times)])


def _load(report: Report, _: Material, __: Namespace) -> None:
    folder = SHARED / "mother"
    rows = index_load.measure([folder if folder.is_dir() else SAMPLES])
    report.add("load", rows, [load_table(rows)])


def _faults(report: Report, _: Material, chosen: Namespace) -> None:
    _note_rounds()
    drawn = index_faults.drawn(chosen.seed)
    played = faults.measure(index_faults.run_round, drawn, seed=chosen.seed, rounds=chosen.rounds)
    title = "Faults during a load and during a comparison"
    report.add("faults", [played], [faults.faults_table(title, played)])


def _day_faults(report: Report, _: Material, chosen: Namespace) -> None:
    """Inject faults into the whole daily job; ``--processes N`` rounds run in parallel."""
    _note_rounds()
    drawn, rounds = day_faults.drawn(chosen.seed), 2 if chosen.quick else chosen.rounds
    played = faults.measure(
        day_faults.run_round, drawn, seed=chosen.seed, rounds=rounds, at_once=chosen.processes
    )
    report.add("day-faults", [played], [faults.faults_table("Faults during the daily job", played)])


def _outages(report: Report, _: Material, chosen: Namespace) -> None:
    """Run the daily job while its servers are slow, silent or down; ``--outage NAME`` runs only this one."""
    ended = list(
        outages.measure(
            chosen.outage or list(outages.OUTAGES),
            tell=lambda line: report.console.print(f"outages: {line}", style="dim"),
        )
    )
    report.add("outages", ended, [outages.table(ended)])


def _note_rounds() -> None:
    """Print a line for each round and each restart."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("benchmarks").setLevel(logging.INFO)


def _crawl(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure(storage, pages=300 if chosen.quick else chosen.crawl_pages)
    report.add("crawl", rows, [crawl_table(rows)])


def _crawl_costs(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure(storage, pages=300 if chosen.quick else chosen.crawl_pages, only_costs=True)
    report.add("crawl-costs", rows, [crawl_table(rows)])


def _politeness(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = list(politeness.measure(storage, chapters=30 if chosen.quick else 200))
    report.add("politeness", rows, [politeness.table(rows)])


def _crawl_memory(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        rows = crawl.memory(storage, pages=chosen.crawl_pages)
    report.add("crawl-memory", rows, [crawl_table(rows)])


def _crawl_kills(report: Report, _: Material, chosen: Namespace) -> None:
    played: list[kills.Round] = []
    with servers() as storage:
        count = 2 if chosen.quick else chosen.kill_rounds
        for result in kills.rounds(storage, count=count, chapters=120, seed=chosen.seed):
            played.append(result)
            line = f"round {len(played)}: {result.kills} kills, {result.lost} lost, {result.doubled} doubled"
            line += "" if result.is_complete else ", not complete"
            line += f", {result.errors} errors" if result.errors else ""
            report.console.print(line, style="dim")
    report.console.print(f"seed {chosen.seed}", style="dim")
    report.add("crawl-kills", played, [kills_table(played)])


def _soak(report: Report, _: Material, chosen: Namespace) -> None:
    """Simulate ``--days N`` days; Ctrl-C ends the run and reports the days so far."""
    noted: list[soak.Day] = []
    try:
        for day in soak.live_through(chosen.days):
            noted.append(day)
            memory = ", ".join(f"{name} {held.megabytes:.0f}" for name, held in day.services.items())
            report.console.print(f"day {day.day}: scan {day.seconds:.0f} s; MB: {memory}", style="dim")
    except KeyboardInterrupt:
        report.console.print("Ended early.", style="bold red")
    report.add("soak", noted, soak.tables(noted))


def _soak_crawl(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        noted = soak_crawl.measure(
            storage,
            minutes=3 if chosen.quick else chosen.minutes,
            tell=lambda line: report.console.print(f"soak-crawl: {line}", style="dim"),
        )
    report.add("soak-crawl", noted, [soak_crawl.table(noted)])


def _scale(report: Report, material: Material, chosen: Namespace) -> None:
    """Measure growth with the database; ``--large`` adds a database with a hundred times as many pages."""
    pages = chosen.scale_pages
    costs, stored = scale.measure(
        material.around.pool,
        (pages, 10 * pages, *([100 * pages] if chosen.large else [])),
        rounds=2 if chosen.quick else 3,
        report_progress=lambda line: report.console.print(f"scale: {line}", style="dim"),
    )
    before = scale.read_before(chosen.before or scale.BEFORE)
    report.add("scale", costs, [cost_table(costs, before), linear_table(costs, before)])
    report.add("scale sizes", stored, [size_table(stored)])


def _frontiers(report: Report, _: Material, chosen: Namespace) -> None:
    with servers() as storage:
        costs = frontiers.measure(
            storage,
            (10_000, 100_000) if chosen.quick else (10_000, 100_000, MILLION),
            report_progress=lambda line: report.console.print(f"frontiers: {line}", style="dim"),
        )
    report.add("frontiers", costs, [frontiers.table(costs)])


def _backups(report: Report, material: Material, chosen: Namespace) -> None:
    costs = backups.measure(
        material.around.pool,
        (chosen.scale_pages // 10, *(() if chosen.quick else (chosen.scale_pages,))),
        report_progress=lambda line: report.console.print(f"backups: {line}", style="dim"),
    )
    report.add("backups", costs, [backups.table(costs)])


def _workers(report: Report, material: Material, chosen: Namespace) -> None:
    costs = workers.measure(
        material.around.pool,
        workers=(1, 2),
        rounds=1 if chosen.quick else 3,
        tell=lambda line: report.console.print(f"workers: {line}", style="dim"),
    )
    report.add("workers", costs, [workers.table(costs)])


def _report_scale(report: Report, material: Material, chosen: Namespace) -> None:
    costs = report_scale.measure(
        material.around.pool,
        report_scale.PAGES[:1] if chosen.quick else report_scale.PAGES,
        rounds=1 if chosen.quick else 3,
        report_progress=lambda line: report.console.print(f"report-scale: {line}", style="dim"),
    )
    report.add("report-scale", costs, [report_scale.table(costs)])


def _console(report: Report, material: Material, chosen: Namespace) -> None:
    answers = console.measure(
        material.around.pool,
        pages=console.PAGES // 10 if chosen.quick else console.PAGES,
        rounds=2 if chosen.quick else 8,
        report_progress=lambda line: report.console.print(f"console: {line}", style="dim"),
    )
    report.add("console", answers, console.tables(answers))


def _extraction(report: Report, _: Material, chosen: Namespace) -> None:
    """Score the extractors on stored pages, and on chapters in the layout of pirate sites."""
    by_name = extractors.all_extractors()
    dressed = transplants(seed=chosen.seed, count=10 if chosen.quick else 40)
    for section, pages in (("extraction", extraction.pages()), ("transplants", dressed)):
        qualities, paces = extraction.measure(pages, by_name)
        report.add(section, [*qualities, *paces], extraction_tables(section, qualities, paces))
    _extraction_by_group(report, by_name)
    _templates(report)
    _twins(report, by_name)


def _templates(report: Report) -> None:
    """Read pages of one host with the template learnt from its other pages, with and without class and id."""
    by_host = site_templates.hosts([*extraction.pages(), *extraction.pages_by_group()])
    for section, bare in (("templates", False), ("templates, without names", True)):
        rows = [
            site_templates.measure(host, extraction.without_names(pages) if bare else pages)
            for host, pages in by_host.items()
        ]
        if rows:
            report.add(section, rows, [template_table(section, rows)])


def _twins(report: Report, by_name: dict[str, extraction.Extractor]) -> None:
    chosen = {name: by_name[name] for name in twins.EXTRACTORS if name in by_name}
    if pages := [*extraction.pages(), *extraction.pages_by_group()]:
        qualities = twins.measure_twins(pages, chosen)
        report.add("twins", qualities, [group_table("twins", qualities)])


def _extraction_by_group(report: Report, by_name: dict[str, extraction.Extractor]) -> None:
    """Score the extractors on other groups of pages, with and without class names; then pindna's fields."""
    grouped = extraction.pages_by_group()
    bare = extraction.without_names(grouped)
    both = (("by group", grouped), ("by group, without names", bare))
    for section, pages in both if grouped else ():
        qualities, paces = extraction.measure(pages, by_name, groups_of=extraction.groups_by_kind)
        tables = [group_table(section, qualities), pace_table(section, paces)]
        report.add(section, [*qualities, *paces], tables)
    if rights := extraction_quality.measure_fields(grouped):
        report.add("fields", rights, [fields_table("by group", rights)])
    everything = [*extraction.pages(), *grouped]
    bins = extraction_quality.calibrate([*everything, *extraction.without_names(everything)])
    report.add("confidence", bins, [calibration_table("pages and their twins without names", bins)])


def _encodings(report: Report, _: Material, __: Namespace) -> None:
    pages = [page for page in extraction.pages() if page.gold is not None]
    pages = pages if len(pages) >= encodings.PAGES else transplants(count=encodings.PAGES)
    rows = encodings.measure([decode_page(page.data, declared=page.declared).text for page in pages])
    report.add("encodings", rows, [encoding_table(rows)])


def _console_clicks(report: Report, material: Material, chosen: Namespace) -> None:
    noted = console_clicks.measure(
        material.around.pool,
        pages=console.PAGES // 10 if chosen.quick else console.PAGES,
        minutes=chosen.minutes,
        tell=lambda line: report.console.print(f"console-clicks: {line}", style="dim"),
    )
    report.add("console-clicks", noted, [console_clicks.table(noted)])


def _start_up(report: Report, _: Material, chosen: Namespace) -> None:
    rows = start_up.measure(rounds=_rounds(chosen))
    reading = start_up.measure_reading(rounds=_rounds(chosen) // 2)
    tables = [start_up.table(rows, "Starting"), start_up.table(reading, "Reading what the demo found")]
    report.add("start-up", [*rows, *reading], tables)


RUNS: dict[str, Callable[[Report, Material, Namespace], None]] = {
    "recall": _recall,
    "speed": _speed,
    "crawl": _crawl,
    "crawl-costs": _crawl_costs,
    "crawl-memory": _crawl_memory,
    "crawl-kills": _crawl_kills,
    "soak": _soak,
    "soak-crawl": _soak_crawl,
    "letters": _letters,
    "growth": _growth,
    "nshash": _nshash,
    "dedupe": _dedupe,
    "spans": _spans,
    "extraction": _extraction,
    "encodings": _encodings,
    "hard": _hard,
    "wording": _wording,
    "weights": _weights,
    "hostile": _hostile,
    "sweep": _sweep,
    "retrieval": _retrieval,
    "verdicts": _verdicts,
    "index": _index,
    "load": _load,
    "faults": _faults,
    "day-faults": _day_faults,
    "politeness": _politeness,
    "outages": _outages,
    "start-up": _start_up,
    "scale": _scale,
    "report-scale": _report_scale,
    "workers": _workers,
    "frontiers": _frontiers,
    "backups": _backups,
    "console": _console,
    "console-clicks": _console_clicks,
}
