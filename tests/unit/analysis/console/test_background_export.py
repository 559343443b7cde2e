"""Packages that are made one after the other while the page may be left; without a browser."""

import asyncio
from types import SimpleNamespace

import pytest

from analysis.console.parts.bulk_export import ExportDialog
from analysis.console.view import SignedOut
from system.errors import UnknownId


@pytest.mark.parametrize(
    ("problem", "asked"),
    [(UnknownId(kind="case", name="2"), 3), (ZeroDivisionError("a bug"), 3), (SignedOut(), 2)],
    ids=["error", "bug", "signed out"],
)
def test_failed_export_of_a_case_is_shown_and_the_progress_bar_ends(problem, asked):
    names, shown = [], []

    async def act(_, cases, **_options):
        names.extend(cases)
        if cases == ["2"]:
            raise problem
        return SimpleNamespace(bytes=1)

    dialog = ExportDialog.__new__(ExportDialog)
    dialog._view = SimpleNamespace(act=act, texts=SimpleNamespace(error=lambda error: type(error).__name__))
    dialog._cases = [SimpleNamespace(name=name) for name in "123"]
    dialog._made, dialog._is_stopped = [], False
    dialog._tell_progress = lambda *_: None
    dialog._tell = lambda case, became: shown.append((case.name, isinstance(became, str)))
    dialog._show_end = lambda: shown.append("end")
    asyncio.run(dialog._make(excerpts=True))
    assert len(names) == asked
    assert shown == [("1", False), *([("2", True), ("3", False)] if asked == 3 else []), "end"]
