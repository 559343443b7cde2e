"""Import files with sites, and accept or reject the candidates that they give."""

import threading
from dataclasses import replace
from itertools import count
from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.actions.sources import SourceExists, remove_source, save_source
from analysis.discovery.accepting import protected_titles, source_of
from analysis.discovery.importing import ImportSummary, Report, import_file
from analysis.reading.untrusted_pages import reading_slot
from crawler.sources.definition import definition_of
from storage.records import Candidate, CandidateState, Source, SourceKind, utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime

# one at a time: an import uses a whole processor, and two could overwrite each other's candidates
_importing = threading.BoundedSemaphore(1)


class CandidateDecided(PindnaError):
    """A candidate has been decided already.

    Attributes:
        site: the candidate.
        state: its state.
    """

    code = "candidate-decided"
    template = "The decision on candidate {site} was already made. Look at the candidate again to see it."


def import_candidates(
    identity: Identity, runtime: Runtime, path: Path, *, name: str = "", report: Report
) -> ImportSummary:
    """Store the sites that a file names as candidates. Nothing of them is requested.

    Args:
        identity: the user or program that imports it.
        runtime: settings and open services.
        path: the file.
        name: its name as people see it; empty: as on the disk.
        report: receives the results of its entries in order.

    Raises:
        NotPermitted: the user may not change sources.
        Busy: another file is being imported.
        PindnaError: the file cannot be imported, see :func:`analysis.discovery.importing.import_file`.
    """
    identity.require("sources:write")
    with reading_slot(_importing):
        summary = import_file(runtime.stores, path, name=name, report=report)
    counts = {result: number for result, number in summary.counts.items() if number}
    after: dict[str, object] = {"form": summary.form, "sha256": summary.sha256, "sites": summary.sites}
    record_action(identity, runtime, "import-candidates", f"file {summary.name}", after=after | counts)
    return summary


def accept_candidate(
    identity: Identity, runtime: Runtime, site: str, *, name: str = "", kind: SourceKind | None = None
) -> Source:
    """Make a source of a candidate, and return it. The next scan crawls it.

    Args:
        identity: the user or program that accepts it.
        runtime: settings and open services.
        site: the candidate.
        name: of the source; empty: the site, with a number if another source has that name.
        kind: of the source; None: the kind that suits the candidate.

    Raises:
        NotPermitted: the user may not change sources.
        UnknownRecord: there is no such candidate.
        CandidateDecided: it was accepted or rejected already.
        SourceExists: another source has that name.
        BadSource, KindWithoutSearch: it cannot become such a source.
    """
    identity.require("sources:write")
    stores = runtime.stores
    candidate = _open_candidate(runtime, site)
    titles = protected_titles(stores) if candidate.search else ()
    source = _named(runtime, candidate, name, source_of(candidate, name=name, kind=kind, titles=titles))
    names = {stored_source.name for stored_source in stores.sources.all()}
    is_new = source.name not in names  # else an interrupted acceptance saved it
    if is_new:
        source = save_source(identity, runtime, source, previous=None)
    try:
        _decide(identity, runtime, candidate, "accepted", reason="", source=source.name)
    except CandidateDecided:  # by another user
        if is_new and stores.candidates.get(site).source != source.name:
            remove_source(identity, runtime, source.name)
        raise
    return source


def reject_candidate(identity: Identity, runtime: Runtime, site: str, *, reason: str = "") -> None:
    """Reject a candidate. Files that name the site again do not change that.

    Raises:
        NotPermitted: the user may not change sources.
        UnknownRecord: there is no such candidate.
        CandidateDecided: it was accepted or rejected already.
    """
    identity.require("sources:write")
    _decide(identity, runtime, _open_candidate(runtime, site), "rejected", reason=reason)


def reopen_candidate(identity: Identity, runtime: Runtime, site: str) -> None:
    """Undo the rejection of a candidate.

    Raises:
        NotPermitted: the user may not change sources.
        UnknownRecord: there is no such candidate.
        CandidateDecided: it is not rejected.
    """
    identity.require("sources:write")
    candidate = runtime.stores.candidates.get(site)
    if candidate.state != "rejected":
        raise CandidateDecided(site=site, state=candidate.state)
    _decide(identity, runtime, candidate, "open", reason="")


def _open_candidate(runtime: Runtime, site: str) -> Candidate:
    candidate = runtime.stores.candidates.get(site)
    if candidate.state != "open":
        raise CandidateDecided(site=site, state=candidate.state)
    return candidate


def _named(runtime: Runtime, candidate: Candidate, name: str, source: Source) -> Source:
    """Return the source under a name that is free, or that has the same definition.

    Raises:
        SourceExists: the user chose a name that another source has.
    """
    stored = {stored_source.name: stored_source for stored_source in runtime.stores.sources.all()}
    for number in count(1):
        stored_source = stored.get(source.name)
        if stored_source is None or definition_of(stored_source) == definition_of(source):
            return source
        if name:
            raise SourceExists(name=name)
        source = replace(source, name=f"{candidate.id} {number + 1}")
    raise AssertionError  # count() never ends


def _decide(
    identity: Identity,
    runtime: Runtime,
    candidate: Candidate,
    state: CandidateState,
    *,
    reason: str,
    source: str = "",
) -> None:
    """Set the state of a candidate, and record the action.

    Raises:
        CandidateDecided: another user was faster.
    """
    is_decided = runtime.stores.candidates.decide(
        candidate.id,
        state,
        among=[candidate.state],
        by=identity.name,
        reason=reason,
        at=utc_now(),
        source=source,
    )
    if not is_decided:
        raise CandidateDecided(site=candidate.id, state=state)
    act = {"accepted": "accept-candidate", "rejected": "reject-candidate", "open": "reopen-candidate"}[state]
    detail = {"source": source} if source else {}
    if reason:
        detail["because"] = reason
    record_action(
        identity,
        runtime,
        act,
        f"candidate {candidate.id}",
        before={"state": candidate.state},
        after={"state": state},
        detail=detail,
    )
