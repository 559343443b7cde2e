"""The last decisions of a user, as the user made them: one decision may cover several stretches."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Decision

_READ = 2_000  # newest decisions of all users that are searched
_SHOWN = 50
_AT_ONCE = timedelta(seconds=2)  # between two stretches of one decision


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """A decision of a user.

    Attributes:
        stretches: the decided stretches, with the same state, reason, work and site; the newest first.
    """

    stretches: tuple[Decision, ...]

    @property
    def newest(self) -> Decision:
        """The stretch that was stored last."""
        return self.stretches[0]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the stretches."""
        return tuple(decision.id for decision in self.stretches)


def own_decisions(identity: Identity, stores: Stores) -> list[OwnDecision]:
    """Return the last decisions of the user that still apply, the newest first.

    Raises:
        NotPermitted: the user may not decide about matches.
    """
    identity.require("matches:decide")
    newest = stores.decisions.listed(limit=_READ)
    return grouped(decision for decision in newest if decision.by == identity.name)[:_SHOWN]


def grouped(decisions: Iterable[Decision]) -> list[OwnDecision]:
    """Combine stretches that were decided together. Pure.

    Args:
        decisions: the newest first.
    """
    groups: list[list[Decision]] = []
    for decision in decisions:
        if groups and _is_together(groups[-1][-1], decision):
            groups[-1].append(decision)
        else:
            groups.append([decision])
    return [OwnDecision(tuple(group)) for group in groups]


def _is_together(later: Decision, earlier: Decision) -> bool:
    return _act_of(later) == _act_of(earlier) and later.made - earlier.made <= _AT_ONCE


def _act_of(decision: Decision) -> tuple[str, str, str, int]:
    return decision.state, decision.because, decision.site, decision.work_id
