"""Who may do what."""

from pathlib import Path

import pytest

from analysis.accounts.permissions import PERMISSIONS_OF, NotPermitted, identity_of
from storage.records import PERMISSIONS, ROLES, Account, Token, utc_now


def token(*scopes):
    now = utc_now()
    return Token(id="t1", digest="", account="li", label="", scopes=scopes, made=now, ends=now)


def test_every_role_has_permissions_and_every_permission_a_role():
    assert set(PERMISSIONS_OF) == set(ROLES)
    assert PERMISSIONS_OF["administrator"] == set(PERMISSIONS)
    for permissions in PERMISSIONS_OF.values():
        for permission in permissions:
            kind, act = permission.split(":")
            assert act != "write" or f"{kind}:read" in permissions or kind == "accounts"


@pytest.mark.parametrize("role", ROLES)
def test_token_never_allows_more_than_the_role(role):
    account = Account(name="li", role=role)
    assert identity_of(account, token(*PERMISSIONS)).permissions == PERMISSIONS_OF[role]
    assert identity_of(account, token("works:read")).permissions == {"works:read"}
    assert identity_of(account, token()).permissions == set()


def test_missing_permission_is_refused_by_name_and_logged(caplog):
    identity = identity_of(Account(name="li", role="analyst"), token("works:read"))
    identity.require("works:read")
    with pytest.raises(NotPermitted, match=r"li \(t1\) lacks the permission works:write"):
        identity.require("works:write")
    assert caplog.messages == ["li (t1) lacks the permission works:write"]


def test_holder_may_view_works_of_that_holder_in_any_spelling_only():
    holder = identity_of(Account(name="li", role="holder", holders=("青燈出版社",)))
    assert holder.may_see("《青灯出版社》")
    assert not any(holder.may_see(other) for other in ("", "某某出版社", "青灯"))
    assert identity_of(Account(name="wu", role="analyst")).may_see("")


def test_documentation_lists_the_permissions_of_roles():
    page = (Path(__file__).parents[4] / "docs" / "accounts.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]] for line in page.splitlines() if line[:2] == "| "
    ]
    (_, *roles), *rest = rows
    documented = {
        role: {row[0] for row in rest if row[column] != "–"} for column, role in enumerate(roles, start=1)
    }
    assert documented == PERMISSIONS_OF
    assert {row[1] for row in rest} == {"own", "–"}
