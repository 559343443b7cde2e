"""Every command that changes something says in the audit log who did it, and that it was at a terminal.

What the commands are and do is in ``support.terminal_acts``, a module a noun.
"""

import pytest
from support.commands import run_command
from support.commands_that_act import NOT_DESCRIBED, World, all_acts, all_commands, all_reads
from support.processes import environment_of
from support.two_holders import fill

pytestmark = pytest.mark.services
NAME, LOGIN = "陈 at the desk", "login-name"


def parameters(acts):
    """Return acts as parameters of a test."""
    return [pytest.param(act, id=act.command) for act in acts]


def one_a_noun():
    """Return the first act of each noun."""
    return list({act.words[0]: act for act in reversed(all_acts())}.values())


@pytest.fixture
def world(stores, settings, tmp_path, monkeypatch):
    fill(stores)
    environment = environment_of(settings) | {"LOGNAME": LOGIN, "USER": LOGIN}
    return World(stores, settings, tmp_path, environment, monkeypatch)


def run(world, act, *arguments):
    """Prepare the world, run the command, and return the rows of the audit log that it added."""
    more = act.prepare(world)
    before = {row.id for row in world.stores.events.of_case(0)}
    run_command(
        *act.words,
        *act.arguments,
        *(more if isinstance(more, (list, tuple)) else ()),
        *arguments,
        environment=world.environment | dict(act.environment),
        folder=world.folder,
        stdin=act.stdin.encode(),
        status=act.status,
        is_terminal=act.is_terminal,
    )
    return [row for row in world.stores.events.of_case(0) if row.id not in before]


@pytest.mark.parametrize("act", parameters(all_acts()))
def test_act_at_the_terminal_is_in_the_audit_log(world, act):
    rows = run(world, act, act.name_option, NAME)
    assert {row.by for row in rows if row.detail.get("from") == "terminal"} == {NAME}


@pytest.mark.parametrize("act", parameters(one_a_noun()))
def test_without_as_the_login_name_acts(world, act):
    rows = run(world, act)
    assert {row.by for row in rows if row.detail.get("from") == "terminal"} == {LOGIN}


def test_every_command_acts_or_only_reads():
    acts, reads = {act.command for act in all_acts()}, set(all_reads())
    assert acts & reads == set()
    rest = {command for command in all_commands() if command.split()[0] not in NOT_DESCRIBED}
    assert acts | reads == rest
