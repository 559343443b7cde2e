"""The data of a report's pictures: maps, timeline, distributions, groups of pages and repeat offenders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from analysis.reports.case_files import CaseFile
from analysis.reports.distribution import Distribution, distributions
from analysis.reports.groups import TextGroup, text_groups
from analysis.reports.maps import WorkMap, work_maps
from analysis.reports.offenders import Offender, repeat_offenders
from analysis.reports.timeline import Timeline, make_timeline
from storage.records import Case, Match, Presence, Work
from tracker.judgement.profiles import Profile

MAX_MAPS = 10
_NO_STEPS = Timeline()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """The pictures of a report.

    Attributes:
        maps: maps of works and sites, the works with most copied characters first.
        timeline: new matches and removals over time.
        distributions: distribution of the coverage of pages, for each profile.
        groups: groups of pages with the same passage, the largest first.
        offenders: sites with copies of several works, or with copies that came back.
    """

    maps: tuple[WorkMap, ...] = ()
    timeline: Timeline = _NO_STEPS
    distributions: tuple[Distribution, ...] = ()
    groups: tuple[TextGroup, ...] = ()
    offenders: tuple[Offender, ...] = ()


NOTHING_DRAWN = Pictures()


def make_pictures(
    cases: Iterable[Case],
    matches: Sequence[Match],
    *,
    works: Mapping[int, Work],
    presences: Mapping[str, Presence],
    texts: Mapping[str, str],
    files: Mapping[int, CaseFile],
    profiles: Mapping[str, Profile],
    zone: tzinfo,
) -> Pictures:
    """Return the pictures of cases and matches.

    Args:
        cases: the cases, the gravest first.
        matches: the counted matches.
        works: id → work, for the works of the matches that are still stored.
        presences: id of each page → whether it is still up.
        texts: id of each page → SHA-256 of its text.
        files: number of the case → its events, notices and watches, for cases that users acted on.
        profiles: id → known profile.
        zone: time zone whose days are counted.
    """
    return Pictures(
        maps=work_maps(matches, works, count=MAX_MAPS),
        timeline=make_timeline(matches, presences, zone=zone),
        distributions=distributions(matches, profiles),
        groups=text_groups(matches, texts),
        offenders=repeat_offenders(cases, files),
    )
