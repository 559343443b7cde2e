"""Words that are being typed, kept by the tab of the browser until they are sent.

A page's fields live in the process that built it. When that restarts, open pages load again, and what was
typed would be gone. So the tab keeps a copy (``sessionStorage``), for the account and the field alone, until
the words are sent, the user signs out, or the tab is closed. Fields that may hold secrets keep none.
"""

import hashlib

from nicegui import events, ui

from analysis.console.view import View


def keep_draft(view: View, field: ui.textarea, name: str, *, until: ui.button, most: int) -> None:
    """Keep what is typed into a field.

    Args:
        view: the page.
        field: into which it is typed.
        name: of the field, the same whenever the page is shown.
        until: sends what was typed; the tab drops its copy.
        most: characters at most.
    """
    key = "draft-" + hashlib.sha256(f"{view.identity.name}\0{name}".encode()).hexdigest()  # no foreign words

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
