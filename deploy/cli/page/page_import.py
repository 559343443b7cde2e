"""``pindna page import``: pages that others captured."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.page_imports import PagesSummary, import_pages
from analysis.words.i18n import gettext as _
from analysis.words.labels import CAPTURED_FORMS, PAGE_IMPORTS
from crawler.pages.importing import ImportedRecord
from deploy.cli.addresses import complete
from deploy.cli.arguments import require_one
from deploy.cli.console import print_error, print_json_line, print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines
from deploy.cli.outcomes import Tally
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import readable
from tracker.runtime import Runtime

_QUIET = frozenset({"new", "known", "not-page", "status"})
_SHOWN_LINES = 20


def import_files(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help=_("WARC, WACZ, HAR, MHTML, or a saved page."))
    ],
    *,
    url: Annotated[str, typer.Option(help=_("Address of a saved page that does not contain it."))] = "",
    as_json: AsJsonLines = False,
    by: As = "",
) -> None:
    """Import files; the exit status is 4 if a file or a record could not be read, 2 if none could."""
    if url and len(files) != 1:
        raise typer.BadParameter(_("--url needs exactly one file."))
    tally = Tally()
    require_one(files)
    with user_session(by) as (identity, runtime):
        for path in files:
            try:
                _import_file(
                    identity, runtime, path, tally, url=complete(url) if url else "", as_json=as_json
                )
            except PindnaError as error:
                if error.exit_status != ExitStatus.UNUSABLE:
                    raise
                print_error(error)
                tally.note(error)
    tally.end()


def _import_file(
    identity: Identity, runtime: Runtime, path: Path, tally: Tally, *, url: str, as_json: bool
) -> None:
    name, shown = readable(path.name), Counter[str]()

    def report(records: Sequence[ImportedRecord]) -> None:
        for record in records:
            if as_json:
                print_json_line({"file": name, **object_of(record, "number url at result page_id")})
            elif record.result not in _QUIET:
                shown["lines"] += 1
                if shown["lines"] <= _SHOWN_LINES:
                    reason = word_of(PAGE_IMPORTS, record.result)
                    print_progress(f"  {record.number}: {reason} · {record.url}")

    summary = import_pages(identity, runtime, path, url=url, report=report)
    tally.used += 1
    tally.missing += not summary.is_whole
    if not as_json:
        print_result(_summary_line(summary))
        if summary.counts.get("new"):
            print_progress(_("The next scan compares the new pages; start one with `pindna scan`."))


def _summary_line(summary: PagesSummary) -> str:
    counts = Counter(summary.counts)
    results = _(", ").join(f"{word_of(PAGE_IMPORTS, result)}: {n:,}" for result, n in counts.most_common())
    line = _("{name} ({form}): {results}.")
    form = word_of(CAPTURED_FORMS, summary.form)
    return line.format(name=summary.name, form=form, results=results or _("no entries"))
