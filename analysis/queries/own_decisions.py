"""The last decisions of a user, as the user made them: one decision may cover several stretches."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Decision

_READ = 10_000  # newest stretches of the user that are read: one decision may cover thousands
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


def own_decisions(identity: Identity, stores: Stores) -> list[OwnDecision]:
    """Return the last decisions of the user that still apply, the newest first.

    Raises:
        NotPermitted: the user may not decide about matches.
    """
    identity.require("matches:decide")
    return grouped(stores.decisions.listed(by=identity.name, limit=_READ), most=_SHOWN)


def grouped(decisions: Iterable[Decision], *, most: int) -> list[OwnDecision]:
    """Combine stretches that were decided together. Pure.

    Args:
        decisions: the newest first; no more are read than needed.
        most: maximum number of combined decisions.
    """
    groups: list[list[Decision]] = []
    for decision in decisions:
        if groups and _is_together(groups[-1][-1], decision):
            groups[-1].append(decision)
        elif len(groups) < most:
            groups.append([decision])
        else:
            break
    return [OwnDecision(tuple(group)) for group in groups]


def _is_together(later: Decision, earlier: Decision) -> bool:
    return _act_of(later) == _act_of(earlier) and later.made - earlier.made <= _AT_ONCE


def _act_of(decision: Decision) -> tuple[str, str, str, int]:
    return decision.state, decision.because, decision.site, decision.work_id
