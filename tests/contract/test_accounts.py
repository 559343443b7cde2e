"""Accounts, sign-ins, sessions and tokens on the real servers."""

import threading
from datetime import timedelta

import pyotp
import pytest

from analysis.accounts import signing_in
from analysis.accounts.managing import BadAccountName, HoldersNeeded, Manager, WrongCode
from analysis.accounts.one_time import new_secret
from analysis.accounts.signing_in import (
    FAILURES_OF_ACCOUNT,
    FAILURES_OF_ADDRESS,
    Door,
    OneTimeNeeded,
    SignInRefused,
    Visitor,
    sign_out,
    signed_in,
)
from analysis.accounts.tokens import ScopeNotOfRole, TooLong, identity_of_token, make_token, revoke_token
from storage.collections.accounts import AccountChanged, KnownAccount, LastAdministrator
from storage.errors import UnknownRecord
from storage.records import Holder, utc_now
from storage.throttle import Throttle, TooOften

pytestmark = pytest.mark.services
PASSWORD = "four grey cranes at the ferry"  # noqa: S105 - of the tests
HERE = Visitor("192.0.2.7", "a browser")


@pytest.fixture(autouse=True)
def _fast_hashes(monkeypatch):
    """Hash as fast as Argon2 can; its parameters are held by the unit tests."""
    from argon2 import PasswordHasher  # noqa: PLC0415

    fast = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("analysis.accounts.passwords._hasher", lambda: fast)


@pytest.fixture
def manager(stores):
    return Manager(stores, "root")


@pytest.fixture
def door(stores, settings, redis_client):
    return Door(stores, Throttle(redis_client), settings.analysis.server)


def kinds(stores):
    return [event.kind for event in stores.events.of_case(0)]


def test_an_account_is_made_once_and_named_well(manager, stores):
    stores.holders.save(Holder(name="青灯出版社"))
    account = manager.add("li", role="holder", holders=["青灯出版社"], password=PASSWORD)
    assert stores.accounts.get("li") == account
    with pytest.raises(KnownAccount):
        manager.add("li", role="analyst")
    for name in ("", "Li", "-li", "李", "l" * 65, "li\n"):
        with pytest.raises(BadAccountName):
            manager.add(name, role="analyst")
    for role, holders in (("holder", ()), ("analyst", ("青灯出版社",))):
        with pytest.raises(HoldersNeeded):
            manager.add("wu", role=role, holders=holders)
    with pytest.raises(UnknownRecord):
        manager.add("wu", role="holder", holders=["nobody"])
    assert kinds(stores) == ["account-added"]


def test_changes_are_written_down_without_secrets(manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    manager.set_role("li", role="operator")
    manager.set_password("li", PASSWORD + " again")
    events = list(stores.events.of_case(0))
    assert [event.detail.get("fields") for event in events] == [None, "role, holders", "password"]
    assert events[1].detail["before"] == '{"role": "analyst"}'
    assert events[1].detail["after"] == '{"role": "operator"}'
    written = str([event.detail for event in events])
    assert PASSWORD not in written
    assert "argon2" not in written


def test_of_two_changes_at_once_one_is_refused(manager, stores):
    account = manager.add("li", role="analyst")
    stores.accounts.change(account)
    with pytest.raises(AccountChanged):
        stores.accounts.change(account)


def test_the_last_administrator_stays_even_if_two_go_at_once(manager, stores):
    manager.add("li", role="administrator", password=PASSWORD)
    manager.add("tokens-only", role="administrator")
    for act in (lambda: manager.disable("li"), lambda: manager.set_role("li", role="analyst")):
        with pytest.raises(LastAdministrator):
            act()
    manager.add("wu", role="administrator", password=PASSWORD)
    refused = []

    def disable(name):
        try:
            manager.disable(name)
        except LastAdministrator:
            refused.append(name)

    threads = [threading.Thread(target=disable, args=(name,)) for name in ("li", "wu")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused
    assert stores.accounts.has_administrator()


def test_one_signs_in_and_out(door, manager, stores, settings):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in(" LI ", PASSWORD, visitor=HERE)
    assert secret not in str(stores.database["sessions"].find_one())
    own, identity = signed_in(stores, settings.analysis.server, secret)
    assert (own.account, own.address, identity.name) == ("li", "192.0.2.7", "li")
    assert signed_in(stores, settings.analysis.server, secret + "x") is None
    sign_out(stores, session)
    assert signed_in(stores, settings.analysis.server, secret) is None
    assert kinds(stores) == ["account-added", "signed-in", "signed-out"]


def test_whatever_is_wrong_is_refused_alike_and_a_password_is_not_written_down(door, manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    manager.add("wu", role="analyst")
    manager.add("he", role="analyst", password=PASSWORD)
    manager.disable("he")
    for name, password in (("li", "wrong"), ("wu", ""), ("he", PASSWORD), (PASSWORD, "li"), ("", "")):
        with pytest.raises(SignInRefused):
            door.sign_in(name, password, visitor=HERE)
    assert PASSWORD not in str(list(stores.database["events"].find()))


def test_failures_stop_an_account_and_an_address(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(FAILURES_OF_ACCOUNT.times):
        with pytest.raises(SignInRefused):
            door.sign_in("li", "wrong", visitor=HERE)
    with pytest.raises(TooOften) as caught:
        door.sign_in("li", PASSWORD, visitor=Visitor("192.0.2.8"))
    assert 0 < caught.value.data["seconds"] <= FAILURES_OF_ACCOUNT.period_s
    for number in range(FAILURES_OF_ADDRESS.times - FAILURES_OF_ACCOUNT.times):
        with pytest.raises(SignInRefused):
            door.sign_in(f"nobody{number}", "wrong", visitor=HERE)
    with pytest.raises(TooOften):
        door.sign_in("somebody", "wrong", visitor=HERE)


def test_who_signs_in_is_forgiven_what_failed(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(2):
        for _ in range(FAILURES_OF_ACCOUNT.times - 1):
            with pytest.raises(SignInRefused):
                door.sign_in("li", "wrong", visitor=HERE)
        door.sign_in("li", PASSWORD, visitor=HERE)


def test_one_time_passwords_are_asked_for_and_taken_once(door, manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, now = new_secret(), utc_now()
    with pytest.raises(WrongCode):
        manager.enrol("li", secret, "000000x")
    codes = manager.enrol("li", secret, pyotp.TOTP(secret).at(now))
    with pytest.raises(OneTimeNeeded):
        door.sign_in("li", PASSWORD, visitor=HERE)
    later = now + timedelta(minutes=5)
    code = pyotp.TOTP(secret).at(later)
    door.sign_in("li", PASSWORD, code, visitor=HERE, now=later)
    for used in (code, "", codes[3]):
        if used == codes[3]:
            door.sign_in("li", PASSWORD, used, visitor=HERE)
        with pytest.raises(OneTimeNeeded if not used else SignInRefused):
            door.sign_in("li", PASSWORD, used, visitor=HERE, now=later)
    assert len(stores.accounts.get("li").recovery) == 9
    manager.reset("li", PASSWORD + " again")
    door.sign_in("li", PASSWORD + " again", visitor=HERE)


@pytest.mark.parametrize(("minutes", "is_in"), [(59, True), (60, False)])
def test_an_idle_session_ends(door, manager, stores, settings, minutes, is_in):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    later = utc_now() + timedelta(minutes=minutes)
    assert (signed_in(stores, settings.analysis.server, secret, now=later) is not None) == is_in


def test_a_used_session_ends_with_its_time(door, manager, stores, settings):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in("li", PASSWORD, visitor=HERE)
    at = session.started
    while at < session.ends - timedelta(minutes=30):
        assert signed_in(stores, settings.analysis.server, secret, now=at)
        at += timedelta(minutes=30)
    assert signed_in(stores, settings.analysis.server, secret, now=session.ends) is None
    assert stores.sessions.of_account("li") == []


@pytest.mark.parametrize("act", ["disable", "reset", "set_password"])
def test_sessions_end_with_what_they_came_from(door, manager, stores, settings, act):
    manager.add("root", role="administrator", password=PASSWORD)
    manager.add("li", role="analyst", password=PASSWORD)
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    getattr(manager, act)(*(("li",) if act == "disable" else ("li", PASSWORD + " again")))
    assert signed_in(stores, settings.analysis.server, secret) is None


def test_a_failure_is_refused_before_the_password_is_looked_at(door, manager, monkeypatch):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(FAILURES_OF_ACCOUNT.times):
        door.throttle.count(FAILURES_OF_ACCOUNT, "li")
    monkeypatch.setattr(signing_in, "is_password", lambda *_: pytest.fail("it was looked at"))
    with pytest.raises(TooOften):
        door.sign_in("li", PASSWORD, visitor=HERE)


def test_tokens_are_shown_once_and_act_for_their_account(manager, stores, settings):
    manager.add("li", role="analyst")
    server = settings.analysis.server
    with pytest.raises(ScopeNotOfRole):
        make_token(stores, server, account="li", label="", scopes=["sources:write"], days=9, by="root")
    with pytest.raises(TooLong):
        make_token(stores, server, account="li", label="", scopes=(), days=server.token_days + 1, by="root")
    secret, token = make_token(
        stores, server, account="li", label="a script", scopes=["works:read"], days=9, by="root"
    )
    assert secret not in str(list(stores.database["tokens"].find())) + str(list(stores.events.of_case(0)))
    identity = identity_of_token(stores, secret)
    assert (identity.name, identity.permissions) == (f"li ({token.id})", {"works:read"})
    assert stores.tokens.get(token.id).used is not None
    assert identity_of_token(stores, secret, now=token.ends) is None
    assert identity_of_token(stores, secret[:-1]) is None
    revoke_token(stores, token.id, by="root")
    revoke_token(stores, token.id, by="root")
    assert identity_of_token(stores, secret) is None
    assert kinds(stores) == ["account-added", "token-made", "token-revoked"]


def test_a_disabled_account_has_no_tokens_and_gets_none_back(manager, stores, settings):
    manager.add("li", role="analyst")
    secret, _ = make_token(
        stores, settings.analysis.server, account="li", label="", scopes=(), days=9, by="root"
    )
    manager.disable("li")
    assert identity_of_token(stores, secret) is None
    manager.enable("li")
    assert identity_of_token(stores, secret) is None
