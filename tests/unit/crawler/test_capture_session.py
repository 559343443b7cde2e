"""The environment of a crawl, with a real name server on this machine."""

from dataclasses import replace
from datetime import UTC, datetime

import dns.resolver
import pytest
from support.name_server import name_server

from crawler.capture_session import lines_naming, resolve_hosts
from storage.records import ENVIRONMENT_FINDINGS, CaptureSession, ResolvedHost

CLEAN = CaptureSession(
    id="a",
    scan_id="s",
    source="portal",
    at=datetime(2026, 3, 1, tzinfo=UTC),
    machine="m",
    system="Linux",
    hosts=(ResolvedHost(host="a.example", system=("192.0.2.1",), second=("192.0.2.1", "192.0.2.2")),),
    second_resolver="9.9.9.9",
)


def test_second_name_server_answers_and_an_unknown_host_has_no_address():
    with name_server({("a.example.", "A"): ["192.0.2.7"]}):
        second = f"127.0.0.1:{dns.resolver.default_resolver.port}"
        host, unknown = resolve_hosts(["a.example", "b.example"], second)
    assert host == ResolvedHost(host="a.example", system=("192.0.2.7",), second=("192.0.2.7",))
    assert unknown == ResolvedHost(host="b.example")


def test_without_a_second_name_server_only_the_system_answers():
    (host,) = resolve_hosts(["localhost"], "")
    assert "127.0.0.1" in host.system
    assert host.second == ()


def test_hosts_file_lines_are_those_that_name_a_host():
    content = "# a.example\n127.0.0.1 localhost\n10.0.0.1\tA.example  other # ours\n::1 b.example\n"
    assert lines_naming(content, ["a.example"]) == ("10.0.0.1 A.example other",)
    assert lines_naming(content, []) == ()


@pytest.mark.parametrize(
    ("finding", "change"),
    {
        "clock": {"clock_ahead_s": -5.1},
        "hosts-file": {"hosts_file_lines": ("10.0.0.1 a.example",)},
        "proxy": {"proxies": ("proxy.example:1080",)},
        "resolvers-differ": {"hosts": (ResolvedHost(host="a", system=("1",), second=("2",)),)},
        "one-resolver": {"second_resolver": ""},
        "unresolved": {"hosts": (ResolvedHost(host="a", second=("2",)),)},
    }.items(),
)
def test_findings_have_their_causes(finding, change):
    assert CLEAN.findings == ()
    assert replace(CLEAN, **change).findings == (finding,)
    assert finding in ENVIRONMENT_FINDINGS
