"""Addresses of servers: what is refused, and what is shown of them: never a credential."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from system.urls import address_problem, host_and_port


@pytest.mark.parametrize(
    "address",
    [
        "mongodb://127.0.0.1:27017",
        "mongodb+srv://user:p%40ss@db.example.cn/admin?tls=true",
        "redis://:secret@host",
        "rediss://user:secret@[::1]:6380/0",
        "redis://a:6379,b:6380,[::1]",
        "redis://u:p@a:1,redis://b:2,rediss://c:3",
    ],
)
def test_address_that_every_parser_takes_alike_has_no_problem(address):
    assert address_problem(address) == ""


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("", "not an address"),
        ("127.0.0.1:27017", "not an address"),
        ("redis:/host", "not an address"),
        ("redis://ho st", "not an address"),
        ("redis://host\n", "not an address"),
        ("redis://host\x9f", "not an address"),
        ("redis://u:p@ss@host", "percent-encoded"),
        ("redis://u:p/w@host", "percent-encoded"),
        ("redis://u:p?w@host", "percent-encoded"),
        ("redis://u:p#w@host", "percent-encoded"),
        ("redis://u:100%@host", "percent-encoded"),
        ("redis://u:p[w@host", "percent-encoded"),
        ("redis://ho$t", "percent-encoded"),
        ("redis://host:port", "port"),
        ("redis://host:123456", "port"),
        ("redis://a:1,b:x", "port"),
        ("redis://host:", "port"),
    ],
)
def test_problem_does_not_quote_the_address(address, problem):
    message = address_problem(address)
    assert problem in message
    assert not address or address not in message
    assert "p@ss" not in message


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("redis://user:secret@host.example:7000/0", "host.example:7000"),
        ("redis://host", "host:6379"),
        ("host:1", "host:1"),
        ("redis://", "localhost:6379"),
        ("redis://:secret@/0", "localhost:6379"),
        ("redis://[::1]:7000?x=1", "::1:7000"),
        ("redis://host:99999", "?"),
        ("redis://[::1", "?"),
    ],
)
def test_host_and_port_are_extracted_alone(address, expected):
    assert host_and_port(address, port=6379) == expected


@given(st.text(alphabet="abc:/@?#%[]", max_size=12))
def test_no_password_of_an_accepted_address_is_shown(password):
    address = f"redis://user:geheim{password}@host:1/0"
    if not address_problem(address):
        assert host_and_port(address, port=6379) == "host:1"
