"""Whoever reaches a worker's metrics can make them wait, and nothing else."""

import socket
import threading
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, Gauge
from support.waiting import wait_until

from tracker import metrics_server
from tracker.metrics_server import MAX_CONNECTIONS, serve


@pytest.fixture(params=["127.0.0.1", "::1"])
def place(request):
    """Address and port of a server that tells one number."""
    registry = CollectorRegistry()
    Gauge("one", "A number.", registry=registry).set(1)
    port, end = serve(registry, request.param, 0)
    yield request.param, port
    end()


def open_files():
    """How many this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def told(place):
    host, port = place
    with urlopen(f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics", timeout=5) as answer:
        return answer.read().decode()


def test_metrics_are_served(place):
    assert told(place).splitlines()[-1] == "one 1.0"


def test_hundreds_of_connections_use_few_files_and_are_closed_in_time(place, monkeypatch):
    monkeypatch.setattr(metrics_server, "MAX_S", 0.5)
    files, threads = open_files(), threading.active_count()
    with ExitStack() as opened:
        ours = [opened.enter_context(closing(socket.create_connection(place))) for _ in range(300)]
        time.sleep(0.2)
        assert open_files() - files - len(ours) <= MAX_CONNECTIONS
        assert threading.active_count() - threads <= 2 * MAX_CONNECTIONS  # one waits, one ends it
        wait_until(lambda: "one 1.0" in told_or_nothing(place))
    wait_until(lambda: threading.active_count() <= threads)


def told_or_nothing(place):
    with suppress(OSError):
        return told(place)
    return ""


@pytest.mark.parametrize("sent", [b"", b"GET /metrics HTTP/1.1\r\n", b"x"])
def test_head_without_an_end_ends(place, monkeypatch, sent):
    monkeypatch.setattr(metrics_server, "MAX_S", 0.5)
    with closing(socket.create_connection(place, timeout=5)) as client:
        client.sendall(sent)
        assert client.recv(1) == b""  # nobody answered; it would be a time-out if it was still waited for


def test_headers_without_number_are_refused(place):
    answer = b""
    with closing(socket.create_connection(place, timeout=5)) as client, suppress(ConnectionError):
        client.sendall(b"GET /metrics HTTP/1.1\r\n" + b"a: b\r\n" * 1_000)
        answer = client.recv(65_536)
    assert b"one 1.0" not in answer
    assert "one 1.0" in told(place)


@pytest.mark.parametrize("kind", ["Thread", "Timer"])
def test_it_serves_again_when_there_are_threads_again(place, monkeypatch, kind):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    owner = {"Thread": metrics_server.ThreadingMixIn, "Timer": metrics_server.Timer}[kind]
    method = {"Thread": "process_request", "Timer": "start"}[kind]
    with monkeypatch.context() as patch:
        patch.setattr(owner, method, refuse)
        for _ in range(MAX_CONNECTIONS + 1):
            with closing(socket.create_connection(place, timeout=5)) as client, suppress(ConnectionError):
                assert client.recv(1) == b""
    assert "one 1.0" in told(place)
