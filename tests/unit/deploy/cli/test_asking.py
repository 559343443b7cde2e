"""Questions before something is removed."""

import pytest
import typer

from deploy.cli import asking
from deploy.cli.asking import NotAsked, confirm_removal


def test_removal_continues_if_confirmed_by_option(capsys):
    confirm_removal("Remove this?", yes=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("answer", ["", "n", "否"])
def test_removal_ends_well_when_the_answer_is_no(monkeypatch, capsys, answer):
    monkeypatch.setattr(asking, "can_ask", lambda: True)
    monkeypatch.setattr(asking, "ask", lambda _question: answer)
    with pytest.raises(typer.Exit) as ended:
        confirm_removal("Remove this?", yes=False)
    assert ended.value.exit_code == 0
    assert "Nothing was removed." in capsys.readouterr().out


def test_removal_needs_an_answer_beforehand_without_a_terminal(monkeypatch):
    monkeypatch.setattr(asking, "can_ask", lambda: False)
    with pytest.raises(NotAsked):
        confirm_removal("Remove this?", yes=False)
