"""Errors in the arguments of a command, in pindna's words and the user's language.

Typer's messages are only in English and contain no separate data, so this module recognises each by its
wording. An unknown message is shown unchanged.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analysis.words.i18n import N_
from analysis.words.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class _Message:
    """A message of Typer: the pattern of its text, and the message that replaces it."""

    pattern: re.Pattern[str]
    text: str


def _messages(*pairs: tuple[str, str]) -> tuple[_Message, ...]:
    return tuple(_Message(re.compile(pattern, re.DOTALL), text) for pattern, text in pairs)


_USAGE = _messages(
    (r"No such option: (?P<name>.*)", N_("There is no option {name}.")),
    (
        r"No such command '(?P<name>.*?)'\. Did you mean (?P<near>.*)\?",
        N_("There is no command {name}. Similar: {near}."),
    ),
    (r"No such command '(?P<name>.*)'\.", N_("There is no command {name}.")),
    (r"Missing command\.", N_("A command is missing.")),
    (r"Missing argument '(?P<name>.*?)'\..*", N_("The argument {name} is missing.")),
    (r"Missing (?:option|parameter) '(?P<name>.*?)'\..*", N_("The option {name} is missing.")),
    (r"Option '(?P<name>.*)' requires an argument\.", N_("The option {name} needs a value.")),
    (r"Option '(?P<name>.*)' requires \d+ arguments\.", N_("The option {name} needs further values.")),
    (r"Option '(?P<name>.*)' does not take a value\.", N_("The option {name} takes no value.")),
    (
        r"Got unexpected extra arguments?(?:\(s\))? \((?P<name>.*)\)",
        N_("There are too many arguments: {name}."),
    ),
)
_PROBLEMS = _messages(
    (
        r"(?:Value error, )?'(?P<value>.*)' is not one of (?P<known>.*?)\.?",
        N_("“{value}” is not one of {known}"),
    ),
    (
        r"(?:Value error, )?'(?P<value>.*)' does not match the formats .*",
        N_("“{value}” is not a date or time"),
    ),
    (r"Input should be a valid (?:integer|number).*", N_("a number is needed")),
    (r"Input should be greater than or equal to (?P<limit>.*)", N_("it must be {limit} or more")),
    (r"Input should be less than or equal to (?P<limit>.*)", N_("it must be {limit} or less")),
    (r"Input should be greater than (?P<limit>.*)", N_("it must be more than {limit}")),
    (r"Input should be less than (?P<limit>.*)", N_("it must be less than {limit}")),
    (r"Input should be a valid boolean.*", N_("yes or no is needed")),
    (r"(?:File|Directory|Path) '(?P<name>.*)' does not exist\.", N_("“{name}” does not exist")),
)
_INVALID = re.compile(r"Invalid value(?: for (?P<name>.*?))?: (?P<problem>.*)", re.DOTALL)


def usage_line(error: Any) -> str:
    """Return one line about the error in the arguments.

    Args:
        error: what Typer raised.
    """
    message = str(getattr(error, "message", "") or "")
    near = sorted(getattr(error, "possibilities", None) or ())
    line = _translated(_USAGE, message) or _invalid(error.format_message()) or error.format_message()
    about = getattr(getattr(error, "param", None), "help", None)
    if about and error.format_message().startswith("Missing"):
        return _("{name}: {value}").format(name=line.rstrip(".。"), value=_(about))
    return _("{line} Similar: {names}.").format(line=line, names=", ".join(near)) if near else line


def _invalid(message: str) -> str | None:
    """Return the line for an invalid value or a missing argument."""
    invalid = _INVALID.fullmatch(message)
    if invalid is None:
        return _translated(_USAGE, message)
    problem = _translated(_PROBLEMS, invalid["problem"]) or invalid["problem"]
    if not invalid["name"]:
        return problem
    return _("{name}: {problem}.").format(name=_plain(invalid["name"]), problem=problem.rstrip(".。"))


def _translated(messages: Iterable[_Message], text: str) -> str | None:
    """Return the text that replaces a message of Typer; None for an unknown message."""
    for message in messages:
        values = message.pattern.fullmatch(text)
        if values is not None:
            return _(message.text).format(
                **{name: _plain(value) for name, value in values.groupdict().items()}
            )
    return None


def _plain(name: str) -> str:
    """Return names without Typer's quotation marks, and metavariables in the user's language."""
    plain = name.replace("', '", ", ").strip("'")
    return _(plain) if plain[:1].isupper() else plain  # metavariables such as PATH… are in upper case
