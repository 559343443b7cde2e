"""Make an evidence package: one sealed file with everything that supports a set of matches.

The contents are collected in a folder next to the package. The package is written under a temporary name and
renamed when it is complete and on the disk. A kill leaves at most ``.NUMBER.part`` and the folder, never half
a package. The next export to the same place deletes leftovers that are a day old.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from analysis.evidence import layout
from analysis.evidence.bag import write_tag_files
from analysis.evidence.contents import Gathered, Gatherer, PackageProblem, records_of
from analysis.evidence.documents import json_bytes, json_of
from analysis.evidence.for_outsiders import redacted_case, redacted_match
from analysis.evidence.keys import signing_key
from analysis.evidence.numbers import new_number
from analysis.evidence.publishing import publish, target_path, write_errors
from analysis.evidence.report import PackageFacts, render_report
from analysis.evidence.signing import LeafRef, seal
from analysis.evidence.staging import Staging, folder_beside
from analysis.evidence.wacz import ArchivedPage, write_wacz
from analysis.words.i18n import translator
from analysis.words.printing import PrinterMissing, PrintingFailed, print_pdf
from crawler.readers.pool import Reader
from crawler.versions import versions
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import Case, Event, Match, utc_now
from system.errors import PindnaError
from system.version import VERSION
from tracker.runtime import Runtime

_TOLD = 200  # maximum number of events in the report


class NothingToExport(PindnaError):
    """The selection contains no match."""

    template = "There is no match to export. Choose at least one match."


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A finished package.

    Attributes:
        number: its number, used as its name everywhere.
        path: the file.
        sha256: SHA-256 of the file.
        size: in bytes.
        fingerprint: fingerprint of the key that signed it.
        problems: missing or damaged records; the package lists them too.
    """

    number: str
    path: Path
    sha256: str
    size: int
    made: datetime
    fingerprint: str
    matches: int
    pages: int
    captures: int
    problems: tuple[PackageProblem, ...]


def export_package(
    matches: Sequence[Match],
    runtime: Runtime,
    *,
    path: Path | None = None,
    by: str,
    excerpts: bool = False,
    language: str | None = None,
    problems: Sequence[PackageProblem] = (),
    now: datetime | None = None,
) -> Package:
    """Write a package of matches.

    Args:
        matches: the matches.
        runtime: the open services; matches are judged again behind the index.
        path: the file; a folder: the number in that folder; None: the number in the current folder.
        by: the user who makes it.
        excerpts: for outsiders: include only the copied stretches of the passages.
        language: language of the report, ``zh`` or ``en``; None: the language of the settings or environment.
        problems: problems that are already known.
        now: time of the package; None: the clock.

    Raises:
        NothingToExport: there is no match.
        PackageTooLarge: the contents do not fit into one zip.
        PackageUnwritable: the disk is full, or the folder is not writable.
        IndexUnusable: the index is stale, so nothing can be judged again.
        KeyElsewhere, KeyUnusable: this machine cannot sign.
        LogBroken: the evidence log was altered.
        ServiceDown, StorageFailed: the database refused.
    """
    if not matches:
        raise NothingToExport
    if excerpts:
        matches = [redacted_match(match) for match in matches]
    made = (now or utc_now()).replace(microsecond=0)
    number = new_number(made)
    target = target_path(path, number)
    with write_errors(target), folder_beside(target, number) as folder:
        staging = Staging(folder / number)
        gathered = _gather_contents(matches, runtime, staging, excerpts=excerpts)
        gathered.problems[:0] = problems
        _write_archive(gathered, runtime, staging, number=number, made=made, folder=folder)
        facts = _make_facts(
            matches, gathered, runtime, staging, number=number, made=made, by=by, excerpts=excerpts
        )
        facts = _write_report(facts, matches, runtime, staging, language)
        _write_evidence(facts, matches, runtime, staging)
        _write_seal(facts, gathered, runtime, staging)
        note = partial(_record_exported, facts, runtime.stores)
        sha256, size = publish(staging.folder, target, note=note)
    return Package(
        number=number,
        path=target,
        sha256=sha256,
        size=size,
        made=made,
        fingerprint=facts.fingerprint,
        matches=len(matches),
        pages=len(gathered.pages),
        captures=len(gathered.capture_ids),
        problems=facts.problems,
    )


def _gather_contents(
    matches: Sequence[Match], runtime: Runtime, staging: Staging, *, excerpts: bool
) -> Gathered:
    with closing(Reader()) as reader:
        gatherer = Gatherer(runtime.stores, runtime.corpus(), reader, staging, excerpts=excerpts)
        return gatherer.gather(matches)


def _write_archive(
    gathered: Gathered, runtime: Runtime, staging: Staging, *, number: str, made: datetime, folder: Path
) -> None:
    pages = (
        ArchivedPage(page_id, url, fetched, title)
        for page_id, (url, title, fetched) in gathered.pages.items()
    )
    unreadable = write_wacz(
        staging.path(layout.ARCHIVE),
        records_of(gathered, runtime.stores),
        pages,
        title=number,
        created=made,
        folder=folder,
    )
    gathered.problems += [PackageProblem(kind="capture-unreadable", subject=name) for name in unreadable]


def _make_facts(
    matches: Sequence[Match],
    gathered: Gathered,
    runtime: Runtime,
    staging: Staging,
    *,
    number: str,
    made: datetime,
    by: str,
    excerpts: bool,
) -> PackageFacts:
    counts = {
        "matches": len(matches),
        "pages": len(gathered.pages),
        "passages": gathered.passages,
        "captures": len(gathered.capture_ids),
    }
    cases = _cases_of_matches(matches, runtime)
    history: tuple[Event, ...] = ()
    if excerpts:  # outsiders must not see notes and reasons of a case
        staging.write(layout.HISTORY, b"")
        cases = tuple(map(redacted_case, cases))
    else:
        history = _write_history(cases, gathered, runtime, staging)
    return PackageFacts(
        number=number,
        made=made,
        by=by,
        fingerprint=signing_key(runtime.settings, runtime.stores.evidence_keys, now=made).fingerprint,
        authorities=tuple(authority.url for authority in runtime.settings.analysis.evidence.authorities),
        excerpts=excerpts,
        counts=counts,
        cases=cases,
        history=history,
        problems=tuple(gathered.problems),
        sessions=tuple(gathered.sessions.values()),
        versions=versions(),
    )


def _write_history(
    cases: Iterable[Case], gathered: Gathered, runtime: Runtime, staging: Staging
) -> tuple[Event, ...]:
    """Write the events of the cases. Return those for the report: all except new copies, up to a limit."""
    events: list[Event] = []
    with staging.lines(layout.HISTORY) as write:
        for case in cases:
            for event in runtime.stores.events.of_case(case.number):
                write(json_of(event))
                gathered.event_ids[event.id] = None
                if event.kind != "joined" and len(events) < _TOLD:
                    events.append(event)
    return tuple(events)


def _cases_of_matches(matches: Sequence[Match], runtime: Runtime) -> tuple[Case, ...]:
    ids = dict.fromkeys(case_id(match.work_id, match.site) for match in matches)
    cases = runtime.stores.cases.get_many(list(ids))
    return tuple(cases[number] for number in ids if number in cases)


def _write_report(
    facts: PackageFacts, matches: Sequence[Match], runtime: Runtime, staging: Staging, language: str | None
) -> PackageFacts:
    """Write the report as HTML and PDF, and return the facts. A missing PDF is one of them."""
    texts, settings = translator(language, "console"), runtime.settings
    timezone = settings.tracker.timezone
    html = render_report(facts, matches, runtime.stores, texts, timezone=timezone)
    try:
        staging.write(layout.REPORT_PDF, print_pdf(html, settings.crawler))
    except (PrinterMissing, PrintingFailed) as error:
        problem = PackageProblem(kind="no-pdf", subject=layout.REPORT_PDF, detail=texts.error(error))
        facts = replace(facts, problems=(*facts.problems, problem))
        html = render_report(facts, matches, runtime.stores, texts, timezone=timezone)
    staging.write(layout.REPORT_HTML, html.encode())
    return facts


def _write_evidence(
    facts: PackageFacts, matches: Sequence[Match], runtime: Runtime, staging: Staging
) -> None:
    with staging.lines(layout.CASES) as write:
        for case in facts.cases:
            write(json_of(case))
    evidence = {
        "format": layout.FORMAT,
        "number": facts.number,
        "made": facts.made.isoformat(),
        "by": facts.by,
        "key": facts.fingerprint,
        "excerpts": facts.excerpts,
        "counts": dict(facts.counts),
        "params": list(runtime.params.params_ids),
        "profiles": sorted({match.profile for match in matches}),
        "problems": [json_of(problem) for problem in facts.problems],
        "timezone": runtime.settings.tracker.timezone,
        "versions": dict(facts.versions),
    }
    staging.write(layout.EVIDENCE, json_bytes(evidence))


def _write_seal(facts: PackageFacts, gathered: Gathered, runtime: Runtime, staging: Staging) -> None:
    info = {
        "Source-Organization": facts.by,
        "Bagging-Date": facts.made.date().isoformat(),
        "Bag-Software-Agent": f"pindna {VERSION}",
        "External-Identifier": facts.number,
    }
    manifest = write_tag_files(staging.folder, info)
    files = seal(
        manifest,
        number=facts.number,
        leaves=_leaf_refs(gathered),
        stores=runtime.stores,
        settings=runtime.settings,
        now=facts.made,
    )
    for name, content in files.items():
        staging.write(layout.SEAL + name, content)


def _leaf_refs(gathered: Gathered) -> list[LeafRef]:
    """Return the records of the package that are in the evidence log."""
    captures = [LeafRef("capture", capture_id) for capture_id in gathered.capture_ids]
    sessions = [LeafRef("session", session_id) for session_id in gathered.sessions]
    return [*captures, *(LeafRef("event", event_id) for event_id in gathered.event_ids), *sessions]


def _record_exported(facts: PackageFacts, stores: Stores, sha256: str) -> None:
    stores.events.add_many([_export_event(case, facts, sha256) for case in facts.cases])


def _export_event(case: Case, facts: PackageFacts, sha256: str) -> Event:
    return Event(
        id=f"package:{facts.number}:{case.name}",
        case=case.number,
        kind="exported",
        at=facts.made,
        by=facts.by,
        subject=facts.number,
        detail={"sha256": sha256, "excerpts": str(facts.excerpts).lower()},
    )
