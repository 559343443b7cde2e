"""Results of actions: brought into view, and announced to screen readers."""

from nicegui import ui

from analysis.console.parts.texts import plain


def bring_into_view(element: ui.element) -> None:
    """Scroll until an element begins in the upper half of the screen; no effect if its page was left."""
    if element.is_deleted:
        return
    element.client.run_javascript(
        f"""(() => {{ const part = document.getElementById('c{element.id}'); if (!part) return;
        const top = part.getBoundingClientRect().top;
        if (top < 48 || top > innerHeight / 2) part.scrollIntoView(); }})()"""
    )


def follow_in_list(line: ui.element) -> None:
    """Scroll the list around a line until the line is visible, without moving the page.

    Where the list is not a scrolling box, as on a telephone, nothing moves.
    """
    if line.is_deleted:
        return
    line.client.run_javascript(
        f"""(() => {{ const line = document.getElementById('c{line.id}'), list = line?.closest('.desk-list');
        if (!list) return; const top = line.offsetTop, end = top + line.offsetHeight;
        if (top < list.scrollTop || end > list.scrollTop + list.clientHeight)
          list.scrollTop = top - (list.clientHeight - line.offsetHeight) / 2; }})()"""
    )


class Announcement:
    """A line that screen readers read when it changes; it summarises a result that is too long to be read."""

    def __init__(self) -> None:
        self._line = plain("", "p").props('role="status"').classes("announcement")

    def say(self, text: str) -> None:
        """Show and announce a text."""
        self._line.set_text(text)
