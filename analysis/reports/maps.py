"""Maps of works and sites: which chapters were copied where, and how long after the original they appeared.

A map has the work's passages down and sites across. A long novel's passages go into bands, so a map has at
most :data:`MAX_ROWS` rows for any length of the work. Time and memory are linear in the matches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.records import VERDICTS, ClaimedDate, Match, Verdict, Work, WorkKind

MAX_ROWS = 40  # bands of a work's passages
MAX_SITES = 12  # columns; the sites with the most copied characters

_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCell:
    """What a site has of a band of passages.

    Attributes:
        verdict: the gravest.
        passages: how many of the band's have a match there.
        pages: addresses with such a match.
        appeared: the earliest date that one of these pages bears; our first sight where none bears one.
        is_claimed: it is a date that a page bears.
        lag_days: to it from when the passage was there first (:meth:`storage.records.Work.dated`), whole days
            rounded down; below 0 the page is older; None where that is not known.
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
        first, last: places in the work, from 1.
        title: of the first passage with a match; empty for a band without any.
        cells: one a site of the map, None where nothing was found.
    """

    first: int
    last: int
    title: str
    cells: tuple[MapCell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """Where a work's passages were found.

    Attributes:
        passages: how many the work has, or at least those with matches.
        sites: the columns, the most copied first.
        sites_left_out: further sites with matches of the work.
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
        matches: those that count.
        works: the works of the matches, as far as they are stored.
        count: how many maps at most.
    """
    of_work: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        of_work[match.work_id].append(match)
    most = sorted(of_work.items(), key=lambda item: (-_copied(item[1]), item[0]))[:count]
    return tuple(_map(work_matches, works.get(work_id)) for work_id, work_matches in most)


def _copied(matches: Iterable[Match]) -> int:
    return sum(match.copied_chars for match in matches)


def _map(matches: Sequence[Match], work: Work | None) -> WorkMap:
    passages = list(work.passage_ids) if work else []
    # Passages of another edition have no known order: they come last.
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
            _row(
                [held.get((number, site), []) for site in columns],
                first=number * band + 1,
                last=min((number + 1) * band, len(passages)),
                index_of=index_of,
                work=work,
            )
            for number in range(-(-len(passages) // band))
        ),
    )


def _row(
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
        cells=tuple(_cell(cell, work) if cell else None for cell in cells),
    )


def _cell(matches: Sequence[Match], work: Work | None) -> MapCell:
    foremost = min(matches, key=lambda match: _moment(match)[0])
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
    """Return when the first of some pages appeared, and whether it says so itself.

    A page's own date goes before our first sight of it: the sight only says that it was there by then.
    """
    return min(map(_moment, matches), key=lambda moment: (moment[0], not moment[1]))


def _moment(match: Match) -> tuple[datetime, bool]:
    return (match.page_published.at, True) if match.page_published else (match.first_seen, False)
