"""A line about where an imported page comes from, for reports, evidence packages and the terminal."""

from collections.abc import Callable
from datetime import datetime

from analysis.words.i18n import Translator
from analysis.words.labels.candidates import CAPTURED_FORMS
from storage.records import PageImport


def import_line(imported: PageImport, texts: Translator, moment: Callable[[datetime], str]) -> str:
    """Return the file that a page comes from, and who captured it when; pindna did not fetch it.

    Args:
        imported: of the page.
        texts: the language.
        moment: writes a moment in the reader's time zone.
    """
    line = texts.gettext(
        "Not fetched by pindna: captured {captured} by {program}, as the file {file} ({form}, SHA-256 "
        "{sha256}) says; imported {imported} by {user}."
    )
    return line.format(
        captured=moment(imported.captured),
        program=imported.captured_by or texts.gettext("an unknown program"),
        file=imported.file,
        form=texts.gettext(CAPTURED_FORMS[imported.form]),
        sha256=imported.sha256,
        imported=moment(imported.imported),
        user=imported.by,
    )


def import_as_object(imported: PageImport) -> dict[str, object]:
    """Return an import as ``--json`` and the API print it."""
    return {
        "file": imported.file,
        "sha256": imported.sha256,
        "form": imported.form,
        "captured": imported.captured.isoformat(),
        "captured_by": imported.captured_by,
        "imported": imported.imported.isoformat(),
        "by": imported.by,
    }
