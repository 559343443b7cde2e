"""Commands as files of deploy/ have them, read by their own parsers."""

from collections.abc import Sequence
from pathlib import Path

import click
from celery.bin.beat import beat
from celery.bin.worker import worker
from typer.main import get_command

from deploy.cli.app import application

_CELERY = {"worker": worker, "beat": beat}


def parsed(command: Sequence[str]) -> dict[str, object]:
    """Return the options of a command as its own parser reads them; it raises for what it does not know."""
    program, *words = command
    if Path(program).name == "pindna":
        chosen = get_command(application(words)).commands[words[0]]
        known = {word for option in chosen.params for word in option.opts}
        assert {word for word in words if word.startswith("-")} <= known
        return {"command": words[0]}
    assert Path(program).name == "celery"
    words = words[1:] if words[0] == "-q" else words  # beat prints no banner
    assert words[:2] == ["-A", "tracker"]
    chosen = _CELERY[words[2]]
    options, rest, _ = chosen.make_parser(click.Context(chosen)).parse_args(words[3:])
    assert rest == []
    return options
