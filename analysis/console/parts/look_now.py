"""A button that checks watched addresses now, and reports whether the copies are still up."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from nicegui import ui

from analysis.actions.watching import Visited, look_now
from analysis.console.parts.in_view import Announcement
from analysis.console.view import View
from analysis.words.presence import watch_text
from storage.records import Watch


def look_button(
    view: View,
    names: Sequence[str],
    *,
    renew: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Show a button that checks addresses now; users who may not start scans see nothing.

    Args:
        view: the page.
        names: cases, or addresses.
        renew: shows the new state, before the result is reported.
    """
    if not view.may("scans:run"):
        return
    closed: dict[str, datetime] = {}

    def note(watch: Watch, until: datetime | None) -> None:
        if until is not None:
            closed[watch.source] = until

    async def look() -> None:
        button.disable()
        closed.clear()
        line.say(view.gettext("The addresses are being checked. This can take a few minutes."))
        try:
            visited = await view.act(look_now, names, is_address=lambda name: "://" in name, report=note)
        finally:
            if not button.is_deleted:
                button.enable()
                line.say("")
        if renew is not None:
            await renew()
        with view.client:
            ui.notify(look_summary(view, visited, closed), type="info", multi_line=True)

    with ui.element("div").classes("row-line"):
        button = ui.button(view.gettext("Check now"), icon="travel_explore", on_click=look)
        button.props("outline no-caps")
        line = Announcement()


def look_summary(view: View, visited: Visited, closed: dict[str, datetime]) -> str:
    """Return the result of checks in a sentence.

    Args:
        view: the page.
        visited: the watches after the check.
        closed: sources that may not be visited now, and when each opens.
    """
    counts = Counter(
        watch_text(watch, view.texts) for watch in visited.watches if watch.id not in visited.unvisited
    )
    parts = [f"{text} {count:,}" for text, count in counts.most_common()]
    if unvisited := len(visited.unvisited):
        parts.append(view.gettext("not checked now: {count}").format(count=f"{unvisited:,}"))
    for source, until in closed.items():
        line = view.gettext("source {source} is outside its hours until {until}")
        parts.append(line.format(source=source, until=view.moment(until)))
    return view.gettext("Checked: {results}.").format(results=" · ".join(parts) or "–")
