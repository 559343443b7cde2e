"""The last words of a service's log."""

from types import SimpleNamespace

import pytest

from deploy.stack import service
from deploy.stack.errors import PortTaken, ServiceExited, ServiceSilent


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("=== started x\nFirst\n  Last words \n\n", "Last words"),
        ("Old words\n=== started x\n", "nothing was logged"),
        ("", "nothing was logged"),
        ("=== started x\n\x1b[31mred\x07\n", "[31mred"),
        ("=== started x\n" + "长" * 500, "长" * 200),
    ],
)
def test_last_line_belongs_to_this_run(tmp_path, text, words):
    log = tmp_path / "x.log"
    log.write_text(text, "utf-8")
    assert service.last_line(log) == words


@pytest.mark.parametrize(
    ("text", "panic", "has_panicked"),
    [
        ("=== started x\nerror: WT_PANIC: library panic\nconnection closed\n", "WT_PANIC", True),
        ("=== started x\nWT_PANIC\n=== started y\nready\n", "WT_PANIC", False),
        ("=== started x\nWT_PANIC\n", "", False),
        (None, "WT_PANIC", False),
    ],
    ids=["in this run", "in an earlier one", "a service that ends by itself", "no log"],
)
def test_panic_belongs_to_this_run(tmp_path, text, panic, has_panicked):
    log = tmp_path / "x.log"
    if text is not None:
        log.write_text(text, "utf-8")
    assert service.has_panicked(SimpleNamespace(log=log, panic=panic)) is has_panicked


def test_missing_log_has_no_last_line(tmp_path):
    assert service.last_line(tmp_path / "none.log") == "no log"


@pytest.mark.parametrize(("port", "error"), [(7000, PortTaken), (None, ServiceExited)])
def test_occupied_port_is_reported_by_the_service_if_it_is_fixed(tmp_path, port, error):
    log = tmp_path / "console.log"
    log.write_text("The console cannot listen on 127.0.0.1:8686: Address already in use.\n", "utf-8")
    console = SimpleNamespace(title="The console", log=log, port=port, folder=tmp_path)
    assert isinstance(service.why_ended(console), error)


def test_service_that_takes_long_to_start_is_named_once(monkeypatch, caplog, tmp_path):
    monkeypatch.setattr(service, "_FIRST_LINE_S", 0.05)
    monkeypatch.setattr(service, "answers", lambda *_: False)
    monkeypatch.setattr(service.processes, "is_gone", lambda _mark: False)
    slow = SimpleNamespace(title="Redis", log=tmp_path / "redis.log")
    with pytest.raises(ServiceSilent):
        service.wait_ready(slow, SimpleNamespace(pid=7), timeout_s=0.2)
    assert caplog.messages == [f"Redis has been starting for 0 s; its log: {slow.log}"]
