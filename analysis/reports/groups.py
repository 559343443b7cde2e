"""Groups of pages that contain the same passage, the earliest page first.

A page belongs to the group if it contains at least the share :data:`SHARE` of the passage. Time and memory
are linear in the number of matches, except for sorting.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from analysis.reports.maps import appearance
from storage.records import COPIED, LicenceState, Match, Verdict

SHARE = 0.5
MAX_GROUPS = 100
MAX_CARRIERS = 50  # listed pages of a group, the earliest


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A page that contains the passage.

    Attributes:
        appeared: the date on the page; if it has no date, when pindna first saw it.
        is_claimed: ``appeared`` is the date on the page.
        is_same: its text is identical to the text of the first page of the group.
    """

    url: str
    site: str
    match: str
    verdict: Verdict
    licence: LicenceState
    passage_coverage: float
    appeared: datetime
    is_claimed: bool
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextGroup:
    """Pages that contain the same passage.

    Attributes:
        pages, sites: numbers of pages and sites.
        texts: number of different texts of the pages.
        carriers: the earliest pages, in the order of their dates.
    """

    work_id: int
    work: str
    passage: str
    pages: int
    sites: int
    texts: int
    carriers: tuple[Carrier, ...]


def text_groups(matches: Iterable[Match], texts: Mapping[str, str]) -> tuple[TextGroup, ...]:
    """Return the groups of at least two pages, the largest first.

    Args:
        matches: the counted matches.
        texts: id of each page → SHA-256 of its text.
    """
    carried: dict[tuple[int, int], dict[str, Match]] = defaultdict(dict)
    for match in matches:
        if match.passage_coverage >= SHARE and match.verdict in COPIED:
            carriers = carried[match.work_id, match.passage_id]
            carriers[match.url] = max(carriers.get(match.url, match), match, key=_passage_share)
    groups = [(key, list(carriers.values())) for key, carriers in carried.items() if len(carriers) > 1]
    groups.sort(key=lambda group: (-len(group[1]), group[0]))
    return tuple(_make_group(carriers, texts) for _, carriers in groups[:MAX_GROUPS])


def _passage_share(match: Match) -> float:
    return match.passage_coverage


def _make_group(matches: list[Match], texts: Mapping[str, str]) -> TextGroup:
    ordered = sorted(matches, key=lambda match: (appearance([match])[0], match.url))
    first = ordered[0]
    return TextGroup(
        work_id=first.work_id,
        work=first.work_title,
        passage=first.passage_title,
        pages=len(ordered),
        sites=len({match.site for match in ordered}),
        texts=len({texts.get(match.page_id, match.page_id) for match in ordered}),
        carriers=tuple(
            _make_carrier(match, is_same=_is_same(match, first, texts)) for match in ordered[:MAX_CARRIERS]
        ),
    )


def _is_same(match: Match, first: Match, texts: Mapping[str, str]) -> bool:
    text = texts.get(match.page_id, "")
    return text != "" and text == texts.get(first.page_id)


def _make_carrier(match: Match, *, is_same: bool) -> Carrier:
    appeared, is_claimed = appearance([match])
    return Carrier(
        url=match.url,
        site=match.site,
        match=match.name,
        verdict=match.verdict,
        licence=match.licence,
        passage_coverage=match.passage_coverage,
        appeared=appeared,
        is_claimed=is_claimed,
        is_same=is_same,
    )
