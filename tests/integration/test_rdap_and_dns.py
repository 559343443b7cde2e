"""RDAP and DNS servers on loopback: right answers, wrong ones, none, and where requests may not go."""

import json
import socketserver
import threading
from contextlib import contextmanager

import pytest
from support.name_server import served_records
from support.rdap_answers import DOMAIN, NETWORK
from support.replica_set import certificates
from support.tls_front import tls_in_front_of
from support.webserver import Reply, web_site

from analysis.sites.names import ask_names
from analysis.sites.rdap import RdapClient
from analysis.sites.safe_get import NoAnswer, get_json
from storage.settings.results import LookupSettings

RECORDS = {
    ("lamp.cn.", "A"): ["8.8.4.4"],
    ("lamp.cn.", "NS"): ["ns1.lamp.cn."],
    ("lamp.cn.", "MX"): ["10 mx.mail-host.cn."],
    ("www.books.cn.", "CNAME"): ["books.cn.cdn.cloudflare.net."],
    ("books.cn.cdn.cloudflare.net.", "A"): ["104.16.1.1"],
    ("empty.cn.", "TXT"): ["x"],
}


def reply(document, **options):
    return Reply(json.dumps(document), kind="application/rdap+json", **options)


@contextmanager
def rdap(pages, **settings):
    """A server with these answers, and a client that is configured for it."""
    with web_site(pages) as site:
        host = site.url.removeprefix("http://")
        yield site, RdapClient(LookupSettings(**{"rdap_url": site.url, "timeout_s": 5} | settings), [host])


def problem_of(client, query="domain", name="lamp.cn"):
    with pytest.raises(NoAnswer) as raised:
        client.ask(query, name)
    return str(raised.value.reason)


def test_configured_server_answers_about_domain_and_address():
    with rdap({"/domain/lamp.cn": reply(DOMAIN), "/ip/8.8.4.4": reply(NETWORK)}) as (site, client):
        assert client.ask("domain", "lamp.cn") == (DOMAIN, f"{site.url}/domain/lamp.cn")
        assert client.ask("ip", "8.8.4.4")[0] == NETWORK
        (_, headers, _), _ = site.asked
    assert headers["Accept"].startswith("application/rdap+json")


def test_files_of_iana_name_the_server(tmp_path):
    with rdap({"/domain/lamp.cn": reply(DOMAIN)}, rdap_url="", rdap_bootstrap=tmp_path) as (site, client):
        assert problem_of(client).startswith("the file dns.json is missing")
        (tmp_path / "dns.json").write_text(json.dumps({"services": [[["cn"], [site.url]], [["com"], []]]}))
        assert client.ask("domain", "lamp.cn")[0] == DOMAIN
        assert problem_of(client, name="lamp.com") == "no RDAP server is listed for .com"
        (tmp_path / "dns.json").write_text('{"services": [1]}')
        assert problem_of(client).endswith("is not a bootstrap file of IANA")


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (Reply("", status=404), "has no record of it"),
        (Reply("", status=429), "accepts no more requests"),
        (Reply("", status=500), "HTTP status 500"),
        (Reply("<html>"), "is not JSON"),
        (Reply("[" * 200_000), "is not JSON"),
        (Reply(b"\xff\xfe\x00"), "is not JSON"),
        (Reply(b" " * (2 * 1024 * 1024)), "is too long"),
        (Reply(chunks=lambda: iter(lambda: b"x" * 65_536, b"")), "is too long"),
        (Reply(status=302, Location="/domain/lamp.cn"), "redirects too often"),
        (Reply(status=302, Location="file:///etc/passwd"), "is not followed"),
        (Reply(status=302, Location="http://[bad"), "is not followed"),
    ],
)
def test_bad_answers_have_their_reason(page, words):
    with rdap({"/domain/lamp.cn": page}) as (_, client):
        assert words in problem_of(client)


def test_redirect_leads_to_the_same_server_but_no_other_private():
    with rdap({}) as (site, client), web_site({"/x": reply(DOMAIN)}) as inner:
        site.pages["/domain/lamp.cn"] = Reply(status=302, Location="/moved")
        site.pages["/moved"] = reply(DOMAIN)
        assert client.ask("domain", "lamp.cn")[1] == f"{site.url}/moved"
        site.pages["/moved"] = Reply(status=302, Location=f"{inner.url}/x")
        assert "is a private address" in problem_of(client)
        site.pages["/moved"] = Reply(status=302, Location=f"{inner.url.replace('127.0.0.1', 'localhost')}/x")
        assert "is a private address" in problem_of(client)
        assert inner.asked == []


def test_private_server_gets_requests_only_if_settings_allow_it():
    with web_site({"/domain/lamp.cn": reply(DOMAIN)}) as site:
        client = RdapClient(LookupSettings(rdap_url=site.url), ["127.0.0.1:1"])
        assert "is a private address" in problem_of(client)
        assert site.asked == []


@contextmanager
def raw_server(answer):
    """A server that sends these bytes, and then nothing."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(answer)
            stop.wait(20)

    stop = threading.Event()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_address
        stop.set()
        server.shutdown()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n{"])
def test_server_that_stops_answering_is_cut_off(answer):
    with raw_server(answer) as address, pytest.raises(NoAnswer) as raised:
        get_json(f"http://127.0.0.1:{address[1]}/", private=tuple(address), timeout_s=0.3)
    assert str(raised.value.reason) == "127.0.0.1 did not answer in time"


@pytest.mark.parametrize(
    ("url", "words"),
    [("http://127.0.0.1:9/", "127.0.0.1 cannot be reached"), ("http://lamp.invalid/", "cannot be resolved")],
)
def test_closed_port_and_unknown_name_cannot_be_reached(url, words):
    with pytest.raises(NoAnswer) as raised:
        get_json(url, private=("127.0.0.1", 9), timeout_s=5)
    assert words in str(raised.value.reason)


def test_certificate_is_checked_and_plain_text_is_not_followed(tmp_path, monkeypatch):
    authority, certificate = certificates(tmp_path)
    moved = Reply(status=302, Location="http://lamp.example/")
    with (
        web_site({"/x": reply(DOMAIN), "/moved": moved}) as site,
        tls_in_front_of(site.server.server_port, certificate) as port,
    ):
        url, private = f"https://127.0.0.1:{port}", ("127.0.0.1", port)
        with pytest.raises(NoAnswer) as raised:
            get_json(f"{url}/x", private=private, timeout_s=5)
        assert str(raised.value.reason) == "the certificate of 127.0.0.1 is not valid"
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert get_json(f"{url}/x", private=private, timeout_s=5).document == DOMAIN
        with pytest.raises(NoAnswer) as raised:
            get_json(f"{url}/moved", private=private, timeout_s=5)
        assert "is not followed" in str(raised.value.reason)


def asked_names(hosts, domain, records=RECORDS):
    with served_records(records) as (port, _):
        settings = LookupSettings(name_server=f"127.0.0.1:{port}", timeout_s=5)
        return ask_names(hosts, domain, settings)


def values(answer):
    return {(fact.kind, fact.value) for fact in answer.facts}


def test_name_server_gives_addresses_and_servers():
    answer = asked_names(["lamp.cn"], "lamp.cn")
    assert (answer.addresses, answer.problem) == (("8.8.4.4",), None)
    assert values(answer) == {
        ("ip", "8.8.4.4"),
        ("name-server", "ns1.lamp.cn"),
        ("mail-server", "mx.mail-host.cn"),
    }


def test_alias_and_network_show_a_cdn():
    answer = asked_names(["www.books.cn"], "books.cn")
    assert {("alias", "books.cn.cdn.cloudflare.net"), ("cdn", "Cloudflare")} <= values(answer)


def test_missing_names_have_their_reason():
    assert str(asked_names(["no.cn"], "no.cn").problem) == "the name no.cn does not exist in DNS"
    assert str(asked_names(["empty.cn"], "empty.cn").problem) == "DNS has no address of empty.cn"
    assert asked_names(["." * 300], "").problem is not None


def test_silent_and_talkative_name_servers_do_not_raise():
    class Junk(socketserver.BaseRequestHandler):
        def handle(self):
            self.request[1].sendto(b"\xff" * 40, self.client_address)

    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Junk) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        settings = LookupSettings(name_server=f"127.0.0.1:{server.server_address[1]}", timeout_s=0.2)
        answer = ask_names(["lamp.cn"], "lamp.cn", settings)
        server.shutdown()
    assert (answer.facts, answer.addresses) == ((), ())
    assert answer.problem is not None
