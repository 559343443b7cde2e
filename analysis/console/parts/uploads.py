"""Files of works dropped into a page: each with its progress and with what became of it."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nicegui import events, ui

from analysis.acting.loading import FileOutcome, FileResult, add_file
from analysis.console.parts.badges import Tone, badge
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.labels import WORK_ROLES
from analysis.work_files import safe_name
from storage.errors import PindnaError
from storage.messages import N_
from tracker.corpus.forms import SUFFIXES

_MEGABYTE = 1024 * 1024
_FORM_BYTES = 64 * 1024  # of a request, beside the file
_SHOWN = 20  # works and problems of one file that are named

_OUTCOMES: dict[FileOutcome, tuple[str, Tone]] = {
    "new": (N_("New"), "well"),
    "changed": (N_("Changed"), "accent"),
    "unchanged": (N_("Already known"), ""),
    "refused": (N_("Refused"), "grave"),
    "remark": (N_("Note"), "warn"),
}


class Uploads:
    """A field for files of works, and the list of what became of each.

    Args:
        view: the page.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._turn = asyncio.Lock()  # one file of a page after the other
        megabytes = view.installation.settings.upload_megabytes
        forms = view.gettext("Forms that are read: {forms}; up to {megabytes} MB each.")
        plain(forms.format(forms=" ".join(SUFFIXES), megabytes=megabytes), "p").classes("soft small")
        with ui.element("div").classes("row-line filters"):
            self._holder = ui.input(view.gettext("Rights holder")).props("outlined dense").classes("filter")
            roles = {"": view.gettext("As it is; new: protected")}
            roles |= {role: view.gettext(label) for role, label in WORK_ROLES.items()}
            self._role = ui.select(roles, label=view.gettext("What they are here for"), value="")
            self._role.props("outlined dense options-dense").classes("filter")
            self._as_one = ui.checkbox(view.gettext("All files of an archive are one work"))
        self._field = ui.upload(
            multiple=True,
            auto_upload=True,
            label=view.gettext("Drop files here, or choose them with +"),
            max_file_size=megabytes * _MEGABYTE - _FORM_BYTES,
            on_upload=self._take,
            on_rejected=self._too_large,
        )
        self._field.props("flat bordered").classes("uploads")
        self._results = ui.element("ul").classes("results").props('aria-live="polite"')
        self._results.props["aria-label"] = view.gettext("What became of the files")

    def _too_large(self) -> None:
        megabytes = self._view.installation.settings.upload_megabytes
        told = self._view.gettext(
            "Files above {megabytes} MB are not taken; load them with `pindna corpus add`."
        )
        ui.notify(told.format(megabytes=megabytes), type="warning")

    async def _take(self, event: events.UploadEventArguments) -> None:
        """Store the works of a file; the page may be left meanwhile."""
        view, name = self._view, safe_name(event.file.name)
        holder, role, as_one = self._holder.value or "", self._role.value or None, bool(self._as_one.value)
        with self._results:
            line = ui.element("li")
        with line:
            foreign(name).classes("strong")
            ui.spinner(size="sm")
            plain(view.gettext("is read and stored …")).classes("soft small")
        problem: PindnaError | None = None
        results: Sequence[FileResult] = ()
        async with self._turn:
            with tempfile.TemporaryDirectory(prefix="pindna-") as folder:
                path = Path(folder) / name
                await event.file.save(path)
                try:
                    results = await view.act(add_file, path, holder=holder, role=role, as_one=as_one)
                except PindnaError as error:
                    problem = error
        if line.is_deleted:
            return
        line.clear()
        with line:
            self._show(name, results, problem)

    def _show(self, name: str, results: Sequence[FileResult], problem: PindnaError | None) -> None:
        view = self._view
        told = [*results, *([FileResult(outcome="refused", problem=problem)] if problem else [])]
        counts = Counter(result.outcome for result in told)
        with ui.element("div").classes("row-line"):
            foreign(name).classes("strong")
            for outcome, (label, tone) in _OUTCOMES.items():
                if counts[outcome]:
                    many = f" {counts[outcome]:,}" if len(told) > 1 else ""
                    badge(f"{view.gettext(label)}{many}", tone)
        for result in told[:_SHOWN]:
            with ui.element("div").classes("small"):
                if result.work is not None:
                    with ui.link(target=f"/works/{result.work.id}"):
                        foreign(result.work.title)
                    characters = view.gettext("{count} characters").format(
                        count=f"{result.work.characters:,}"
                    )
                    plain(f" · {characters}").classes("soft")
                elif result.problem is not None:
                    foreign(view.texts.error(result.problem), most=600)
        if (more := len(told) - _SHOWN) > 0:
            plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "div")
