"""Kinds of settings: every editable setting and every field of its records has a control and labels."""

import pytest

from analysis.console.parts.setting_controls import words_for
from storage.settings.editable import editable_settings
from storage.settings.kinds import kind_of, options_of, section_of
from storage.settings.section import Shown

_RECORDS = frozenset({"records", "named"})


def fields():
    """Yield the name, the type and the mark of each setting and of each field of its records."""
    for setting in editable_settings().values():
        yield setting.name, setting.field, setting.mark
        if kind_of(setting.field) in _RECORDS:
            for name, field in section_of(setting.field).model_fields.items():
                (mark,) = (mark for mark in field.metadata if isinstance(mark, Shown))
                yield f"{setting.name}.{name}", field, mark


@pytest.mark.parametrize(("name", "field", "mark"), [pytest.param(*row, id=row[0]) for row in fields()])
def test_setting_has_a_label_and_its_choices_have_words(name, field, mark):
    assert mark.label, name
    if kind_of(field) in {"choice", "choices"}:
        assert set(options_of(field)) <= words_for(options_of(field)).keys()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tracker.scan_schedule", "text"),
        ("analysis.notices.smtp_password", "secret"),
        ("analysis.notices.smtp_port", "whole"),
        ("analysis.notices.send", "switch"),
        ("analysis.notices.smtp_security", "choice"),
        ("analysis.alerts.addressees", "named"),
        ("analysis.alerts.groups", "groups"),
        ("analysis.alerts.rules", "records"),
        ("analysis.alerts.deadline_days", "number"),
    ],
)
def test_type_of_a_setting_selects_its_control(name, kind):
    assert kind_of(editable_settings()[name].field) == kind
