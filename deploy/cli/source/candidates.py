"""``pindna source import``, ``candidates`` and ``candidate``: sites that files name."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.candidates import import_candidates
from analysis.discovery.importing import ImportLine, ImportSummary
from analysis.discovery.rows import STORED
from analysis.queries.candidates import count_candidates, get_candidate, list_candidates, planned_source
from analysis.queries.listing import whole
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import CANDIDATE_FORMS, CANDIDATE_STATES, IMPORT_LINES, SOURCE_KINDS
from analysis.words.remarks import remark_texts
from crawler.sources.definition import definition_of
from deploy.cli.arguments import require_one
from deploy.cli.clock import local_moment
from deploy.cli.console import print_error, print_json_line, print_problem, print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJson, AsJsonLines, AsJsonObject, Limit
from deploy.cli.outcomes import Tally
from deploy.cli.tables import print_list
from storage.records import Candidate, CandidateState
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import readable
from tracker.runtime import Runtime

_SHOWN_LINES = 20  # entries with a problem that are printed for each file
_SHOWN_EVIDENCE = 5
_SHOWN_ADDRESSES = 20
_SHOWN_WORKS = 5
_FIELDS = (
    "site=id state kind urls sitemaps feeds search works evidence added decided by because=reason source"
)
_EVIDENCE = "file sha256 form line text works"
Site = Annotated[str, typer.Argument(metavar="SITE", help=_("Site of a candidate."))]


class _Lines:
    """Prints the results of entries, or the first problems of a file.

    Args:
        name: of the file.
        as_json: print each result as an object.
    """

    def __init__(self, name: str, *, as_json: bool) -> None:
        self._name, self._as_json = name, as_json
        self._problems = 0
        self.remarks = 0

    def report(self, lines: Sequence[ImportLine]) -> None:
        """Print results."""
        for line in lines:
            self.remarks += bool(line.remarks)
            if self._as_json:
                print_json_line(_line_as_object(self._name, line))
            elif line.result not in STORED:
                self._problems += 1
                if self._problems <= _SHOWN_LINES:
                    print_progress(self._line(line))

    def end(self) -> None:
        """Print how many problems were not printed."""
        if (more := self._problems - _SHOWN_LINES) > 0 and not self._as_json:
            line = ngettext("{count} more; --json lists each.", "{count} more; --json lists each.", more)
            print_progress("  " + line.format(count=f"{more:,}"))

    def _line(self, line: ImportLine) -> str:
        reason = "; ".join(remark_texts(line.remarks, translator())) or word_of(IMPORT_LINES, line.result)
        entry = _("  {number}: {reason}") if line.number else "  {reason}"
        shown = entry.format(number=f"{line.number:,}", reason=reason)
        return f"{shown} · {line.text[:100]}" if line.text else shown


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help=_(
                "书源 (JSON), OPML, feeds, sitemaps, bookmarks, lists of addresses (text, CSV, XLSX), CDXJ, "
                "removal requests (CSV), exported chats."
            ),
        ),
    ],
    *,
    as_json: AsJsonLines = False,
    by: As = "",
) -> None:
    """Import files; the exit status is 4 if a file or an entry could not be read, 2 if none could."""
    tally = Tally()
    require_one(files)
    with user_session(by) as (identity, runtime):
        for path in files:
            try:
                _import_file(identity, runtime, path, tally, as_json=as_json)
            except PindnaError as error:
                if error.exit_status != ExitStatus.UNUSABLE:
                    raise
                print_error(error)
                tally.note(error)
        waiting = count_candidates(identity, runtime.stores)["open"]
    if not as_json:
        line = ngettext(
            "{count} candidate waits for a decision; list them with `pindna source candidates`.",
            "{count} candidates wait for a decision; list them with `pindna source candidates`.",
            waiting,
        )
        print_progress(line.format(count=f"{waiting:,}"))
    tally.end()


def _import_file(identity: Identity, runtime: Runtime, path: Path, tally: Tally, *, as_json: bool) -> None:
    lines = _Lines(readable(path.name), as_json=as_json)
    summary = import_candidates(identity, runtime, path, report=lines.report)
    lines.end()
    tally.used += 1
    tally.missing += not summary.is_whole
    if not as_json:
        print_result(_summary_line(summary))
        if lines.remarks:
            line = ngettext(
                "{count} entry has rules that cannot be used; `pindna source candidate SITE` lists them.",
                "{count} entries have rules that cannot be used; `pindna source candidate SITE` lists them.",
                lines.remarks,
            )
            print_progress(line.format(count=f"{lines.remarks:,}"))


def _summary_line(summary: ImportSummary) -> str:
    counts = Counter(summary.counts)
    results = _(", ").join(
        f"{word_of(IMPORT_LINES, result)}: {number:,}" for result, number in counts.most_common() if number
    )
    line = _("{name} ({form}): {results}.")
    form = word_of(CANDIDATE_FORMS, summary.form)
    return line.format(name=summary.name, form=form, results=results or _("no entries"))


def candidates(
    *,
    state: Annotated[CandidateState, typer.Option(help=_("Only candidates in this state."))] = "open",
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    with user_session() as (user, runtime):
        records = whole(partial(list_candidates, user, runtime.stores, state=state), limit=limit)
        headers = _("site"), _("works"), _("kind"), _("addresses"), _("evidence")
        print_list(records, _as_object, headers, _cells, as_json=as_json)


def _cells(candidate: Candidate) -> tuple[str | tuple[str, ...], ...]:
    evidence = candidate.evidence[0] if candidate.evidence else None
    return (
        candidate.id,
        candidate.works[:_SHOWN_WORKS],
        word_of(SOURCE_KINDS, candidate.kind),
        f"{len(candidate.urls) + len(candidate.feeds) + len(candidate.sitemaps):,}",
        f"{evidence.file}:{evidence.line} {evidence.text[:60]}" if evidence else "",
    )


def candidate(site: Site, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        record = get_candidate(user, runtime.stores, site)
        plan = planned_source(user, runtime.stores, site)
    if as_json:
        print_json_line({**_as_object(record), "definition": definition_of(plan)})
        return
    print_result(f"{record.id}: {word_of(CANDIDATE_STATES, record.state)}")
    if record.decided is not None:
        print_result(f"  {local_moment(record.decided)} {record.by} {record.reason}".rstrip())
    if record.works:
        print_result("  " + _("names your works: {works}").format(works=_(", ").join(record.works)))
    for item in record.evidence[:_SHOWN_EVIDENCE]:
        print_result(f"  {item.file}:{item.line} {item.text}")
    if (more := len(record.evidence) - _SHOWN_EVIDENCE) > 0:
        print_result("  " + ngettext("{count} more", "{count} more", more).format(count=more))
    kind = word_of(SOURCE_KINDS, plan.kind)
    print_result(_("It would crawl ({kind}):").format(kind=kind))
    for address in plan.addresses[:_SHOWN_ADDRESSES]:
        print_result(f"  {address}")
    if (more := len(plan.addresses) - _SHOWN_ADDRESSES) > 0:
        print_result("  " + ngettext("{count} more", "{count} more", more).format(count=more))
    for remark in remark_texts(record.remarks, translator()):
        print_problem("  " + remark)


def _as_object(record: Candidate) -> dict[str, object]:
    evidence = [object_of(item, _EVIDENCE) for item in record.evidence]
    return object_of(
        record,
        _FIELDS,
        evidence=evidence,
        rules={name: value for name, value in asdict(record.rules).items() if value},
        remarks=list(map(str, record.remarks)),
    )


def _line_as_object(name: str, line: ImportLine) -> dict[str, object]:
    remarks = list(map(str, line.remarks))
    return {"file": name, **object_of(line, "number text result sites works", remarks=remarks)}
