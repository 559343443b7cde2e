"""Dialogs whose page is left while they are open; on NiceGUI's own page, without a browser."""

import asyncio

import pytest
from nicegui import Client, ui

from analysis.console.parts.dialogs import answer_of


@pytest.mark.parametrize("leaves", [False, True])
def test_dialog_of_an_abandoned_page_has_no_answer_and_no_error(leaves):
    async def asked():
        client = Client(ui.page("/"))
        with client:
            dialog = ui.dialog()
        answer = asyncio.create_task(answer_of(dialog))
        await asyncio.sleep(0)
        client.delete() if leaves else dialog.submit("yes")
        return await answer, dialog.is_deleted

    assert asyncio.run(asked()) == (None if leaves else "yes", True)
