"""Cost of a report with many matches, compared with only reading its data, and the size of its files.

The peer reads the data of a report and does nothing with it: the counts of the pages in scope, the pages with
findings, their matches, and the presences, cases and works of the matches. Report and peer run alternately in
one process with the same database. The difference between their costs is the cost of making the report.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from support.scale.scale_fill import Prose
from support.scale.scale_ground import Ground, Spent, open_ground

from analysis.reports.building import build_report
from analysis.reports.render_html import render_documents
from analysis.reports.render_xlsx import write_xlsx
from analysis.reports.scope import (
    find_matches,
    left_addresses,
    page_scope,
    partly_compared,
    unchecked_pages,
)
from benchmarks.report import Table
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from tracker.judgement.cases import presences_of

PAGES = (5_000, 50_000)
MATCHING = 10  # every tenth page has a match
MORE_S = 10.0  # goal for the seconds in addition to reading, at the largest size
LARGEST_BYTES = 3_000_000  # goal for the size of the largest document


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCost:
    """Cost of reports at one size.

    Attributes:
        pages, matches: numbers of pages and matches in the database, all of which are in the report.
        read_s, read_mb: median clock time and maximum memory growth of only reading the data.
        html_s, html_mb: median clock time and maximum memory growth of making the HTML report.
        xlsx_s, xlsx_mb: median clock time and maximum memory growth of making the XLSX report.
        files: number of documents of the HTML report.
        largest_bytes: size of the largest document.
        more_cpu_s: processor time of the HTML report, of this process and the servers, minus that of reading.
    """

    pages: int
    matches: int
    read_s: float
    html_s: float
    xlsx_s: float
    read_mb: float
    html_mb: float
    xlsx_mb: float
    files: int
    largest_bytes: int
    more_cpu_s: float

    @property
    def extra_seconds(self) -> float:
        """Clock time of the HTML report minus the clock time of reading."""
        return self.html_s - self.read_s


def measure(
    pool: str, sizes: Sequence[int] = PAGES, *, rounds: int, report_progress: Callable[[str], None]
) -> list[ReportCost]:
    """Measure reports of databases of several sizes.

    Args:
        pool: real prose from which page texts are mixed.
        sizes: number of addresses in each database.
        rounds: number of rounds in which report and peer run once.
        report_progress: called with progress messages.

    Raises:
        StackError: the servers cannot be started.
    """
    costs = []
    for pages in sizes:
        with open_ground(pages, Prose(pool), matching=MATCHING) as ground, TemporaryDirectory() as folder:
            report_progress(f"filled: {pages} pages")
            costs.append(_measure_size(ground, Path(folder), rounds=rounds))
            report_progress(f"reports of {pages} pages")
    return costs


def _measure_size(ground: Ground, folder: Path, *, rounds: int) -> ReportCost:
    stores = ground.runtime.stores
    spent: dict[str, list[Spent]] = {"read": [], "html": [], "xlsx": []}
    made = {
        "read": lambda: _read_rows(stores),
        "html": lambda: _write_html(stores, folder),
        "xlsx": lambda: write_xlsx(build_report(stores, max_texts=0), folder / "r.xlsx", language="en"),
    }
    for _ in range(rounds):
        for name, operation in made.items():
            spent[name].append(ground.cost(operation))
    sizes = [path.stat().st_size for path in folder.glob("*.html")]
    seconds = {name: median(cost.clock_ms for cost in times) / 1000 for name, times in spent.items()}
    peaks = {name: max(cost.peak_mb for cost in times) for name, times in spent.items()}
    return ReportCost(
        pages=ground.pages,
        matches=ground.pages // MATCHING,
        read_s=seconds["read"],
        html_s=seconds["html"],
        xlsx_s=seconds["xlsx"],
        read_mb=peaks["read"],
        html_mb=peaks["html"],
        xlsx_mb=peaks["xlsx"],
        files=len(sizes),
        largest_bytes=max(sizes),
        more_cpu_s=(_cpu_s(spent["html"]) - _cpu_s(spent["read"])),
    )


def _cpu_s(spent: Sequence[Spent]) -> float:
    return median(cost.cpu_ms for cost in spent) / 1000


def _write_html(stores: Stores, folder: Path) -> None:
    for page in render_documents(build_report(stores), name="report.html", language="en"):
        (folder / page.name).write_text(page.text, encoding="utf-8")


def _read_rows(stores: Stores) -> None:
    scope = page_scope(stores)
    groups = stores.page_figures.groups(scope)
    findings = find_matches(stores, scope)
    presences_of(findings.matches, stores)
    stores.pages.count_older({match.url for match in findings.matches})
    stores.works.get_many({match.work_id for match in findings.matches})
    stores.cases.get_many(sorted({case_id(match.work_id, match.site) for match in findings.matches}))
    unchecked_pages(stores, scope, groups, max_urls=0)
    partly_compared(stores, scope)
    left_addresses([])


def table(costs: Sequence[ReportCost]) -> Table:
    """Return a table of the costs and the goals."""
    head = (
        "pages",
        "matches",
        "reading alone, s",
        "HTML report, s",
        "more than reading, s",
        "processor time more, s",
        f"at most {MORE_S:.0f} s more",
        "XLSX, s",
        "peak MB: reading",
        "HTML",
        "XLSX",
        "documents",
        "largest, MB",
        f"at most {LARGEST_BYTES / 1e6:.0f} MB",
    )
    rows = tuple(
        (
            f"{cost.pages:,}",
            f"{cost.matches:,}",
            f"{cost.read_s:.2f}",
            f"{cost.html_s:.2f}",
            f"{cost.extra_seconds:.2f}",
            f"{cost.more_cpu_s:.2f}",
            "yes" if cost.extra_seconds <= MORE_S else "no",
            f"{cost.xlsx_s:.2f}",
            f"{cost.read_mb:.0f}",
            f"{cost.html_mb:.0f}",
            f"{cost.xlsx_mb:.0f}",
            str(cost.files),
            f"{cost.largest_bytes / 1e6:.2f}",
            "yes" if cost.largest_bytes <= LARGEST_BYTES else "no",
        )
        for cost in costs
    )
    return Table("Reports of many matches, compared with reading the same rows", head, rows)
