"""What a report draws, as data: maps, a timeline, distributions, groups of pages, repeat offenders."""

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
        maps: works and sites, the most copied works first.
        timeline: finds and removals.
        distributions: how much of their pages the matches cover, by profile.
        groups: pages that carry one text, the largest group first.
        offenders: sites with copies of several works, or with returns.
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
    """Return the pictures of what was found.

    Args:
        cases: the gravest first.
        matches: those that count.
        works: of the matches, as far as they are stored, by id.
        presences: whether the matches' pages are still up, by page id.
        texts: SHA-256 of these pages' texts, by page id.
        files: what was done about cases that went on from their finds, by number.
        profiles: the known ones by id.
        zone: whose days are meant.
    """
    return Pictures(
        maps=work_maps(matches, works, count=MAX_MAPS),
        timeline=make_timeline(matches, presences, zone=zone),
        distributions=distributions(matches, profiles),
        groups=text_groups(matches, texts),
        offenders=repeat_offenders(cases, files),
    )
