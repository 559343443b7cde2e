"""Looks of the takedown watch that people ask for."""

from collections.abc import Sequence
from math import inf

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.watch.rounds import Round, run_due, run_rounds
from storage.records import Watch
from tracker.runtime import Runtime


def look_now(who: Identity, runtime: Runtime, rounds: Sequence[Round] | None = None) -> list[Watch]:
    """Visit watched addresses now; returns those that were visited, as they were seen.

    Args:
        who: asks for it.
        runtime: the open services.
        rounds: what is visited, as :func:`analysis.watch.rounds.take` returns it; None: all that is due.

    Raises:
        NotPermitted: scans are not this one's to run.
    """
    who.require("scans:run")
    stores, rules = runtime.stores, runtime.settings.analysis
    processes = runtime.settings.crawler.processes
    if rounds is None:
        seen = run_due(stores, rules, processes=processes, budget_s=inf)
    else:
        seen = run_rounds(rounds, stores, rules, processes=processes)
    note_act(who, runtime, "look", "takedown watch", detail={"addresses": str(len(seen))})
    return list(seen)
