"""``pindna page``: what is stored of one address, its history, and its evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.background import background_as_object, background_line
from analysis.evidence.captures import captures_of, read_exchange, warc_members
from analysis.evidence.log import append_pending
from analysis.i18n import gettext as _
from analysis.i18n import ngettext, translator
from analysis.labels import (
    CAPTURE_PARTS,
    CAPTURE_STATES,
    LOOKS,
    PAGE_EVENTS,
    PAGE_KINDS,
    STANDINGS,
    VERDICTS,
    VISIT_STATES,
    reason_word,
    word,
)
from analysis.presence import look_as_object, presence_as_object, presence_text
from crawler.pages.verifying import CheckedCapture, Verifier
from crawler.pages.warc import archive
from deploy.cli.addresses import stored_address
from deploy.cli.clock import local_moment
from deploy.cli.console import byte_count, print_json_line, print_result, print_text, progress, write_bytes
from deploy.cli.files import refuse_place, write_data
from deploy.cli.options import AsJsonObject
from deploy.cli.session import session
from fingerprint.text.decoding import decode
from storage.collections.retention import prune_evidence
from storage.collections.stores import Stores
from storage.errors import UnknownRecord
from storage.exit_status import ExitStatus
from storage.records import Capture, CaptureKind, Look, Page, PageEvent, Visit, utc_now

app = typer.Typer(no_args_is_help=True)
_Url = Annotated[str, typer.Argument(metavar="URL", help=_("The page's address."))]


@app.command("show", help=_("Show what is stored of an address, and what happened to it."))
def show(url: _Url, *, as_json: AsJsonObject = False) -> None:
    """Print an address's versions, visits and events."""
    with session() as runtime:
        stores = runtime.stores
        address = stored_address(url, stores)
        versions, visit = stores.pages.versions(address), stores.visits.get(address)
        events, captures = stores.page_events.of_url(address), captures_of(address, stores)
        looks = stores.looks.of_url(address)
    if not versions and visit is None:
        raise UnknownRecord(kind="page", name=url)
    if as_json:
        known = _as_object(address, versions, visit, events, captures)
        seen = [look_as_object(look) for look in looks]
        print_json_line({**known, "presence": _presence(visit), "looks": seen})
    else:
        _show(address, versions, visit, events, captures)
        _show_looks(visit, looks)


def _show(
    url: str, versions: list[Page], visit: Visit | None, events: list[PageEvent], captures: list[Capture]
) -> None:
    print_result(url)
    if visit is not None:
        line = _("{state}; asked {checks} times, changed {changes} times, last {last}, next after {due}")
        print_result(
            "  "
            + line.format(
                state=word(translator(), VISIT_STATES, visit.state),
                checks=visit.checks,
                changes=visit.changes,
                last=local_moment(visit.last_checked),
                due=local_moment(visit.due),
            )
        )
    for page in versions:
        kind = word(translator(), PAGE_KINDS, page.kind)
        line = reason_word(translator(), page.reason)
        verdict = word(translator(), VERDICTS, page.verdict) if page.verdict else line
        sights = f"{local_moment(page.first_seen)} – {local_moment(page.last_seen)}"
        print_result(f"  {sights} {kind} “{page.title}” {verdict}" + _standing_note(page, versions))
        for start, end in absences(page, events):
            line = _("not there in between: found missing {start}, back {end}")
            print_result("    " + line.format(start=local_moment(start), end=local_moment(end)))
        if page.published is not None:
            print_result("    " + _("bears the date {date}").format(date=page.published))
        for own in page.background:
            print_result("    " + background_line(own, translator()))
        for sha256 in page.snapshots:
            print_result(f"    sha256 {sha256}")
    for event in events:
        kind = word(translator(), PAGE_EVENTS, event.kind)
        print_result(f"  {local_moment(event.at)} {kind} {event.detail}".rstrip())
    print_result(
        "  "
        + ngettext(
            "{count} fetch is kept as evidence", "{count} fetches are kept as evidence", len(captures)
        ).format(count=len(captures))
    )


def _show_looks(visit: Visit | None, looks: list[Look]) -> None:
    """Print whether a text is still up, and what each look at the address saw."""
    presence = visit.presence_of(visit.page_id) if visit is not None and visit.page_id else None
    if presence is not None:
        print_result("  " + presence_text(presence, translator(), local_moment))
    for look in looks:
        seen = (word(translator(), LOOKS, look.state), reason_word(translator(), look.reason), look.moved_to)
        print_result("  " + " · ".join((local_moment(look.at), *filter(None, seen))))


def _presence(visit: Visit | None) -> dict[str, object] | None:
    if visit is None or not visit.page_id:
        return None
    return presence_as_object(visit.presence_of(visit.page_id))


def absences(page: Page, events: Iterable[PageEvent]) -> Iterator[tuple[datetime, datetime]]:
    """Yield from when to when an address was away between the first and the last sight of a version.

    Args:
        page: the version; one that failed is no text that could be away.
        events: of the address.
    """
    if page.state == "failed":
        return
    since: datetime | None = None
    for event in sorted(events, key=lambda event: event.at):
        if event.kind in ("gone", "moved") and since is None:
            since = event.at
        elif event.kind == "returned" and since is not None:
            if page.first_seen <= since <= page.last_seen:
                yield since, event.at
            since = None


def _standing_note(page: Page, versions: list[Page]) -> str:
    """Return what a version that is not the current one counts for; nothing for the current one.

    A failed answer is no text: nothing replaced it, the page is there again or fails otherwise.
    """
    is_reread = any(version.reread_of == page.id for version in versions)
    if page.standing == "current" or (page.state == "failed" and not is_reread):
        return ""
    note = word(translator(), STANDINGS, "reread" if is_reread else page.standing)
    if page.replaced is not None:
        note = _("{standing} since {moment}").format(standing=note, moment=local_moment(page.replaced))
    return f" ({note})"


def _as_object(
    url: str, versions: list[Page], visit: Visit | None, events: list[PageEvent], captures: list[Capture]
) -> dict[str, Any]:
    return {
        "url": url,
        "state": visit.state if visit else None,
        "checks": visit.checks if visit else 0,
        "changes": visit.changes if visit else 0,
        "due": visit.due.isoformat() if visit else None,
        "versions": [
            {
                "id": page.id,
                "standing": page.standing,
                "replaced": page.replaced.isoformat() if page.replaced else None,
                "reread_of": page.reread_of,
                "kind": page.kind,
                "title": page.title,
                "characters": len(page.text),
                "verdict": page.verdict,
                "background": [background_as_object(own) for own in page.background],
                "reason": page.reason,
                "fetched": page.fetched.isoformat() if page.fetched else None,
                "published": page.published.iso() if page.published else None,
                "first_seen": page.first_seen.isoformat(),
                "last_seen": page.last_seen.isoformat(),
                "snapshots": list(page.snapshots),
                "absent": [[start.isoformat(), end.isoformat()] for start, end in absences(page, events)],
            }
            for page in versions
        ],
        "events": [
            {"kind": event.kind, "at": event.at.isoformat(), "scan": event.scan_id, "detail": event.detail}
            for event in events
        ],
        "captures": [
            {
                "fetched": capture.fetched.isoformat(),
                "status": capture.status,
                "sha256": capture.sha256,
                "revisit": bool(capture.warc),
                "kind": capture.kind,
                "digest": capture.digest,
            }
            for capture in captures
        ],
    }


@app.command("snapshot", help=_("Read back what a page's server sent, checked against its SHA-256."))
def snapshot(
    url: Annotated[str | None, typer.Argument(metavar="URL", help=_("The page's address."))] = None,
    *,
    sha256: Annotated[str, typer.Option(help=_("This one, by its SHA-256; default: the newest."))] = "",
    warc: Annotated[
        Path | None,
        typer.Option(
            help=_(
                "Write every exchange with the address, or the one of --sha256 alone, to this .warc.gz file."
            )
        ),
    ] = None,
    headers: Annotated[
        bool, typer.Option("--headers", help=_("Print request and headers, no body."))
    ] = False,
    document: Annotated[
        bool,
        typer.Option(
            "--document", help=_("Of a rendered page, print what came, not what the browser showed.")
        ),
    ] = False,
    screenshot: Annotated[
        Path | None, typer.Option(help=_("Write the newest picture of the page to this .png file."))
    ] = None,
) -> None:
    """Print a snapshot's body, or write its WARC records or its picture."""
    if not (url or sha256):
        raise typer.BadParameter(_("Name an address, or a snapshot with --sha256."))
    refuse_place(warc)
    refuse_place(screenshot)
    with session() as runtime:
        stores = runtime.stores
        captures = captures_of(stored_address(url, stores), stores) if url else []
        if warc is not None:
            members = [stores.snapshots.get(sha256).warc] if sha256 else warc_members(captures, stores)
            write_data(warc, archive(members))
            print_result(_("{count} records are written to {path}.").format(count=len(members), path=warc))
            return
        kind: CaptureKind = "screenshot" if screenshot is not None else "response"
        newest = (capture.sha256 for capture in captures if capture.sha256 and capture.kind == kind)
        chosen = sha256 or next(newest, "")
        if not chosen:
            raise UnknownRecord(kind="snapshot", name=url or sha256)
        exchange = read_exchange(chosen, runtime.stores)
    if screenshot is not None:
        write_data(screenshot, exchange.body)
        print_result(
            _("The picture of {moment} is written to {path}.").format(moment=exchange.at, path=screenshot)
        )
        return
    if headers:
        print_text((exchange.request + exchange.headers).decode("latin-1").replace("\r\n", "\n"))
    else:
        data = exchange.document if document else exchange.body
        write_bytes(data, shown=decode(data).text)


@app.command("verify", help=_("Check that captures are what they were; of these pages, or all of them."))
def verify(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help=_("Addresses of pages."))] = None,
    *,
    as_json: AsJsonObject = False,
) -> None:
    """Check captures; status 1 when one was altered or is missing."""
    with session() as runtime:
        counts: Counter[str] = Counter()
        problems: list[CheckedCapture] = []
        verifier = Verifier(runtime.stores)
        with progress() as bar:
            task = bar.add_task(_("checking captures"), total=None)
            for capture in _captures(urls, runtime.stores):
                checked = verifier.check(capture)
                counts[checked.state] += 1
                problems += [checked] if checked.problem else []
                bar.advance(task)
    if as_json:
        print_json_line(_checks_as_object(counts, problems))
    else:
        _show_checks(counts, problems)
    if problems:
        raise typer.Exit(ExitStatus.FOUND)


def _captures(urls: list[str] | None, stores: Stores) -> Iterator[Capture]:
    """Yield the captures of some addresses, or all.

    Raises:
        UnknownRecord: there is none of an address.
    """
    if not urls:
        yield from stores.captures.each()
    for url in dict.fromkeys(urls or ()):
        captures = captures_of(stored_address(url, stores), stores)
        if not captures:
            raise UnknownRecord(kind="page", name=url)
        yield from captures


def _show_checks(counts: Counter[str], problems: list[CheckedCapture]) -> None:
    for checked in problems:
        state = word(translator(), CAPTURE_STATES, checked.state)
        part = word(translator(), CAPTURE_PARTS, checked.problem)
        print_result(f"{state}: {checked.capture.url} {local_moment(checked.capture.fetched)} ({part})")
    line = _("{total} captures: {unchanged} unchanged, {altered} altered, {missing} missing.")
    print_result(line.format(total=counts.total(), **{name: counts[name] for name in CAPTURE_STATES}))
    if counts["undigested"]:
        print_result(_("{count} were made before digests were kept.").format(count=counts["undigested"]))


def _checks_as_object(counts: Counter[str], problems: list[CheckedCapture]) -> dict[str, Any]:
    return {
        "captures": counts.total(),
        **{name: counts[name] for name in CAPTURE_STATES},
        "problems": [
            {
                "url": checked.capture.url,
                "fetched": checked.capture.fetched.isoformat(),
                "kind": checked.capture.kind,
                "sha256": checked.capture.sha256,
                "digest": checked.capture.digest,
                "state": checked.state,
                "problem": checked.problem,
            }
            for checked in problems
        ],
    }


@app.command("prune", help=_("Delete old evidence of pages that match no work."))
def prune(
    *,
    days: Annotated[
        int | None, typer.Option(min=1, help=_("Older than so many days; default: crawler.snapshot_days."))
    ] = None,
) -> None:
    """Delete evidence whose time is up."""
    with session() as runtime:
        keep = days or runtime.settings.crawler.snapshot_days
        if not keep:
            print_result(
                _("Evidence is kept for ever (crawler.snapshot_days is 0); give --days to delete some.")
            )
            return
        append_pending(runtime.stores, runtime.settings)  # what is not in the log yet stays
        gone = prune_evidence(runtime.stores, before=utc_now() - timedelta(days=keep))
    line = _("{count} fetches and {bodies} bodies were deleted: {size} to be used again.")
    size = byte_count(gone.size)
    print_result(line.format(count=gone.captures, bodies=gone.snapshots, size=size))
