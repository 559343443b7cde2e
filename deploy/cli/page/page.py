"""``pindna page``: what is stored of one address, and its history."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any

import typer

from analysis.evidence.captures import captures_of
from analysis.words.background import background_as_object, background_line
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import (
    LOOKS,
    PAGE_EVENTS,
    PAGE_KINDS,
    STANDINGS,
    VERDICTS,
    VISIT_STATES,
    reason_word,
    word,
)
from analysis.words.page_texts import unread_line
from analysis.words.presence import look_as_object, presence_as_object, presence_text
from deploy.cli.addresses import stored_address
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result
from deploy.cli.options import AsJsonObject
from deploy.cli.page.page_evidence import prune, snapshot, verify
from deploy.cli.session import session
from storage.records import Capture, Look, Page, PageEvent, Visit
from system.errors import UnknownRecord

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
        for line in _texts_lines(page):
            print_result("    " + line)
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


def _texts_lines(page: Page) -> Iterator[str]:
    """Yield how much of a version is in the article and outside it, and what could not be compared."""
    yield _("{article} characters in the article, {rest} outside it").format(
        article=f"{len(page.text):,}", rest=f"{len(page.rest):,}"
    )
    if line := unread_line(page.unread, translator()):
        yield line


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
                "rest_characters": len(page.rest),
                "unread": page.unread,
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


app.command("snapshot", help=_("Read back what a page's server sent, checked against its SHA-256."))(snapshot)
app.command("verify", help=_("Check that captures are what they were; of these pages, or all of them."))(
    verify
)
app.command("prune", help=_("Delete old evidence of pages that match no work."))(prune)
