"""Options by the bundle."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from deploy.cli.help import with_help
from deploy.cli.options import with_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Options of the tests."""

    street: Annotated[str, typer.Option("--road", "-r", help="A road.")]
    floor: Annotated[int, typer.Option(help="A floor.")] = 3


@pytest.fixture
def run():
    app, taken = typer.Typer(), []

    @app.command()
    @with_options
    def go(
        names: Annotated[list[str] | None, typer.Argument(metavar="NAME…")] = None,
        *,
        place: Place,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> None:
        taken.append((names, place, loud))

    return lambda *words: (CliRunner().invoke(with_help(app), words), taken)


def test_command_gets_its_options_as_a_single_value(run):
    run("-r", "x")
    _result, taken = run("a", "--floor", "5", "--road", "y", "--loud")
    assert taken == [(None, Place(street="x"), False), (["a"], Place(street="y", floor=5), True)]


def test_help_lists_every_option_and_marks_optional_arguments(run):
    result, _taken = run("--help")
    assert "[NAME…]" in result.stdout.splitlines()[0]
    assert "-r, --road TEXT" in result.stdout
    assert "--floor NUMBER" in result.stdout
    assert run()[0].exit_code == 2
