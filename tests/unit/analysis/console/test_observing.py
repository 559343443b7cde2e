"""Who reads the metrics while a service is away: whoever may, and nobody whose token was revoked."""

from types import SimpleNamespace

import pytest

from analysis.accounts.permissions import Identity
from analysis.api.problems import NotSignedIn
from analysis.console import observing
from storage.records import Account
from storage.settings import Settings
from system.errors import ServiceDown

DOWN = ServiceDown(service="s", address="a", problem="p")
WHO = Identity(account=Account(name="li", role="operator"), permissions=frozenset())


@pytest.fixture
def world(monkeypatch):
    """What MongoDB says of a token (or that it is away), and whether Redis is there."""
    own = SimpleNamespace(token=None, counted=[])

    def identity_of_token(_stores, _secret):
        if own.token is DOWN:
            raise DOWN
        return own.token

    def count(_limit, identity):
        if own.counted is None:
            raise DOWN
        own.counted.append(identity)

    monkeypatch.setattr(observing, "identity_of_token", identity_of_token)
    monkeypatch.setattr(observing, "open_redis", lambda _: None)
    monkeypatch.setattr(observing, "Throttle", lambda _: SimpleNamespace(count=count))
    watchers = observing._Watchers(SimpleNamespace(stores=None, settings=Settings()))
    request = SimpleNamespace(headers={"authorization": "Bearer pindna_x"}, client=None)
    own.ask = lambda: watchers.identity(request)
    return own


def test_token_is_accepted_from_the_cache_while_mongodb_is_away(world):
    world.token = DOWN
    with pytest.raises(ServiceDown):
        world.ask()
    world.token = WHO
    assert world.ask() is WHO
    world.token = DOWN
    assert world.ask() is WHO
    assert world.counted == ["", ""]


def test_revoked_token_is_refused_whatever_service_is_away(world):
    world.token = WHO
    world.ask()
    world.token, counted, world.counted = None, world.counted, None
    with pytest.raises(NotSignedIn):  # Redis is away
        world.ask()
    world.counted = counted
    with pytest.raises(NotSignedIn):
        world.ask()
    world.token = DOWN
    with pytest.raises(ServiceDown):
        world.ask()


def test_valid_token_reads_metrics_without_redis(world):
    world.token, world.counted = WHO, None
    assert world.ask() is WHO
