"""Decide about all matches of a site, a work, or a work on a site: first a summary, then each case."""

from collections import Counter

from nicegui import ui

from analysis.actions.review import decide_matches
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.review_dialogs import ProblemLine
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.queries.review import OpenFinds, open_finds
from analysis.words.labels import VERDICTS
from storage.records import DecisionState

_NAMED = 8  # maximum number of works or sites that a summary lists


async def decide_all(view: View, title: str, *, site: str | None = None, work: int | None = None) -> bool:
    """Ask for one decision about all open matches of a site or a work. Return whether any was decided.

    Matches that another user decided, changed or opened after the summary are skipped and listed.

    Args:
        view: the page.
        title: what the finds have in common.
        site: only of this site; None: of all.
        work: only of the work of this id; None: of all.
    """
    found_finds = await view.read(open_finds, site=site, work=work)
    if not found_finds.count:
        ui.notify(view.gettext("No open finds here."))
        return False
    question = view.gettext("Decide on all of: {title}").format(title=title[:80])
    with ui.dialog().props("persistent") as dialog, ui.card().classes("dialog asking"):
        dialog.props["aria-label"] = question
        ui.label(question).classes("subtitle")
        _summary(view, found_finds)
        states = {
            "confirmed": view.gettext("Infringing"),
            "dismissed": view.gettext("Not infringing"),
            "doubtful": view.gettext("Doubtful"),
        }
        state = ui.radio(states, value=None).props("inline")
        reason = ui.input(view.gettext("Why")).props("outlined").classes("full")
        problem = ProblemLine(view)
        progress = ui.linear_progress(value=0, show_value=False).props("instant-feedback")
        progress.props["aria-label"] = view.gettext("Progress")
        progress.set_visibility(False)

        async def decide() -> None:
            if state.value is None:
                problem.show(view.gettext("Choose a decision."))
            elif state.value != "confirmed" and not reason.value.strip():
                problem.show(view.gettext("Enter a reason for later reviewers."))
            else:
                act.disable()
                progress.set_visibility(True)
                await _decide(view, found_finds, state.value, reason.value, progress)
                dialog.submit(True)

        with ui.element("div").classes("row-line ends"):
            ui.button(view.gettext("Cancel"), on_click=lambda: dialog.submit(False)).props("flat")
            words = view.ngettext(
                "Decide about {count} find", "Decide about {count} finds", found_finds.count
            )
            act = ui.button(words.format(count=found_finds.count), on_click=decide)
    return bool(await answer_of(dialog))


def _summary(view: View, finds: OpenFinds) -> None:
    """Show a summary of the matches that would be decided."""
    lines = [
        f"{view.word(VERDICTS, verdict)}: {count:,}" for verdict, count in sorted(finds.verdicts.items())
    ]
    pages = view.ngettext("{count:,} page", "{count:,} pages", finds.pages).format(count=finds.pages)
    characters = view.ngettext("{count:,} character", "{count:,} characters", finds.characters)
    plain(" · ".join([*lines, pages, characters.format(count=finds.characters)]), "p")
    _named(view, view.gettext("Works"), finds.works)
    _named(view, view.gettext("Sites"), finds.sites)
    if not finds.is_all:
        line = view.gettext("These are the first {count:,}; decide about them, then about the rest.")
        plain(line.format(count=finds.count), "p").classes("note")


def _named(view: View, title: str, counted: Counter[str]) -> None:
    plain(title, "h3").classes("small soft")
    with ui.element("ul").classes("short"):
        for name, count in counted.most_common(_NAMED):
            with ui.element("li"):
                foreign(f"{name} · {count:,}")
        if (more := len(counted) - _NAMED) > 0:
            plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "li")


async def _decide(
    view: View, open_matches: OpenFinds, state: DecisionState, reason: str, progress: ui.linear_progress
) -> None:
    """Decide case by case. If the user leaves the page, the remaining cases stay undecided."""
    count = 0
    refused: list[str] = []
    for number, versions in enumerate(open_matches.by_case.values(), 1):
        result = await view.act(decide_matches, versions, state=state, reason=reason)
        count += result.count
        refused += result.refused
        progress.set_value(number / len(open_matches.by_case))
    success = view.ngettext("{count:,} find is decided.", "{count:,} finds are decided.", count)
    line = success.format(count=count)
    if refused:
        failure = view.gettext("Another user decided, changed or opened these finds: {names}.")
        line += " " + failure.format(
            names=", ".join(refused[:_NAMED]) + (" …" if len(refused) > _NAMED else "")
        )
    ui.notify(line, type="warning" if refused else "positive", multi_line=True, timeout=8_000)
