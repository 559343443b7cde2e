"""Reviewing matches: one match is open, the user decides about it with a key, and the next match opens.

While the page is open, its user has a lease on the open match. Every decision contains the version that the
user saw, so two users of one queue cannot overwrite each other's decisions.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from zoneinfo import ZoneInfo

from nicegui import ui
from nicegui.events import KeyEventArguments

from analysis.actions.licences import grant_licence
from analysis.actions.review import (
    MatchLocked,
    close_match,
    decide_match,
    open_match,
    reopen_match,
    undo_decisions,
)
from analysis.console.parts import find_view
from analysis.console.parts.comparison import comparison
from analysis.console.parts.find_queue import FindQueue
from analysis.console.parts.in_view import bring_into_view
from analysis.console.parts.review_dialogs import Reason, ask_licence, ask_reason, show_keys
from analysis.console.view import View
from analysis.queries.matches import get_texts
from analysis.queries.review import Find, get_find
from analysis.queries.works import get_work
from analysis.words.labels import REVIEWS
from storage.records import Decision, DecisionState, Match
from system.errors import PindnaError
from tracker.review.versions import review_version

T = TypeVar("T")
_EVERY_S = 10.0  # interval of renewals: a third of the lease's duration
_STATES: dict[str, DecisionState] = {"y": "confirmed", "n": "dismissed", "h": "doubtful"}


@dataclass(frozen=True, slots=True)
class _Done:
    """A decision that can be undone: the match before it, the new decisions, and the version after it."""

    before: Match
    made: tuple[Decision, ...]
    version: str


class ReviewDesk:
    """One page on which a user reviews matches.

    Args:
        view: the page.
        find: that is open first.
        queue: what comes before and after it.
        to_address: returns the address of a find here.
    """

    def __init__(self, view: View, find: Find, queue: FindQueue, to_address: Callable[[Find], str]) -> None:
        self._view, self._find, self._queue, self._to_address = view, find, queue, to_address
        self._may_decide = view.may("matches:decide")
        self._window = uuid.uuid4().hex
        self._by = ""  # another user who has the match open
        self._lock = asyncio.Lock()
        self._done: list[_Done] = []
        self._reasons: dict[str, str] = {}
        self._listens, self._is_asking = True, False
        self._acts: dict[str, find_view.Act] = {
            **{key: partial(self._unless_busy, self._decide, key) for key in _STATES},
            "l": partial(self._unless_busy, self._license),
            "u": partial(self._one_at_a_time, self._undo),
            "j": partial(self._one_at_a_time, self._step, 1),
            "k": partial(self._one_at_a_time, self._step, -1),
            "?": partial(self._one_at_a_time, self._show_keys),
        }

    async def build(self) -> None:
        """Show the page, and listen to its keys."""
        with ui.element("div").classes("desk"):
            with ui.element("nav").classes("desk-list panel") as nav:
                nav.props["aria-label"] = self._view.gettext("Finds in the queue")
                self._queue.build(partial(self._one_at_a_time, self._show))
            self._box = ui.element("section").classes("desk-find panel in-view").props('aria-busy="false"')
        self._told = ui.label().props('role="status"').classes("told")
        await self._claim_and_show()
        ui.keyboard(self._on_key, repeating=False, ignore=["input", "select", "textarea"])
        ui.timer(_EVERY_S, self._renew, immediate=False)
        self._view.client.on_disconnect(self._leave)

    async def _on_key(self, event: KeyEventArguments) -> None:
        held = event.modifiers
        if event.action.keydown and not (held.ctrl or held.alt or held.meta):
            key = event.key.name.lower()
            if key in self._acts and not self._is_asking and (self._listens or key == "?"):
                await self._acts[key]()

    async def _one_at_a_time(self, act: Callable[..., Awaitable[None]], *args: object) -> None:
        """Run an action after the running one has finished."""
        async with self._lock:
            self._box.props('aria-busy="true"')
            try:
                await act(*args)
            finally:
                self._box.props('aria-busy="false"')

    async def _unless_busy(self, act: Callable[..., Awaitable[None]], *args: object) -> None:
        """Run a decision unless another action is running, because the user has not seen its result yet."""
        if not self._lock.locked():
            await self._one_at_a_time(act, *args)

    async def _show(self, name: str) -> None:
        """Close this match and open another one."""
        before = self._find.match.id
        self._find = await self._view.read(get_find, name)
        await self._claim_and_show(leaving="" if before == self._find.match.id else before)
        with self._view.client:
            ui.navigate.history.replace(self._to_address(self._find))

    async def _claim_and_show(self, *, leaving: str = "") -> None:
        """Claim the open match, and show it."""
        match = self._find.match
        if self._may_decide:
            lease = await self._view.act(open_match, match.id, window=self._window, leaving=leaving)
            self._by = "" if lease.by == self._view.identity.account.name else lease.by
        self._queue.open(match)
        await self._draw()
        if leaving:
            bring_into_view(self._box)

    async def _draw(self) -> None:
        holding = find_view.Holding(self._by, self._may_decide)
        self._box.clear()
        with self._box:
            find_view.head(self._view, self._find, holding)
            find_view.buttons(self._view, self._find, holding, self._acts)
            await comparison(self._view, self._find.match.id)

    async def _renew(self) -> None:
        """Renew the lease, and refresh what other users did."""
        if not self._lock.locked() and self._view.client.has_socket_connection:
            with self._view.by_itself():
                await self._look_again()

    async def _look_again(self) -> None:
        match, by = self._find.match, self._by
        if self._may_decide:
            lease = await self._view.act(open_match, match.id, window=self._window)
            by = "" if lease.by == self._view.identity.account.name else lease.by
        await self._queue.renew(self._view)
        now = await self._view.read(get_find, match.id)
        if self._find.match.id != match.id:  # the user has opened another match in the meantime
            await self._release_lease(match.id)
        elif not self._lock.locked() and (now.version, by) != (self._find.version, self._by):
            self._find, self._by = now, by
            await self._draw()

    async def _leave(self) -> None:
        await self._release_lease(self._find.match.id)

    async def _release_lease(self, match_id: str) -> None:
        """Release a lease; if this fails, the lease expires by itself."""
        if self._may_decide:
            with suppress(PindnaError):
                await self._view.act(close_match, match_id, window=self._window)

    async def _step(self, step: int) -> None:
        row = await self._queue.neighbour(self._view, step)
        if row is None:
            end = self._view.gettext("This is the last find.") if step > 0 else ""
            self._report(end or self._view.gettext("This is the first find."))
        else:
            await self._show(row.id)

    async def _decide(self, key: str) -> None:
        self._require_free()
        state, match = _STATES[key], self._find.match
        if match.review == state:
            await self._take_back()
            return
        reason = Reason("") if state == "confirmed" else await self._ask(state)
        if reason is None:
            return
        self._reasons[state] = reason.text
        after, made = await self._or_show_conflict(
            self._view.act(
                decide_match,
                match.id,
                state=state,
                reason=reason.text,
                expected_version=self._find.version,
                marked=reason.marked,
            )
        )
        self._done.append(_Done(match, tuple(made), review_version(after)))
        words = self._view.word(REVIEWS, state)
        self._report(self._view.gettext("{name}: {state}.").format(name=match.name, state=words))
        await self._queue.renew(self._view)
        if after.review:
            await self._go_on()
        else:  # only part of the match is undecided
            await self._show(match.id)

    async def _take_back(self) -> None:
        match = self._find.match
        await self._or_show_conflict(
            self._view.act(reopen_match, match.id, expected_version=self._find.version)
        )
        self._done = [entry for entry in self._done if entry.before.id != match.id]
        self._report(self._view.gettext("{name} is open again.").format(name=match.name))
        await self._queue.renew(self._view)
        await self._show(match.id)

    async def _undo(self) -> None:
        if not self._done:
            self._report(self._view.gettext("There is nothing to undo on this page."))
            return
        entry = self._done.pop()
        name = entry.before.id
        if name != self._find.match.id:
            await self._show(name)
        self._require_free()
        await self._or_show_conflict(
            self._view.act(undo_decisions, entry.before, entry.made, expected_version=entry.version)
        )
        self._report(self._view.gettext("Undone: {name}.").format(name=entry.before.name))
        await self._queue.renew(self._view)
        await self._show(name)

    async def _license(self) -> None:
        self._require_free()
        match = self._find.match
        work = await self._view.read(get_work, match.work_id)
        zone = ZoneInfo(self._view.installation.runtime.settings.tracker.timezone)
        with self._ignore_keys():
            grant = await ask_licence(self._view, work, match.site, zone)
        if grant is None:
            return
        await self._view.act(grant_licence, work.id, grant.licence, replace=grant.replace)
        line = self._view.gettext("{site} may publish “{title}” now. Its finds are judged again.")
        self._report(line.format(site=grant.licence.site, title=work.title))
        self._queue.note_licence(match, grant.licence)
        await self._go_on()

    async def _show_keys(self) -> None:
        with self._ignore_keys():
            self._listens = await show_keys(self._view, is_on=self._listens)

    async def _go_on(self) -> None:
        row = await self._queue.next_waiting(self._view)
        if row is None:
            self._report(self._view.gettext("All finds are decided."))
            await self._show(self._find.match.id)
        else:
            await self._show(row.id)

    async def _ask(self, state: DecisionState) -> Reason | None:
        """Ask why a match is dismissed or set aside."""
        view, match = self._view, self._find.match
        is_dismissal = state == "dismissed"
        passage = (await view.read(get_texts, match)).passage if is_dismissal else None
        with self._ignore_keys():
            return await ask_reason(
                view,
                match,
                passage.text if passage else "",
                title=view.gettext("Why does it not infringe?")
                if is_dismissal
                else view.gettext("What is doubtful?"),
                act=view.gettext("Not infringing") if is_dismissal else view.gettext("Set aside"),
                last=self._reasons.get(state, ""),
                is_dismissal=is_dismissal,
            )

    @contextmanager
    def _ignore_keys(self) -> Iterator[None]:
        """Ignore the keys while a dialog is open."""
        self._is_asking = True
        try:
            with self._box:
                yield
        finally:
            self._is_asking = False

    async def _or_show_conflict(self, act: Awaitable[T]) -> T:
        """Return the result of an action; if it is refused, show the present state of the match."""
        try:
            return await act
        except PindnaError:
            await self._queue.renew(self._view)
            await self._show(self._find.match.id)
            raise

    def _require_free(self) -> None:
        """Check that no other user has the match open.

        Raises:
            MatchLocked: another user has it.
        """
        if self._by:
            raise MatchLocked(name=self._find.match.name, by=self._by)

    def _report(self, text: str) -> None:
        """Report the result of an action, on the screen and to screen readers."""
        self._told.set_text(text)
