"""Choose the addressees of an occasion by the configured rules. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from fnmatch import fnmatchcase

from analysis.alerts.calendar import due_at
from storage.collections.outbox import delivery_id
from storage.records import Cadence, Delivery, Occasion
from storage.settings.alerts import AlertRule, AlertSettings

_SOONEST: tuple[Cadence, ...] = ("at-once", "daily", "weekly")


def deliveries_of(
    occasions: Iterable[Occasion], settings: AlertSettings, zone: tzinfo, now: datetime
) -> list[Delivery]:
    """Return the deliveries of occasions by the rules."""
    return [
        Delivery(
            id=delivery_id(occasion.id, name),
            addressee=name,
            cadence=cadence,
            due=due_at(cadence, settings.addressees[name], settings, zone, now),
            occasion=occasion,
        )
        for occasion in occasions
        for name, cadence in addressees_of(occasion, settings).items()
    ]


def addressees_of(occasion: Occasion, settings: AlertSettings) -> dict[str, Cadence]:
    """Return the addressees of an occasion with their cadences. Of several rules, the soonest counts."""
    chosen: dict[str, Cadence] = {}
    for rule in settings.rules:
        if not applies(rule, occasion):
            continue
        for name in _member_names(rule.to, settings):
            chosen[name] = min(rule.when, chosen.get(name, rule.when), key=_SOONEST.index)
    return chosen


def _member_names(names: Sequence[str], settings: AlertSettings) -> list[str]:
    return [member for name in names for member in settings.groups.get(name, (name,))]


def applies(rule: AlertRule, occasion: Occasion) -> bool:
    """Return whether a rule covers an occasion.

    Works, holders, sites and states restrict a rule to occasions that have one of them. Verdicts and
    characters are checked for copies and cases only, because other occasions have none.
    """
    return (
        (not rule.events or occasion.kind in rule.events)
        and _is_among(rule.works, occasion.work, str(occasion.work_id or ""))
        and _is_among(rule.holders, occasion.holder)
        and _is_among(rule.sites, occasion.site)
        and _is_among(rule.states, occasion.state)
        and (not occasion.verdict or occasion.verdict in rule.verdicts)
        and (not occasion.verdict or occasion.copied_chars >= rule.min_chars)
    )


def _is_among(patterns: Sequence[str], *names: str) -> bool:
    """Return a function that checks whether a name matches a pattern (``*``: any characters).

    Without patterns, every name matches.
    """
    if not patterns:
        return True
    lowered = [name.lower() for name in names if name]
    return any(
        name == pattern or fnmatchcase(name, pattern)
        for pattern in map(str.lower, patterns)
        for name in lowered
    )
