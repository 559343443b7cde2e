"""Import of a list of addresses: the accepted addresses, and the rejected lines with reasons."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from nicegui import events, ui

from analysis.console.parts.badges import badge
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.parts.tones import Tone
from analysis.console.view import View
from analysis.words.labels import LIST_LINES
from crawler.sources.url_list import MAX_LINES, LineResult, ListLine, decode_list, read_list

_MAX_BYTES = 4 * 1024 * 1024
_SHOWN = 200  # maximum number of listed lines; rejected lines come first
_TONES: dict[LineResult, Tone] = {"taken": "well", "known": "", "repeated": ""}


class UrlList:
    """A button that imports a list, and the results of its lines.

    Args:
        view: the page.
        known: returns the addresses that exist.
        take: adds those that are new.
    """

    def __init__(
        self, view: View, known_urls: Callable[[], Iterable[str]], take: Callable[[Sequence[str]], None]
    ) -> None:
        self._view, self._known, self._take = view, known_urls, take
        upload = ui.upload(
            on_upload=self._read, on_rejected=self._refuse, auto_upload=True, max_file_size=_MAX_BYTES
        )
        upload.props('accept=".txt,.csv,.tsv" aria-hidden="true"').classes("unseen")

        def choose() -> None:
            upload.reset()
            upload.run_method("pickFiles")

        label = view.gettext("Import addresses from a list (text or CSV)")
        ui.button(label, icon="upload", on_click=choose).props("flat dense")
        self._results = ui.element("div").props('aria-live="polite"')

    def _refuse(self) -> None:
        line = self._view.gettext("The list is larger than {megabytes} MB; split it.")
        ui.notify(line.format(megabytes=_MAX_BYTES // 1024**2), type="negative")

    async def _read(self, event: events.UploadEventArguments) -> None:
        data, known_urls = await event.file.read(), list(map(str, self._known()))
        lines = await asyncio.to_thread(lambda: list(read_list(decode_list(data), existing=known_urls)))
        is_long = len(lines) > MAX_LINES
        self._take([] if is_long else [line.text for line in lines if line.result == "taken"])
        self._results.clear()
        with self._results:
            if is_long:
                line = self._view.gettext("The list has more than {count} lines. Nothing was imported.")
                plain(line.format(count=f"{MAX_LINES:,}"), "p").classes("problem")
            else:
                self._show(lines)

    def _show(self, lines: Sequence[ListLine]) -> None:
        _ = self._view.gettext
        if not lines:
            plain(_("The list is empty."), "p").classes("note")
            return
        with ui.element("div").classes("row-line"):
            for result, count in Counter(line.result for line in lines).most_common():
                badge(f"{self._word(result)}: {count:,}", _TONES.get(result, "warn"))
        columns = (Column(_("Line"), "number"), Column(_("Address"), "wide"), Column(_("Result"), "word"))
        with ui.element("details").classes("group") as details:
            if any(line.result not in _TONES for line in lines):
                details.props["open"] = True
            plain(_("Result for each line"), "summary")
            table = Table(_("Result for each line"), columns)
            ordered = sorted(lines, key=lambda line: line.result in _TONES)
            for line in ordered[:_SHOWN]:
                with table.row() as row:
                    row.cell(f"{line.number:,}")
                    row.cell(line.text)
                    with row.cell():
                        badge(self._word(line.result), _TONES.get(line.result, "warn"))
            if len(lines) > _SHOWN:
                more = _("{count} more lines are not shown.")
                plain(more.format(count=f"{len(lines) - _SHOWN:,}"), "p").classes("soft small")

    def _word(self, result: LineResult) -> str:
        return self._view.word(LIST_LINES, result)
