"""Tables for pages: extraction, encodings, hostile pages and crawls."""

from collections.abc import Sequence

from support.faults.kills import Round
from support.forms.site_templates import HostQuality

from benchmarks.crawl import CrawlRate
from benchmarks.encodings import DecodingResult
from benchmarks.extraction import GROUPS, UNSEEN, ExtractorSpeed, Quality
from benchmarks.extraction_quality import ConfidenceBin, FieldScore
from benchmarks.hostile import READERS, FamilyCosts, ReadingCost
from benchmarks.report import Table

_CPU_GROUPS = ("crawl", "readers", "database", "Redis")


def extraction_tables(
    section: str, qualities: Sequence[Quality], paces: Sequence[ExtractorSpeed]
) -> list[Table]:
    """Return tables of the quality, speed and decisions of every extractor.

    Args:
        section: name of the page set.
        qualities: scores of each extractor for each group.
        paces: speed and decisions of each extractor.
    """
    by = {(quality.extractor, quality.group): quality for quality in qualities}
    groups = [group for group in GROUPS if any(quality.group == group for quality in qualities)]
    counts = {quality.group: quality.pages for quality in qualities}
    head = ("extractor", *(f"{group} ({counts[group]}): P / R / F1" for group in groups))
    rows = tuple(
        (pace.extractor, *(_format_scores(by.get((pace.extractor, group))) for group in groups))
        for pace in paces
    )
    return [Table(f"{section}: text", head, rows), pace_table(section, paces)]


def group_table(section: str, qualities: Sequence[Quality]) -> Table:
    """Return a table of the F1 of every extractor, with one row per group of pages."""
    by = {(quality.group, quality.extractor): quality for quality in qualities}
    extractors = dict.fromkeys(quality.extractor for quality in qualities)
    counts = dict.fromkeys((quality.group, quality.pages) for quality in qualities)
    rows = tuple(
        (group, str(pages), *(f"{by[group, extractor].f1:.3f}" for extractor in extractors))
        for group, pages in counts
    )
    return Table(f"{section}: F1", ("group", "pages", *extractors), rows)


def fields_table(section: str, rights: Sequence[FieldScore]) -> Table:
    """Return a table of the numbers of correct fields, for all pages and for the unseen half."""
    rows = tuple(
        (right.field, f"{right.right} of {right.judged}", f"{right.unseen_right} of {right.unseen}")
        for right in rights
    )
    return Table(f"{section}: fields of pindna", ("field", "right", UNSEEN), rows)


def template_table(section: str, rows: Sequence[HostQuality]) -> Table:
    """Return a table of the effect of host templates, with one row per host."""
    return Table(
        f"{section}: what the other pages of a host teach",
        ("host", "pages", "taught", "F1 without", "F1 with", "texts changed", "confidence"),
        tuple(
            (
                row.host,
                str(row.pages),
                str(row.taught),
                f"{row.alone:.3f}",
                f"{row.with_template:.3f}",
                str(row.changed),
                f"{row.alone_sure:.3f} → {row.sure:.3f}",
            )
            for row in rows
        ),
    )


def calibration_table(section: str, bins: Sequence[ConfidenceBin]) -> Table:
    """Return a table of the mean F1 of pages, by the confidence of their extraction."""
    head = ("confidence", "pages", "mean F1", "F1 of .9 or more", f"{UNSEEN}: pages", f"{UNSEEN}: mean F1")
    rows = tuple(
        (
            f"{score_bin.low:.2f} to {score_bin.high:.2f}",
            str(score_bin.pages),
            f"{score_bin.f1:.3f}",
            f"{score_bin.good:.0%}",
            str(score_bin.unseen_pages),
            "–" if score_bin.unseen_f1 is None else f"{score_bin.unseen_f1:.3f}",
        )
        for score_bin in bins
    )
    return Table(f"{section}: confidence of pindna", head, rows)


def _format_scores(quality: Quality | None) -> str:
    return "–" if quality is None else f"{quality.precision:.3f} / {quality.recall:.3f} / {quality.f1:.3f}"


def pace_table(section: str, paces: Sequence[ExtractorSpeed]) -> Table:
    """Return a table of the speed and the decisions of every extractor."""
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
                pace.extractor,
                f"{pace.pages_s:.0f}",
                f"{pace.lists_taken} of {pace.lists}",
                f"{pace.texts_kept} of {pace.texts}",
                f"{pace.garbled_kept} of {pace.garbled}",
            )
            for pace in paces
        ),
    )


def encoding_table(rows: Sequence[DecodingResult]) -> Table:
    """Return a table of the numbers of correctly decoded pages, per kind of encoding and in total."""
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


def hostile_table(rows: Sequence[FamilyCosts]) -> Table:
    """Return a table of the cost of hostile pages for pindna and the libraries."""
    return Table(
        "hostile pages: seconds of CPU, and megabytes at the most",
        ("page", "MB", *READERS, "times lxml"),
        tuple(
            (
                row.family,
                f"{row.of[READERS[0]].size / 1e6:.1f}",
                *(_format_cost(row.of[reader]) for reader in READERS),
                _format_ratio(row.of["pindna"], row.of["lxml"]),
            )
            for row in rows
        ),
    )


def _format_cost(cost: ReadingCost) -> str:
    return (
        f"{cost.seconds:.2f} s, {cost.megabytes:.0f} MB"
        if cost.is_finished
        else f"not in {cost.seconds:.0f} s"
    )


def _format_ratio(ours: ReadingCost, theirs: ReadingCost) -> str:
    return f"{ours.seconds / max(theirs.seconds, 1e-3):.0f}" if theirs.is_finished else "–"


def crawl_table(rates: Sequence[CrawlRate]) -> Table:
    """Return a table of the speed of crawls and of bare spiders, and of their cost per page."""
    rows = tuple(
        (
            rate.name,
            str(rate.pages),
            f"{rate.rate:.1f}",
            f"{rate.share:.2f}" if rate.share else "–",
            *(f"{rate.cpu_ms[group]:.1f}" if group in rate.cpu_ms else "–" for group in _CPU_GROUPS),
            f"{sum(rate.cpu_ms.values()):.1f}",
            " → ".join(f"{size:.0f}" for size in rate.megabytes),
        )
        for rate in rates
    )
    costs = (*(f"{group}, ms of CPU a page" for group in _CPU_GROUPS), "sum")
    return Table("Crawls", ("crawl", "pages", "pages/s", "of bare", *costs, "MB at ¼, ½, ¾, end"), rows)


def kills_table(rounds: Sequence[Round]) -> Table:
    """Return a table of the summed results of all rounds of kill -9."""
    row = (
        str(len(rounds)),
        str(sum(result.chapters for result in rounds)),
        str(sum(result.kills for result in rounds)),
        str(sum(result.lost for result in rounds)),
        str(sum(result.doubled for result in rounds)),
        str(sum(result.unaccounted for result in rounds)),
        str(sum(result.errors for result in rounds)),
        str(sum(not result.is_complete for result in rounds)),
    )
    header = ("rounds", "pages", "kills", "lost", "doubled", "unaccounted", "errors", "not complete")
    return Table("Kill -9 among three crawl processes", header, (row,))
