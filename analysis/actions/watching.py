"""Looks of the takedown watch that people ask for."""

from collections.abc import Callable, Sequence
from math import inf

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.watch.rounds import Round, run_due, run_rounds
from storage.records import Watch
from tracker.runtime import Runtime


def look_now(
    identity: Identity,
    runtime: Runtime,
    names: Sequence[str] = (),
    *,
    claim: Callable[[], Sequence[Round]] | None = None,
) -> list[Watch]:
    """Visit watched addresses now; returns those that were visited, as they were seen.

    Args:
        identity: asks for it.
        runtime: the open services.
        names: of the cases and addresses, for the audit log.
        claim: claims the rounds that are visited; called after the permission was checked. None: all that is
            due is visited.

    Raises:
        NotPermitted: scans are not this one's to run.
    """
    identity.require("scans:run")
    note_act(identity, runtime, "look", "takedown watch", detail={"of": ", ".join(names) or "due"})
    stores, rules = runtime.stores, runtime.settings.analysis
    processes = runtime.settings.crawler.processes
    if claim is None:
        return list(run_due(stores, rules, processes=processes, budget_s=inf))
    return list(run_rounds(claim(), stores, rules, processes=processes))
