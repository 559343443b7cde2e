"""A source as a form and as TOML, side by side: each follows the other."""

import tomllib
from typing import Any, get_args

import tomli_w
from nicegui import events, ui

from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.labels import SOURCE_KINDS
from crawler.sources.definition import definition_of, source_from_text
from storage.records import Source, SourceKind

_MAX_LIST_BYTES = 4 * 1024 * 1024
_ENCODING = "utf-8-sig"


class SourceForm:
    """The form and the text; :meth:`source` is what they say.

    Args:
        view: the page.
        source: as it is; None: a new one.
        can_write: whether it may be changed.
    """

    def __init__(self, view: View, source: Source | None, *, can_write: bool) -> None:
        self._view = view
        self._can_write = can_write
        self._values: dict[str, Any] = definition_of(source) if source else {"kind": "news", "urls": []}
        self._is_filling = False
        self._fields: list[tuple[tuple[str, ...], Any]] = []
        with ui.element("div").classes("columns"):
            with ui.element("section").classes("panel form") as form:
                form.props["aria-label"] = view.gettext("Form")
                self._build(is_new=source is None)
            with ui.element("section").classes("panel") as text_panel:
                text_panel.props["aria-label"] = "TOML"
                plain("TOML", "h2").classes("subtitle")
                self._text = ui.textarea(value=self._toml()).classes("code").props("outlined autogrow")
                self._text.props["aria-label"] = "TOML"
                self._text.props["input-class"] = "mono"
                self._problem = ui.label().props('role="alert"').classes("problem")
                self._problem.visible = False
                self._text.on_value_change(self._read)
                if not can_write:
                    self._text.props("readonly")
        self._fill()

    def source(self) -> Source:
        """Return the source that the text says.

        Raises:
            BadSource: something in it is wrong.
        """
        return source_from_text(self._text.value or "", where="TOML")

    def _build(self, *, is_new: bool) -> None:
        view = self._view
        name = self._line(("name",), view.gettext("Name"))
        name.enabled = is_new and self._can_write
        kinds = {kind: view.word(SOURCE_KINDS, kind) for kind in get_args(SourceKind)}
        self._add(("kind",), ui.select(kinds, label=view.gettext("Kind")))
        self._lines(("urls",), view.gettext("Addresses, one a line"))
        if self._can_write:
            self._upload()
        self._lines(("sitemaps",), view.gettext("Sitemaps"))
        self._lines(("feeds",), view.gettext("Feeds (RSS, Atom)"))
        self._line(("follow",), view.gettext("Addresses of texts (regular expression; guessed without it)"))
        self._line(("exclude",), view.gettext("Addresses never to ask for (regular expression)"))
        self._number(("limits", "pages"), view.gettext("Texts at most"), 10_000)
        self._number(("pace", "delay_s"), view.gettext("Seconds between two requests"), None)
        self._number(("pace", "interval_h"), view.gettext("Hours between two crawls"), 0)
        self._line(("timezone",), view.gettext("Time zone of its dates"), default="+08:00")
        self._switch(("enabled",), view.gettext("Scans crawl it"), default=True)
        self._switch(("render",), view.gettext("Show its pages in a browser"), default=False)
        self._switch(("screenshot",), view.gettext("Keep a picture of each text"), default=False)
        self._switch(("robots", "obey"), view.gettext("Obey robots.txt"), default=True)
        self._line(("robots", "reason"), view.gettext("Why robots.txt need not be obeyed"))
        plain(
            view.gettext("Headers, cookies, logins, proxies, rules and searches are written in TOML."), "p"
        ).classes("soft small")

    def _line(self, path: tuple[str, ...], label: str, *, default: str = "") -> ui.input:
        field = ui.input(label)
        self._add(path, field, default=default)
        return field

    def _lines(self, path: tuple[str, ...], label: str) -> None:
        self._add(path, ui.textarea(label).props("autogrow"), is_list=True)

    def _number(self, path: tuple[str, ...], label: str, default: float | None) -> None:
        self._add(path, ui.number(label, min=0), default=default)

    def _switch(self, path: tuple[str, ...], label: str, *, default: bool) -> None:
        self._add(path, ui.switch(label), default=default)

    def _add(self, path: tuple[str, ...], field: Any, *, is_list: bool = False, default: Any = "") -> None:
        if not isinstance(field, ui.switch):
            field.props("outlined dense").classes("wide-field")
        field.enabled = self._can_write
        field.metadata = (is_list, default)
        field.on_value_change(lambda event: self._change(path, field, event.value))
        self._fields.append((path, field))

    def _upload(self) -> None:
        async def take(event: events.UploadEventArguments) -> None:
            text = (await event.file.read()).decode(_ENCODING, "replace")
            cells = (
                cell.strip() for line in text.splitlines() for cell in line.replace("\t", ",").split(",")
            )
            new = [cell for cell in cells if cell.startswith(("http://", "https://"))]
            urls = dict.fromkeys([*self._values.get("urls", []), *new])
            self._values["urls"] = list(urls)
            self._show()
            told = self._view.ngettext("{count} address read.", "{count} addresses read.", len(new))
            ui.notify(told.format(count=len(new)), type="positive" if new else "warning")

        upload = ui.upload(on_upload=take, auto_upload=True, max_file_size=_MAX_LIST_BYTES)
        upload.props('accept=".txt,.csv,.tsv"').set_visibility(False)
        label = self._view.gettext("Take addresses from a list (text or CSV)")
        ui.button(label, icon="upload", on_click=lambda: upload.run_method("pickFiles")).props("flat dense")

    def _change(self, path: tuple[str, ...], field: Any, value: Any) -> None:
        """Take a change of the form into the text."""
        if self._is_filling:
            return
        is_list, default = field.metadata
        if is_list:
            value = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        section = self._values
        for name in path[:-1]:
            section = section.setdefault(name, {})
        if value in ("", None, [], default):
            section.pop(path[-1], None)
        else:
            section[path[-1]] = value
        if len(path) > 1 and not self._values.get(path[0]):
            self._values.pop(path[0], None)
        self._is_filling = True
        self._text.value = self._toml()
        self._is_filling = False
        self._check()

    def _read(self) -> None:
        """Take a change of the text into the form."""
        if self._is_filling:
            return
        try:
            self._values = tomllib.loads(self._text.value or "")
        except tomllib.TOMLDecodeError as error:
            self._tell(str(error))
            return
        self._fill()
        self._check()

    def _show(self) -> None:
        self._is_filling = True
        self._text.value = self._toml()
        self._is_filling = False
        self._fill()
        self._check()

    def _fill(self) -> None:
        self._is_filling = True
        for path, field in self._fields:
            is_list, default = field.metadata
            section: Any = self._values
            for name in path[:-1]:
                section = section.get(name, {}) if isinstance(section, dict) else {}
            value = section.get(path[-1], default) if isinstance(section, dict) else default
            field.value = "\n".join(map(str, value)) if is_list else value
        self._is_filling = False

    def _check(self) -> None:
        try:
            self.source()
        except Exception as error:  # noqa: BLE001 - whatever was typed, the form goes on
            told = getattr(error, "template", None)
            self._tell(self._view.texts.error(error) if told else str(error))  # type: ignore[arg-type]
        else:
            self._tell("")

    def _tell(self, problem: str) -> None:
        self._problem.text = problem
        self._problem.visible = bool(problem)

    def _toml(self) -> str:
        return tomli_w.dumps(self._values)
