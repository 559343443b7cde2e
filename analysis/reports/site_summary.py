"""The figures of a report by site: checked pages and copied works."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from storage.collections.page_figures import PageGroup
from storage.records import VERDICTS, Case, Match, Verdict
from system.sites import site_of_host
from tracker.judgement.cases import charged_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSummary:
    """The figures of one site.

    Attributes:
        pages: number of pages in scope.
        compared: number of these pages that were compared with the corpus.
        works: number of works with matches on the site.
        copied_chars: copied characters of works, each counted once.
        verdict: the gravest verdict; None without matches.
    """

    site: str
    pages: int
    compared: int
    works: int = 0
    matches: int = 0
    copied_chars: int = 0
    verdict: Verdict | None = None

    @property
    def not_compared(self) -> int:
        """Number of pages that were not compared."""
        return self.pages - self.compared


def summarise_sites(
    groups: Iterable[PageGroup], cases: Iterable[Case], matches: Iterable[Match]
) -> tuple[SiteSummary, ...]:
    """Return the sites of the pages in scope, the gravest first, then by copied characters.

    Args:
        groups: counted groups of the pages in scope.
        cases: cases of these pages.
        matches: matches of these pages.
    """
    totals: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for group in groups:
        site = site_of_host(group.host)
        totals[site] += group.count
        compared[site] += group.count if group.state == "compared" else 0
    of_site: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        of_site[case.site].append(case)
    counts = Counter(match.site for match in matches)
    summaries = (
        SiteSummary(
            site=site,
            pages=totals[site],
            compared=compared[site],
            works=len(of_site[site]),
            matches=counts[site],
            copied_chars=sum(case.copied_chars for case in charged_cases(of_site[site])),
            verdict=min((case.verdict for case in of_site[site]), key=VERDICTS.index, default=None),
        )
        for site in totals.keys() | of_site.keys()
    )
    return tuple(sorted(summaries, key=_gravity))


def _gravity(summary: SiteSummary) -> tuple[int, int, str]:
    """Return a key that sorts the gravest verdict first, then the most copied, then by name."""
    rank = len(VERDICTS) if summary.verdict is None else VERDICTS.index(summary.verdict)
    return rank, -summary.copied_chars, summary.site
