"""Statistics of matches and cases, and the reviewed matches with which other thresholds are tried.

No function reads a whole collection. The statistics use the newest :data:`MAX_MATCHES` counted matches and
the :data:`MAX_CASES` gravest leads. The simulator uses the gravest :data:`MAX_REVIEWED` confirmed matches,
and as many dismissed ones. The results show whether records were left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from analysis.accounts.permissions import Identity
from analysis.queries.scope import only_visible, owners_of
from analysis.reports.building import KNOWN_PROFILES
from analysis.reports.case_files import case_files
from analysis.reports.distribution import Distribution, distributions
from analysis.reports.groups import TextGroup, text_groups
from analysis.reports.offenders import Offender, repeat_offenders
from analysis.reports.timeline import Timeline, make_timeline
from storage.collections.filters import CaseFilter, MatchFilter
from storage.collections.stores import Stores
from storage.records import CHINA, LEADS, Match, ReviewState, Work
from tracker.judgement.cases import presences_of
from tracker.judgement.profiles import Profile

MAX_MATCHES = 1_000
MAX_CASES = 200
MAX_REVIEWED = 1_000  # confirmed matches, and as many dismissed ones

_DECIDED: tuple[ReviewState, ...] = ("confirmed", "dismissed", "doubtful")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Statistics of matches and cases.

    Attributes:
        matches, cases: numbers of matches and cases in the statistics.
        is_cut: older matches were left out.
        cases_cut: less grave cases were left out.
    """

    matches: int
    cases: int
    is_cut: bool
    cases_cut: bool
    timeline: Timeline
    distributions: tuple[Distribution, ...]
    offenders: tuple[Offender, ...]
    groups: tuple[TextGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Matches that analysts confirmed or dismissed.

    Attributes:
        works: works of the matches, by id.
        is_cut: less grave matches were left out.
    """

    matches: tuple[Match, ...]
    works: Mapping[int, Work]
    is_cut: bool


def figures_of(
    identity: Identity,
    stores: Stores,
    *,
    zone: tzinfo = CHINA,
    profiles: Mapping[str, Profile] = KNOWN_PROFILES,
) -> Figures:
    """Return the statistics; for a rights holder, only of its works.

    Args:
        identity: the user or program that asks.
        stores: the database.
        zone: time zone whose days are counted.
        profiles: id → profile, for all profiles with known thresholds.

    Raises:
        NotPermitted: the user may not read matches and cases.
    """
    identity.require("matches:read")
    identity.require("cases:read")
    owners = owners_of(identity)
    match_filter = MatchFilter(owners=owners, order="newest")
    batch = stores.lists.matches(match_filter.runs(), after=None, limit=MAX_MATCHES)
    visible = only_visible(identity, stores, batch.records, lambda match: match.work_id)
    matches = [match for match in visible if match.review != "dismissed"]
    graver = CaseFilter(owners=owners, verdicts=LEADS)
    leads = stores.lists.cases(graver.runs(), after=None, limit=MAX_CASES)
    cases = list(only_visible(identity, stores, leads.records, lambda case: case.work_id))
    return Figures(
        matches=len(matches),
        cases=len(cases),
        is_cut=batch.end is not None,
        cases_cut=leads.end is not None,
        timeline=make_timeline(matches, presences_of(matches, stores), zone=zone),
        distributions=distributions(matches, profiles),
        offenders=repeat_offenders(
            cases, case_files((handled for handled in cases if handled.state != "new"), stores)
        ),
        groups=text_groups(matches, stores.pages.content_hashes(list({match.page_id for match in matches}))),
    )


def all_reviewed(identity: Identity, stores: Stores) -> Reviewed:
    """Return every match that analysts decided about, with its work.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    matches = tuple(only_visible(identity, stores, stores.matches.reviewed(), lambda match: match.work_id))
    works = stores.works.get_many({match.work_id for match in matches})
    return Reviewed(matches=matches, works=works, is_cut=False)


def reviewed_of(identity: Identity, stores: Stores) -> Reviewed:
    """Return the reviewed matches with which thresholds are tried.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    matches: list[Match] = []
    is_cut = False
    for state in _DECIDED:
        match_filter = MatchFilter(owners=owners_of(identity), reviews=(state,))
        batch = stores.lists.matches(match_filter.runs(), after=None, limit=MAX_REVIEWED)
        matches += only_visible(identity, stores, batch.records, lambda match: match.work_id)
        is_cut |= batch.end is not None
    works = stores.works.get_many({match.work_id for match in matches})
    return Reviewed(matches=tuple(matches), works=works, is_cut=is_cut)
