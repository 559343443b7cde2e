"""Dialogs that merge works, split a work, or link works as editions of one book."""

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from analysis.actions import regrouping as acts
from analysis.console.parts.dialogs import answer_of, confirmed
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from storage.records import Work
from tracker.corpus.numbers import parse_numbers


def regroup_menu(view: View, work: Work, *, is_edition: bool) -> None:
    """Show the menu of actions that combine a work with other works.

    Args:
        view: the page.
        work: the work.
        is_edition: its book has other editions.
    """
    _ = view.gettext
    with ui.button(_("Organise"), icon="account_tree").props("flat"), ui.menu():
        ui.menu_item(_("Merge with another work …"), partial(_merge, view, work))
        if len(work.passage_ids) > 1:
            ui.menu_item(_("Split chapters off …"), partial(_split, view, work))
        ui.menu_item(_("Edition of another work …"), partial(_link, view, work))
        if is_edition:
            ui.menu_item(_("Separate book"), partial(_part, view, work))


def _dialog(view: View, title: str, hint: str, act: str, *, fields: Callable[[], None]) -> ui.dialog:
    """Return a dialog with fields and a button that confirms it; its result is then True."""
    with ui.dialog() as dialog, ui.card().classes("dialog"):
        dialog.props["aria-label"] = title
        plain(title, "h3").classes("subtitle")
        plain(hint, "p").classes("soft small")
        fields()
        with ui.row().classes("row-line"):
            ui.button(view.gettext("Cancel"), on_click=dialog.close).props("flat")
            ui.button(act, on_click=lambda: dialog.submit(True))
    return dialog


async def _other(view: View, work: Work, title: str, hint: str) -> Work | None:
    """Return the work that the user enters; None if the user closes the dialog."""
    name = ""

    def take(text: str | None) -> None:
        nonlocal name
        name = text or ""

    def fields() -> None:
        field = ui.input(view.gettext("Title of the other work, or id:NUMBER"))
        field.props("outlined dense autofocus").classes("full").on_value_change(lambda e: take(e.value))

    dialog = _dialog(view, title, hint, view.gettext("Continue"), fields=fields)
    if not await answer_of(dialog) or not name.strip():
        return None
    return (await view.act(acts.pair_of, work.id, name.strip())).other


async def _merge(view: View, work: Work) -> None:
    _ = view.gettext
    hint = _("Its chapters are added after those of this work. Its matches move to this work.")
    other = await _other(view, work, _("Merge with another work"), hint)
    if other is None:
        return
    count = len(work.passage_ids) + len(other.passage_ids)
    lines = (
        _("“{title}” then has {count} chapters. “{other}” is no longer a separate work.").format(
            title=work.title[:80], other=other.title[:80], count=f"{count:,}"
        ),
        _("The licences of both apply to the merged work. To separate them again, split the chapters off."),
    )
    question = _("Merge “{other}” into “{title}”?").format(other=other.title[:80], title=work.title[:80])
    if await confirmed(view, question, lines, act=_("Merge"), is_grave=True):
        await view.act(acts.merge, (work.id, other.id))
        ui.navigate.reload()


async def merge_chapters(view: View, works: Sequence[Work]) -> None:
    """Merge chapters that were stored as separate works, after asking for the title of the whole work.

    Args:
        view: the page.
        works: the chapters, in their order.
    """
    _ = view.gettext
    values = {"title": ""}

    def fields() -> None:
        field = ui.input(_("Title of the merged work")).props("outlined dense autofocus").classes("full")
        field.bind_value_to(values, "title")
        with ui.element("ol").classes("short marks"):
            for work in works:
                foreign(work.title, most=80, tag="li")

    hint = _("They become chapters of one work, in this order. Their current works are removed.")
    if await answer_of(_dialog(view, _("Merge into one work"), hint, _("Merge"), fields=fields)):
        whole = await view.act(acts.merge, [work.id for work in works], title=values["title"] or "")
        ui.navigate.to(f"/works/{whole.id}")


async def _split(view: View, work: Work) -> None:
    _ = view.gettext
    values = {"title": "", "numbers": ""}

    def fields() -> None:
        for name, label in (
            ("numbers", _("Chapters, such as 1-20 or 3,5")),
            ("title", _("Title of the new work")),
        ):
            ui.input(label).props("outlined dense").classes("full").bind_value_to(values, name)

    hint = _("The chapters and their matches become a separate work.")
    dialog = _dialog(view, _("Split chapters off"), hint, _("Continue"), fields=fields)
    if not await answer_of(dialog):
        return
    title, numbers = values["title"] or "", sorted(set(parse_numbers(values["numbers"] or "")))
    line = _("Chapters in “{new}”: {count}. Chapters that stay in “{title}”: {rest}.").format(
        count=f"{len(numbers):,}",
        new=title[:80],
        rest=f"{max(0, len(work.passage_ids) - len(numbers)):,}",
        title=work.title[:80],
    )
    question = _("Split “{title}”?").format(title=work.title[:80])
    if await confirmed(view, question, (line,), act=_("Split")):
        new = await view.act(acts.split, work.id, title=title, numbers=numbers)
        ui.navigate.to(f"/works/{new.id}")


async def _link(view: View, work: Work) -> None:
    _ = view.gettext
    hint = _("Editions of one book share its licences. All their matches on one site are one case.")
    other = await _other(view, work, _("Edition of another work"), hint)
    if other is not None:
        question = _("Make “{title}” an edition of “{book}”?")
        await _set_edition(
            view,
            work,
            other,
            question=question.format(title=work.title[:80], book=other.title[:80]),
            line=_("Licences, matches and cases are those of the book from now on."),
            act=_("It is an edition"),
        )


async def _part(view: View, work: Work) -> None:
    _ = view.gettext
    await _set_edition(
        view,
        work,
        None,
        question=_("Make “{title}” a separate book?").format(title=work.title[:80]),
        line=_("Its matches move to separate cases. Its licences stay."),
        act=_("Separate book"),
    )


async def _set_edition(
    view: View, work: Work, book: Work | None, *, question: str, line: str, act: str
) -> None:
    if await confirmed(view, question, (line,), act=act):
        await view.act(acts.set_edition, work.id, of=book.id if book else None)
        ui.navigate.reload()
