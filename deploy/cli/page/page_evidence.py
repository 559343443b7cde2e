"""``pindna page``: read, check and delete the stored evidence of pages."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.actions.pages import prune as prune_evidence
from analysis.queries.page_captures import checked_captures, exchange_of, fetches_of, records_of
from analysis.words.i18n import gettext as _
from analysis.words.labels import CAPTURE_PARTS, CAPTURE_STATES
from crawler.pages.verifying import CheckedCapture
from crawler.pages.warc import archive
from crawler.pages.warc_reading import ArchivedExchange
from deploy.cli.clock import local_moment
from deploy.cli.console import byte_count, print_json_line, print_result, print_text, progress, write_bytes
from deploy.cli.files import refuse_place, write_data
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from fingerprint.text.decoding import decode
from storage.records import Capture, CaptureKind
from system.errors import UnknownRecord
from system.exit_status import ExitStatus


def snapshot(
    url: Annotated[str | None, typer.Argument(metavar="URL", help=_("The page's address."))] = None,
    *,
    sha256: Annotated[str, typer.Option(help=_("SHA-256 of the snapshot; default: the newest."))] = "",
    warc: Annotated[
        Path | None,
        typer.Option(
            help=_(
                "Write all requests and responses of the address to this .warc.gz file; with --sha256, "
                "only those of this snapshot."
            )
        ),
    ] = None,
    headers: Annotated[
        bool, typer.Option("--headers", help=_("Print request and headers, no body."))
    ] = False,
    document: Annotated[
        bool,
        typer.Option(
            "--document",
            help=_("For a rendered page, print the response of the server, not the page in the browser."),
        ),
    ] = False,
    screenshot: Annotated[
        Path | None, typer.Option(help=_("Write the newest picture of the page to this .png file."))
    ] = None,
) -> None:
    if not (url or sha256):
        raise typer.BadParameter(_("Give an address, or a snapshot with --sha256."))
    refuse_place(warc)
    refuse_place(screenshot)
    with user_session() as (identity, runtime):
        stores = runtime.stores
        captures = fetches_of(identity, stores, url) if url else []
        if warc is not None:
            _write_archive(warc, records_of(identity, stores, sha256, captures))
            return
        chosen = sha256 or _newest(captures, "response" if screenshot is None else "screenshot")
        if not chosen:
            raise UnknownRecord(kind="snapshot", name=url or sha256)
        exchange = exchange_of(identity, stores, chosen, captures)
    if screenshot is not None:
        _write_picture(screenshot, exchange)
    elif headers:
        print_text((exchange.request + exchange.headers).decode("latin-1").replace("\r\n", "\n"))
    else:
        data = exchange.document if document else exchange.body
        write_bytes(data, shown=decode(data).text)


def _newest(captures: Iterable[Capture], kind: CaptureKind) -> str:
    """Return the SHA-256 of the newest body of a kind; an empty string if there is none."""
    return next((capture.sha256 for capture in captures if capture.sha256 and capture.kind == kind), "")


def _write_archive(path: Path, members: list[bytes]) -> None:
    """Write records as WARC."""
    write_data(path, archive(members))
    print_result(_("Records written to {path}: {count}.").format(count=len(members), path=path))


def _write_picture(path: Path, exchange: ArchivedExchange) -> None:
    write_data(path, exchange.body)
    print_result(_("The picture of {moment} was written to {path}.").format(moment=exchange.at, path=path))


def verify(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help=_("Addresses of pages."))] = None,
    *,
    as_json: AsJsonObject = False,
) -> None:
    """Check captures; the exit status is 1 if a capture was altered or is missing."""
    with user_session() as (user, runtime):
        counts: Counter[str] = Counter()
        problems: list[CheckedCapture] = []
        with progress() as bar:
            task = bar.add_task(_("checking captures"), total=None)
            for checked in checked_captures(user, runtime.stores, urls or ()):
                counts[checked.state] += 1
                problems += [checked] if checked.problem else []
                bar.advance(task)
    if as_json:
        print_json_line(_checks_as_object(counts, problems))
    else:
        _show_checks(counts, problems)
    if problems:
        raise typer.Exit(ExitStatus.FOUND)


def _show_checks(counts: Counter[str], problems: list[CheckedCapture]) -> None:
    for checked in problems:
        state = word_of(CAPTURE_STATES, checked.state)
        piece = word_of(CAPTURE_PARTS, checked.problem)
        print_result(f"{state}: {checked.capture.url} {local_moment(checked.capture.fetched)} ({piece})")
    line = _("{total} captures: {unchanged} unchanged, {altered} altered, {missing} missing.")
    print_result(line.format(total=counts.total(), **{name: counts[name] for name in CAPTURE_STATES}))
    if counts["undigested"]:
        print_result(
            _("Captures from before digests were stored: {count}.").format(count=counts["undigested"])
        )


def _checks_as_object(counts: Counter[str], problems: list[CheckedCapture]) -> dict[str, Any]:
    return {
        "captures": counts.total(),
        **{name: counts[name] for name in CAPTURE_STATES},
        "problems": [
            object_of(
                checked.capture, "url fetched kind sha256 digest", **object_of(checked, "state problem")
            )
            for checked in problems
        ],
    }


def prune(
    *,
    days: Annotated[
        int | None,
        typer.Option(
            min=1, help=_("Delete evidence older than this number of days; default: crawler.snapshot_days.")
        ),
    ] = None,
    by: As = "",
) -> None:
    with user_session(by) as (user, runtime):
        keep = days or runtime.settings.crawler.snapshot_days
        if not keep:
            print_result(
                _("Evidence is kept without limit (crawler.snapshot_days is 0). Use --days to delete some.")
            )
            return
        gone = prune_evidence(user, runtime, days=keep)
    line = _("{count} fetches and {bodies} response bodies were deleted; {size} can be used again.")
    size = byte_count(gone.size)
    print_result(line.format(count=gone.captures, bodies=gone.snapshots, size=size))
