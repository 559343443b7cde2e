"""Identities in turn, and their health."""

import pytest

from crawler.download.proxies import Identities, MissingVariable, OpenVariable, expand_variables, secrets_of


def test_proxies_take_turns_with_separate_headers():
    identities = Identities(["p1", "p2", "p3"], [{"a": "1"}, {"a": "2"}])
    result = [identities.next(0.0) for _ in range(4)]
    assert [(item.proxy, item.headers["a"]) for item in result] == [
        ("p1", "1"),
        ("p2", "2"),
        ("p3", "1"),
        ("p1", "1"),
    ]


def test_failing_proxy_pauses_longer_every_time_until_it_works():
    identities = Identities(["p1", "p2"], [])
    identities.record_failure(0, 0.0)
    assert [identities.next(1.0).proxy for _ in range(3)] == ["p2"] * 3
    assert {identities.next(31.0).proxy for _ in range(2)} == {"p1", "p2"}
    identities.record_failure(0, 31.0)
    assert {identities.next(80.0).proxy for _ in range(2)} == {"p2"}
    identities.record_success(0)
    identities.record_failure(0, 100.0)
    assert {identities.next(131.0).proxy for _ in range(2)} == {"p1", "p2"}


def test_no_proxy_is_used_instead_of_the_local_address():
    identities = Identities(["p1"], [])
    identities.record_failure(0, 0.0)
    assert identities.next(1.0) is None


def test_direct_connection_is_never_set_aside():
    identities = Identities([], [{"a": "1"}, {"a": "2"}])
    identities.record_failure(0, 0.0)
    assert [identities.next(0.0).headers["a"] for _ in range(3)] == ["1", "2", "1"]


def test_secrets_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_WORD", "geheim")
    assert expand_variables("http://me:${PINDNA_SECRET_WORD}@p:1", source="s") == "http://me:geheim@p:1"
    assert secrets_of("a ${PINDNA_SECRET_WORD} b", source="s") == ["geheim"]
    with pytest.raises(MissingVariable, match="NO_SUCH"):
        expand_variables("${PINDNA_SECRET_NO_SUCH}", source="s")


@pytest.mark.parametrize("name", ["WORD", "HOME", "PATH", "PINDNA_STORAGE__MONGO_URL", "pindna_secret_x"])
def test_no_other_variable_is_read(monkeypatch, name):
    monkeypatch.setenv(name, "geheim")
    with pytest.raises(OpenVariable, match=f"{name}, but sources read only variables that begin with P"):
        expand_variables("${" + name + "}", source="s")
    with pytest.raises(OpenVariable):
        secrets_of("${" + name + "}", source="s")
