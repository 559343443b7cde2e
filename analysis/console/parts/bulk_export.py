"""Export evidence of many cases: show a plan, make the packages in the background, offer one download."""

from collections.abc import Sequence
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from analysis.actions import evidence as acts
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import SignedOut, View
from analysis.queries.evidence import MOST_TOGETHER
from storage.records import Case, KeptPackage
from system.bugs import record_bug
from system.errors import PindnaError


class ExportDialog:
    """Dialog that exports several cases: plan, one package per case, results.

    If the dialog or the page is closed, the remaining packages are still made.

    Args:
        view: the page.
        cases: the chosen ones.
    """

    def __init__(self, view: View, cases: Sequence[Case]) -> None:
        self._view = view
        self._cases = cases
        self._made: list[KeptPackage] = []
        self._is_stopped = False
        _ = view.gettext
        title = _("Export evidence")
        with ui.dialog().props("persistent") as self._dialog, ui.card().classes("dialog"):
            self._dialog.props["aria-label"] = title
            ui.label(title).classes("subtitle").props('role="heading" aria-level="2"')
            self._summary = ui.element("div")
            with self._summary:
                for line in _lines(view, cases):
                    plain(line, "p")
                label = _("For outsiders: only the matched stretches")
                self._excerpts = ui.checkbox(label, value=not view.identity.sees_everything).props("dense")
                self._excerpts.set_enabled(view.identity.sees_everything)  # rights holders only get excerpts
            self._status = ui.element("div").props('role="status"')
            self._progress = ui.linear_progress(0, show_value=False).props("instant-feedback")
            self._progress.set_visibility(False)
            self._results = ui.element("ul").classes("results")
            self._results.props["aria-label"] = _("Result for each case")
            with ui.row().classes("row-line"):
                self._leave = ui.button(_("Cancel"), on_click=self._close).props("flat no-caps")
                self._stop = ui.button(_("Stop after this package"), on_click=self._end).props("flat no-caps")
                self._stop.set_visibility(False)
                line = view.ngettext("Make {count} package", "Make {count} packages", len(cases))
                self._button = ui.button(line.format(count=len(cases)), on_click=self._begin)
                self._button.props("unelevated no-caps").set_enabled(len(cases) <= MOST_TOGETHER)
        self._dialog.open()

    def _begin(self) -> None:
        self._summary.set_visibility(False)
        self._button.set_visibility(False)
        self._progress.set_visibility(True)
        self._stop.set_visibility(True)
        self._leave.text = self._view.gettext("Close and continue in the background")
        background_tasks.create(self._make(excerpts=bool(self._excerpts.value)), name="export of evidence")

    async def _make(self, *, excerpts: bool) -> None:
        for number, case in enumerate(self._cases, start=1):
            self._tell_progress(case, number)
            try:
                package = await self._view.act(acts.export, [case.name], excerpts=excerpts)
            except SignedOut:
                break
            except Exception as error:  # noqa: BLE001 - the other cases are made all the same
                line = error if isinstance(error, PindnaError) else record_bug(error)
                self._tell(case, self._view.texts.error(line))
            else:
                self._made.append(package)
                self._tell(case, package)
            if self._is_stopped:
                break
        self._show_end()

    def _tell_progress(self, case: Case, number: int) -> None:
        if self._dialog.is_deleted:
            return
        line = self._view.gettext("{name}: {number} of {count} …")
        self._status.clear()
        with self._status:
            plain(line.format(name=case.name, number=number, count=len(self._cases)), "p")
        self._progress.value = (number - 1) / len(self._cases)

    def _tell(self, case: Case, became: KeptPackage | str) -> None:
        if self._dialog.is_deleted:
            return
        with self._results, ui.element("li"):
            plain(f"{case.name} ").classes("strong")
            if isinstance(became, str):
                foreign(became, most=600).classes("problem")
                return
            link = ui.link(became.number, f"/evidence/{became.number}")
            link.props["download"] = f"{became.number}.zip"
            plain(f" {became.bytes / 1e6:,.1f} MB").classes("soft")
            if became.problems:
                line = self._view.ngettext(
                    "{count} item is missing", "{count} items are missing", became.problems
                )
                plain(f" · {line.format(count=became.problems)}").classes("soft")

    def _show_end(self) -> None:
        if self._dialog.is_deleted:
            return
        view, made = self._view, self._made
        self._progress.set_visibility(False)
        self._stop.set_visibility(False)
        self._leave.text = view.gettext("Close")
        line = view.ngettext("{count} package was made.", "{count} packages were made.", len(made))
        line = line.format(count=len(made))
        self._status.clear()
        with self._status:
            plain(line, "p")
            if made:
                size = sum(package.bytes for package in made) / 1e6
                label = view.gettext("Download all in one file ({size} MB)").format(size=f"{size:,.1f}")
                query = urlencode([("of", package.number) for package in made])
                link = ui.link(label, f"/evidence/together?{query}")
                link.props["download"] = "evidence.zip"
        with view.client:
            ui.notify(line, type="positive" if made else "warning")

    def _end(self) -> None:
        self._is_stopped = True
        self._stop.set_enabled(False)

    def _close(self) -> None:
        self._dialog.close()


def _lines(view: View, cases: Sequence[Case]) -> list[str]:
    _ = view.gettext
    about = _("Cases {cases} · works {works} · sites {sites} · pages {pages}").format(
        cases=len(cases),
        works=len({case.work_id for case in cases}),
        sites=len({case.site for case in cases}),
        pages=f"{sum(case.pages for case in cases):,}",
    )
    lines = [
        about,
        _(
            "pindna collects, recomputes and seals one package for each case and records it in "
            "the case history."
        ),
    ]
    if len(cases) > MOST_TOGETHER:
        lines.append(_("At most {most} at once: choose fewer.").format(most=MOST_TOGETHER))
    else:
        lines.append(
            _(
                "Each package takes a few seconds. You can close this dialog and continue working. "
                "Each package is listed with its case."
            )
        )
    return lines
