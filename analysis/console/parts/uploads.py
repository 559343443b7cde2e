"""Upload of files with works: the progress and the result of each file."""

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from nicegui import events, ui

from analysis.actions.loading import Answer, FileOutcome, FileResult, add_file, new_load
from analysis.actions.works import describe_work
from analysis.console.parts.badges import badge
from analysis.console.parts.regrouping import merge_chapters
from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.tones import Tone
from analysis.console.view import SignedOut, View
from analysis.reading.work_files import safe_name
from analysis.words.figures import percent
from analysis.words.labels import WORK_ROLES
from storage.records import Work
from system.errors import PindnaError, UnknownId
from system.messages import N_
from tracker.corpus.editions import Resemblance
from tracker.corpus.forms import SUFFIXES
from tracker.corpus.names import natural_key

_MEGABYTE = 1024 * 1024
_FORM_BYTES = 64 * 1024  # maximum size of a request, without the file
_MIN_MERGED = 2
_TOGETHER_S = 30  # maximum pause between two files of one load
_SHOWN = 20  # maximum number of works and problems that are listed per file

# function that loads a file with the user's answer to a question
_Load = Callable[[Answer | None], Awaitable[list[FileResult]]]
_OUTCOMES: dict[FileOutcome, tuple[str, Tone]] = {
    "new": (N_("New"), "well"),
    "changed": (N_("Changed"), "accent"),
    "unchanged": (N_("Already stored"), ""),
    "refused": (N_("Not loaded"), "grave"),
    "remark": (N_("Note"), "warn"),
    "alike": (N_("Needs your decision"), "warn"),
}


def notify_too_large(view: View) -> None:
    """Say that a file is too large to be uploaded."""
    line = view.gettext("Files above {megabytes} MB cannot be loaded here. Ask an operator to load them.")
    ui.notify(line.format(megabytes=view.installation.settings.upload_megabytes), type="warning")


class Uploads:
    """A field for files with works, and the list of their results.

    Args:
        view: the page.
        on_loaded: is called when works of a file were stored.
    """

    def __init__(self, view: View, on_loaded: Callable[[], Awaitable[None]]) -> None:
        self._view = view
        self._on_loaded = on_loaded
        self._turn = asyncio.Lock()  # one file at a time per page
        self._load = ""  # name of the present load
        self._last = 0.0  # when a file of it was dropped or stored
        megabytes = view.installation.settings.upload_megabytes
        forms = view.gettext("Supported formats: {forms}; up to {megabytes} MB each.")
        plain(forms.format(forms=" ".join(SUFFIXES), megabytes=megabytes), "p").classes("soft small")
        with ui.element("div").classes("row-line filters"):
            self._holder = ui.input(view.gettext("Rights holder")).props("outlined dense").classes("filter")
            roles = {"": view.gettext("Keep the role; new works: protected")}
            roles |= {role: view.gettext(label) for role, label in WORK_ROLES.items()}
            self._role = ui.select(roles, label=view.gettext("Role of the texts"), value="")
            self._role.props("outlined dense options-dense").classes("filter")
            self._as_one = ui.checkbox(view.gettext("All files of an archive are one work"))
        self._field = ui.upload(
            multiple=True,
            auto_upload=True,
            label=view.gettext("Drop files here, or choose them with +"),
            max_file_size=megabytes * _MEGABYTE - _FORM_BYTES,
            on_upload=self._take,
            on_rejected=partial(notify_too_large, view),
        )
        self._field.props("flat bordered").classes("uploads")
        self._new: dict[int, Work] = {}  # work id → work, for files that contained exactly one work
        self._merging = ui.element("div").props('aria-live="polite"')
        self._ownerless: dict[int, Work] = {}  # new works without a rights holder, by id
        self._asking = ui.element("div").props('aria-live="polite"')
        self._results = ui.element("ul").classes("results").props('aria-live="polite"')
        self._results.props["aria-label"] = view.gettext("Result for each file")

    async def _take(self, event: events.UploadEventArguments) -> None:
        """Store the works of a file; this continues if the user leaves the page."""
        view, name = self._view, safe_name(event.file.name)
        holder, role, as_one = self._holder.value or "", self._role.value or None, bool(self._as_one.value)
        with self._results:
            line = ui.element("li")
        with line:
            foreign(name).classes("strong")
            ui.spinner(size="sm")
            plain(view.gettext("The file is being read and stored …")).classes("soft small")
        name_of_load = self._begin()
        folder = tempfile.TemporaryDirectory(prefix="pindna-")
        path = Path(folder.name) / name
        await event.file.save(path)

        async def load(answer: Answer | None = None) -> list[FileResult]:
            async with self._turn:
                try:
                    stored = await view.act(
                        add_file,
                        path,
                        holder=holder,
                        role=role,
                        as_one=as_one,
                        answer=answer,
                        load=name_of_load,
                    )
                except SignedOut:
                    raise
                except PindnaError as error:
                    return [FileResult(outcome="refused", problem=error)]
            return list(stored)

        try:
            results = await load()
        except SignedOut:
            folder.cleanup()
            raise
        self._last = time.monotonic()
        if line.is_deleted or not any(result.alike for result in results):
            folder.cleanup()
        else:  # questions remain: the file is read again with the user's answers
            view.client.on_delete(folder.cleanup)
        if line.is_deleted:
            return
        line.clear()
        with line:
            self._show(name, results, load)
        await self._note(results)

    def _begin(self) -> str:
        """Return the name of the load of a file: files that are dropped together are one load."""
        now = time.monotonic()
        if not self._load or now - self._last > _TOGETHER_S:
            self._load = new_load()
        self._last = now
        return self._load

    async def _note(self, results: Sequence[FileResult]) -> None:
        """Update the page after works of a file were stored, and remember works that may be chapters."""
        works = [result.work for result in results if result.outcome == "new" and result.work is not None]
        if len(works) == 1 and len(works[0].passage_ids) == 1:
            self._new[works[0].id] = works[0]
            self._offer_merging()
        for work in works:
            if work.is_owned and not work.holder:
                self._ownerless[work.id] = work
        if self._ownerless.keys() & {work.id for work in works}:
            self._ask_holder()
        if any(result.outcome in {"new", "changed"} for result in results):
            await self._on_loaded()

    def _ask_holder(self) -> None:
        """Ask whose the new works without a rights holder are."""
        self._asking.clear()
        if not (count := len(self._ownerless)):
            return
        view = self._view

        async def save() -> None:
            for work_id in list(self._ownerless) if holder.value else ():
                with suppress(UnknownId):  # it was removed in the meantime
                    await view.act(describe_work, work_id, holder=holder.value)
                self._ownerless.pop(work_id, None)
            self._ask_holder()
            await self._on_loaded()

        with self._asking, ui.element("div").classes("note row-line"):
            line = view.ngettext(
                "{count} new work has no rights holder. Notices and reports name the rights holder.",
                "{count} new works have no rights holder. Notices and reports name the rights holder.",
                count,
            )
            plain(line.format(count=f"{count:,}"))
            holder = ui.input(view.gettext("Rights holder of these works"), value=self._holder.value or "")
            holder.props("outlined dense").classes("filter").on("keydown.enter", save)
            ui.button(view.gettext("Save"), on_click=save).props("outline dense no-caps")

    def _offer_merging(self) -> None:
        """Offer to merge files with one passage each that were uploaded together."""
        view, works = self._view, sorted(self._new.values(), key=lambda work: natural_key(work.title))
        if len(works) < _MIN_MERGED:
            return
        self._merging.clear()
        with self._merging, ui.element("div").classes("note row-line"):
            line = view.gettext(
                "{count} files were loaded as separate works. If they are chapters of one work:"
            )
            plain(line.format(count=f"{len(works):,}"))
            label = view.gettext("Merge them into one …")
            ui.button(label, on_click=partial(merge_chapters, view, works)).props("outline dense no-caps")

    def _show(self, name: str, results: Sequence[FileResult], load: _Load) -> None:
        view = self._view
        counts = Counter(result.outcome for result in results)
        with ui.element("div").classes("row-line"):
            foreign(name).classes("strong")
            for outcome, (label, tone) in _OUTCOMES.items():
                if counts[outcome]:
                    many = f" {counts[outcome]:,}" if len(results) > 1 else ""
                    badge(f"{view.gettext(label)}{many}", tone)
        self._ask_all([result.alike for result in results if result.alike is not None], load)
        loaded = [result for result in results if result.alike is None]
        for result in loaded[:_SHOWN]:
            with ui.element("div").classes("small"):
                self._report(result)
        if (more := len(loaded) - _SHOWN) > 0:
            plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "div")

    def _ask_all(self, questions: Sequence[Resemblance], load: _Load) -> None:
        """Show some questions, and another question whenever the user answers one."""
        waiting = iter(questions)
        places = ui.element("div")

        def ask_next() -> None:
            alike = next(waiting, None)
            if alike is not None:
                with places, ui.element("div").classes("small") as container:
                    self._ask(container, alike, load, ask_next)

        for _ in range(_SHOWN):
            ask_next()

    def _report(self, result: FileResult) -> None:
        view = self._view
        if result.work is not None:
            with ui.link(target=f"/works/{result.work.id}"):
                foreign(result.work.title)
            characters = view.gettext("{count} characters").format(count=f"{result.work.characters:,}")
            plain(f" · {characters}").classes("soft")
        elif result.problem is not None:
            foreign(view.texts.error(result.problem), most=600)

    def _ask(
        self, container: ui.element, alike: Resemblance, load: _Load, answered: Callable[[], None]
    ) -> None:
        """Ask how to store a text that another work already has, and apply the answer."""
        _ = self._view.gettext

        async def answer(choice: Answer) -> None:
            buttons.clear()
            with buttons:
                ui.spinner(size="sm")
            loaded = await load(choice)
            if container.is_deleted:
                return
            container.clear()
            with container:
                for became in loaded:
                    label, tone = _OUTCOMES[became.outcome]
                    badge(_(label), tone)
                    self._report(became)
            answered()
            await self._note(loaded)

        def leave() -> None:
            container.clear()
            with container:
                plain(_("Not loaded: the work is already stored."))
            answered()

        line = _("{share} of the text of “{title}” is already in this work:")
        foreign(f"{line.format(share=percent(alike.share), title=alike.work.title[:80])} ")
        with ui.link(target=f"/works/{alike.other.id}"):
            foreign(alike.other.title)
        keys = frozenset({alike.work.key})
        edition, apart = Answer(edition_of=alike.other.id, keys=keys), Answer(keys=keys)
        with ui.element("div").classes("row-line") as buttons:
            for label, act in (
                (_("It is the same work"), leave),
                (_("It is another edition of that work"), partial(answer, edition)),
                (_("Load it as a separate work"), partial(answer, apart)),
            ):
                ui.button(label, on_click=act).props("outline dense no-caps")
