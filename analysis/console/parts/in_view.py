"""Results of actions: brought into view, and announced to screen readers."""

from nicegui import ui

from analysis.console.parts.texts import plain

_BRING = """(() => {{ const part = document.getElementById('c{id}'); if (!part) return;
  const top = part.getBoundingClientRect().top;
  if (top < 48 || top > innerHeight / 2) part.scrollIntoView(); }})()"""
# Scrolls the list alone; where it is not a scrolling box (on a telephone), nothing moves.
_FOLLOW = """(() => {{ const line = document.getElementById('c{id}'), list = line?.closest('.desk-list');
  if (!list) return; const top = line.offsetTop, end = top + line.offsetHeight;
  if (top < list.scrollTop || end > list.scrollTop + list.clientHeight)
    list.scrollTop = top - (list.clientHeight - line.offsetHeight) / 2; }})()"""


def bring_into_view(element: ui.element) -> None:
    """Scroll until an element begins in the upper half of the screen; no effect if its page was left."""
    _run(element, _BRING)


def follow_in_list(line: ui.element) -> None:
    """Scroll the list around a line until the line is visible, without moving the page."""
    _run(line, _FOLLOW)


def _run(element: ui.element, script: str) -> None:
    if not element.is_deleted:
        element.client.run_javascript(script.format(id=element.id))


class Announcement:
    """A line that screen readers read when it changes; it summarises a result that is too long to be read."""

    def __init__(self) -> None:
        self._line = plain("", "p").props('role="status"').classes("announcement")

    def say(self, text: str) -> None:
        """Show and announce a text."""
        self._line.set_text(text)
