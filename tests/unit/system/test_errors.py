"""Errors: every one is a single line that its data completes, and survives a process boundary."""

import importlib
import inspect
import pickle
import pkgutil
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crawler
import deploy
import storage
import tracker
from system.errors import (
    MAX_MESSAGE_CHARS,
    BadSettings,
    IndexUnusable,
    PindnaError,
    ServiceDown,
    UnknownRecord,
    one_line,
)
from system.exit_status import ExitStatus

# Reading Celery's settings opens pindna.toml; running a program is its own test.
_SIDE_EFFECTS = ("__main__", "celeryconfig", "tracker.celery", "tracker.tasks")


def _load(package):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(_SIDE_EFFECTS):
            importlib.import_module(module.name)


def _kinds(base=PindnaError):
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


for _package in (storage, tracker, crawler, deploy):
    _load(_package)
KINDS = sorted(set(_kinds()), key=lambda kind: (kind.__module__, kind.__name__))


def fields(kind):
    return {name for _, name, _, _ in string.Formatter().parse(kind.template) if name}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_is_a_complete_line(kind):
    numbers = {name: 1000 + index for index, name in enumerate(sorted(fields(kind)))}
    message = str(kind(**numbers))
    assert "\n" not in message
    assert all(str(number) in message for number in numbers.values())
    assert isinstance(kind.exit_status, ExitStatus)
    assert kind.exit_status != ExitStatus.DONE
    assert message.endswith((".", "?", "skipped", *map(str, numbers.values())))


def documented_fields(kind):
    """Return the data that the docstrings of an error and of its bases describe."""
    names = set()
    for base in kind.__mro__:
        if base is not PindnaError and issubclass(base, PindnaError):
            doc = inspect.cleandoc(base.__doc__ or "")
            names.update(re.findall(r"``(\w+)``", doc.partition("Data:")[2]))  # not yet rewritten
            items = re.findall(r"(?m)^    ([\w, ]+): ", doc.partition("Attributes:\n")[2])
            names.update(name for item in items for name in item.split(", "))
    return names


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_docstring_names_the_data_of_the_template(kind):
    has_template = kind.template != PindnaError.template
    assert not has_template or fields(kind) <= documented_fields(kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind):
    error = kind(**dict.fromkeys(fields(kind), 7))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is kind
    assert again.data == error.data
    assert str(again) == str(error)


def test_reason_is_the_name_as_a_word():
    assert BadSettings(where="x", problem="y").reason == "bad-settings"


def test_data_may_hold_braces_and_chinese():
    error = UnknownRecord(kind="work", name="《{青灯渡}》{0}")
    assert str(error) == "There is no work called 《{青灯渡}》{0}."


def test_missing_service_and_lost_index_have_a_separate_status():
    assert ServiceDown.exit_status == IndexUnusable.exit_status == 3
    assert BadSettings.exit_status == 2


@given(st.text(st.characters(exclude_categories=())))
def test_message_line_is_printable_and_short_for_any_input(text):
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= MAX_MESSAGE_CHARS


def test_message_line_is_the_first_non_empty_line():
    assert one_line("\n  \n first \nsecond") == "first"
    assert one_line("") == ""
    assert one_line("x" * 301) == "x" * 299 + "…"
    assert one_line("x" * 300) == "x" * 300
    assert one_line("a\x1b[31mb\x9bc") == "a\ufffd[31mb\ufffdc"
