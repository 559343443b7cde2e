"""A worker's consumer waits for a broker that takes no writes; the wait ends when the worker is to end."""

from types import SimpleNamespace

import pytest
from celery.exceptions import WorkerShutdown
from celery.worker.consumer import Consumer as CeleryConsumer

from system.errors import DiskRefuses, ReadsOnly
from tracker import broker
from tracker.celery import app

SERVER = {"service": "Redis", "address": "h.example:6379", "setting": "storage.redis_url"}


@pytest.fixture
def waits(monkeypatch):
    """The seconds that the consumer waits; nothing sleeps."""
    waits = []
    monkeypatch.setattr(broker.time, "sleep", waits.append)
    monkeypatch.setattr(broker, "maybe_shutdown", lambda: None)
    monkeypatch.setattr(CeleryConsumer, "ensure_connected", lambda _, connection: connection)
    monkeypatch.setattr(CeleryConsumer, "on_connection_error_after_connected", lambda *_: None)
    return waits


@pytest.fixture
def consumer():
    return object.__new__(broker.Consumer)


def refusals(monkeypatch, *errors):
    """Let Redis refuse writes with some errors, one after the other, and then take them."""
    left = list(errors)

    def require_writes(_):
        if left:
            raise left.pop(0)

    monkeypatch.setattr(broker, "require_writes", require_writes)
    return left


def test_celery_uses_the_consumer_and_survives_error_replies():
    assert app.conf.worker_consumer == f"{broker.__name__}:{broker.Consumer.__name__}"
    assert app.conf.broker_channel_error_retry is True
    assert app.conf.broker_transport_options["ack_emulation"] is False


def test_broker_that_takes_writes_is_not_waited_for(monkeypatch, consumer, waits):
    refusals(monkeypatch)
    connection = SimpleNamespace()
    assert consumer.ensure_connected(connection) is connection
    assert waits == []


def test_broker_that_takes_no_writes_is_waited_for_and_logged(monkeypatch, consumer, waits, caplog):
    errors = [DiskRefuses(**SERVER), *(ReadsOnly(**SERVER) for _ in range(4))]
    refusals(monkeypatch, *errors)
    connection = SimpleNamespace()
    assert consumer.ensure_connected(connection) is connection
    assert len(waits) == 1 + 2 + 4 + 5 + 5
    assert [record.args[0] for record in caplog.records] == errors


def test_wait_ends_when_the_worker_is_to_end(monkeypatch, consumer, waits):
    def shut_down():
        if waits:
            raise WorkerShutdown(0)

    monkeypatch.setattr(broker, "maybe_shutdown", shut_down)
    refusals(monkeypatch, *(DiskRefuses(**SERVER) for _ in range(9)))
    with pytest.raises(WorkerShutdown):
        consumer.ensure_connected(SimpleNamespace())
    assert waits == [1]


def test_server_that_refuses_a_command_is_retried_once_a_second(consumer, waits):
    consumer.on_connection_error_after_connected(ValueError())
    assert waits == [1]
