"""Accounts on the command line."""

import pytest

from analysis.accounts.managing import BadAccountName
from deploy.cli.user import user


def test_a_name_that_cannot_be_is_told_before_a_password_is_asked_for(monkeypatch):
    monkeypatch.setattr(user, "new_password", lambda: pytest.fail("a password was asked for"))
    with pytest.raises(BadAccountName, match="张三"):
        user.add("张三", role="analyst")
