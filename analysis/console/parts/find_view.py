"""The match under review: its facts, the user who has it open, and the possible decisions."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from nicegui import ui

from analysis.console.parts.badges import badge, part_badge, part_notes, review_badge, verdict_badge
from analysis.console.parts.lists import address
from analysis.console.parts.review_dialogs import licence_line
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.view import View
from analysis.queries.review import Find
from analysis.words.figures import percent
from analysis.words.labels import LICENCES, PRECEDENCES
from analysis.words.posts import posts_text
from analysis.words.reviews import decision_lines, full_state
from system.messages import N_

Act = Callable[[], Awaitable[None]]
# For each button: its key, its text, its icon, and the state that it sets.
BUTTONS = (
    ("y", N_("Infringing"), "gavel", "confirmed"),
    ("n", N_("Not infringing"), "block", "dismissed"),
    ("h", N_("Doubtful"), "help_outline", "doubtful"),
    ("l", N_("Licensed"), "handshake", ""),
)
WAYS = (
    ("u", N_("Undo"), "undo"),
    ("k", N_("Previous"), "expand_less"),
    ("j", N_("Next"), "expand_more"),
    ("?", N_("Keys"), "keyboard"),
)


@dataclass(frozen=True, slots=True)
class Holding:
    """Whether the user of this page may decide about the match.

    Attributes:
        by: another user who has it open; empty: no other user.
        may_decide: who looks has the right to decide.
    """

    by: str
    may_decide: bool


def head(view: View, find: Find, holding: Holding) -> None:
    """Show a match, and the decisions about it."""
    match = find.match
    with ui.element("div").classes("row-line"):
        verdict_badge(view, match.verdict)
        if match.review:
            review_badge(view, match.review)
        badge(match.name)
        part_badge(view, match)
        if match.low_confidence:
            badge(view.gettext("short text: less certain"), "warn")
    with ui.element("h2").classes("subtitle find-title"):
        foreign(match.page_title or match.url)
    with ui.element("div").classes("row-line"):
        foreign_link(match.url)
        ui.link(view.gettext("All details"), address(f"/matches/{match.name}"))
        ui.link(view.gettext("This work on all sites"), address("/review", {"work": match.work_id}))
    with ui.element("dl").classes("facts"):
        for name, text in _facts(view, find):
            plain(name, "dt")
            with ui.element("dd"):
                foreign(text)
    _notes(view, find, holding)


def _facts(view: View, find: Find) -> list[tuple[str, str]]:
    match = find.match
    titles = dict.fromkeys(filter(None, (match.work_title, match.edition, match.passage_title)))
    copied = view.gettext("{chars:,} characters, {share} of the page, {part} of the passage")
    lines = decision_lines(match, view.texts, view.installation.zone)
    return [
        (view.gettext("Work"), " · ".join(titles)),
        (
            view.gettext("Copied"),
            copied.format(
                chars=match.copied_chars,
                share=percent(match.coverage),
                part=percent(match.passage_coverage),
            ),
        ),
        *([(view.gettext("Posts"), posts_text(match.posts, view.texts))] if match.posts else []),
        (view.gettext("First seen"), view.moment(match.first_seen)),
        (view.gettext("State"), full_state(match, view.texts, view.installation.zone)),
        *((view.gettext("Decision"), line) for line in lines),
    ]


def _notes(view: View, find: Find, holding: Holding) -> None:
    match = find.match
    if holding.by:
        line = view.gettext("{name} is reviewing this find. You can only read it.")
        _note(line.format(name=holding.by))
    part_notes(view, match)
    if match.page_older:
        _note(view.word(PRECEDENCES, match.page_older_by))
    if match.licence:
        _note(view.word(LICENCES, match.licence))
    if find.licences:
        zone = ZoneInfo(view.installation.runtime.settings.tracker.timezone)
        _note(licence_line(view, find.licences, zone))


def _note(text: str) -> None:
    with ui.element("div").props('role="note"').classes("note"):
        foreign(text, most=1_000)


def buttons(view: View, find: Find, holding: Holding, acts: Mapping[str, Act]) -> None:
    """Show buttons of the possible actions with their keys; actions that another user blocks are hidden."""
    bar = ui.element("div").props('role="toolbar"').classes("row-line deciding")
    bar.props["aria-label"] = view.gettext("Decide")
    with bar:
        if holding.may_decide:
            for key, words, icon, state in BUTTONS:
                button = _button(view, key, words, icon, acts[key])
                if state:
                    is_so = bool(state) and find.match.review == state
                    button.props(f'aria-pressed="{str(is_so).lower()}"')
                    button.classes("pressed" if is_so else "")
                button.set_enabled(not holding.by)
        for key, words, icon in WAYS:
            if holding.may_decide or key in "jk?":
                button = _button(view, key, words, icon, acts[key]).props("flat")
                button.classes("keys-button" if key == "?" else "")


def _button(view: View, key: str, words: str, icon: str, act: Act) -> ui.button:
    button = ui.button(view.gettext(words), icon=icon, on_click=act).props("outline dense")
    button.props(f'aria-keyshortcuts="{key}"')
    with button:
        plain(key, "kbd").props('aria-hidden="true"')
    return button


def page_address(match: str, *, site: str, work: int | None, state: str) -> str:
    """Return the address of a match in its queue.

    Args:
        match: its name.
        site: of the queue.
        work: id of the queue's work; None: all.
        state: which finds are in the queue.
    """
    return address(f"/review/{match}", {"site": site, "work": work, "state": state})
