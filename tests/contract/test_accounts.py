"""Accounts, sign-ins, sessions and tokens on the real servers."""

import asyncio
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import httpx
import pyotp
import pytest
from fastapi import FastAPI

from analysis.accounts import signing_in
from analysis.accounts.first_link import FirstLinkEnded, first_link
from analysis.accounts.managing import BadAccountName, HoldersNeeded, Manager, WrongCode
from analysis.accounts.one_time import new_secret
from analysis.accounts.otp_keys import OneTimeKeyElsewhere, OneTimeKeys, OneTimeKeyUnusable
from analysis.accounts.own_account import CONFIRMATIONS, EnrolledAlready, OwnAccount, WrongPassword
from analysis.accounts.passwords import BadPassword, WeakPassword, is_password
from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.accounts.signing_in import (
    AT_ACCOUNT,
    AT_ACCOUNT_FROM_NETWORK,
    FROM_NETWORK,
    OneTimeNeeded,
    SignInRefused,
    SignInService,
    Visitor,
    digest_of,
    session_identity,
    sign_out,
)
from analysis.accounts.tokens import (
    AccountDisabled,
    ScopeNotOfRole,
    TooLong,
    identity_of_token,
    make_token,
    revoke_token,
)
from analysis.console.sign_in import first_routes
from storage.collections.accounts import AccountChanged, KnownAccount, LastAdministrator
from storage.records import Holder, utc_now
from storage.servers.throttle import Throttle, TooOften
from system.errors import UnknownId, UnknownRecord

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
    keys = OneTimeKeys.of(settings, stores)
    return SignInService(stores, Throttle(redis_client), settings.analysis.server, keys)


def kinds(stores):
    return [event.kind for event in stores.events.of_case(0)]


def test_account_needs_a_unique_valid_name(manager, stores):
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


def test_changes_are_audited_without_secrets(manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    manager.set_role("li", role="operator")
    manager.set_password("li", PASSWORD + " again")
    events = list(stores.events.of_case(0))
    assert [event.detail.get("fields") for event in events] == [None, "role, holders", "password, sessions"]
    assert events[1].detail["before"] == '{"role": "analyst"}'
    assert events[1].detail["after"] == '{"role": "operator"}'
    written = str([event.detail for event in events])
    assert PASSWORD not in written
    assert "argon2" not in written


def test_second_of_two_concurrent_changes_is_refused(manager, stores):
    account = manager.add("li", role="analyst")
    stores.accounts.change(account)
    with pytest.raises(AccountChanged):
        stores.accounts.change(account)


def test_last_administrator_stays_even_if_two_are_removed_at_once(manager, stores):
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


def test_user_signs_in_and_out(door, manager, stores, settings):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in(" LI ", PASSWORD, visitor=HERE)
    assert secret not in str(stores.database["sessions"].find_one())
    own, identity = session_identity(stores, settings.analysis.server, secret)
    assert (own.account, own.address, identity.name) == ("li", "192.0.2.7", "li")
    assert session_identity(stores, settings.analysis.server, secret + "x") is None
    sign_out(stores, session)
    assert session_identity(stores, settings.analysis.server, secret) is None
    assert kinds(stores) == ["account-added", "signed-in", "signed-out"]


def test_wrong_credentials_get_the_same_refusal_and_no_password_is_stored(door, manager, stores, monkeypatch):
    manager.add("li", role="analyst", password=PASSWORD)
    manager.add("wu", role="analyst")
    manager.add("he", role="analyst", password=PASSWORD)
    manager.disable("he")
    checked = []
    monkeypatch.setattr(signing_in, "is_password", lambda *typed: checked.append(1) or is_password(*typed))
    for name, password in (("li", "wrong"), ("wu", ""), ("he", PASSWORD), (PASSWORD, "li"), ("", "")):
        with pytest.raises(SignInRefused):
            door.sign_in(name, password, visitor=HERE)
    assert len(checked) == 5  # so that each takes the time of a password's check
    assert PASSWORD not in str(list(stores.database["events"].find()))


def test_attempts_stop_an_account_for_a_network_and_a_network_for_all(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(AT_ACCOUNT_FROM_NETWORK.times):
        with pytest.raises(SignInRefused):
            door.sign_in("li", "wrong", visitor=HERE)
    with pytest.raises(TooOften) as caught:
        door.sign_in("li", PASSWORD, visitor=HERE)
    assert 0 < caught.value.data["seconds"] <= AT_ACCOUNT_FROM_NETWORK.period_s
    door.sign_in("li", PASSWORD, visitor=Visitor("192.0.2.8"))  # attempts of others lock out no user
    for _ in range(FROM_NETWORK.times):
        with suppress(TooOften):
            door.throttle.count(FROM_NETWORK, HERE.network)
    with pytest.raises(TooOften):
        door.sign_in("somebody", "wrong", visitor=HERE)


def test_account_is_locked_after_a_hundred_attempts_from_any_address(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(AT_ACCOUNT.times):
        door.throttle.count(AT_ACCOUNT, "li")
    for name in ("li", " LI ", "lI"):
        with pytest.raises(TooOften):
            door.sign_in(name, PASSWORD, visitor=HERE)


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_network_groups_the_addresses_of_a_subscriber(first, second, is_same):
    assert (Visitor(first).network == Visitor(second).network) == is_same


def test_concurrent_attempts_count_like_sequential_attempts(door, manager):
    """Attempts are counted before the password is checked."""
    manager.add("li", role="analyst", password=PASSWORD)

    def attempt(number):
        try:
            door.sign_in("li", f"wrong {number}", visitor=HERE)
        except (SignInRefused, TooOften) as error:
            return type(error)

    with ThreadPoolExecutor(AT_ACCOUNT_FROM_NETWORK.times * 3) as threads:
        ends = Counter(threads.map(attempt, range(AT_ACCOUNT_FROM_NETWORK.times * 3)))
    assert ends[SignInRefused] == AT_ACCOUNT_FROM_NETWORK.times


def test_hostile_credentials_are_refused_quickly(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    began = time.process_time()
    for number, typed in enumerate(
        ("li\0", "\ud800", "x" * 1_000_000, "\u0301\u0316" * 500_000, "$where", "li\u200b")
    ):
        for name, password in ((typed, PASSWORD), ("li", typed)):
            with pytest.raises(SignInRefused):
                door.sign_in(name, password, typed, visitor=Visitor(f"192.0.2.{number}"))
    assert time.process_time() - began < 20  # a fraction of a second; in squared time it is hours


def test_successful_sign_in_resets_failed_attempts(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(2):
        for _ in range(AT_ACCOUNT_FROM_NETWORK.times - 1):
            with pytest.raises(SignInRefused):
                door.sign_in("li", "wrong", visitor=HERE)
        door.sign_in("li", PASSWORD, visitor=HERE)


def test_totp_codes_are_required_and_accepted_once(door, manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, now = new_secret(), utc_now()
    with pytest.raises(WrongCode):
        manager.enrol("li", secret, "000000x", door.keys)
    codes = manager.enrol("li", secret, pyotp.TOTP(secret).at(now), door.keys)
    with pytest.raises(OneTimeNeeded):
        door.sign_in("li", PASSWORD, visitor=HERE)
    assert kinds(stores)[-1] == "sign-in-refused"  # who has the password only is seen
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


def stored_secret(stores, name):
    return stores.database["accounts"].find_one({"_id": name})["otp_secret"]


@pytest.fixture
def enrolled(door, manager):
    """The secret of li's device, and its recovery codes."""
    manager.add("li", role="analyst", password=PASSWORD)
    secret = new_secret()
    return secret, manager.enrol("li", secret, pyotp.TOTP(secret).at(utc_now()), door.keys)


def test_database_stores_device_secrets_encrypted(enrolled, door, manager, stores):
    secret, _ = enrolled
    stored, path = stored_secret(stores, "li"), door.keys.path
    assert secret not in stored
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes().strip() not in str(list(stores.database["accounts"].find())).encode()
    first = path.read_bytes().split()
    assert manager.rotate_one_time_key(door.keys) == 1
    assert path.read_bytes().split()[1:] == first
    assert stored_secret(stores, "li") not in {stored, secret}
    later = utc_now() + timedelta(minutes=5)
    door.sign_in("li", PASSWORD, pyotp.TOTP(secret).at(later), visitor=HERE, now=later)
    stores.accounts.change(replace(stores.accounts.get("li"), otp_secret=stored))  # of a backup
    later += timedelta(minutes=5)
    door.sign_in("li", PASSWORD, pyotp.TOTP(secret).at(later), visitor=HERE, now=later)
    manager.add("wu", role="analyst", password=PASSWORD)
    theirs = replace(stores.accounts.get("wu"), otp_secret=stored)
    with pytest.raises(OneTimeKeyElsewhere):  # a key encrypted for one account is useless for another
        door.keys.decrypt(theirs)


def test_plain_device_secret_is_encrypted_on_its_next_use(door, manager, stores):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, now = new_secret(), utc_now()
    stores.accounts.change(replace(stores.accounts.get("li"), otp_secret=secret))
    with pytest.raises(SignInRefused):
        door.sign_in("li", PASSWORD, "000000", visitor=HERE)
    assert stored_secret(stores, "li") == secret
    door.sign_in("li", PASSWORD, pyotp.TOTP(secret).at(now), visitor=HERE, now=now)
    assert door.keys.decrypt(stores.accounts.get("li")) == secret != stored_secret(stores, "li")


def test_recovery_codes_and_a_reset_work_without_the_key(enrolled, door, manager, stores):
    secret, codes = enrolled
    door.keys.path.chmod(0o644)
    with pytest.raises(OneTimeKeyUnusable, match="chmod 600"):
        door.sign_in("li", PASSWORD, "000000", visitor=HERE)
    door.keys.path.unlink()
    manager.add("wu", role="analyst", password=PASSWORD)
    other, now = new_secret(), utc_now()
    for attempt in (
        lambda: door.sign_in("li", PASSWORD, pyotp.TOTP(secret).at(now), visitor=HERE),
        lambda: manager.enrol("wu", other, pyotp.TOTP(other).at(now), door.keys),
        lambda: manager.rotate_one_time_key(door.keys),
    ):
        with pytest.raises(OneTimeKeyElsewhere, match="pindna user reset"):
            attempt()
    assert not door.keys.path.exists()
    door.sign_in("li", PASSWORD, codes[0], visitor=HERE)
    manager.reset("li", PASSWORD)
    manager.enrol("wu", other, pyotp.TOTP(other).at(now), door.keys)
    assert door.keys.decrypt(stores.accounts.get("wu")) == other


@pytest.mark.parametrize(("minutes", "is_in"), [(29, True), (30, False)])
def test_idle_session_ends(door, manager, minutes, is_in):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    later = utc_now() + timedelta(minutes=minutes)
    assert (session_identity(door.stores, door.settings, secret, now=later) is not None) == is_in


def test_self_refreshing_page_does_not_extend_its_session(door, manager):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in("li", PASSWORD, visitor=HERE)
    for minutes, is_in in ((10, True), (20, True), (31, False)):
        at = session.started + timedelta(minutes=minutes)
        assert (
            session_identity(door.stores, door.settings, secret, is_use=False, now=at) is not None
        ) == is_in


def test_used_session_ends_with_its_time(door, manager, stores, settings):
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in("li", PASSWORD, visitor=HERE)
    at = session.started
    while at < session.ends - timedelta(minutes=29):
        assert session_identity(stores, settings.analysis.server, secret, now=at)
        at += timedelta(minutes=29)
    assert session_identity(stores, settings.analysis.server, secret, now=session.ends) is None
    assert stores.sessions.of_account("li") == []


def test_session_of_the_future_has_ended(door, manager, stores, settings):
    """A session ends in time even if the clock was set back."""
    manager.add("li", role="analyst", password=PASSWORD)
    now = utc_now()
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE, now=now)
    assert session_identity(stores, settings.analysis.server, secret, now=now - timedelta(minutes=4))
    assert session_identity(stores, settings.analysis.server, secret, now=now - timedelta(minutes=6)) is None


@pytest.mark.parametrize("act", ["disable", "reset", "set_password", "sign_out"])
def test_sessions_end_when_their_credentials_change(door, manager, act, monkeypatch):
    """Also when the process is killed right after the change."""
    manager.add("li", role="analyst", password=PASSWORD)
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(type(door.stores.sessions), "end_all", _killed)
        getattr(manager, act)("li", *([PASSWORD + " again"] if act in {"reset", "set_password"} else []))
    if act == "disable":
        manager.enable("li")
    assert session_identity(door.stores, door.settings, secret) is None
    secret, _ = door.sign_in("li", PASSWORD + " again" * (act in {"reset", "set_password"}), visitor=HERE)
    assert session_identity(door.stores, door.settings, secret)


def _killed(*_args, **_more):
    raise KeyboardInterrupt


def test_sign_in_begun_before_a_reset_fails(door, manager, stores, settings, monkeypatch):
    manager.add("li", role="analyst", password=PASSWORD)

    def is_right(*_):
        manager.reset("li", PASSWORD + " again")
        return True

    monkeypatch.setattr(signing_in, "is_password", is_right)
    secret, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    assert session_identity(stores, settings.analysis.server, secret) is None


def test_last_administrator_is_never_removed_even_for_a_moment(manager, stores, monkeypatch):
    """A process that is killed in between leaves one administrator."""
    manager.add("li", role="administrator", password=PASSWORD)
    monkeypatch.setattr(type(stores.accounts), "_replace_unchanged", _killed)
    with pytest.raises(LastAdministrator):
        manager.disable("li")
    with pytest.raises(LastAdministrator):
        stores.accounts.erase("li")


def test_printed_accounts_contain_no_secret(door, manager, stores, settings):
    account = manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in("li", PASSWORD, visitor=HERE)
    _, token = make_token(
        stores, settings.analysis.server, account="li", label="", scopes=(), days=9, by="root"
    )
    account = replace(account, otp_secret="JBSWY3DPEHPK3PXP", recovery=("5f4dcc3b",))  # noqa: S106 - a test's
    shown = f"{account} {session} {token}"
    hidden = (account.password, account.otp_secret, "5f4dcc3b", session.id, token.digest, secret)
    assert not [one for one in hidden if one in shown]


def test_blocked_attempt_is_refused_before_checking_the_password(door, manager, monkeypatch):
    manager.add("li", role="analyst", password=PASSWORD)
    for _ in range(AT_ACCOUNT.times):
        door.throttle.count(AT_ACCOUNT, "li")
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


def test_disabled_account_has_no_tokens_and_gets_none_back(manager, stores, settings, monkeypatch):
    manager.add("li", role="analyst")
    secret, _ = make_token(
        stores, settings.analysis.server, account="li", label="", scopes=(), days=9, by="root"
    )
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(type(stores.tokens), "revoke_all", _killed)
        manager.disable("li")
    assert identity_of_token(stores, secret) is None
    with pytest.raises(AccountDisabled):
        make_token(stores, settings.analysis.server, account="li", label="", scopes=(), days=9, by="root")
    manager.enable("li")
    assert identity_of_token(stores, secret) is None


@pytest.fixture
def own(door, manager):
    """The account of somebody who is signed in, and the secret of that session."""
    manager.add("li", role="analyst", password=PASSWORD)
    secret, session = door.sign_in("li", PASSWORD, visitor=HERE)
    return OwnAccount(door.stores, door.throttle, door.settings, session, door.keys), secret


def test_password_change_needs_the_old_password_and_ends_other_sessions(own, door):
    account, secret = own
    other, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    with pytest.raises(WrongPassword):
        account.change_password("wrong", PASSWORD + " again")
    assert kinds(door.stores)[-1] == "sign-in-refused"
    account.change_password(PASSWORD, PASSWORD + " again")
    assert session_identity(door.stores, door.settings, secret)
    assert session_identity(door.stores, door.settings, other) is None
    assert [session.id for session in account.sessions()] == [account.session.id]
    for _ in range(CONFIRMATIONS.times):
        with pytest.raises(WrongPassword):
            account.change_password(PASSWORD, PASSWORD)
    with pytest.raises(TooOften):
        account.change_password(PASSWORD + " again", PASSWORD)


def test_user_enrols_and_removes_a_device(own, door):
    account, _ = own
    secret, now = new_secret(), utc_now()
    account = replace(account, now=now)
    with pytest.raises(WrongPassword):
        account.enrol("wrong", secret, pyotp.TOTP(secret).at(now))
    codes = account.enrol(PASSWORD, secret, pyotp.TOTP(secret).at(now))
    with pytest.raises(EnrolledAlready):
        account.enrol(PASSWORD, new_secret(), pyotp.TOTP(secret).at(now))
    for code in ("000000", pyotp.TOTP(secret).at(now)):
        with pytest.raises(WrongCode):
            account.stop_one_time(PASSWORD, code)
    fresh = account.new_recovery_codes(PASSWORD, codes[0])
    with pytest.raises(SignInRefused):
        door.sign_in("li", PASSWORD, codes[1], visitor=HERE)
    account.stop_one_time(PASSWORD, fresh[0])
    door.sign_in("li", PASSWORD, visitor=HERE)
    with pytest.raises(WrongCode):
        account.stop_one_time(PASSWORD, fresh[1])
    assert secret not in str(list(door.stores.events.of_case(0)))


def test_user_lists_and_ends_only_sessions_and_tokens_of_the_account(own, door, manager):
    account, _ = own
    manager.add("wu", role="analyst", password=PASSWORD)
    _, theirs = door.sign_in("wu", PASSWORD, visitor=HERE)
    with pytest.raises(UnknownId):
        account.end_session(theirs.id)
    secret, other = door.sign_in("li", PASSWORD, visitor=HERE)
    assert {session.id for session in account.sessions()} == {account.session.id, other.id}
    account.end_session(other.id)
    assert session_identity(door.stores, door.settings, secret) is None
    door.sign_in("li", PASSWORD, visitor=HERE)
    assert account.end_other_sessions() == 1
    with pytest.raises(WrongPassword):
        account.make_token("wrong", label="", scopes=(), days=9)
    _, token = account.make_token(PASSWORD, label="a script", scopes=["works:read"], days=9)
    theirs = replace(account, session=replace(account.session, account="wu"))
    with pytest.raises(UnknownId):
        theirs.revoke_token(token.id)
    assert [own.revoked for own in account.tokens()] == [None]
    assert account.revoke_token(token.id).revoked
    assert theirs.tokens() == []


def test_accounts_are_managed_by_administrators(manager):
    boss = identity_of(manager.add("root", role="administrator"))
    assert Manager.acting_for(boss, manager.stores).by == "root"
    with pytest.raises(NotPermitted):
        Manager.acting_for(identity_of(manager.add("li", role="operator")), manager.stores)


def test_first_administrator_is_created_through_a_single_use_link(door, stores):
    link, secret = first_link(door)
    for wrong in ("", secret + "x", digest_of(secret)):
        with pytest.raises(FirstLinkEnded):
            link.claim(wrong, "li", PASSWORD, visitor=HERE)
    for name, password, error in (
        ("Li!", PASSWORD, BadAccountName),
        ("li", "", BadPassword),
        ("li", "password1234", WeakPassword),
    ):
        with pytest.raises(error):
            link.claim(secret, name, password, visitor=HERE)
    answer = asyncio.run(_typed_into_the_first_form(link, secret, PASSWORD, PASSWORD + "x"))
    assert (answer.status_code, "Enter the same password twice" in answer.text) == (400, True)
    cookie, _ = link.claim(secret, "li", PASSWORD, visitor=HERE)
    _, identity = session_identity(stores, door.settings, cookie)
    assert identity.account.role == "administrator"
    assert not link.is_open(secret)
    assert first_link(door) is None
    assert secret not in str([*stores.database["events"].find(), *stores.database["sessions"].find()])


async def _typed_into_the_first_form(link, secret, password, again):
    app = FastAPI()
    app.include_router(first_routes(None, link))
    fields = {"secret": secret, "name": "li", "password": password, "again": again}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        return await client.post("/first", data=fields, headers={"Accept-Language": "en"})


def test_link_ends_with_its_time_and_with_any_administrator(door, manager):
    link, secret = first_link(door)
    now = utc_now()
    for later, is_open in ((0, True), (29, True), (31, False), (-31, False)):
        assert link.is_open(secret, now=now + timedelta(minutes=later)) == is_open
    manager.add("programs", role="administrator")
    assert link.is_open(secret)  # it cannot sign in
    manager.add("wu", role="administrator", password=PASSWORD)
    with pytest.raises(FirstLinkEnded):
        link.claim(secret, "li", PASSWORD, visitor=HERE)


def test_only_the_first_of_concurrent_claims_wins(door, stores):
    link, secret = first_link(door)

    def claim(number):
        with suppress(FirstLinkEnded):
            return link.claim(secret, f"li{number}", PASSWORD, visitor=HERE)

    with ThreadPoolExecutor(8) as threads:
        won = [claimed for claimed in threads.map(claim, range(8)) if claimed]
    assert len(won) == len(list(stores.accounts.listed())) == 1


def test_credentials_of_an_erased_account_do_not_fit_a_new_account(door, manager, stores):
    """Also if the erasure was killed before it reached sessions and tokens."""
    earlier = Manager(stores, "root", utc_now() - timedelta(hours=1))
    earlier.add("li", role="analyst", password=PASSWORD)
    cookie, _ = door.sign_in("li", PASSWORD, visitor=HERE)
    secret, _ = make_token(stores, door.settings, account="li", label="", scopes=(), days=9, by="li")
    assert stores.accounts.erase("li")
    manager.add("li", role="administrator", password=PASSWORD)
    assert session_identity(stores, door.settings, cookie) is None
    assert identity_of_token(stores, secret) is None
