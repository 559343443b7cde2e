"""The queue of matches around the open one, read in batches; after one site, the next site follows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from nicegui import ui

from analysis.console.parts.badges import badge, review_badge, verdict_badge
from analysis.console.parts.find_view import page_address
from analysis.console.parts.in_view import follow_in_list
from analysis.console.parts.texts import foreign, plain
from analysis.console.review_queue import QueueRow, ReviewQueue, row_of
from analysis.console.view import View
from analysis.queries.matches import MatchQuery, Review, list_matches
from analysis.queries.review import list_sites, standings_of
from storage.records import Match, SiteLicence
from system.sites import host_of
from tracker.judgement.licences import may_publish

_PART = 50
_LOOKED_AT = 100  # number of rows before and after the open one whose states are refreshed
# A plain click opens a match on this page; with a modifier key, the browser handles the link.
_ON_CLICK = "(e) => { if (!e.ctrlKey && !e.metaKey && !e.shiftKey) { e.preventDefault(); emit(); } }"


@dataclass(frozen=True, slots=True)
class QueueAddress:
    """The conditions for the matches in a queue, as the address contains them.

    Attributes:
        site: where they are.
        work: id of their work; None: of all.
        state: their state when they were read.
    """

    site: str
    work: int | None
    state: Review


class FindQueue:
    """The list of matches next to the open match.

    Args:
        where: which finds are in it.
        first: the find that is open first.
    """

    def __init__(self, where: QueueAddress, first: Match) -> None:
        self.where = where
        self._queue = ReviewQueue(row_of(first))
        self._cursor = ""
        self._is_read = False
        self._open: Callable[[str], Awaitable[None]] | None = None
        self._box: ui.element | None = None
        self._lists: dict[str, ui.element] = {}
        self._lines: dict[str, tuple[ui.element, tuple[QueueRow, bool]]] = {}
        self._view: View | None = None

    async def read(self, view: View) -> None:
        """Read the first batch of the queue, including the open match."""
        self._view = view
        current = self._queue.current
        rows = await self._part(view)
        self._queue = ReviewQueue(current, rows)
        await self.renew(view)

    async def _part(self, view: View) -> list[QueueRow]:
        where = self.where
        query = MatchQuery(site=where.site, work=where.work, review=where.state)
        listing = await view.read(list_matches, query, cursor=self._cursor, limit=_PART)
        self._cursor, self._is_read = listing.next, not listing.next
        return [row_of(match) for match in listing.items]

    def build(self, open_find: Callable[[str], Awaitable[None]]) -> None:
        """Show the list.

        Args:
            open_find: opens the find of an id.
        """
        self._open = open_find
        self._box = ui.element("div")
        self._draw()

    def open(self, match: Match) -> None:
        """Mark a match as the open one; add it to the list if necessary."""
        self._queue.add([row_of(match)])
        self._queue.open(match.id)
        self._draw()
        if match.id in self._lines:
            follow_in_list(self._lines[match.id][0])

    async def renew(self, view: View) -> None:
        """Refresh the states of the matches around the open one."""
        at = self._queue.at
        ids = [row.id for row in self._queue.rows[max(0, at - _LOOKED_AT) : at + _LOOKED_AT]]
        standings = await view.read(standings_of, ids)
        if self._queue.note(standings, me=view.identity.account.name):
            self._draw()

    def note_licence(self, match: Match, licence: SiteLicence) -> None:
        """Mark the matches that a new licence affects: they are being judged again."""
        for row in self._queue.rows:
            if row.work == match.work_title and may_publish(licence, row.site, host_of(match.url)):
                self._queue.change(row.id, is_licensed=True)
        self._draw()

    async def neighbour(self, view: View, step: int) -> QueueRow | None:
        """Return the match some rows further; None beyond an end of the queue."""
        row = self._queue.neighbour(step)
        if row is None and step > 0 and await self._more(view):
            row = self._queue.neighbour(step)
        return row

    async def next_waiting(self, view: View) -> QueueRow | None:
        """Return the next undecided match; None if no site has any."""
        while (row := self._queue.next_waiting()) is None:
            if not await self._more(view):
                return None
        return row

    async def _more(self, view: View) -> bool:
        """Read the next batch, of this site or of the next site. Return whether there was one."""
        while True:
            if self._is_read and not await self._turn_to_next_site(view):
                return False
            if self._queue.add(await self._part(view)):
                self._draw()
                return True

    async def _turn_to_next_site(self, view: View) -> bool:
        if self.where.state != "open":
            return False
        queued_sites = {row.site for row in self._queue.rows}
        cursor = ""
        while True:
            listing = await view.read(list_sites, work=self.where.work, cursor=cursor)
            fresh = [
                group.site for group in listing.items if group.waiting and group.site not in queued_sites
            ]
            if fresh:
                self.where = replace(self.where, site=fresh[0])
                self._cursor, self._is_read = "", False
                return True
            if not (cursor := listing.next):
                return False

    def _draw(self) -> None:
        """Show new rows, and rows whose state changed."""
        if self._box is None:
            return
        for row in self._queue.rows:
            shown = row, row.id == self._queue.current.id
            drawn = self._lines.get(row.id)
            if drawn is None:
                with self._list_of(row.site):
                    line = ui.element("li")
            elif drawn[1] != shown:
                line = drawn[0]
                line.clear()
            else:
                continue
            self._lines[row.id] = line, shown
            with line:
                self._row(row)

    def _list_of(self, site: str) -> ui.element:
        """Return the list of a site's rows."""
        if site not in self._lists:
            with self._box or ui.element():
                with ui.element("h2").classes("subtitle"):
                    foreign(site)
                self._lists[site] = ui.element("ol").classes("finds")
        return self._lists[site]

    def _row(self, row: QueueRow) -> None:
        assert self._view is not None and self._open is not None  # noqa: S101, PT018 - for the type checker
        view, is_open = self._view, row.id == self._queue.current.id
        target = page_address(row.name, site=row.site, work=self.where.work, state=self.where.state)
        link = ui.link(target=target).classes("find", remove="nicegui-link")
        if is_open:
            link.props('aria-current="true"')
        link.on("click", partial(self._open, row.id), js_handler=_ON_CLICK)
        with link:
            foreign(row.title, most=60).classes("find-title")
            with ui.element("span").classes("row-line"):
                if row.review:
                    review_badge(view, row.review)
                else:
                    verdict_badge(view, row.verdict)
                if row.is_licensed:
                    badge(view.gettext("licensed"), "well")
                if row.by:
                    badge(view.gettext("{name} is reviewing").format(name=row.by), "accent")
                length = view.ngettext("{count:,} character", "{count:,} characters", row.characters)
                plain(length.format(count=row.characters)).classes("soft small")
