"""Help in the user's language: the usage of a command, its arguments, options and subcommands.

Typer's own help contains English words, and cuts Chinese texts, because it does not know where their lines
may break.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import typer
from typer.core import TyperCommand, TyperGroup

from analysis.words.i18n import N_
from analysis.words.i18n import gettext as _

_GAP = 2
_MAX_TERM = 28  # maximum width of a term; a longer term gets its own line
_STICKS = "，。；：、！？）》”…,.;:!?)"  # characters that never begin a line
_LEADS = "（《“"  # characters that never end a line
_KINDS = {"str": N_("TEXT"), "int": N_("NUMBER"), "float": N_("NUMBER"), "path": N_("PATH")}
# The help texts of the options that Typer adds.
_BUILT_IN = {
    "--help": N_("Show this help."),
    "--install-completion": N_("Let the shell complete commands and options."),
    "--show-completion": N_("Show the completion script for the shell."),
}


class HelpfulCommand(TyperCommand):
    """A command with help in the user's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write("\n".join(_page(self, ctx, formatter.width)))


class HelpfulGroup(TyperGroup):
    """A group of commands with help in the user's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write("\n".join(_page(self, ctx, formatter.width)))


def with_help(app: typer.Typer) -> typer.Typer:
    """Return an application; all its commands have help in the user's language."""
    for command in app.registered_commands:
        command.cls = HelpfulCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.cls = HelpfulGroup
            with_help(group.typer_instance)
    return app


def _page(command: Any, ctx: Any, width: int) -> Iterator[str]:
    parameters = [
        parameter for parameter in command.get_params(ctx) if not getattr(parameter, "hidden", False)
    ]
    arguments = [parameter for parameter in parameters if parameter.param_type_name == "argument"]
    options = [parameter for parameter in parameters if parameter.param_type_name == "option"]
    commands = [(name, command.get_command(ctx, name)) for name in _names(command, ctx)]
    yield _usage(ctx, arguments, options, commands)
    yield from ("", *wrapped(_words(command.help), width))
    yield from _section(
        _("Arguments"), ((_name(parameter), _about(parameter)) for parameter in arguments), width
    )
    yield from _section(
        _("Options"), ((_term(parameter, ctx), _about(parameter)) for parameter in options), width
    )
    yield from _section(
        _("Commands"), ((name, _words(parameter.help)) for name, parameter in commands), width
    )
    yield ""


def _names(command: Any, ctx: Any) -> list[str]:
    return list(command.list_commands(ctx)) if isinstance(command, TyperGroup) else []


def _usage(ctx: Any, arguments: list[Any], options: list[Any], commands: list[Any]) -> str:
    parts = [ctx.command_path, *([_("[OPTIONS]")] if options else []), *map(_name, arguments)]
    if commands:
        parts.append(_("COMMAND …"))
    return _("Usage: {usage}").format(usage=" ".join(parts))


def _name(argument: Any) -> str:
    name = _(str(argument.metavar or argument.display_name_raw))
    name = name if argument.nargs == 1 or argument.metavar else f"{name}…"
    return name if argument.required else f"[{name}]"


def _section(title: str, entries: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    rows = list(entries)
    if not rows:
        return
    yield from ("", _("{title}:").format(title=title))
    column = min(_MAX_TERM, max(columns_of(term) for term, _about in rows)) + _GAP
    for term, about in rows:
        lines = list(wrapped(about, max(20, width - column - _GAP)))
        first = " " * _GAP + term
        if columns_of(term) > _MAX_TERM:
            yield first
        elif lines:
            yield first + " " * (column - columns_of(term)) + lines.pop(0)
        else:
            yield first
        yield from (" " * (_GAP + column) + line for line in lines)


def _term(option: Any, ctx: Any) -> str:
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=lambda name: name.startswith("--")))
    value = "" if option.is_flag or option.count else _value(option, ctx)
    return f"{names} {value}".strip()


def _value(option: Any, ctx: Any) -> str:
    """Return the text after an option's name: its choices, or the kind of its value."""
    kind = str(option.metavar or option.display_type_rich(ctx=ctx) or "").strip("<>").removesuffix(" range")
    kind = kind.removeprefix("list[").removesuffix("]") if kind.startswith("list[") else kind
    return _(_KINDS.get(kind, kind))


def _words(text: str | None) -> str:
    """Translate a help text to the user's language; a translated text stays unchanged."""
    return _(text) if text else ""


def _about(parameter: Any) -> str:
    """Return the help text of a parameter, including its default."""
    built_in = next((_BUILT_IN[name] for name in parameter.opts if name in _BUILT_IN), None)
    text = _words(built_in or getattr(parameter, "help", None))
    if parameter.required and parameter.param_type_name == "option":
        return _("{text} (required)").format(text=text)
    value = parameter.default
    is_plain = isinstance(value, str | int | float | Path) and not isinstance(value, bool)
    return _("{text} (default: {value})").format(text=text, value=value) if is_plain and str(value) else text


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield lines of at most ``width`` columns; Chinese may break except before marks, Latin at spaces."""
    line = ""
    for piece in _pieces(text):
        if line and columns_of(line + piece.rstrip()) > width and piece[0] not in _STICKS:
            yield line.rstrip()
            line = ""
        line += piece if line else piece.lstrip()
    if line.strip():
        yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a text between which a line may break."""
    piece = ""
    for char in text:
        if char.isspace():
            yield piece + " "
            piece = ""
        elif char in _LEADS:
            if piece:
                yield piece
            piece = char
        elif columns_of(char) > 1:
            if piece.strip(_LEADS):
                yield piece
                piece = ""
            yield piece + char
            piece = ""
        else:
            piece += char
    if piece:
        yield piece


def columns_of(text: str) -> int:
    """Return the width of a text on a terminal; a wide character takes two columns.

    >>> columns_of("GBK 小说")
    8
    """
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
