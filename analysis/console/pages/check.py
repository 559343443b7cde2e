"""Compare a text, a page or a file with the protected works now, without storing it."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import events, ui

from analysis.actions.check import (
    MAX_ADDRESS_CHARS,
    MAX_CHARS,
    MAX_FILE_BYTES,
    Checked,
    FileTooLong,
    check_address,
    check_file,
    check_text,
)
from analysis.console.parts.check_result import check_result, check_summary
from analysis.console.parts.in_view import Announcement, bring_into_view
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.texts import plain
from analysis.console.shell import name_control, problem_box
from analysis.console.view import View
from system.errors import PindnaError
from tracker.corpus.forms import ARCHIVES, ROWS, SUFFIXES

_ENDINGS = tuple(suffix for suffix in SUFFIXES if suffix not in {*ARCHIVES, *ROWS})
_MEGABYTE = 1024 * 1024

Check = Callable[[], Awaitable[Checked]]


class NothingToCheck(PindnaError):
    """No text and no address was given."""

    code = "nothing-given"
    template = "There is nothing to compare yet: paste a text, enter an address, or choose a file."


class _Result:
    """The area for the result of the last check. Of two running checks, only the later one is shown."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._line = Announcement()
        self._place = ui.element("div").classes("check-result in-view").props('role="region" tabindex="-1"')
        name_control(self._place, view.gettext("Result"))
        self._begun = 0

    async def show(self, check: Check) -> None:
        """Check something, and show the result."""
        self._begun += 1
        run_number = self._begun
        self._place.clear()
        with self._place:
            ui.spinner().props('aria-hidden="true"')
        self._line.say(self._view.gettext("Comparing with the protected works …"))
        bring_into_view(self._place)
        checked, problem = None, None
        try:
            checked = await check()
        except Exception as error:  # noqa: BLE001 - a bug is shown instead of the result
            problem = error
        if run_number != self._begun or self._place.is_deleted:
            return
        self._line.say("")
        self._place.clear()
        with self._place:
            if checked is not None:
                await check_result(self._view, checked)
                self._line.say(check_summary(self._view, checked))
            elif isinstance(problem, PindnaError):
                problem_box(self._view, problem)
            elif problem is not None:
                self._view.report(problem)
        bring_into_view(self._place)


async def build(view: View) -> None:
    """Show three ways to enter a text, and the result of the last check below them."""
    line = view.gettext("Compare a text with all protected works. The text is not stored.")
    plain(line, "p").classes("soft")
    ways = ui.element("div").classes("check-ways")
    result = _Result(view)
    with ways:
        _paste(view, result)
        with ui.element("div").classes("check-result"):
            _address(view, result)
            _file(view, result)


def _paste(view: View, result: _Result) -> None:
    """Show a field for a text. It is sent like a file, because it may be too long for a websocket."""

    async def receive(event: events.UploadEventArguments) -> None:
        text = (await event.file.read()).decode("utf-8", "replace")
        if not text.strip():
            await result.show(_nothing)
            return
        await result.show(partial(view.act, check_text, text, name=view.gettext("pasted text")))

    with titled_panel(view.gettext("Paste a text")):
        field = ui.element("textarea").classes("paste")
        field.props(f'maxlength="{MAX_CHARS}" spellcheck="false" autocomplete="off"')
        name_control(field, view.gettext("Text to compare"))
        upload = ui.upload(on_upload=receive).classes("unseen").props('aria-hidden="true"')
        button = ui.button(view.gettext("Compare the text"))
        button.on("click", js_handler=_sending(field, str(upload.props["url"])))


def _sending(field: ui.element, address: str) -> str:
    """Return a JavaScript function that sends the content of a field as a file."""
    return (
        "() => { const body = new FormData();"
        f" const text = document.getElementById('c{field.id}').value;"
        " body.append('file', new Blob([text], {type: 'text/plain'}), 'text.txt');"
        f" fetch((window.path_prefix || '') + '{address}', {{method: 'POST', body}}); }}"
    )


async def _nothing() -> Checked:
    raise NothingToCheck


def _address(view: View, result: _Result) -> None:
    async def check() -> None:
        url = (field.value or "").strip()
        if not url:
            await result.show(_nothing)
            return
        complete = url if "://" in url else f"http://{url}"
        await result.show(partial(view.act, check_address, complete))

    with titled_panel(view.gettext("Enter an address")):
        field = ui.input(view.gettext("Address of a page")).classes("wide-field")
        field.props(f'outlined dense type="url" autocomplete="off" maxlength="{MAX_ADDRESS_CHARS}"')
        field.on("keydown.enter", check)
        line = view.gettext(
            "pindna fetches the page like a crawl and obeys robots.txt. This can take a while."
        )
        plain(line, "p").classes("soft small")
        ui.button(view.gettext("Fetch and compare"), on_click=check)


def _file(view: View, result: _Result) -> None:
    most = min(MAX_FILE_BYTES, view.installation.settings.upload_megabytes * _MEGABYTE)

    async def receive(event: events.UploadEventArguments) -> None:
        data = await event.file.read()
        await result.show(partial(view.act, check_file, data, name=event.file.name))

    async def refuse() -> None:
        await result.show(partial(_too_long, most))

    title = view.gettext("Drop a file, or choose one")
    with titled_panel(title):
        upload = ui.upload(on_upload=receive).classes("unseen").props('aria-hidden="true"')
        field = name_control(ui.element("input").classes("drop"), title)
        field.props(f'type="file" accept="{",".join(_ENDINGS)}"')
        field.on("change", refuse, js_handler=_choosing(str(upload.props["url"]), most))
        plain(", ".join(_ENDINGS), "p").classes("soft small")


def _choosing(address: str, most: int) -> str:
    """Return a JavaScript function that sends the chosen file, or reports that it is too long."""
    return (
        "(event) => { const file = event.target.files[0]; if (!file) return;"
        f" if (file.size > {most}) {{ emit(); return; }}"
        " const body = new FormData(); body.append('file', file); event.target.value = '';"
        f" fetch((window.path_prefix || '') + '{address}', {{method: 'POST', body}}); }}"
    )


async def _too_long(most: int) -> Checked:
    raise FileTooLong(path="…", most=most)
