"""Maps of works and sites: where chapters were copied, and how long after the original they appeared.

The rows of a map are the work's passages, and the columns are sites. The passages of a long novel are grouped
into bands of consecutive passages, so a map has at most :data:`MAX_ROWS` rows. Time and memory are linear in
the number of matches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.records import VERDICTS, ClaimedDate, Match, Verdict, Work, WorkKind

MAX_ROWS = 40  # maximum number of bands
MAX_SITES = 12  # maximum number of columns: the sites with the most copied characters

_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCell:
    """The matches of a band of passages on a site.

    Attributes:
        verdict: the gravest verdict.
        passages: number of passages of the band with a match on the site.
        pages: number of addresses with such a match.
        appeared: the earliest date on these pages; without such dates, when pindna first saw one of them.
        is_claimed: ``appeared`` is a date on a page.
        lag_days: whole days from the date of the passage (:meth:`storage.records.Work.dated`) to
            ``appeared``, rounded down; negative if the page is older; None if unknown.
    """

    verdict: Verdict
    passages: int
    pages: int
    appeared: datetime
    is_claimed: bool
    lag_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRow:
    """A band of consecutive passages.

    Attributes:
        first, last: numbers of the first and the last passage in the work, from 1.
        title: title of the first passage with a match; empty for a band without matches.
        cells: one cell per site of the map; None if there are no matches.
    """

    first: int
    last: int
    title: str
    cells: tuple[MapCell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """The map of the matches of a work's passages.

    Attributes:
        passages: number of passages of the work; for a work that is no longer stored, of those with matches.
        sites: the columns, the site with the most copied characters first.
        sites_left_out: number of further sites with matches of the work.
        rows: bands in reading order.
    """

    work_id: int
    title: str
    kind: WorkKind | None
    published: ClaimedDate | None
    passages: int
    sites: tuple[str, ...]
    sites_left_out: int
    rows: tuple[MapRow, ...]


def work_maps(matches: Iterable[Match], works: Mapping[int, Work], *, count: int) -> tuple[WorkMap, ...]:
    """Return the maps of the works with the most copied characters.

    Args:
        matches: the counted matches.
        works: id → work, for the works of the matches that are still stored.
        count: maximum number of maps.
    """
    of_work: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        of_work[match.work_id].append(match)
    most = sorted(of_work.items(), key=lambda item: (-_copied_chars(item[1]), item[0]))[:count]
    return tuple(_make_map(work_matches, works.get(work_id)) for work_id, work_matches in most)


def _copied_chars(matches: Iterable[Match]) -> int:
    return sum(match.copied_chars for match in matches)


def _make_map(matches: Sequence[Match], work: Work | None) -> WorkMap:
    passages = list(work.passage_ids) if work else []
    # Passages of another edition come last, because their order is unknown.
    passages += sorted({match.passage_id for match in matches} - set(passages))
    index_of = {passage: number for number, passage in enumerate(passages)}
    band = -(-len(passages) // MAX_ROWS)
    copied: Counter[str] = Counter()
    held: dict[tuple[int, str], list[Match]] = defaultdict(list)
    for match in matches:
        copied[match.site] += match.copied_chars
        held[index_of[match.passage_id] // band, match.site].append(match)
    sites = sorted(copied, key=lambda site: (-copied[site], site))
    columns = tuple(sites[:MAX_SITES])
    return WorkMap(
        work_id=matches[0].work_id,
        title=work.title if work else matches[0].work_title,
        kind=work.kind if work else None,
        published=work.published if work else None,
        passages=len(passages),
        sites=columns,
        sites_left_out=len(sites) - len(columns),
        rows=tuple(
            _make_row(
                [held.get((number, site), []) for site in columns],
                first=number * band + 1,
                last=min((number + 1) * band, len(passages)),
                index_of=index_of,
                work=work,
            )
            for number in range(-(-len(passages) // band))
        ),
    )


def _make_row(
    cells: Sequence[Sequence[Match]],
    *,
    first: int,
    last: int,
    index_of: Mapping[int, int],
    work: Work | None,
) -> MapRow:
    every = [match for cell in cells for match in cell]
    foremost = min(every, key=lambda match: (index_of[match.passage_id], match.id), default=None)
    return MapRow(
        first=first,
        last=last,
        title=foremost.passage_title if foremost else "",
        cells=tuple(_make_cell(cell, work) if cell else None for cell in cells),
    )


def _make_cell(matches: Sequence[Match], work: Work | None) -> MapCell:
    foremost = min(matches, key=lambda match: _appearance_of(match)[0])
    appeared, is_claimed = appearance(matches)
    dated = work.dated(foremost.passage_id, before=appeared) if work else None
    lag = None if dated is None else int((appeared - dated).total_seconds() // _DAY_S)
    return MapCell(
        verdict=min((match.verdict for match in matches), key=VERDICTS.index),
        passages=len({match.passage_id for match in matches}),
        pages=len({match.url for match in matches}),
        appeared=appeared,
        is_claimed=is_claimed,
        lag_days=lag,
    )


def appearance(matches: Iterable[Match]) -> tuple[datetime, bool]:
    """Return when the earliest page of matches appeared, and whether this is the date on the page.

    A date on a page is preferred to the time when pindna first saw it, because the page may be older.
    """
    return min(map(_appearance_of, matches), key=lambda moment: (moment[0], not moment[1]))


def _appearance_of(match: Match) -> tuple[datetime, bool]:
    return (match.page_published.at, True) if match.page_published else (match.first_seen, False)
