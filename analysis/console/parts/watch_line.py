"""The results of the takedown watch and of scans for each address of a case, as a timeline and in words."""

from collections.abc import Sequence

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.lists import nothing
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.tones import WATCH_TONES, Tone
from analysis.console.view import View
from analysis.queries.watching import Watched
from analysis.watch.timeline import TimelineStretch, shares, stretches
from analysis.words.durations import duration
from analysis.words.presence import look_text, watch_text
from storage.records import NEVER, Watch, utc_now


def show_watch(view: View, watched: Sequence[Watched], more: int, *, is_watched: bool) -> None:
    """Show the timelines of some addresses.

    Args:
        view: the page.
        watched: the records, one for each address.
        more: further addresses.
        is_watched: the case is in a state in which its addresses are looked at.
    """
    if not watched:
        line = view.gettext("Not checked yet. The takedown watch starts when the case is confirmed.")
        if is_watched:
            line = view.gettext("Not checked yet. The takedown watch checks the addresses automatically.")
        nothing(view, line)
        return
    for entry in watched:
        _address(view, entry)
    if more:
        line = view.ngettext(
            "{count} more address is not shown.", "{count} more addresses are not shown.", more
        )
        plain(line.format(count=more), "p").classes("soft")


def _address(view: View, watched: Watched) -> None:
    with ui.element("div").classes("watched"):
        with ui.element("div").classes("row-line"):
            foreign_link(watched.url)
            if watched.watch is not None:
                badge(watch_text(watched.watch, view.texts), watch_tone(watched.watch))
        if watched.watch is not None:
            plain(" · ".join(_watch_words(view, watched.watch)), "p").classes("soft small")
        line = stretches(watched.looks, until=utc_now())
        if line:
            _line(view, line)


def watch_tone(watch: Watch) -> Tone:
    """Return the tone of the state of a watched address."""
    is_unconfirmed = watch.first_gone is not None and watch.gone_since is None
    return "warn" if is_unconfirmed else WATCH_TONES[watch.state]


def _line(view: View, line: Sequence[TimelineStretch]) -> None:
    """Draw the periods of a timeline; the list below contains the same facts in words."""
    with ui.element("div").classes("line").props('aria-hidden="true"'):
        for stretch, share in zip(line, shares(line), strict=True):
            bar = ui.element("div").classes(stretch.state).style(f"width: {share:.4%}")
            bar.props["title"] = _words(view, stretch)
    with ui.element("ul").classes("small looks"):
        for stretch in reversed(line):
            foreign(_words(view, stretch), tag="li")


def _words(view: View, stretch: TimelineStretch) -> str:
    looks = view.ngettext("{count} check", "{count} checks", stretch.looks).format(count=stretch.looks)
    reason = f" · {view.texts.reason(stretch.reason)}" if stretch.reason else ""
    times = f"{view.moment(stretch.begin)} – {view.moment(stretch.end)}"
    return f"{look_text(stretch.state, stretch.reason, view.texts)}: {times} ({looks}){reason}"


def _watch_words(view: View, watch: Watch) -> list[str]:
    _ = view.gettext
    dates = [
        (_("notice sent {moment}"), watch.notified),
        (_("last seen {moment}"), watch.last_up),
        (_("gone since {moment}"), watch.gone_since),
        (_("back since {moment}"), watch.returned),
        (_("next check {moment}"), None if watch.due >= NEVER else watch.due),
    ]
    words = [line.format(moment=view.moment(moment)) for line, moment in dates if moment is not None]
    if watch.hours is not None:
        words.append(_("removed {time} after the notice").format(time=duration(view.texts, watch.hours)))
    return words
