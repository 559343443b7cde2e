"""The sections of the benchmark. A function for each one runs the measurement and adds its tables."""

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
from benchmarks.scale_tables import cost_table, linear_growth_table, size_table
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


def _round_count(options: Namespace) -> int:
    return 5 if options.quick else 15


def _run_recall(report: Report, material: Material, options: Namespace) -> None:
    finders = lineup.all_methods(material.passages)
    scores: list[recall.Score] = []
    runs = recall.measure(
        material,
        finders,
        seed=options.seed,
        budget_s=3 if options.quick else options.budget,
        processes=options.processes,
    )
    for number, batch in enumerate(runs, 1):
        scores += batch
        report.console.print(f"recall: {batch[0].method} ({number} of {len(finders)})", style="dim")
    order = [finder.name for finder in finders]
    report.add("recall", scores, recall_tables(scores, order))
    if lineup.is_matplotlib_installed():
        from benchmarks.plots import plot_recall  # noqa: PLC0415 - matplotlib is optional

        RESULTS.mkdir(exist_ok=True)
        plot_recall(scores, order, RESULTS / "recall.png")


def _run_speed(report: Report, material: Material, options: Namespace) -> None:
    million = load(chars=MILLION, pages=options.pages, with_pairs=False)
    pages = [page.text for page in million.questions if len(page.text) == PAGE_CHARS] or [
        page.text for page in material.questions
    ]
    rows = speed.measure(
        lineup.all_methods(million.passages), million.passages, pages, rounds=_round_count(options)
    )
    report.add("speed", rows, [speed_table(rows)])


def _run_growth(report: Report, _: Material, options: Namespace) -> None:
    millions = GROWTH[:2] if options.quick else (*GROWTH, *([_LARGE] if options.large else []))
    sizes = [number * MILLION for number in millions]
    rows = growth.measure(
        load(chars=sizes[-1], pages=options.pages, with_pairs=False),
        sizes,
        lambda: lineup.peers(minhash_only=True),
        rounds=_round_count(options),
        peer_chars=_PEER_CHARS,
    )
    report.add("growth", rows, [growth_table(rows)])
    if lineup.is_matplotlib_installed():
        from benchmarks.plots import plot_growth  # noqa: PLC0415 - matplotlib is optional

        RESULTS.mkdir(exist_ok=True)
        plot_growth(rows, RESULTS / "growth.png")


def _run_nshash(report: Report, _: Material, options: Namespace) -> None:
    chars = MILLION if options.quick else _NSHASH_CHARS
    texts = nshash_speed.make_documents(load(chars=chars, pages=1, with_pairs=False))
    rows = [nshash_speed.measure(texts, MemoryGroups(), store="memory")]
    report.add("nshash", rows, [nshash_table(rows)])


def _run_letters(report: Report, material: Material, options: Namespace) -> None:
    texts = [page.text for page in material.questions]
    rows = letters_speed.measure(texts, rounds=min(5, _round_count(options)))
    report.add("letters", rows, [letters_table(rows)])


def _run_dedupe(report: Report, material: Material, options: Namespace) -> None:
    groupers = {
        "dedupe (default)": grouping.pindna_grouper(DEFAULT_METHOD, DEFAULT_THRESHOLD),
        "dedupe --method minhash": grouping.pindna_grouper("minhash", None),
        "dedupe --method nshash-5": grouping.pindna_grouper("nshash-5", None),
    }
    if lineup.are_peers_installed():
        groupers["datasketch"] = grouping.group_with_datasketch
    rows = list(grouping.measure(grouping.labelled_texts(material, seed=options.seed), groupers))
    report.add("dedupe", rows, [grouping_table(rows)])


def _run_spans(report: Report, material: Material, options: Namespace) -> None:
    rows = spans.measure(material, seed=options.seed)
    report.add("spans", rows, spans.tables(rows))


def _run_hard(report: Report, _: Material, options: Namespace) -> None:
    """Run the harder changes. ``--pages N`` is the number of pages of each kind, for all seeds together."""
    material = hard_questions.load_hard(chars=MILLION if options.quick else None)
    if not material.is_shared:
        report.console.print(NO_SHARED_DATA, style="bold red")
    before = hard.read_earlier_scores(options.before or hard.BEFORE)
    if not before:
        report.console.print(
            f"No earlier figures: {options.before or hard.BEFORE} does not exist.", style="bold red"
        )
    scores = []
    for score in hard.measure(material, hard_questions.questions(material, pages=options.pages)):
        scores.append(score)
        report.console.print(f"hard: {score.kind}: {score.found} of {score.asked}", style="dim")
    if any(score.kind in before and score.questions != before[score.kind].questions for score in scores):
        report.console.print("* The earlier figures are from different questions.", style="bold red")
    report.add("hard", scores, [hard.hard_table(scores, before)], about=material.about)


def _run_wording(report: Report, _: Material, __: Namespace) -> None:
    answers = []
    for answer in wording.measure():
        answers.append(answer)
        report.console.print(f"wording: {answer.kind}: {answer.name}: {answer.verdict}", style="dim")
    report.add("wording", answers, wording.wording_tables(answers))


def _run_weights(report: Report, material: Material, options: Namespace) -> None:
    scores: list[recall.Score] = []
    for batch in weights.measure_recall(material, seed=options.seed, processes=options.processes):
        scores += batch
        report.console.print(f"weights: {batch[0].method}", style="dim")
    report.add("weights", scores, [weights.weights_table(scores)])


def _run_hostile(report: Report, _: Material, options: Namespace) -> None:
    size = MILLION // 10 if options.quick else MILLION
    rows = [hostile.measure(family, size) for family in hostile.FAMILIES]
    report.add("hostile", rows, [hostile_table(rows)])


def _run_sweep(report: Report, material: Material, options: Namespace) -> None:
    rows = list(sweep.measure(material, recall.make_rounds(material, seed=options.seed), sweep.TRIED))
    report.add("sweep", rows, [sweep_table(rows)])


def _run_retrieval(report: Report, material: Material, options: Namespace) -> None:
    """Measure sets of parameters on one half of the works, and the default parameters on the unseen half."""
    tried = retrieval.TRIED[:2] if options.quick else retrieval.TRIED
    curves = list(retrieval.measure(material, tried, pages=options.pages, seeds=(options.seed,)))
    report.add("retrieval", curves, [retrieval.table(curves)])
    retrieved = retrieval.measure_unseen_half(material, pages=options.pages, seeds=hard_questions.SEEDS)
    report.add("retrieved", retrieved, [retrieval.unseen_half_table(retrieved)])


def _run_verdicts(report: Report, material: Material, options: Namespace) -> None:
    rows = verdicts.measure(material, seed=options.seed, choosing=options.choosing)
    report.add("verdicts", rows, [verdicts.verdicts_table(rows)])


def _run_index(report: Report, _: Material, options: Namespace) -> None:
    """Measure the index in Redis with ``--million N`` characters, and times also with a tenth of them."""
    chars = (1 if options.quick else options.million) * MILLION
    material = load(chars=chars, pages=options.pages, with_pairs=False)
    rows = list(index_memory.measure_sizes(material.passages))
    page_times = index_memory.measure_times(material, (chars // 10, chars), rounds=_round_count(options))
    if lineup.are_peers_installed() and chars <= _PEER_CHARS:
        from benchmarks import index_peer  # noqa: PLC0415 - datasketch is optional

        full = [page.text for page in material.distractors if len(page.text) == PAGE_CHARS]
        copies = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
        size, peer = index_peer.measure(material.passages, full or copies, copies)
        rows, page_times = [*rows, size], [*page_times, peer]
    report.add("index sizes", rows, [index_size_table(rows)])
    report.add("index times", page_times, [index_time_table(page_times)])


def _run_load(report: Report, _: Material, __: Namespace) -> None:
    folder = SHARED / "mother"
    rows = index_load.measure([folder if folder.is_dir() else SAMPLES])
    report.add("load", rows, [load_table(rows)])


def _run_faults(report: Report, _: Material, options: Namespace) -> None:
    _log_rounds()
    drawn = index_faults.drawn(options.seed)
    results = faults.measure(index_faults.run_round, drawn, seed=options.seed, rounds=options.rounds)
    title = "Faults during a load and during a comparison"
    report.add("faults", [results], [faults.faults_table(title, results)])


def _run_day_faults(report: Report, _: Material, options: Namespace) -> None:
    """Inject faults into the whole daily job. With ``--processes N``, N rounds run in parallel."""
    _log_rounds()
    drawn, rounds = day_faults.drawn(options.seed), 2 if options.quick else options.rounds
    results = faults.measure(
        day_faults.run_round, drawn, seed=options.seed, rounds=rounds, at_once=options.processes
    )
    report.add("day-faults", [results], [faults.faults_table("Faults during the daily job", results)])


def _run_outages(report: Report, _: Material, options: Namespace) -> None:
    """Run the daily job while its servers are slow, silent or down. ``--outage NAME`` runs only one."""
    ended = list(
        outages.measure(
            options.outage or list(outages.OUTAGES),
            tell=lambda line: report.console.print(f"outages: {line}", style="dim"),
        )
    )
    report.add("outages", ended, [outages.table(ended)])


def _log_rounds() -> None:
    """Print the log lines of the benchmark, which report each round and each restart."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("benchmarks").setLevel(logging.INFO)


def _run_crawl(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure(storage, pages=300 if options.quick else options.crawl_pages)
    report.add("crawl", rows, [crawl_table(rows)])


def _run_crawl_costs(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure(storage, pages=300 if options.quick else options.crawl_pages, only_costs=True)
    report.add("crawl-costs", rows, [crawl_table(rows)])


def _run_politeness(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        rows = list(politeness.measure(storage, chapters=30 if options.quick else 200))
    report.add("politeness", rows, [politeness.table(rows)])


def _run_crawl_memory(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        rows = crawl.measure_memory(storage, pages=options.crawl_pages)
    report.add("crawl-memory", rows, [crawl_table(rows)])


def _run_crawl_kills(report: Report, _: Material, options: Namespace) -> None:
    results: list[kills.Round] = []
    with servers() as storage:
        count = 2 if options.quick else options.kill_rounds
        for result in kills.rounds(storage, count=count, chapters=120, seed=options.seed):
            results.append(result)
            line = f"round {len(results)}: {result.kills} kills, {result.lost} lost, {result.doubled} doubled"
            line += "" if result.is_complete else ", not complete"
            line += f", {result.errors} errors" if result.errors else ""
            report.console.print(line, style="dim")
    report.console.print(f"seed {options.seed}", style="dim")
    report.add("crawl-kills", results, [kills_table(results)])


def _run_soak(report: Report, _: Material, options: Namespace) -> None:
    """Simulate ``--days N`` days. Ctrl-C ends the run and reports the days so far."""
    results: list[soak.Day] = []
    try:
        for day in soak.live_through(options.days):
            results.append(day)
            memory = ", ".join(f"{name} {held.megabytes:.0f}" for name, held in day.services.items())
            report.console.print(f"day {day.day}: scan {day.seconds:.0f} s; MB: {memory}", style="dim")
    except KeyboardInterrupt:
        report.console.print("Ended early.", style="bold red")
    report.add("soak", results, soak.tables(results))


def _run_soak_crawl(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        results = soak_crawl.measure(
            storage,
            minutes=3 if options.quick else options.minutes,
            tell=lambda line: report.console.print(f"soak-crawl: {line}", style="dim"),
        )
    report.add("soak-crawl", results, [soak_crawl.table(results)])


def _run_scale(report: Report, material: Material, options: Namespace) -> None:
    """Measure costs as the database grows. ``--large`` adds a database with a hundred times as many pages."""
    pages = options.scale_pages
    costs, stored = scale.measure(
        material.around.pool,
        (pages, 10 * pages, *([100 * pages] if options.large else [])),
        rounds=2 if options.quick else 3,
        report_progress=lambda line: report.console.print(f"scale: {line}", style="dim"),
    )
    before = scale.read_earlier_costs(options.before or scale.BEFORE)
    report.add("scale", costs, [cost_table(costs, before), linear_growth_table(costs, before)])
    report.add("scale sizes", stored, [size_table(stored)])


def _run_frontiers(report: Report, _: Material, options: Namespace) -> None:
    with servers() as storage:
        costs = frontiers.measure(
            storage,
            (10_000, 100_000) if options.quick else (10_000, 100_000, MILLION),
            report_progress=lambda line: report.console.print(f"frontiers: {line}", style="dim"),
        )
    report.add("frontiers", costs, [frontiers.table(costs)])


def _run_backups(report: Report, material: Material, options: Namespace) -> None:
    costs = backups.measure(
        material.around.pool,
        (options.scale_pages // 10, *(() if options.quick else (options.scale_pages,))),
        report_progress=lambda line: report.console.print(f"backups: {line}", style="dim"),
    )
    report.add("backups", costs, [backups.table(costs)])


def _run_workers(report: Report, material: Material, options: Namespace) -> None:
    costs = workers.measure(
        material.around.pool,
        workers=(1, 2),
        rounds=1 if options.quick else 3,
        tell=lambda line: report.console.print(f"workers: {line}", style="dim"),
    )
    report.add("workers", costs, [workers.table(costs)])


def _run_report_scale(report: Report, material: Material, options: Namespace) -> None:
    costs = report_scale.measure(
        material.around.pool,
        report_scale.PAGES[:1] if options.quick else report_scale.PAGES,
        rounds=1 if options.quick else 3,
        report_progress=lambda line: report.console.print(f"report-scale: {line}", style="dim"),
    )
    report.add("report-scale", costs, [report_scale.table(costs)])


def _run_console(report: Report, material: Material, options: Namespace) -> None:
    answers = console.measure(
        material.around.pool,
        pages=console.PAGES // 10 if options.quick else console.PAGES,
        rounds=2 if options.quick else 8,
        report_progress=lambda line: report.console.print(f"console: {line}", style="dim"),
    )
    report.add("console", answers, console.tables(answers))


def _run_extraction(report: Report, _: Material, options: Namespace) -> None:
    """Score the extractors on stored pages, and on chapters that are put into the layout of pirate sites."""
    by_name = extractors.all_extractors()
    layout_pages = transplants(seed=options.seed, count=10 if options.quick else 40)
    for section, pages in (("extraction", extraction.load_pages()), ("transplants", layout_pages)):
        qualities, paces = extraction.measure(pages, by_name)
        report.add(section, [*qualities, *paces], extraction_tables(section, qualities, paces))
    _run_extraction_by_group(report, by_name)
    _run_templates(report)
    _run_twins(report, by_name)


def _run_templates(report: Report) -> None:
    """Extract pages with the template learnt from other pages of the host, with and without class names."""
    by_host = site_templates.hosts([*extraction.load_pages(), *extraction.load_pages_by_group()])
    for section, unnamed in (("templates", False), ("templates, without names", True)):
        rows = [
            site_templates.measure(host, extraction.remove_names(pages) if unnamed else pages)
            for host, pages in by_host.items()
        ]
        if rows:
            report.add(section, rows, [template_table(section, rows)])


def _run_twins(report: Report, by_name: dict[str, extraction.Extractor]) -> None:
    options = {name: by_name[name] for name in twins.EXTRACTORS if name in by_name}
    if pages := [*extraction.load_pages(), *extraction.load_pages_by_group()]:
        qualities = twins.measure_twins(pages, options)
        report.add("twins", qualities, [group_table("twins", qualities)])


def _run_extraction_by_group(report: Report, by_name: dict[str, extraction.Extractor]) -> None:
    """Score the extractors on each group of pages, with and without class names; then pindna's fields."""
    grouped = extraction.load_pages_by_group()
    unnamed = extraction.remove_names(grouped)
    both = (("by group", grouped), ("by group, without names", unnamed))
    for section, pages in both if grouped else ():
        qualities, paces = extraction.measure(pages, by_name, groups_of=extraction.groups_by_kind)
        tables = [group_table(section, qualities), pace_table(section, paces)]
        report.add(section, [*qualities, *paces], tables)
    if field_scores := extraction_quality.measure_fields(grouped):
        report.add("fields", field_scores, [fields_table("by group", field_scores)])
    everything = [*extraction.load_pages(), *grouped]
    bins = extraction_quality.calibrate([*everything, *extraction.remove_names(everything)])
    report.add("confidence", bins, [calibration_table("pages and their twins without names", bins)])


def _run_encodings(report: Report, _: Material, __: Namespace) -> None:
    pages = [page for page in extraction.load_pages() if page.gold is not None]
    pages = pages if len(pages) >= encodings.PAGES else transplants(count=encodings.PAGES)
    rows = encodings.measure([decode_page(page.data, declared=page.declared).text for page in pages])
    report.add("encodings", rows, [encoding_table(rows)])


def _run_console_clicks(report: Report, material: Material, options: Namespace) -> None:
    results = console_clicks.measure(
        material.around.pool,
        pages=console.PAGES // 10 if options.quick else console.PAGES,
        minutes=options.minutes,
        tell=lambda line: report.console.print(f"console-clicks: {line}", style="dim"),
    )
    report.add("console-clicks", results, [console_clicks.table(results)])


def _run_start_up(report: Report, _: Material, options: Namespace) -> None:
    rows = start_up.measure(rounds=_round_count(options))
    reading = start_up.measure_reading(rounds=_round_count(options) // 2)
    tables = [start_up.table(rows, "Starting"), start_up.table(reading, "Reading what the demo found")]
    report.add("start-up", [*rows, *reading], tables)


RUNS: dict[str, Callable[[Report, Material, Namespace], None]] = {
    "recall": _run_recall,
    "speed": _run_speed,
    "crawl": _run_crawl,
    "crawl-costs": _run_crawl_costs,
    "crawl-memory": _run_crawl_memory,
    "crawl-kills": _run_crawl_kills,
    "soak": _run_soak,
    "soak-crawl": _run_soak_crawl,
    "letters": _run_letters,
    "growth": _run_growth,
    "nshash": _run_nshash,
    "dedupe": _run_dedupe,
    "spans": _run_spans,
    "extraction": _run_extraction,
    "encodings": _run_encodings,
    "hard": _run_hard,
    "wording": _run_wording,
    "weights": _run_weights,
    "hostile": _run_hostile,
    "sweep": _run_sweep,
    "retrieval": _run_retrieval,
    "verdicts": _run_verdicts,
    "index": _run_index,
    "load": _run_load,
    "faults": _run_faults,
    "day-faults": _run_day_faults,
    "politeness": _run_politeness,
    "outages": _run_outages,
    "start-up": _run_start_up,
    "scale": _run_scale,
    "report-scale": _run_report_scale,
    "workers": _run_workers,
    "frontiers": _run_frontiers,
    "backups": _run_backups,
    "console": _run_console,
    "console-clicks": _run_console_clicks,
}
