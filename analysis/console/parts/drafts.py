"""Drafts: text that a user has typed but not sent yet, stored in the browser tab.

The server process contains the fields of a page. When the process restarts, open pages are loaded again, and
typed text would be lost. So the tab stores a copy (``sessionStorage``) for this account and field. The copy
is deleted when the text is sent, the user signs out, or the tab is closed. Fields for secrets have no drafts.
"""

import hashlib

from nicegui import events, ui

from analysis.console.view import View


def keep_draft(view: View, field: ui.textarea, name: str, *, until: ui.button, most: int) -> None:
    """Store the text that is typed into a field as a draft.

    Args:
        view: the page.
        field: into which it is typed.
        name: of the field, the same whenever the page is shown.
        until: sends what was typed; the tab drops its copy.
        most: characters at most.
    """
    # a digest, so that the key contains no foreign text
    key = "draft-" + hashlib.sha256(f"{view.identity.name}\0{name}".encode()).hexdigest()

    def restore(event: events.GenericEventArguments) -> None:
        field.value = str(event.args)[:most]

    field.on("update:model-value", js_handler=f"(text) => sessionStorage.setItem('{key}', text ?? '')")
    field.on(
        "vnodeMounted",
        restore,
        js_handler=f"() => {{ const text = sessionStorage.getItem('{key}');"
        " const give = () => window.did_handshake ? emit(text) : setTimeout(give, 50);"
        " if (text) give(); }",
    )
    until.on("click", js_handler=f"() => sessionStorage.removeItem('{key}')")
