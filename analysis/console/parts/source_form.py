"""A source as a form and as TOML; a change of one updates the other. What few sources need is folded."""

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import tomli_w
from nicegui import events, ui

from analysis.console.parts.hours_field import HoursField
from analysis.console.parts.source_fields import (
    ChoiceField,
    FieldForm,
    LineField,
    Lines,
    Number,
    Pairs,
    Path,
    Rendered,
    Switch,
    put,
    value_at,
)
from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.url_list import UrlList
from analysis.console.view import View
from analysis.words.labels import SOURCE_KINDS
from crawler.download.private_allowlist import REFUSED, refused_urls
from crawler.sources.definition import definition_of, source_from_text
from storage.records import MAX_MINUTES, Source, SourceKind
from system.errors import PindnaError

_REFUSED_SHOWN = 5  # maximum number of listed inner addresses
_URL_CHARS = 120
_MAX_MESSAGE = 950_000  # maximum size of the typed text: NiceGUI does not send longer websocket messages


class SourceFormTooLong(PindnaError):
    """A field contains more text than a browser can send at once. Data: ``field``."""

    code = "too-long-to-type"
    template = (
        "“{field}” is too long for the console, so the input was not accepted. Shorten it, or "
        "ask an operator to add the source from a file."
    )


class SourceForm:
    """The form and the TOML; :meth:`source` returns the source that they define.

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
        self._too_long: dict[str, None] = {}  # labels of fields whose text is too long to be sent
        self._fields: list[tuple[Path, Any, FieldForm]] = []
        with ui.element("div").classes("columns"):
            with ui.element("section").classes("panel form") as form:
                form.props["aria-label"] = view.gettext("Form")
                self._build(is_new=source is None)
            with ui.element("section").classes("panel text-panel") as text_panel:
                text_panel.props["aria-label"] = "TOML"
                with self._group("TOML"):
                    self._text = ui.textarea(value=self._toml()).classes("code").props("outlined autogrow")
                self._text.props["aria-label"] = "TOML"
                self._text.props["input-class"] = "mono"
                self._problem = ui.label().props('role="alert"').classes("problem")
                self._problem.visible = False
                self._refused = ui.element("ul").props('aria-live="polite"').classes("note short-list")
                self._text.on_value_change(self._read)
                self._watch_length(self._text, "TOML")
                if not can_write:
                    self._text.props("readonly")
        self._fill()
        self._tell_refused(source)

    def source(self) -> Source:
        """Return the source that the TOML defines.

        Raises:
            SourceFormTooLong: a field holds more than came here.
            BadSource: something in it is wrong.
        """
        for label in self._too_long:
            raise SourceFormTooLong(field=label)
        return source_from_text(self._text.value or "", where="TOML")

    def set_kind(self, kind: SourceKind) -> None:
        """Change the kind of the source."""
        self._change(("kind",), kind)
        self._fill()

    def _build(self, *, is_new: bool) -> None:
        _ = self._view.gettext
        self._add_basics(is_new=is_new)
        with self._group(_("Further addresses, and addresses to skip")):
            self._add_addresses()
        with self._group(_("Hours and time zone")):
            self._add_hours()
        with self._group(_("Pace and limits")):
            self._number(("pace", "delay_s"), _("Seconds between two requests"), None)
            self._number(("pace", "concurrency"), _("Requests at once"), None)
            self._number(("pace", "processes"), _("Processes that share the crawl"), 1)
            self._number(("limits", "pages"), _("Maximum number of texts"), 10_000)
            self._number(("limits", "depth"), _("Maximum link depth from a start page (whole sites)"), 5)
            self._number(("limits", "minutes"), _("Maximum minutes"), MAX_MINUTES)
        with self._group(_("robots.txt and browser")):
            self._switch(("robots", "obey"), _("Obey robots.txt"), default=True)
            self._line(("robots", "reason"), _("Reason for ignoring robots.txt"))
            self._add_rendering()
            self._switch(("screenshot",), _("Keep a picture of each text"), default=False)
        with self._group(_("Proxies and login")):
            self._add_access()
        with self._group(_("Search (for sources that search for sentences)")):
            self._line(("discovery", "engine"), _("Address of the search engine"))
            self._number(("discovery", "daily"), _("Maximum searches of one day"), None)
            self._lines(("discovery", "works"), _("Titles of works, one per line; empty: all"))
        with self._group(_("Positions of text and fields, if detection fails")):
            self._add_rules()
        plain(_("Headers and cookies are written in TOML."), "p").classes("soft small")

    def _add_basics(self, *, is_new: bool) -> None:
        """Show the fields of every source: its name, its kind and its addresses."""
        _ = self._view.gettext
        name = self._line(("name",), _("Name"))
        name.enabled = is_new and self._can_write
        kinds = {kind: self._view.word(SOURCE_KINDS, kind) for kind in get_args(SourceKind)}
        self._add(("kind",), ui.select(kinds, label=_("Kind")), ChoiceField("news", kinds))
        self._lines(("urls",), _("Addresses, one per line"))
        if self._can_write:
            self._list = UrlList(self._view, self._urls, self._take)
        self._switch(("enabled",), _("Scans crawl this source"), default=True)

    def _add_addresses(self) -> None:
        _ = self._view.gettext
        self._lines(("sitemaps",), _("Sitemaps"))
        self._lines(("feeds",), _("Feeds (RSS, Atom)"))
        self._line(("follow",), _("Addresses of article pages (regular expression; empty: detected)"))
        self._line(("exclude",), _("Addresses to skip (regular expression)"))

    def _add_rendering(self) -> None:
        _ = self._view.gettext
        words = {"auto": _("Pages that need a browser"), "always": _("All pages"), "never": _("No page")}
        label = _("Show its pages in a browser")
        self._add(("render",), ui.select(words, label=label), Rendered())

    def _add_hours(self) -> None:
        _ = self._view.gettext
        self._hours = HoursField(
            self._view,
            _("Crawl hours, in the time zone of the source"),
            self._take_hours,
            can_write=self._can_write,
        )
        self._number(("pace", "interval_h"), _("Hours between two crawls"), 0)
        self._line(("timezone",), _("Time zone of its dates and hours"), default="+08:00")

    def _add_access(self) -> None:
        _ = self._view.gettext
        advice = _(
            "Enter secrets by name only: {example} is read from the crawler's environment and not stored."
        )
        plain(advice.format(example="${PINDNA_SECRET_NAME}"), "p").classes("soft small")
        self._lines(("access", "proxies"), _("Proxies, one per line"))
        self._line(("access", "login", "url"), _("Address of the login form"))
        self._pairs(("access", "login", "fields"), _("Fields of the login, as name = value"))
        self._line(("access", "login", "check"), _("Text that a successful login shows"))
        self._line(("access", "user_agent"), _("User agent of the crawler"))

    def _add_rules(self) -> None:
        _ = self._view.gettext
        self._lines(("rules", "text"), _("Text (CSS selectors or XPath, one per line)"))
        self._lines(("rules", "remove"), _("Elements to remove first (one per line)"))
        self._line(("rules", "title"), _("Title (CSS or XPath)"))
        self._line(("rules", "author"), _("Author (CSS or XPath)"))
        self._line(("rules", "published"), _("Date (CSS or XPath)"))
        self._line(("rules", "next_page"), _("Link to the next page (CSS or XPath)"))

    @contextmanager
    def _group(self, title: str) -> Iterator[None]:
        with ui.element("details").classes("group"):
            plain(title, "summary")
            with ui.element("div"):
                yield

    def _line(self, path: Path, label: str, *, default: str = "") -> ui.input:
        field = ui.input(label)
        self._add(path, field, LineField(default))
        return field

    def _lines(self, path: Path, label: str) -> None:
        field = ui.textarea(label).props("autogrow")
        self._add(path, field, Lines())
        self._watch_length(field, label)

    def _pairs(self, path: Path, label: str) -> None:
        field = ui.textarea(label).props("autogrow")
        self._add(path, field, Pairs())
        self._watch_length(field, label)

    def _number(self, path: Path, label: str, default: float | None) -> None:
        self._add(path, ui.number(label, min=0), Number(default))

    def _switch(self, path: Path, label: str, *, default: bool) -> None:
        self._add(path, ui.switch(label), Switch(default))

    def _add(self, path: Path, field: Any, form: FieldForm) -> None:
        if not isinstance(field, ui.switch):
            field.props("outlined dense").classes("wide-field")
        field.enabled = self._can_write
        field.on_value_change(lambda event: self._change(path, form.read(event.value)))
        self._fields.append((path, field, form))

    def _watch_length(self, field: ui.textarea, label: str) -> None:
        """Report a field whose text is too long to be sent; otherwise its earlier content would be stored."""

        def note(event: events.GenericEventArguments) -> None:
            was_long = label in self._too_long
            if event.args:
                self._too_long[label] = None
            else:
                self._too_long.pop(label, None)
            if was_long or event.args:
                self._check()

        length = "JSON.stringify(JSON.stringify(text ?? '')).length"
        field.on("update:model-value", note, js_handler=f"(text) => emit({length} > {_MAX_MESSAGE})")

    def _urls(self) -> list[str]:
        return Lines().entries(self._values.get("urls"))

    def _take(self, urls: Sequence[str]) -> None:
        """Add the addresses from a list."""
        self._change(("urls",), [*self._urls(), *urls])
        self._fill()

    def _take_hours(self, lines: list[str]) -> None:
        self._change(("pace", "hours"), lines or None)

    def _change(self, path: Path, value: object) -> None:
        """Write a change of the form to the TOML."""
        if self._is_filling:
            return
        put(self._values, path, value)
        self._is_filling = True
        self._text.value = self._toml()
        self._too_long.pop("TOML", None)  # the browser now shows the new TOML
        self._is_filling = False
        self._check()

    def _read(self) -> None:
        """Apply a change of the TOML to the form."""
        if self._is_filling:
            return
        try:
            self._values = tomllib.loads(self._text.value or "")
        except (ValueError, RecursionError):
            self._check()
            return
        self._fill()
        self._check()

    def _fill(self) -> None:
        self._is_filling = True
        for path, field, form in self._fields:
            field.value = form.show(value_at(self._values, path))
        self._hours.show(Lines().entries(value_at(self._values, ("pace", "hours"))))
        self._is_filling = False

    def _check(self) -> None:
        source = None
        try:
            source = self.source()
        except Exception as error:  # noqa: BLE001 - the form continues after any input
            texts = self._view.texts
            self._report(texts.error(error) if isinstance(error, PindnaError) else str(error))
        else:
            self._report("")
        self._tell_refused(source)

    def _tell_refused(self, source: Source | None) -> None:
        """Report now which addresses crawls will refuse, not after the next daily scan."""
        allowed = self._view.installation.runtime.settings.crawler.allow_inner
        urls = refused_urls(source, allowed) if source else []
        self._refused.clear()
        self._refused.visible = bool(urls)
        with self._refused:
            for url in urls[:_REFUSED_SHOWN]:
                foreign(self._view.gettext(REFUSED).format(url=url[:_URL_CHARS]), tag="li")
            if (more := len(urls) - _REFUSED_SHOWN) > 0:
                plain(self._view.ngettext("{count} more", "{count} more", more).format(count=more), "li")

    def _report(self, problem: str) -> None:
        self._problem.text = problem
        self._problem.visible = bool(problem)

    def _toml(self) -> str:
        return tomli_w.dumps(self._values)
