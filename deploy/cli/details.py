"""A record as lines of name and value, in the user's language."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.words.i18n import gettext as _
from analysis.words.labels import DETAILS
from deploy.cli.console import print_result
from deploy.cli.labels import word_of

Labels = Mapping[Any, str]
_NO_LABELS: Mapping[str, Labels] = {}


def print_details(details: Mapping[str, object], *, labels: Mapping[str, Labels] = _NO_LABELS) -> None:
    """Print a line for each detail.

    Args:
        details: by the names that JSON has.
        labels: of codes, by the name of the detail.
    """
    for name, value in details.items():
        text = word_of(labels[name], str(value)) if name in labels else _text(value)
        line = _("{name}: {value}")
        print_result(line.format(name=word_of(DETAILS, name), value=text))


def _text(value: object) -> str:
    if value in (None, "", (), []):
        return "–"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _(", ").join(map(str, value))
    return str(value)
