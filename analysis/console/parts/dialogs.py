"""Dialogs that ask for confirmation."""

from nicegui import ui

from analysis.console.parts.texts import foreign
from analysis.console.view import View


async def confirmed(
    view: View, question: str, lines: tuple[str, ...] = (), *, act: str, is_grave: bool = False
) -> bool:
    """Ask the user to confirm an action. Return whether the user confirmed it.

    Args:
        view: the page.
        question: above it.
        lines: what exactly would be done.
        act: on the button that does it.
        is_grave: it cannot be taken back.
    """
    with ui.dialog() as dialog, ui.card().classes("dialog"):
        dialog.props["aria-label"] = question
        ui.label(question).classes("subtitle")
        for line in lines:
            foreign(line, tag="p")
        with ui.row().classes("row-line"):
            ui.button(view.gettext("Cancel"), on_click=lambda: dialog.submit(False)).props("flat autofocus")
            color = "negative" if is_grave else "primary"
            ui.button(act, on_click=lambda: dialog.submit(True)).props(f"color={color}")
    return bool(await answer_of(dialog))


async def answer_of(dialog: ui.dialog) -> object:
    """Open a dialog, wait for its answer, and delete it.

    Returns:
        What was submitted; None if the user closed the dialog or left its page. NiceGUI deletes an abandoned
        page with its dialogs, so there may be nothing left to delete.
    """
    try:
        return await dialog
    finally:
        if not dialog.is_deleted:
            dialog.delete()
