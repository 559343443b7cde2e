"""Accounts on the command line."""

import pytest

from analysis.accounts.managing import BadAccountName
from deploy.cli.user import user


def test_bad_account_name_is_reported_before_the_password_prompt(monkeypatch):
    monkeypatch.setattr(user, "new_password", lambda: pytest.fail("a password was asked for"))
    with pytest.raises(BadAccountName, match="张三"):
        user.add("张三", role="analyst")
