"""Distributions of the coverage of pages by their matches, with the thresholds of the profiles."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storage.records import Match
from tracker.judgement.profiles import Profile

BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The minimum copied share of a page for a verdict. ``name`` is its name in the profile."""

    name: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The coverages of one profile's matches.

    Attributes:
        profile: ``name@version``.
        bins: numbers of matches by coverage of the page, in twenty equal intervals; the last includes 100 %.
        thresholds: the smaller threshold first; empty for an unknown profile.
    """

    profile: str
    bins: tuple[int, ...]
    thresholds: tuple[Threshold, ...]


def distributions(matches: Iterable[Match], profiles: Mapping[str, Profile]) -> tuple[Distribution, ...]:
    """Return one distribution for each profile, sorted by name.

    Args:
        matches: the counted matches.
        profiles: id → known profile.
    """
    bins: dict[str, list[int]] = defaultdict(lambda: [0] * BINS)
    for match in matches:
        bins[match.profile][min(BINS - 1, int(match.coverage * BINS))] += 1
    return tuple(
        Distribution(profile=name, bins=tuple(bins[name]), thresholds=_thresholds(profiles.get(name)))
        for name in sorted(bins)
    )


def _thresholds(profile: Profile | None) -> tuple[Threshold, ...]:
    if profile is None:
        return ()
    names = ("partial_coverage", "copy_coverage")
    return tuple(Threshold(name=name, share=getattr(profile, name)) for name in names)
