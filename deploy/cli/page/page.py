"""``pindna page``: the stored data of one address, and its history."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from analysis.fields.cells import json_object
from analysis.fields.pages import JSON_FIELDS
from analysis.queries.page_history import PageHistory, history_of
from analysis.words.background import background_line
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.imports import import_line
from analysis.words.labels import (
    PAGE_EVENTS,
    PAGE_KINDS,
    STANDINGS,
    VERDICTS,
    VISIT_STATES,
)
from analysis.words.page_texts import unread_line
from analysis.words.presence import look_as_object, look_text, presence_as_object, presence_text
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result
from deploy.cli.identity import user_session
from deploy.cli.labels import reason_of, word_of
from deploy.cli.objects import object_of, plain
from deploy.cli.options import AsJsonObject
from storage.records import Page, Visit

_CAPTURE = "fetched status sha256 revisit kind digest"
_Url = Annotated[str, typer.Argument(metavar="URL", help=_("The page's address."))]


def show(url: _Url, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        history = history_of(user, runtime.stores, url)
    if as_json:
        print_json_line(_as_object(history))
    else:
        _show(history)
        _show_looks(history)


def _show(history: PageHistory) -> None:
    print_result(history.url)
    if history.visit is not None:
        _show_visit(history.visit)
    for page in history.versions:
        _show_version(page, history)
    for event in history.events:
        kind = word_of(PAGE_EVENTS, event.kind)
        print_result(f"  {local_moment(event.at)} {kind} {event.detail}".rstrip())
    count = len(history.captures)
    line = ngettext("{count} fetch is kept as evidence", "{count} fetches are kept as evidence", count)
    print_result("  " + line.format(count=count))


def _show_visit(visit: Visit) -> None:
    line = _("{state}; visits: {checks}, changes: {changes}, last {last}, next after {due}")
    shown = line.format(
        state=word_of(VISIT_STATES, visit.state),
        checks=visit.checks,
        changes=visit.changes,
        last=local_moment(visit.last_checked),
        due=local_moment(visit.due),
    )
    print_result("  " + shown)


def _show_version(page: Page, history: PageHistory) -> None:
    kind = word_of(PAGE_KINDS, page.kind)
    line = reason_of(page.reason)
    verdict = word_of(VERDICTS, page.verdict) if page.verdict else line
    sights = f"{local_moment(page.first_seen)} – {local_moment(page.last_seen)}"
    print_result(f"  {sights} {kind} “{page.title}” {verdict}" + _standing_note(page, history.versions))
    for start, end in history.absences(page):
        line = _("gone in between: first found gone {start}, back {end}")
        print_result("    " + line.format(start=local_moment(start), end=local_moment(end)))
    if page.imported is not None:
        print_result("    " + import_line(page.imported, translator(), local_moment))
    if page.published is not None:
        print_result("    " + _("dated {date}").format(date=page.published))
    for line in _texts_lines(page):
        print_result("    " + line)
    for background in page.background:
        print_result("    " + background_line(background, translator()))
    for sha256 in page.snapshots:
        print_result(f"    sha256 {sha256}")


def _texts_lines(page: Page) -> Iterator[str]:
    """Yield lines about a version: how much text is in the article, outside it, and not compared."""
    yield _("{article} characters in the article, {rest} outside it").format(
        article=f"{len(page.text):,}", rest=f"{len(page.rest):,}"
    )
    if line := unread_line(page.unread, translator()):
        yield line


def _show_looks(history: PageHistory) -> None:
    """Print whether a text is still up, and the result of each look at the address."""
    visit = history.visit
    presence = visit.presence_of(visit.page_id) if visit is not None and visit.page_id else None
    if presence is not None:
        print_result("  " + presence_text(presence, translator(), local_moment))
    for look in history.looks:
        cells = (look_text(look.state, look.reason, translator()), reason_of(look.reason), look.moved_to)
        print_result("  " + " · ".join((local_moment(look.at), *filter(None, cells))))


def _presence(visit: Visit | None) -> dict[str, object] | None:
    if visit is None or not visit.page_id:
        return None
    return presence_as_object(visit.presence_of(visit.page_id))


def _standing_note(page: Page, versions: Sequence[Page]) -> str:
    """Return a note on how a version counts if it is not the current version; empty for the current one.

    A failed version has no text, so no other text replaced it: the page is up again, or fails for another
    reason.
    """
    is_reread = any(version.reread_of == page.id for version in versions)
    if page.standing == "current" or (page.state == "failed" and not is_reread):
        return ""
    note = word_of(STANDINGS, "reread" if is_reread else page.standing)
    if page.replaced is not None:
        note = _("{standing} since {moment}").format(standing=note, moment=local_moment(page.replaced))
    return f" ({note})"


def _as_object(history: PageHistory) -> dict[str, object]:
    visit, captures = history.visit, history.captures
    versions = [_version_as_object(page, history) for page in history.versions]
    return {
        "url": history.url,
        "state": visit.state if visit else None,
        "checks": visit.checks if visit else 0,
        "changes": visit.changes if visit else 0,
        "due": plain(visit and visit.due),
        "versions": versions,
        "events": [object_of(event, "kind at scan=scan_id detail") for event in history.events],
        "captures": [object_of(capture, _CAPTURE, revisit=bool(capture.warc)) for capture in captures],
        "presence": _presence(visit),
        "looks": [look_as_object(look) for look in history.looks],
    }


def _version_as_object(page: Page, history: PageHistory) -> dict[str, object]:
    return {**json_object(JSON_FIELDS, page), "absent": plain(list(history.absences(page)))}
